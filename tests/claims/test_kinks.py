"""Gradients at kinks, right and wrong, as torch's own autograd says; wrong ones are repaired."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

import workings

SYMBOLS = {"W": "m x d", "x": "d x 1", "b": "m x 1"}
KINKS: dict[str, Callable[[Tensor], Tensor]] = {
    r"\mathrm{relu}(z)": torch.relu,
    "|z|": torch.abs,
    r"\max(z, -z)": torch.abs,
    r"\max(0, z)^2": lambda z: torch.relu(z) ** 2,
    r"\min(1, \max(-1, z))": lambda z: z.clamp(-1, 1),
    r"\begin{cases} z & z > 0 \\ 0.1 z & z \le 0 \end{cases}": lambda z: torch.where(
        z > 0, z, 0.1 * z
    ),
    r"\begin{cases} \frac12 z^2 & |z| \le 1 \\ |z| - \frac12 & |z| > 1 \end{cases}": (
        lambda z: torch.nn.functional.huber_loss(z, torch.zeros_like(z), reduction="none")
    ),
}
SLOPES: dict[str, Callable[[Tensor], Tensor]] = {
    r"\mathbb{1}[z > 0]": lambda z: (z > 0).double(),
    r"\mathbb{1}[|z| < 1]": lambda z: (z.abs() < 1).double(),
    r"\mathrm{sign}(z)": torch.sign,
    r"2 \max(0, z)": lambda z: 2 * torch.relu(z),
    r"\begin{cases} 1 & z > 0 \\ 0.1 & z \le 0 \end{cases}": lambda z: torch.where(z > 0, 1.0, 0.1),
    r"\begin{cases} z & |z| \le 1 \\ \mathrm{sign}(z) & |z| > 1 \end{cases}": lambda z: torch.where(
        z.abs() <= 1, z, torch.sign(z)
    ),
    r"\begin{cases} z & z \le 1 \\ 1 & z > 1 \end{cases}": lambda z: z.clamp(max=1),
}


def is_slope(kink: str, slope: str) -> bool:
    z = torch.linspace(-3, 3, 51, dtype=torch.float64).requires_grad_()
    (right,) = torch.autograd.grad(KINKS[kink](z).sum(), z)
    z = z.detach()
    apart = z.abs() > 0  # between its sides the slope is a matter of convention
    return torch.allclose(SLOPES[slope](z).double()[apart], right[apart])


@pytest.mark.parametrize("number", range(0, len(KINKS) * len(SLOPES), 8))
def test_the_verdict_is_that_of_autograd(number: int) -> None:
    kink, slope = list(KINKS)[number % len(KINKS)], list(SLOPES)[number // len(KINKS)]
    equations = ["z = W x + b", rf"E = \mathrm{{sum}}({kink})"]
    claim = rf"\frac{{\partial E}}{{\partial x}} = W^T ({slope})"
    (result,) = workings.check(symbols=SYMBOLS, equations=equations, claims=[claim], seed=number)
    assert result.holds == is_slope(kink, slope)
    if not result.holds:
        assert result.repair is not None
        formulas = [result.repair.formula]
        again = workings.check(symbols=SYMBOLS, equations=equations, claims=formulas)
        assert again[0].holds


@pytest.mark.parametrize("seed", [1])
def test_a_side_that_most_draws_take_where_all_is_flat_is_still_looked_at(seed: int) -> None:
    symbols = {"w": "d x 1", "x": "d x 1", "c": "scalar", "b": "scalar"}
    equations = ["z = w^T x + b", r"u = c \min(z, 6) - 1", r"E = \min(1, \max(-1, u))"]
    left = r"\frac{\partial E}{\partial w} = c \mathbb{1}[|u| < 1] "
    claims = [left + r"\mathbb{1}[z < 6] x", left + "x"]
    report = workings.check(symbols=symbols, equations=equations, claims=claims, seed=seed)
    assert [result.verdict for result in report] == ["holds", "wrong value"]
