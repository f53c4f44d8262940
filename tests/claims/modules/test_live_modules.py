"""Modules as people write them: clipped, frozen, shared, with buffers, in low precision, random."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from workings.claims.modules.module_assertion import assert_computes
from workings.errors import WorkingsError


class Of(nn.Module):
    """A function of a module with parameters, buffers or modules of these names, and of x."""

    def __init__(self, function: Callable[..., object], **parts: Any) -> None:
        super().__init__()
        self.function = function
        for name, part in parts.items():
            is_buffer = isinstance(part, Tensor) and not isinstance(part, nn.Parameter)
            (self.register_buffer if is_buffer else self.__setattr__)(name, part)

    def forward(self, *inputs: Tensor) -> object:
        return self.function(self, *inputs)


def weight(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.zeros(shape))


def square(function: Callable[..., object]) -> Callable[[int], nn.Module]:
    return lambda d: Of(function, W=weight(d, d))


def check(module: Callable[..., nn.Module], formula: str, **given: Any) -> None:
    inputs = given.pop("inputs", {"x": "n x d"})
    assert_computes(module, formula, inputs=inputs, **given)


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        (lambda m, x: (x @ m.W).clamp(-50, 50), "x W"),
        (lambda m, x: (x @ m.W @ x.T).clamp(max=200).softmax(1) @ x, r"\mathrm{softmax}(x W x^T)x"),
        (lambda m, x: x @ m.W * (1 if x.shape[1] % 2 else 2), "x W"),
        (lambda m, x: torch.cat([1e9 * x, x @ m.W], 1), "[10^9 x, 2 x W]"),
        (lambda m, x: functional.leaky_relu(x @ m.W, 1e-9), r"\mathrm{relu}(x W)"),
    ],
    ids=["clipped", "clipped scores", "even", "small beside large", "tiny slope"],
)
def test_what_only_some_sizes_or_magnitudes_show_is_seen(
    function: Callable[..., object], wrong: str
) -> None:
    with pytest.raises(AssertionError, match="wrong value"):
        check(square(function), wrong, parameters={"W": "W"})


@pytest.mark.parametrize(
    ("module", "formula", "parameters"),
    [
        (square(lambda m, x: {"y": x @ m.W, "x": x}), "x W", {"W": "W"}),
        (square(lambda m, x: (x @ m.W).argmax(1).new_tensor(1) * x @ m.W), "y = x W", {"W": "W"}),
        (lambda d: nn.Linear(d, d).requires_grad_(False), "x W + b", {"weight": "W^T"}),
        (
            lambda d: Of(lambda m, x: m.b(x) @ m.a.weight.T, a=(a := nn.Linear(d, d, False)), b=a),
            "x W W",
            {"b.weight": "W^T"},
        ),
        (
            lambda d: Of(lambda m, x: x @ m.W + x @ m.R, W=weight(d, d), R=torch.zeros(d, d)),
            "x (W + R)",
            {"W": "W", "R": "R"},
        ),
        (
            lambda d: nn.BatchNorm1d(d),
            r"(x - m) \mathrm{diag}(v + 10^{-5})^{-\frac12} \mathrm{diag}(g) + b",
            {"weight": "g", "bias": "b", "running_mean": "m", "running_var": "v"},
        ),
        (
            lambda d: Of(lambda m, x: functional.leaky_relu(x @ m.W), W=weight(d, d)),
            r"\mathrm{LeakyReLU}(x W)",
            {"W": "W"},
        ),
        (
            lambda d: Of(lambda m, x: functional.hardswish(x @ m.W), W=weight(d, d)),
            r"\mathrm{hardswish}(x W)",
            {"W": "W"},
        ),
    ],
    ids=["dict", "equation", "frozen", "shared", "buffer", "statistics", "slope", "hardswish"],
)
def test_a_right_formula_holds(
    module: Callable[..., nn.Module], formula: str, parameters: dict[str, str]
) -> None:
    check(module, formula, parameters=parameters)


def test_a_name_that_an_equation_defines_is_transposed() -> None:
    module = square(lambda m, x: torch.relu(x @ m.W).T @ x)
    equations = [r"r = \mathrm{relu}(x W)"]
    check(module, "r^T x", equations=equations, parameters={"W": "W"})


def test_sizes_that_the_factory_or_the_forward_refuses_are_left_out() -> None:
    def refusing(d: int) -> nn.Module:
        if d % 2:
            raise ValueError("d is even")
        return Of(lambda m, x: x.view(len(x) // 2, 2, -1).flatten(0, 1) @ m.W, W=weight(d, d))

    check(refusing, "x W", parameters={"W": "W"})


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda m, x: functional.dropout(x @ m.W), "another value each time"),
        (lambda m, x: (x.bfloat16() @ m.W.bfloat16()).double(), "in bfloat16 on the way"),
        (lambda m, x: x.float() @ m.W.float(), "in float32 on the way"),
        (lambda m, x: functional.hardsigmoid(x @ m.W), "but for single precision"),
    ],
    ids=["random", "bfloat16", "float32", "kernel"],
)
def test_what_rounding_or_chance_decides_is_undecided(
    function: Callable[..., object], why: str
) -> None:
    formula = r"\mathrm{hardsigmoid}(x W)" if "single" in why else "x W"
    with pytest.raises(AssertionError, match=f"undecided.*\n.*{why}"):
        check(square(function), formula, parameters={"W": "W"})


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (lambda d: torch.relu, "gives a builtin_function_or_method, where a torch.nn.Module"),
        (torch.relu, "relu: a torch.nn.Module is expected"),
        (lambda d: nn.Linear(d, d, dtype=torch.cfloat), "weight is complex"),
        (square(lambda m, x: "text"), "gives no tensor"),
    ],
)
def test_what_is_no_module_of_real_numbers_is_refused(module: Any, message: str) -> None:
    with pytest.raises(WorkingsError, match=message):
        check(module, "x W + b")


def test_a_function_that_is_not_known_is_named() -> None:
    with pytest.raises(AssertionError, match="foo: there is no such function"):
        check(lambda d: nn.Linear(d, d), r"\mathrm{foo}(x W + b)")


ATTENTION = r"\mathrm{softmax}(x Q x^T / \sqrt{d}) x"
NORM = r"\nu(u) = u \oslash \sqrt{(u \odot u) 1_{d \times d} + 10^{-3}}"


def norm(x: Tensor) -> Tensor:
    return x / (x.square().sum(1, keepdim=True) + 1e-3).sqrt()


@pytest.mark.parametrize(
    ("function", "wrong", "repaired"),
    [
        (lambda m, x: (x @ m.W @ x.T).softmax(1) @ x, ATTENTION, r"softmax}(x W x^\top) x"),
        (lambda m, x: x + norm(x) @ m.W, r"\nu(x + x W)", r"x + \nu(x) W"),
        (lambda m, x: norm(x + x @ m.W), r"x + \nu(x) W", r"\nu(x + x W)"),
        (lambda m, x: x @ m.W / (x @ m.W).norm(), r"\frac{x W}{\|x W\| + 1}", "x W"),
        (
            lambda m, x: functional.normalize(x @ m.W, eps=0) * 0 + norm(x),
            r"x \oslash \sqrt{(x \odot x) 1_{d \times d}} + 0 x W",
            "10^{-3}",
        ),
        (
            lambda m, x: torch.sigmoid(x @ m.W) * x + (1 - torch.sigmoid(x @ m.W)) * x**2,
            r"(1 - g) \odot x + g \odot x \odot x",
            r"g \odot x + (1 - g) \odot",
        ),
        (lambda m, x: functional.leaky_relu(x @ m.W, 0.3), r"\mathrm{LeakyReLU}(x W)", "0.3|3}{10"),
    ],
    ids=["scale", "before", "after", "factor", "epsilon", "gate", "slope"],
)
def test_a_wrong_formula_comes_back_as_what_the_module_computes(
    function: Callable[..., object], wrong: str, repaired: str
) -> None:
    equations = [r"g = \sigma(x W)"] if "g" in wrong.replace("sigma", "") else []
    equations += [NORM] if "nu" in wrong else []
    with pytest.raises(AssertionError) as failed:
        check(square(function), wrong.replace("Q", "W"), equations=equations, parameters={"W": "W"})
    _, _, repair = str(failed.value).partition("repaired: ")
    assert any(each in repair for each in repaired.split("|")), str(failed.value)


def test_two_heads_in_each_others_place_and_a_slip_in_both() -> None:
    def heads(m: nn.Module, x: Tensor) -> Tensor:
        W = m.get_parameter("W")
        scores = [x @ W[i] @ x.T / x.shape[1] ** 0.5 for i in (0, 1)]
        return torch.cat([each.softmax(1) @ x @ W[2 + i] for i, each in enumerate(scores)], 1)

    named = {"W[0]": "Q_1", "W[1]": "Q_2", "W[2]": "V_1", "W[3]": "V_2"}
    head = r"\mathrm{softmax}(x Q_%d x^T / \sqrt{%s d}) x V_%d"
    for order, factor in (((2, 1), ""), ((1, 2), "2")):
        formula = ", ".join(head % (i, factor, i) for i in order)
        with pytest.raises(AssertionError, match=r"repaired: .*Q_1.*\\sqrt\{d\}.*Q_2.*\\sqrt\{d\}"):
            check(lambda d: Of(heads, W=weight(4, d, d)), f"[{formula}]", parameters=named)


GATED = [
    r"r^{(t)} = \sigma(x^{(t)} R)",
    r"h^{(t)} = (1 - r^{(t)}) \odot h^{(t-1)} + \tanh(x^{(t)} W + (r^{(t)} \odot h^{(t-1)}) U)",
]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (r"(r^{(t)} \odot h^{(t-1)}) U", r"r^{(t)} \odot (h^{(t-1)} U)"),
        (r"(r^{(t)} \odot h^{(t-1)}) U", "h^{(t-1)} U"),
        (r"(1 - r^{(t)}) \odot", r"r^{(t)} \odot"),
    ],
)
def test_a_step_with_a_gate_elsewhere_is_repaired(right: str, wrong: str) -> None:
    def steps(m: nn.Module, x: Tensor) -> Tensor:
        h, outputs = x.new_zeros(x.shape[1:]), []
        for each in x:
            r = torch.sigmoid(each @ m.get_parameter("R"))
            inner = each @ m.get_parameter("W") + (r * h) @ m.get_parameter("U")
            h = (1 - r) * h + torch.tanh(inner)
            outputs.append(h)
        return torch.stack(outputs)

    def module(d: int) -> nn.Module:
        return Of(steps, R=weight(d, d), W=weight(d, d), U=weight(d, d))

    given: dict[str, Any] = {"inputs": {"x^{(t)}": "n x d"}, "steps": 2}
    given["parameters"] = {name: name for name in "RWU"}
    check(module, "h^{(t)}", equations=GATED, **given)
    slipped = [equation.replace(right, wrong) for equation in GATED]
    with pytest.raises(AssertionError) as failed:
        check(module, "h^{(t)}", equations=slipped, **given)
    assert f"repaired: {GATED[1]}" in str(failed.value)


@pytest.mark.parametrize(
    "wrong",
    [
        r"\begin{bmatrix} (1 - x) W \\ x W \end{bmatrix}",
        r"\begin{bmatrix} x W \\ \sum_{i=1}^{d} x W \end{bmatrix}",
        r"\begin{bmatrix} x (W + I_d) \\ x W \end{bmatrix}",
    ],
)
def test_what_is_looked_for_in_a_repair_is_a_value_and_no_row_or_range(wrong: str) -> None:
    stacked = square(lambda m, x: torch.cat([(x @ m.W).sin(), (x @ m.W) ** 3]))
    with pytest.raises(AssertionError, match="wrong value"):
        check(stacked, wrong, parameters={"W": "W"})
