"""Gradients worked out by the chain rule, against autograd and as they are printed."""

import random

import pytest
import torch

from workings.bench.claims.networks import gradients
from workings.claims.repair.derive import derived
from workings.claims.sets import Claim, ClaimSet
from workings.claims.system.declare import Reader
from workings.claims.system.live import LiveClaim
from workings.formula import nodes as f
from workings.formula.printing.latex import latex

SYMBOLS = {
    "x": "n x 1", "W": "m x n", "b": "m x 1", "y": "onehot m x 1", "t": "m x 1", "c": "scalar",
    "X": "k x n", "A": "n x n",
}  # fmt: skip


def live(equations: list[str], claim: str, symbols: dict[str, str] | None = None) -> LiveClaim:
    reader = Reader(ClaimSet(symbols=symbols or SYMBOLS, equations=tuple(equations)))
    return LiveClaim(reader, reader.system(), Claim(claim=claim))


def worked_out(live: LiveClaim) -> f.Node | None:
    left = live.sides[0]
    assert isinstance(left, f.Derivative)
    return derived(left, live.point(0))


@pytest.mark.parametrize(
    ("equations", "left", "formula"),
    [
        (
            ["z = W x + b", r"p = \mathrm{softmax}(z)", r"E = -\sum_i y_i \log p_i"],
            r"\frac{\partial E}{\partial W}",
            r"(p - y) x^\top",
        ),
        (
            ["z = W x + b", r"h = \tanh(z)", r"E = \frac{1}{2} \|h - t\|^2 + c \, b^T b"],
            r"\frac{\partial E}{\partial b}",
            r"2 c b + (h - t) \odot (1 - h \odot h)",
        ),
        ([], r"\nabla_x x^T A x", r"A x + A^\top x"),
        ([], r"\frac{\partial}{\partial X} \mathrm{tr}(X A X^T)", r"X A^\top + X A"),
        ([], r"\frac{\partial}{\partial X} \sum X A", r"\mathbf{1}_{k \times n} A^\top"),
    ],
)
def test_it_reads_as_a_person_would_write_it(equations: list[str], left: str, formula: str) -> None:
    derived = worked_out(live(equations, f"{left} = 0"))
    assert derived is not None
    assert latex(derived) == formula


def test_random_networks_have_the_gradient_of_autograd() -> None:
    rng = random.Random(3)
    for _ in range(25):
        gradient = gradients(rng)
        claim = live(list(gradient.equations), gradient.claim(gradient.right), gradient.symbols())
        derived = worked_out(claim)
        assert derived is not None
        for number in (5, 6):
            point = claim.point(number)
            right = claim.right(point)
            given = point.value(derived)
            torch.testing.assert_close(given.reshape(right.shape), right, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "left",
    [
        r"\frac{\partial}{\partial W} \max_i (W x)_i",
        r"\frac{\partial}{\partial A} \mathrm{tr}(A^3)",
        r"\frac{\partial W x}{\partial x}",
    ],
)
def test_what_has_no_rule_is_not_derived(left: str) -> None:
    assert worked_out(live([], f"{left} = 0")) is None
