"""The measurements of studies, against their definitions."""

import math
from typing import Any

import pytest
import torch

from workings.errors import WorkingsError
from workings.study import attention_cost, vanishing
from workings.study.measures import MEASURES


@pytest.mark.parametrize("cell", ["rnn", "lstm", "gru"])
def test_shares_are_norms_of_products_of_jacobians(cell: str) -> None:
    """With the Jacobian of every single step, taken apart, and multiplied from the last back."""
    settings = vanishing.SETTINGS | {"cell": cell, "hidden": 4, "steps": 6, "batch": 1}
    torch.manual_seed(3)
    found, _ = vanishing.shares(settings)
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
        ("attention-cost", {"kind": "hard"}),
        ("attention-cost", {"shortest": 512, "longest": 256}),
    ],
)
def test_settings_out_of_range(name: str, settings: dict[str, Any]) -> None:
    with pytest.raises(WorkingsError, match=f"set: {next(iter(settings))}"):
        MEASURES[name].take(MEASURES[name].settings | settings)
