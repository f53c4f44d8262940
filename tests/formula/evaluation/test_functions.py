"""The functions of the table against torch, and their derivatives against central differences."""

import math

import pytest
import torch

from tests.claims.sets import VALUES, assert_same, value
from workings.formula.errors import Undefined
from workings.formula.evaluation.functions import FUNCTIONS, POINTWISE, maclaurin, softmax
from workings.formula.evaluation.matrices import diag, outer
from workings.nn.attention.taylor.series import features

v = VALUES


@pytest.mark.parametrize("name", sorted(POINTWISE))
def test_pointwise_functions_act_on_entries_and_have_a_slope(name: str) -> None:
    function = FUNCTIONS[name]
    x = torch.tensor([[0.3, 0.7], [0.9, 0.2]], dtype=torch.float64)
    given = function(x)
    for i in range(2):
        for j in range(2):
            assert_same(given[i, j], function(x[i, j]))
    spelt = name if name.startswith("\\") else rf"\mathrm{{{name}}}"
    step = 1e-6
    numeric = (function(v["p"] + step) - function(v["p"] - step)) / (2 * step)
    torch.testing.assert_close(value(f"{spelt}'(p)"), numeric, rtol=1e-7, atol=1e-8)
    twice = value(f"{spelt}''(p)")
    slope = value(f"{spelt}'(p + {step:.6f})") - value(f"{spelt}'(p - {step:.6f})")
    torch.testing.assert_close(twice, slope / (2 * step), rtol=1e-6, atol=1e-7)


def test_softmax_is_over_a_vector_or_each_row() -> None:
    row, column, matrix = v["y"], v["u"], v["W"]
    assert_same(softmax(row).sum(), torch.tensor(1.0).double())
    assert_same(softmax(column), torch.softmax(column, 0))
    assert_same(softmax(matrix), torch.softmax(matrix, 1))
    assert_same(softmax(column), softmax(column.t()).t())


def test_diag_of_a_vector_and_of_a_matrix() -> None:
    assert_same(diag(v["y"]), torch.diag(v["y"][0]))
    assert_same(diag(v["u"]), torch.diag(v["u"][:, 0]))
    assert_same(diag(v["M"]), torch.diag(torch.diagonal(v["M"])))
    with pytest.raises(Undefined, match="5×3"):
        diag(v["W"])


def test_outer_of_rows_and_columns() -> None:
    expected = v["y"].reshape(-1, 1) * v["u"].reshape(1, -1)
    for a in (v["y"], v["y"].t()):
        for b in (v["u"], v["u"].t()):
            assert_same(outer(a, b), expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tr(M)", v["M"].trace()),
        ("det(M)", torch.linalg.det(v["M"])),
        ("mean(W)", v["W"].mean()),
        ("max(y)", v["y"].max()),
        ("min(y)", v["y"].min()),
        ("vec(W)", v["W"].t().reshape(-1, 1)),
        ("transpose(W)", v["W"].t()),
        ("inv(a)", 1 / v["a"]),
        ("norm(W)", v["W"].norm()),
        (r"\|y\|_1", v["y"].abs().sum()),
        ("concat(u, u)", torch.cat([v["u"], v["u"]])),
        ("concat(a, b)", torch.stack([v["a"], v["b"]]).reshape(1, 2)),
        (r"\log_2(8)", torch.tensor(3.0).double()),
        ("6!", torch.tensor(720.0).double()),
        (r"\binom{6}{1, 2, 3}", torch.tensor(60.0).double()),
        ("relu(y)", v["y"].clamp(min=0)),
    ],
)
def test_values_against_torch(text: str, expected: torch.Tensor) -> None:
    assert_same(value(text).reshape(expected.shape), expected)


def test_binomials_are_those_of_the_standard_library() -> None:
    for n in range(8):
        for k in range(8):
            assert float(value(rf"\binom{{{n}}}{{{k}}}")) == math.comb(n, k)
    with pytest.raises(Undefined, match="add up to 5"):
        value(r"\binom{6}{2, 3}")
    with pytest.raises(Undefined, match="whole number"):
        value("(1/2)!")


@pytest.mark.parametrize("order", [1, 2, 3])
def test_features_are_those_that_attention_computes(order: int) -> None:
    live = features(v["W"], order)
    assert_same(maclaurin(v["W"], torch.tensor(float(order))), live)


def test_features_of_exp_multiply_to_its_series() -> None:
    """φ(q)·φ(k) = Σ_{i ≤ 3} (q·k)^i / i!, for vectors of one shape."""
    product = value(r"maclaurin(y, 3) maclaurin(p, 3)^T")
    dot = (v["y"] * v["p"]).sum()
    assert_same(product, 1 + dot + dot**2 / 2 + dot**3 / 6)
