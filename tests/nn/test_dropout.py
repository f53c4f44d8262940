"""Dropout: what it zeroes, that the expectation stays; fused with ReLU, against both in turn."""

import pytest
import torch
from torch import Tensor

from workings.nn.dropout import Dropout, dropped, relu_dropped, relu_dropped_product

T, B, D = 20, 6, 50


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


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


@pytest.mark.parametrize("p", [0.25, 0.5, 0.6])
def test_dropout_drops_the_share_it_says_and_keeps_the_mean(p: float) -> None:
    x = torch.ones(200_001, dtype=torch.double)
    y = dropped(x, p)
    assert set(y.unique().tolist()) == {0.0, 1 / (1 - p)}
    share = (y == 0).double().mean().item()
    assert abs(share - p) < 5 * (p * (1 - p) / len(x)) ** 0.5
    assert (y == 0)[::2].equal((y == 0)[1::2]) is False


def test_no_dropout_draws_nothing() -> None:
    before = torch.get_rng_state()
    x = torch.randn(4)
    state = torch.get_rng_state()
    assert dropped(x, 0.0) is x
    assert torch.equal(state, torch.get_rng_state())
    assert not torch.equal(before, state)


@pytest.mark.parametrize("p", [0.0, 0.5, 0.6])
def test_relu_and_dropout_in_one(p: float) -> None:
    """The same mask on the way back; more units than fit into one part."""
    x = torch.randn(700, 600, dtype=torch.double, requires_grad=True)
    g = torch.randn_like(x)
    y = relu_dropped(x * 1.0, p)
    kept = y > 0
    torch.testing.assert_close(y, torch.where(kept, x / (1 - p), 0.0))
    assert not kept[x <= 0].any()
    share = 1 - kept[x > 0].double().mean().item()
    assert abs(share - p) < 0.01
    y.backward(g)
    torch.testing.assert_close(x.grad, torch.where(kept, g / (1 - p), 0.0))


def test_relu_and_dropout_work_in_place() -> None:
    x = torch.randn(40)
    assert relu_dropped(x, 0.5) is x


@pytest.mark.parametrize("p", [0.0, 0.5, 0.6])
def test_relu_dropout_and_product_in_one(p: float) -> None:
    """Values and both gradients are those of the three in turn, with the same mask."""
    x = torch.randn(700, 600, dtype=torch.double, requires_grad=True)
    w = torch.randn(600, 5, dtype=torch.double, requires_grad=True)
    g = torch.randn(700, 5, dtype=torch.double)
    found, expected = [], []
    for results, run in (
        (found, lambda: relu_dropped_product(x * 1.0, w, p)),
        (expected, lambda: relu_dropped(x * 1.0, p) @ w),
    ):
        torch.manual_seed(3)
        y = run()
        results += [y, *torch.autograd.grad(y, (x, w), g)]
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)


def test_gradients_are_those_of_finite_differences() -> None:
    x = torch.randn(6, 5, dtype=torch.double, requires_grad=True)
    w = torch.randn(5, 3, dtype=torch.double, requires_grad=True)

    def run(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        torch.manual_seed(3)
        return relu_dropped_product(x * 1.0, w, 0.5)

    assert torch.autograd.gradcheck(run, (x, w))


def test_the_number_of_threads_changes_nothing() -> None:
    found = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            torch.manual_seed(5)
            x = torch.randn(900, 700, dtype=torch.double)
            w = torch.randn(700, 3, dtype=torch.double)
            x.requires_grad_()
            y = relu_dropped_product(x * 1.0, w, 0.5)
            found.append((y, *torch.autograd.grad(y.sum(), (x,))))
    finally:
        torch.set_num_threads(1)
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)
