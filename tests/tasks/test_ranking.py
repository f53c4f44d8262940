"""ROC-AUC and average precision against their definitions, pair by pair and cut by cut."""

import pytest
import torch
from torch import Tensor

from workings.tasks.ranking import average_precision, roc_auc


def brute_auc(positive: Tensor, negative: Tensor) -> float:
    wins = [(p > n) + 0.5 * (p == n) for p in positive.tolist() for n in negative.tolist()]
    return sum(wins) / len(wins)


def brute_precision(positive: Tensor, negative: Tensor) -> float:
    """Every distinct score as a cut, from the highest down."""
    total, before = 0.0, 0.0
    for cut in sorted(set(positive.tolist() + negative.tolist()), reverse=True):
        right = (positive >= cut).sum().item()
        taken = right + (negative >= cut).sum().item()
        total += (right / len(positive) - before) * right / taken
        before = right / len(positive)
    return total


@pytest.mark.parametrize("seed", range(20))
def test_the_definitions_with_and_without_ties(seed: int) -> None:
    draw = torch.Generator().manual_seed(seed)
    P, Q = torch.randint(1, 12, (2,), generator=draw).tolist()
    positive, negative = (torch.randn(n, generator=draw) + shift for n, shift in ((P, 0.5), (Q, 0)))
    if seed % 2:
        positive, negative = positive.round(), negative.round()
    assert roc_auc(positive, negative) == pytest.approx(brute_auc(positive, negative))
    expected = brute_precision(positive, negative)
    assert average_precision(positive, negative) == pytest.approx(expected)


def test_perfect_worst_and_blind() -> None:
    high, low = torch.tensor([2.0, 3.0]), torch.tensor([0.0, 1.0, 1.5])
    assert (roc_auc(high, low), average_precision(high, low)) == (1, 1)
    assert roc_auc(low, high) == 0
    same = torch.zeros(4)
    assert roc_auc(same, same) == 0.5
    assert average_precision(same, torch.zeros(12)) == pytest.approx(0.25)
