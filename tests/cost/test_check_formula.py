"""A claimed count of multiply-adds, at small sizes and at large ones."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from workings.cost import Cost
from workings.cost.check_formula import check_formula
from workings.cost.cost import cost
from workings.cost.recovery.count_formula import Uncounted
from workings.formula.polynomial import Sizes


@pytest.fixture(scope="module")
def linear() -> Cost:
    return cost(lambda d: nn.Linear(d, d), inputs=lambda n, d: torch.empty(n, d))


@pytest.mark.parametrize(
    ("claimed", "numbers", "verdict"),
    [
        (lambda s: s["n"] * s["d"] ** 2, (), "holds"),
        (lambda s: s["n"] * s["d"] ** 2 + s["n"] // 1000, (), "wrong value"),
        (lambda s: s["n"] * s["d"] ** 2 + (s["n"] == 777), (777,), "wrong value"),
        (lambda s: s["n"] * s["d"] ** 2 + (s["n"] * s["d"] > 5000), (), "wrong value"),
        (lambda s: s["n"] * min(s["d"], 64) * s["d"], (), "wrong value"),
    ],
)
def test_a_claim_is_tried_at_large_sizes(
    linear: Cost, claimed: Callable[[Sizes], int], numbers: tuple[int, ...], verdict: str
) -> None:
    assert check_formula(claimed, linear, "forward", numbers).verdict == verdict


class Narrow(nn.Module):
    """x x^T of no more than 3,000 rows."""

    def forward(self, x: Tensor) -> Tensor:
        return x[:3000] @ x[0]


def test_a_claim_that_knows_better_than_the_formula_is_not_called_wrong() -> None:
    narrow = cost(Narrow, inputs=lambda n, d: torch.empty(n, d))
    assert narrow["forward"].departs == {"n": 3001}
    wrong = check_formula(lambda s: s["n"] * s["d"], narrow, "forward")
    assert (wrong.verdict, "from n = 3,001 on" in wrong.evidence) == ("wrong value", True)
    with pytest.raises(Uncounted, match="no formula was found for it there"):
        check_formula(lambda s: min(s["n"], 3000) * s["d"], narrow, "forward")
