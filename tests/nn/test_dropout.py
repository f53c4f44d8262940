"""Dropout: what it zeroes, and that the expectation stays."""

import pytest
import torch
from torch import Tensor

from workings.nn.dropout import Dropout

T, B, D = 20, 6, 50


@pytest.fixture
def ones_TBD() -> Tensor:
    torch.manual_seed(1)
    return torch.ones(T, B, D)


def test_a_locked_mask_is_the_same_at_every_step(ones_TBD: Tensor) -> None:
    dropped = Dropout(0.5, locked=True)(ones_TBD)
    assert (dropped == dropped[0]).all()


def test_a_locked_mask_differs_from_row_to_row(ones_TBD: Tensor) -> None:
    first = Dropout(0.5, locked=True)(ones_TBD)[0]
    assert len(first.unique(dim=0)) == B


def test_a_locked_mask_differs_from_window_to_window(ones_TBD: Tensor) -> None:
    dropout = Dropout(0.5, locked=True)
    assert not torch.equal(dropout(ones_TBD), dropout(ones_TBD))


def test_an_ordinary_mask_differs_from_step_to_step(ones_TBD: Tensor) -> None:
    dropped = Dropout(0.5)(ones_TBD)
    assert len(dropped.flatten(1).unique(dim=0)) == T


@pytest.mark.parametrize("locked", [False, True])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_units_are_zero_or_scaled_and_the_expectation_stays(locked: bool, p: float) -> None:
    torch.manual_seed(1)
    dropped = Dropout(p, locked)(torch.full((1, 200, 500), 3.0))
    kept = dropped[dropped != 0]
    torch.testing.assert_close(kept, torch.full_like(kept, 3 / (1 - p)))
    deviation = 3 * (p / (1 - p) / dropped.numel()) ** 0.5
    assert abs(dropped.mean().item() - 3) < 4 * deviation


@pytest.mark.parametrize("locked", [False, True])
def test_the_gradient_goes_through_what_is_kept_only(locked: bool, ones_TBD: Tensor) -> None:
    x_TBD = ones_TBD.requires_grad_()
    dropped = Dropout(0.5, locked)(x_TBD)
    (gradient,) = torch.autograd.grad(dropped.sum(), x_TBD)
    torch.testing.assert_close(gradient, dropped.detach())


@pytest.mark.parametrize("locked", [False, True])
def test_nothing_happens_in_evaluation_or_without_a_probability(
    locked: bool, ones_TBD: Tensor
) -> None:
    assert torch.equal(Dropout(0.5, locked).eval()(ones_TBD), ones_TBD)
    assert torch.equal(Dropout(0.0, locked)(ones_TBD), ones_TBD)


def test_its_text_says_what_it_does() -> None:
    assert repr(Dropout(0.3, locked=True)) == "Dropout(p=0.3, locked=True)"
