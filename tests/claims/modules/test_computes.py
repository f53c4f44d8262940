"""Whether a live module computes a formula: right ones hold, wrong ones come back repaired."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import workings
from workings.claims.modules.module_assertion import assert_computes
from workings.claims.result import Result
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError


class Attention(nn.Module):
    """Self-attention of one head, right or with a slip."""

    def __init__(self, width: int, bias: bool = False, slip: str = "") -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(width, width, bias=bias) for _ in range(3))
        self.slip = slip

    def forward(self, x: Tensor) -> Tensor:
        scale = {"rows": len(x), "none": 1}.get(self.slip, x.shape[1])
        scores = self.q(x) @ self.k(x).T / math.sqrt(scale)
        return scores.softmax(0 if self.slip == "axis" else 1) @ self.v(x)


class Affine(nn.Linear):
    """x W + b."""


class WrongBackward(nn.Module):
    """x W, whose hand-written gradient by W is twice what it should be."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.zeros(inputs, outputs))

    def forward(self, x: Tensor) -> Tensor:
        return _Product.apply(x, self.W)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx: Any, *grad: Tensor) -> tuple[Tensor, Tensor]:
        x, w = ctx.saved_tensors
        return grad[0] @ w.t(), 2 * x.t() @ grad[0]


FORMULA = r"\mathrm{softmax}(x W_Q (x W_K)^T / \sqrt{d}) x W_V"
NAMED = {"q.weight": "W_Q^T", "k.weight": "W_K^T", "v.weight": "W_V^T"}


def checked(kind: type[nn.Module], args: dict[str, object], **claim: Any) -> Result:
    shared = {key: claim.pop(key) for key in ("equations", "steps", "sizes") if key in claim}
    claim |= {"model": f"{__name__}:{kind.__name__}", "args": args}
    return workings.check({"claims": [claim], **shared}, trust=True)[0]


def attention(args: dict[str, object] | None = None, **claim: Any) -> Result:
    given = {"width": "d", **(args or {})}
    return checked(Attention, given, inputs={"x": "n x d"}, computes=FORMULA, **claim)


def test_a_right_formula_holds_forward_and_backward() -> None:
    result = attention(parameters=NAMED)
    assert result.verdict is Verdict.HOLDS
    assert "W_Q is q.weightᵀ" in result.why


def test_equations_of_its_own_may_be_a_list() -> None:
    claim: dict[str, object] = {
        "model": f"{__name__}:Affine",
        "args": {"in_features": "d", "out_features": "k"},
        "inputs": {"x": "n x d"},
        "parameters": {"weight": "W^T", "bias": "b"},
        "where": ["z = x W"],
        "computes": "z + b",
    }
    assert workings.check(claims=[claim], trust=True)[0].verdict is Verdict.HOLDS


def test_parameters_are_matched_by_value_and_the_match_is_said() -> None:
    result = attention()
    assert result.verdict is Verdict.HOLDS
    for letter in "QKV":
        assert f"W_{letter} is {letter.lower()}.weightᵀ" in result.why


@pytest.mark.parametrize(
    ("args", "repaired"),
    [
        ({"slip": "'rows'"}, r"\sqrt{n}"),
        ({"bias": True}, "(x W_Q + b_q) (x W_K + b_k)"),
    ],
)
def test_a_wrong_formula_is_repaired_to_what_the_code_computes(
    args: dict[str, object], repaired: str
) -> None:
    result = attention(args, parameters=NAMED)
    assert result.verdict is Verdict.WRONG_VALUE
    assert result.repair is not None
    assert repaired in result.repair.formula
    assert result.repair.verified_draws == 3


@pytest.mark.parametrize(
    ("computes", "repaired"),
    [("x W^T + b", "x W + b"), ("(x W)^T + b", "x W + b"), (r"\frac{1}{d} x W + b", "x W + b")],
)
def test_what_does_not_fit_is_repaired_too(computes: str, repaired: str) -> None:
    result = checked(
        Affine,
        {"in_features": "d", "out_features": "k"},
        inputs={"x": "n x d"},
        parameters={"weight": "W^T", "bias": "b"},
        computes=computes,
    )
    assert result.verdict.is_wrong
    assert result.repair is not None
    assert result.repair.formula == repaired


@pytest.mark.parametrize("slip", ["none", "axis"])
def test_a_wrong_formula_does_not_hold(slip: str) -> None:
    assert attention({"slip": f"'{slip}'"}, parameters=NAMED).verdict is not Verdict.HOLDS
    assert attention({"slip": f"'{slip}'"}).verdict is Verdict.NOT_READ  # no parameters fit


