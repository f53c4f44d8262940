"""Loss and gradients by hand against autograd, finite differences and the definition."""

import pytest
import torch
from torch.nn import functional as F

from tests.nn.conv.convnets import example, plain
from workings.nn.conv import byhand, cnn


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


@pytest.mark.parametrize("limits", [(0, 0), (10**9, 10**9)])
@pytest.mark.parametrize("pool", ["max", "stride", "none"])
def test_both_ways_to_convolve_give_the_gradients_of_autograd(
    limits: tuple[int, int], pool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(byhand, "FEW", limits[0])
    monkeypatch.setattr(byhand, "MANY", limits[1])
    monkeypatch.setattr(byhand, "SMALL", limits[0])
    model, x, y = example(pool=pool, channels=[3, 4, 5], dense=[6], padding=1)
    weights = list(model.parameters())
    found = torch.autograd.grad(model.loss(x, y), weights)
    expected = torch.autograd.grad(F.cross_entropy(plain(model, x), y), weights)
    for mine, other in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, other)


@pytest.mark.parametrize("pool", ["max", "stride"])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_the_gradients_by_hand_are_finite_differences(pool: str, smoothing: float) -> None:
    model, x, y = example(channels=[2, 3], dense=[4], pool=pool)
    step = 1e-6
    for name, weight in model.named_parameters():
        (gradient,) = torch.autograd.grad(model.loss(x, y, smoothing), weight)
        direction = torch.randn_like(weight)
        ends = []
        for sign in (1, -1):
            with torch.no_grad():
                weight += sign * step * direction
            ends.append(model.loss(x, y, smoothing).item())
            with torch.no_grad():
                weight -= sign * step * direction
        expected = (ends[0] - ends[1]) / (2 * step)
        assert (gradient * direction).sum().item() == pytest.approx(expected, rel=1e-5), name


def test_a_scaled_loss_has_scaled_gradients_and_goes_backward_once() -> None:
    model, x, y = example()
    weights = list(model.parameters())
    once = torch.autograd.grad(model.loss(x, y), weights)
    loss = model.loss(x, y)
    twice = torch.autograd.grad(2 * loss, weights, retain_graph=True)
    for one, two in zip(once, twice, strict=True):
        torch.testing.assert_close(2 * one, two)
    with pytest.raises(RuntimeError, match="once only"):
        loss.backward()


@pytest.mark.parametrize("units", [1, 10**9])
def test_dropout_by_hand_drops_the_share_and_keeps_the_mean(
    units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(byhand, "UNITS", units)
    h = torch.ones(400, 50)
    dropped, backward = byhand._dropout(h, 0.7)
    assert dropped.unique().tolist() == pytest.approx([0.0, 1 / 0.3])
    assert (dropped == 0).float().mean().item() == pytest.approx(0.7, abs=0.01)
    assert torch.equal(backward(h), dropped)  # the same units, the same scale


@pytest.mark.parametrize("dense", [[20, 7], [9], []])
def test_dropout_is_where_the_network_has_it(
    dense: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, x, y = example(dense=dense, dropout=0.5)
    width = dense[0] if dense else model.output.in_features
    mask = (torch.rand(6, width, dtype=torch.double) > 0.5) * 2.0
    monkeypatch.setattr(byhand, "_dropout", lambda h, p: (h * mask, lambda g: g * mask))
    monkeypatch.setattr(model.dropout, "forward", lambda h: h * mask)
    weights = list(model.parameters())
    loss, expected = model.loss(x, y), F.nll_loss(model(x), y)
    torch.testing.assert_close(loss, expected)
    found = torch.autograd.grad(loss, weights)
    for mine, other in zip(found, torch.autograd.grad(expected, weights), strict=True):
        torch.testing.assert_close(mine, other)


@pytest.mark.parametrize(("images", "used"), [(cnn.BY_HAND, True), (cnn.BY_HAND + 1, False)])
def test_only_small_batches_are_by_hand_and_all_give_the_same(
    images: int, used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    real = cnn.loss_and_gradients
    monkeypatch.setattr(cnn, "loss_and_gradients", lambda *given: calls.append(1) or real(*given))
    model, _, _ = example()
    x, y = torch.randn(images, 2, 11, 13, dtype=torch.double), torch.randint(0, 5, (images,))
    weights = list(model.parameters())
    found = torch.autograd.grad(model.loss(x, y), weights)
    expected = torch.autograd.grad(F.cross_entropy(plain(model, x), y), weights)
    torch.testing.assert_close(found, expected)
    assert bool(calls) == used
