"""Derivatives at a draw, against torch by hand: gradients, Jacobians, through time."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from tests.claims.sets import assert_same, check, reader_of
from workings.claims.sets import Claim
from workings.claims.system.gradient import Point
from workings.claims.system.live import LiveClaim
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Undefined

SHAPES = {"x": "1 x d", "W": "d x n", "y": "1 x n"}
EQUATIONS = [r"z = \tanh(x W)", r"L = \frac{1}{2} (z - y) (z - y)^T"]


def left(
    shapes: dict[str, str], equations: list[str], derivative: str, **how: object
) -> tuple[f.Derivative, Point]:
    steps = int(str(how.pop("steps", 0)))
    reader, system = reader_of(shapes, equations, steps=steps)
    made = LiveClaim(reader, system, Claim(claim=f"{derivative} = 0", **how))
    node = made.sides[0]
    assert isinstance(node, f.Derivative)
    return node, made.point(1)


def by_hand(loss: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    leaf = at.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(loss(leaf).sum(), leaf)
    return gradient


def test_a_gradient_has_the_shape_of_what_it_is_taken_by() -> None:
    node, point = left(SHAPES, EQUATIONS, r"\frac{\partial L}{\partial W}")
    x, y = point.draw.leaves["x"], point.draw.leaves["y"]
    expected = by_hand(lambda W: ((x @ W).tanh() - y) ** 2 / 2, point.draw.leaves["W"])
    assert_same(point.gradient(node), expected)
    assert_same(point.checked(node), expected)


def test_a_jacobian_has_a_row_for_every_entry() -> None:
    node, point = left(SHAPES, EQUATIONS, r"\frac{\partial z}{\partial x}")
    W, x = point.draw.leaves["W"], point.draw.leaves["x"]
    expected = torch.autograd.functional.jacobian(lambda v: (v @ W).tanh().reshape(-1), x)
    assert_same(point.checked(node), expected.reshape(W.shape[1], W.shape[0]))


def test_a_derivative_by_what_an_equation_says() -> None:
    node, point = left(SHAPES, EQUATIONS, r"\frac{\partial L}{\partial z}")
    assert_same(point.checked(node), point.scope.values["z"] - point.draw.leaves["y"])


def test_what_it_does_not_depend_on_has_a_zero_gradient() -> None:
    node, point = left({**SHAPES, "q": "1 x d"}, EQUATIONS, r"\frac{\partial L}{\partial q}")
    assert_same(point.checked(node), torch.zeros_like(point.draw.leaves["q"]))


def test_autograd_is_not_believed_at_a_kink() -> None:
    """relu at 0: autograd says 0, central differences say 1/2."""
    shapes, equations = {"x": "1 x d"}, [r"L = \sum_i relu(x_i)"]
    node, point = left(shapes, equations, r"\frac{\partial L}{\partial x}")
    at_zero = replace(point.draw, leaves={"x": torch.zeros_like(point.draw.leaves["x"])})
    with pytest.raises(Undefined, match="disagree"):
        Point(point.system, at_zero).checked(node)
    assert check(shapes, equations, r"\frac{\partial L}{\partial x} = relu'(x)").verdict == "holds"


def test_a_loss_that_is_not_finite_says_what_to_declare() -> None:
    with pytest.raises(WorkingsError, match="positive"):
        check({"x": "1 x d"}, [r"L = \log(-x x^T)"], r"\frac{\partial L}{\partial x} = 1/x")
    result = check(
        {"x": "positive 1 x d"}, [r"L = \sum_i \log(x_i)"], r"\frac{\partial L}{\partial x} = 1/x"
    )
    assert result.verdict == "holds"


# Through time

CELL = {"x^{(t)}": "1 x d", "h^{(0)}": "1 x k", "W": "k x k", "V": "d x k", "y^{(t)}": "1 x k"}
STEP = [
    r"h^{(t)} = \tanh(h^{(t-1)} W + x^{(t)} V)",
    r"L^{(t)} = \frac{1}{2} (h^{(t)} - y^{(t)}) (h^{(t)} - y^{(t)})^T",
]
G = r"(h^{(t)} - y^{(t)}) \odot (1 - h^{(t)} \odot h^{(t)})"


def unrolled(leaves: dict[str, Tensor], W: Tensor, steps: int, only: bool) -> Tensor:
    h = leaves["h@0"]
    for step in range(1, steps + 1):
        h = h.detach() if only else h
        now = leaves["W"] if only and step < steps else W
        h = torch.tanh(h @ now + leaves[f"x@{step}"] @ leaves["V"])
    return ((h - leaves[f"y@{steps}"]) ** 2).sum() / 2


@pytest.mark.parametrize("steps", [1, 2, 4])
def test_through_all_steps_and_at_one_step_only(steps: int) -> None:
    for at, only in (("all steps", False), ("step t only", True)):
        node, point = left(CELL, STEP, r"\frac{\partial L^{(t)}}{\partial W}", steps=steps, at=at)
        leaves = dict(point.draw.leaves)
        expected = by_hand(
            lambda W, leaves=leaves, only=only: unrolled(leaves, W, steps, only), leaves["W"]
        )
        assert_same(point.gradient(node), expected)


ONE_STEP = rf"(h^{{(t-1)}})^T ({G})"


@pytest.mark.parametrize("by", ["W", "V"])
def test_a_claim_at_one_step_only_holds_there_and_not_through_all(by: str) -> None:
    into = "h^{(t-1)}" if by == "W" else "x^{(t)}"
    claim = rf"\frac{{\partial L^{{(t)}}}}{{\partial {by}}} = ({into})^T ({G})"
    assert check(CELL, STEP, claim, steps=3, at="step t only").verdict == "holds"
    assert check(CELL, STEP, claim, steps=3).verdict == "wrong value"
    assert check(CELL, STEP, claim, steps=1).verdict == "holds"


def test_a_bar_with_the_step_says_the_same() -> None:
    claim = rf"\frac{{\partial L^{{(t)}}}}{{\partial W}} \Big|_{{(t)}} = {ONE_STEP}"
    assert check(CELL, STEP, claim, steps=3).verdict == "holds"


CHAIN = r"\prod_{j=t,\dots,i+1} \frac{\partial h^{(j)}}{\partial h^{(j-1)}}"
BPTT = rf"\frac{{\partial L^{{(t)}}}}{{\partial W}} = \sum_{{i=1}}^{{t}} \frac{{\partial L^{{(t)}}}}{{\partial h^{{(t)}}}} \left({CHAIN}\right) \frac{{\partial h^{{(i)}}}}{{\partial W}}"  # noqa: E501


def test_a_sum_over_steps_needs_immediate_partials() -> None:
    assert check(CELL, STEP, BPTT, steps=3, partials="immediate").verdict == "holds"
    assert check(CELL, STEP, BPTT, steps=3).verdict == "wrong value"


def test_the_product_of_jacobians_goes_down_in_time() -> None:
    link = r"\frac{\partial h^{(j)}}{\partial h^{(j-1)}}"
    whole = r"\frac{\partial h^{(t)}}{\partial h^{(0)}} = "
    down, up = rf"\prod_{{j=t,\dots,1}} {link}", rf"\prod_{{j=1}}^{{t}} {link}"
    assert check(CELL, STEP, whole + down, steps=3).verdict == "holds"
    assert check(CELL, STEP, whole + up, steps=3).evidence.convention  # its Jacobians transposed
    result = check(CELL, STEP, whole + up, steps=3, layout="numerator")
    assert result.verdict == "wrong value"
    assert result.repair
    assert "descending" in result.repair.changes


def test_a_jacobian_through_time_by_hand() -> None:
    claim = r"\frac{\partial h^{(t)}}{\partial h^{(t-1)}} = \mathrm{diag}(1 - h^{(t)} \odot h^{(t)}) W^T"  # noqa: E501
    assert check(CELL, STEP, claim, steps=2).verdict == "holds"
    wrong = check(CELL, STEP, claim.replace("W^T", "W"), steps=2)
    assert (wrong.verdict, bool(wrong.repair)) == ("wrong value", True)


def test_steps_may_be_written_as_subscripts() -> None:
    shapes = {"x_t": "1 x d", "h_0": "1 x k", "W": "k x k", "V": "d x k"}
    equations = [r"h_t = \tanh(h_{t-1} W + x_t V)", "L = h_3 h_3^T"]
    claim = r"\frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t \odot h_t) W^T"
    assert check(shapes, equations, claim, steps=3).verdict == "holds"


def test_one_step_may_be_written_as_subscripts() -> None:
    shapes = {"x_t": "1 x d", "h_{t-1}": "1 x k", "W": "k x k", "V": "d x k"}
    equations = [r"h_t = \tanh(h_{t-1} W + x_t V)"]
    claim = r"\partial h_t / \partial h_{t-1} = diag(1 - h_t^2) W^T"
    assert check(shapes, equations, claim).verdict == "holds"


def test_second_derivatives_go_through_the_equations() -> None:
    shapes = {"x": "n x 1", "A": "n x n", "y": "n x 1", "c": "scalar"}
    equations = ["z = A x", "L = z^T z", "s = c^3 z^T y"]
    for claim in (
        r"\nabla^2_x L = 2 A^T A",
        r"\frac{\partial^2 L}{\partial x\,\partial x^T} = 2 A^T A",
        r"\frac{\partial^2 s}{\partial x \partial y^T} = c^3 A^T",
        r"\frac{\partial^2 s}{\partial c^2} = 6 c x^T A^T y",
        r"\frac{\partial^2 L}{\partial x_i \partial x_j} = 2 \sum_k A_{ki} A_{kj}",
    ):
        assert check(shapes, equations, claim).verdict == "holds", claim
    assert check(shapes, equations, r"\nabla^2_x L = 2 A A^T").verdict == "wrong value"
