"""The measurements of studies, against their definitions."""

import itertools
import math
from typing import Any

import pytest
import torch

from workings.errors import WorkingsError
from workings.study import attention_cost, series_error, vanishing
from workings.study.measures import MEASURES


@pytest.mark.parametrize("cell", ["rnn", "lstm", "gru"])
def test_shares_are_norms_of_products_of_jacobians(cell: str) -> None:
    """With the Jacobian of every single step, taken apart, and multiplied from the last back."""
    settings = vanishing.SETTINGS | {"cell": cell, "hidden": 4, "steps": 6, "batch": 1}
    torch.manual_seed(3)
    found = vanishing.shares(*vanishing.prepared(settings))
    torch.manual_seed(3)
    layer = vanishing._cell(settings)
    x_TBD = torch.randn(6, 1, 4, dtype=torch.float64)
    parts = 2 if cell == "lstm" else 1

    def step(flat: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        state = tuple(flat.view(parts, 1, 4))
        _, after = layer.step(layer.project(x), state if parts == 2 else state[0])
        return torch.cat(after, 1).flatten() if parts == 2 else after.flatten()

    _, first = layer.step(layer.project(x_TBD[0]), None)
    flat = (torch.cat(first, 1) if parts == 2 else first).flatten().detach()
    jacobians = []
    for x in x_TBD[1:]:
        jacobians.append(torch.autograd.functional.jacobian(lambda s, x=x: step(s, x), flat))
        flat = step(flat, x).detach()
    r = torch.randn(1, 4, dtype=torch.float64)
    g = torch.cat([r.flatten(), torch.zeros(4 * (parts - 1), dtype=torch.float64)])
    norms = []
    for jacobian in reversed(jacobians):
        g = g @ jacobian
        norms.append(g.norm().item())
    assert found == pytest.approx([norm / norms[0] for norm in norms])


def test_half_life() -> None:
    assert vanishing.half_life([0.5**k for k in range(8)]) == pytest.approx(1)
    assert vanishing.half_life([0.5 ** (k / 3) for k in range(8)]) == pytest.approx(3)
    assert vanishing.half_life([1.0] * 8) == 8


def test_the_slope_of_a_power_is_its_exponent() -> None:
    assert attention_cost.exponent([(n, 3e-9 * n**1.7) for n in (64, 128, 256, 512)]) == (
        pytest.approx(1.7)
    )
    assert math.isnan(attention_cost.exponent([(64, 1.0)]))


def test_attention_cost_measures_every_length() -> None:
    small = {"shortest": 16, "longest": 64, "width": 8, "heads": 2, "repeats": 1}
    for kind in ("softmax", "taylor"):
        found = MEASURES["attention-cost"].take(attention_cost.SETTINGS | small | {"kind": kind})
        assert [line["length"] for line in found.lines] == [16, 32, 64]
        assert found.metrics["milliseconds_at_longest"] == found.lines[-1]["milliseconds"] > 0
        assert found.parameters == 4 * 8 * 8


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("vanishing", {"cell": "rmn"}),
        ("vanishing", {"steps": 2}),
        ("series-error", {"orders": 0}),
        ("attention-cost", {"kind": "hard"}),
        ("attention-cost", {"shortest": 512, "longest": 256}),
    ],
)
def test_settings_out_of_range(name: str, settings: dict[str, Any]) -> None:
    with pytest.raises(WorkingsError, match=f"set: {next(iter(settings))}"):
        MEASURES[name].take(MEASURES[name].settings | settings)


def test_contributions_of_an_rnn_are_outer_products_by_step() -> None:
    """h_{t-1} g_t of each step, with g = ∂L/∂(input of f) carried back by hand."""
    settings = vanishing.SETTINGS | {"hidden": 4, "steps": 5, "batch": 1, "gain": 1.5}
    torch.manual_seed(3)
    cell, x_TBd = vanishing.prepared(settings)
    state = torch.get_rng_state()
    found = vanishing.contributions(cell, x_TBd)
    torch.set_rng_state(state)
    U = torch.randn(4, 4, dtype=torch.float64) / 2
    target = torch.randint(4, (1,))
    with torch.no_grad():
        hs = [torch.zeros(1, 4, dtype=torch.float64)]
        for x in x_TBd:
            hs.append(torch.sigmoid(hs[-1] @ cell.H + x @ cell.I + cell.b))
        g = (torch.softmax(hs[-1] @ U, 1) - torch.eye(4)[target]) @ U.T
        norms = []
        for before, h in reversed(list(itertools.pairwise(hs[1:]))):
            g = g * h * (1 - h)
            norms.append((before.T @ g).norm().item())
            g = g @ cell.H.T
    assert found == pytest.approx([norm / sum(norms) for norm in norms])
    assert vanishing.reach([0.5, 0.3, 0.15, 0.05]) == 3


def test_the_singular_value_grows_with_the_gain_and_gradients_with_it() -> None:
    small = {"cell": "rnn", "activation": "relu", "hidden": 16, "steps": 12, "batch": 4}
    values = []
    for gain in (1.0, 3.0):
        torch.manual_seed(1)
        measured = MEASURES["vanishing"].take(vanishing.SETTINGS | small | {"gain": gain})
        values.append(measured.metrics)
    ratio = values[1]["largest_singular_value"] / values[0]["largest_singular_value"]
    assert ratio == pytest.approx(3)
    assert values[0]["factor_per_step"] < 1 < values[1]["factor_per_step"]
    assert vanishing.factor_per_step([1.0, 2.0, 4.0, 8.0]) == pytest.approx(2)


def test_the_error_of_the_series_is_that_of_its_outputs() -> None:
    settings = series_error.SETTINGS | {"width": 4, "length": 6, "orders": 3, "scale": 0.7}
    torch.manual_seed(2)
    found = series_error.errors(settings)
    torch.manual_seed(2)
    q, k, v = torch.randn(3, 6, 4, dtype=torch.float64)
    scores = 0.49 * q @ k.T / 2
    exact = scores.exp()
    z = exact @ v / exact.sum(1, keepdim=True)
    for order in (1, 2, 3):
        series = sum(scores**n / math.factorial(n) for n in range(order + 1))
        difference = series @ v / series.sum(1, keepdim=True) - z
        assert found.output[order - 1] == pytest.approx((difference.norm() / z.norm()).item())
    assert found.largest_score == pytest.approx(scores.abs().max().item())
    assert series_error.orders_needed([0.5, 0.005, 0.02, 0.001]) == 4
    assert series_error.orders_needed([0.5, 0.2]) == 3