def test_a_wrong_backward_is_found_where_the_value_is_right() -> None:
    result = checked(
        WrongBackward,
        {"inputs": "a", "outputs": "b"},
        inputs={"x": "n x a"},
        parameters={"W": "W"},
        computes="x W",
    )
    assert result.verdict is Verdict.WRONG_VALUE
    assert "gradient by W" in result.why


STEP = r"h^{(t)} = \sigma(h^{(t-1)} H + x^{(t)} I + b)"


def sequence(equation: str, sizes: dict[str, str] | None = None, **claim: Any) -> Result:
    values = {
        "model": "rnn",
        "inputs": {"x^{(t)}": "B x N_i"},
        "computes": "h^{(t)}",
        **claim,
    }
    given = {"equations": [equation], "steps": 3, "sizes": sizes or {}, "claims": [values]}
    return workings.check(given)[0]


def test_a_sequence_module_by_the_equation_of_its_step() -> None:
    assert sequence(STEP, parameters={"H": "H", "I": "I", "b": "b"}).holds
    assert sequence(STEP.replace("H", "U").replace("I", "V")).holds


@pytest.mark.parametrize(
    "slip", [(r"\sigma", r"\tanh"), ("H +", "H^T +"), ("(t-1)} H", "(t-1)} I"), (" + b", "")]
)
def test_a_wrong_step_does_not_hold_and_is_repaired(slip: tuple[str, str]) -> None:
    named = {"H": "H", "I": "I", "b": "b"}
    result = sequence(STEP.replace(*slip), parameters=named, sizes={"N_i": "N_h"})
    assert not result.holds
    assert result.repair is not None


def test_the_slices_of_stacked_gates() -> None:
    gates = {
        f"weight_ih_l0[{i}*N_h:{i + 1}*N_h]": f"W_{gate}^T" for i, gate in enumerate("ifgo")
    } | {f"weight_hh_l0[{i}*N_h:{i + 1}*N_h]": f"U_{gate}^T" for i, gate in enumerate("ifgo")}
    biases = {
        f"bias_{kind}_l0[{i}*N_h:{i + 1}*N_h]": f"{letter}_{gate}"
        for i, gate in enumerate("ifgo")
        for kind, letter in (("ih", "b"), ("hh", "c"))
    }
    inside = "x^{(t)} W_%s + b_%s + h^{(t-1)} U_%s + c_%s"
    equations = [
        rf"{name}^{{(t)}} = {function}({inside % ((gate,) * 4)})"
        for name, gate, function in (
            ("r", "i", r"\sigma"),
            ("s", "f", r"\sigma"),
            ("u", "g", r"\tanh"),
            ("v", "o", r"\sigma"),
        )
    ]
    equations += [
        r"m^{(t)} = s^{(t)} \odot m^{(t-1)} + r^{(t)} \odot u^{(t)}",
        r"h^{(t)} = v^{(t)} \odot \tanh(m^{(t)})",
    ]
    claim = {
        "model": "lstm",
        "inputs": {"x^{(t)}": "B x N_i"},
        "parameters": gates | biases,
        "computes": "h^{(t)}",
    }
    assert workings.check({"equations": equations, "steps": 3, "claims": [claim]})[0].holds
    equations[0] = equations[0].replace("U_i", "U_f")  # another gate's weights
    wrong = workings.check({"equations": equations, "steps": 3, "claims": [claim]})[0]
    assert not wrong.holds
    assert wrong.repair is not None
    assert "U_i instead of U_f" in wrong.repair.changes


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({"parameters": {"q.wight": "W"}}, r"the module has no 'q.wight' \(did you mean q.weight"),
        ({"inputs": {"x": "n x 2*d"}}, "the module does not take these inputs"),
    ],
)
def test_bad_input_is_named(claim: dict[str, Any], message: str) -> None:
    values = {"inputs": {"x": "n x d"}, "computes": FORMULA, **claim}
    with pytest.raises(WorkingsError, match=message):
        checked(Attention, {"width": "d"}, **values)


def test_the_assertion_of_a_module_and_of_a_factory() -> None:
    named = {"weight": "W^T", "bias": "b"}
    layer = nn.Linear(4, 3)
    before = layer.weight.clone()
    assert_computes(layer, "x W + b", inputs={"x": "n x 4"}, parameters=named)
    assert torch.equal(layer.weight, before)
    workings.assert_computes(
        lambda d, k: nn.Linear(d, k), "x W + b", inputs={"x": "n x d"}, parameters=named
    )
    with pytest.raises(AssertionError, match="wrong value"):
        assert_computes(layer, "x W", inputs={"x": "n x 4"}, parameters={"weight": "W^T"})


class Scores(nn.Module):
    """Logits from a state of another width; the bias of the keys changes nothing."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.zeros(2, inputs, hidden))
        self.U = nn.Parameter(torch.zeros(hidden, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: Tensor) -> Tensor:
        h = x.new_zeros(x.shape[1], self.U.shape[0])
        outputs = []
        for each in x:
            h = torch.tanh(each @ self.W[0] + h * (each @ self.W[1]))
            outputs.append(torch.softmax(h @ self.U + self.bias.sum(), 1))
        return torch.stack(outputs)


SCORES = {
    "args": {"inputs": "a", "hidden": "b", "outputs": "c"},
    "inputs": {"x^{(t)}": "B x a", "h^{(0)}": "B x b"},
    "parameters": {"W[0]": "V", "W[1]": "W", "U": "U", "bias": "p"},
    "where": [r"h^{(t)} = \tanh(x^{(t)} V + h^{(t-1)} \odot x^{(t)} W)"],
    "computes": r"\mathrm{softmax}(h^{(t)} U + \sum p)",
    "steps": 3,
}


def test_parts_of_a_parameter_and_a_state_that_is_not_the_output() -> None:
    assert checked(Scores, **SCORES).holds  # its gradient by p is 0 but for rounding
    slipped = {**SCORES, "parameters": {"W[1]": "V", "W[0]": "W", "U": "U", "bias": "p"}}
    assert not checked(Scores, **slipped).holds


def test_entries_with_two_names_are_refused() -> None:
    twice = {**SCORES, "parameters": {**SCORES["parameters"], "U[0:b]": "u"}}
    with pytest.raises(WorkingsError, match="U and u are the same entries; name each part once"):
        checked(Scores, **twice)


class Neighbours(nn.Module):
    """A x W, with the edges of A as pairs: nothing can be differentiated by A."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.zeros(inputs, outputs))

    def forward(self, a: Tensor, x: Tensor) -> Tensor:
        i, j = a.nonzero().t()
        return torch.zeros_like(x).index_add(0, i, x[j]) @ self.W


def test_a_graph_is_an_input_that_is_not_differentiated_by() -> None:
    claim = {
        "args": {"inputs": "F", "outputs": "C"},
        "inputs": {"A": "adjacency n x n", "x": "n x F"},
        "parameters": {"W": "W"},
    }
    assert checked(Neighbours, **claim, computes="A x W").holds
    assert not checked(Neighbours, **claim, computes="(A + I_n) x W").holds


class Gated(nn.Module):
    """A step of a cell: what is kept, what is let in, and what is given out."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.keep, self.enter, self.leave, self.new = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x: Tensor, c: Tensor) -> Tensor:
        kept = torch.sigmoid(self.keep(x)) * c
        cell = kept + torch.sigmoid(self.enter(x)) * torch.tanh(self.new(x))
        return torch.sigmoid(self.leave(x)) * torch.tanh(cell)


GATES = [
    r"f = \sigma(x W_f + b_f)", r"i = \sigma(x W_i + b_i)", r"o = \sigma(x W_o + b_o)",
    r"g = \tanh(x W_g + b_g)",
]  # fmt: skip
GATED = {
    f"{layer}.{kind}": name.format(letter)
    for layer, letter in zip(("keep", "enter", "leave", "new"), "fiog", strict=True)
    for kind, name in (("weight", "W_{}^T"), ("bias", "b_{}"))
}


@pytest.mark.parametrize(
    ("cell", "computes", "repaired"),
    [
        (r"s = f \odot c + i \odot g", r"o \odot \tanh(s)", ""),
        (r"s = i \odot c + f \odot g", r"o \odot \tanh(s)", r"s = f \odot c + i \odot g"),
        (r"s = f \odot c + o \odot g", r"o \odot \tanh(s)", r"s = f \odot c + i \odot g"),
        (r"s = f \odot c + i \odot g", r"f \odot \tanh(s)", r"o \odot \tanh(s)"),
        (r"s = f \odot c + i \odot g", r"s \odot \tanh(o)", r"o \odot \tanh(s)"),
    ],
)
def test_a_gate_in_the_place_of_another_is_put_right(
    cell: str, computes: str, repaired: str
) -> None:
    result = checked(
        Gated,
        {"width": "d"},
        inputs={"x": "n x d", "c": "n x d"},
        parameters=GATED,
        where=[*GATES, cell],
        computes=computes,
    )
    assert result.verdict is (Verdict.WRONG_VALUE if repaired else Verdict.HOLDS)
    assert (result.repair.formula if result.repair else "") == repaired
