"""Who does the work, what is kept for the backward pass, and torch's own counter beside it."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from workings.cost.tally import Counts, Example, first_output, tally
from workings.nn.recurrent.rnn import RNN

B, d, D = 3, 5, 7


def of(module: nn.Module, *inputs: Tensor, grad: bool = True) -> Counts:
    return tally(lambda _: Example(module.to("meta"), inputs, grad), {}).counts


def total(counts: Counts, quantity: str) -> int:
    return sum(value for (name, _), value in counts.items() if name == quantity)


class Net(nn.Module):
    """Work in layers, in the middle, and in the outermost module itself."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(d, D)
        self.block = nn.Sequential(nn.Linear(D, D), nn.Tanh(), nn.Linear(D, D))
        self.last = nn.Linear(D, 2, bias=False)

    def forward(self, x: Tensor) -> tuple[None, dict[str, Tensor]]:
        h = self.first(x).sigmoid()
        h = h + self.block(h)
        return None, {"scores": h @ h.t(), "logits": self.last(h)}


def test_every_layer_has_its_own_work_forward_and_back() -> None:
    counts = of(Net(), torch.randn(B, d))
    assert {p: v for (q, p), v in counts.items() if q == "params"} == {
        "first": d * D + D,
        "block.0": D * D + D,
        "block.2": D * D + D,
        "last": 2 * D,
    }
    forward = {p: v for (q, p), v in counts.items() if q == "forward" and v}
    assert forward == {
        "first": B * d * D,
        "block.0": B * D * D,
        "block.2": B * D * D,
        "last": B * D * 2,
        "": B * D * B,
    }
    # From the first output, the scores: the last layer has no gradient there.
    backward = {p: v for (q, p), v in counts.items() if q == "backward" and v}
    assert backward == {
        "first": 2 * B * d * D,
        "block.0": 2 * B * D * D,
        "block.2": 2 * B * D * D,
        "": 2 * B * B * D,
    }


def test_a_module_that_is_used_twice_works_twice_and_is_kept_once() -> None:
    layer = nn.Linear(d, d)
    counts = of(nn.Sequential(layer, layer), torch.randn(B, d))
    assert total(counts, "params") == d * d + d
    assert total(counts, "forward") == 2 * B * d * d
    assert total(counts, "backward") == 4 * B * d * d


def test_inputs_that_need_no_gradient_save_work() -> None:
    x = torch.randn(B, d)
    assert total(of(nn.Linear(d, D), x), "backward") == 2 * B * d * D
    assert total(of(nn.Linear(d, D), x, grad=False), "backward") == B * d * D


@pytest.mark.parametrize(
    ("module", "floats"),
    [
        (nn.Linear(d, D), B * d),  # the input, for ∂/∂W
        (nn.Sequential(nn.Linear(d, D), nn.Tanh()), B * d + B * D),  # and the output of tanh
        (nn.Sequential(nn.Linear(d, D), nn.ReLU(), nn.Linear(D, 2)), B * d + B * D),  # shared
        (nn.Sequential(nn.Linear(d, D), nn.ReLU(), nn.Flatten(), nn.Linear(D, 2)), B * (d + D)),
        (nn.Identity(), 0),
        (nn.Sequential(nn.Tanh(), nn.Tanh()), 2 * B * d),
    ],
)
def test_memory_is_what_is_saved_once_without_parameters(module: nn.Module, floats: int) -> None:
    assert total(of(module, torch.randn(B, d)), "memory") == 4 * floats


def test_a_view_keeps_its_whole_storage() -> None:
    class First(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return (x * 1.0)[:1].tanh() * (x * 1.0)[:1]

    # Saved: the output of tanh, and the whole of the x that one row is taken of.
    assert total(of(First(), torch.randn(B, d)), "memory") == 4 * (d + B * d)


def test_our_own_backward_is_counted() -> None:
    T = 6
    counts = of(RNN(d, D), torch.randn(T, B, d))
    assert total(counts, "forward") == T * B * (d * D + D * D)
    # Each product has two gradients of its size, that of the state before the window too.
    assert total(counts, "backward") == 2 * T * B * (d * D + D * D)


@pytest.mark.parametrize(
    "module",
    [
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True),
        nn.MultiheadAttention(8, 4),
        nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.LayerNorm(8), nn.Dropout(0.3)),
    ],
)
def test_products_are_those_of_torchs_own_counter(module: nn.Module) -> None:
    module = module.to("meta")
    many = 3 if isinstance(module, nn.MultiheadAttention) else 1
    x = torch.randn(4, 6, 8, device="meta", requires_grad=True)
    with FlopCounterMode(display=False) as flops:
        y = module(*[x] * many)
        y = y[0] if isinstance(y, tuple) else y
        y.backward(torch.ones_like(y))
    counts = of(module, *[torch.randn(4, 6, 8)] * many)
    assert 2 * (total(counts, "forward") + total(counts, "backward")) == flops.get_total_flops() > 0


def test_a_module_that_only_has_parameters() -> None:
    assert tally(lambda _: Example(nn.Linear(d, D), None), {}).counts == {("params", ""): d * D + D}


def test_gradients_that_are_there_already_do_not_count() -> None:
    module = nn.Linear(d, D)
    x = torch.randn(B, d)
    first = of(module, x)
    assert of(module, x) == first


def test_nothing_is_left_on_the_module() -> None:
    module = nn.Linear(d, D)
    of(module, torch.randn(B, d))
    assert not module._forward_hooks
    assert not module._forward_pre_hooks


def test_the_first_output_with_a_gradient() -> None:
    x, y = torch.ones(2), torch.ones(3, requires_grad=True)
    assert first_output([None, (x, {"a": y})]) is y
    assert first_output((x, 3)) is None


@pytest.mark.parametrize(
    "module",
    [
        nn.LSTM(d, D),
        nn.GRU(d, D, bidirectional=True),
        nn.MultiheadAttention(d, 1),
        nn.Sequential(nn.Linear(d, D), nn.Sigmoid(), nn.Linear(D, d), nn.Tanh()),
    ],
)
def test_the_short_way_through_frequent_operations_changes_nothing(
    module: nn.Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = [torch.randn(4, B, d)] * (3 if isinstance(module, nn.MultiheadAttention) else 1)
    short = of(module, *inputs)
    monkeypatch.setattr("workings.cost.tally.ALIKE", frozenset())
    assert of(module, *inputs) == short


class OnValues(nn.Module):
    """Looks at the values of its output, which the meta device does not have."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.layer = nn.Linear(d, d)

    def forward(self, x: Tensor) -> Tensor:
        y = self.layer(x)
        return y * 2 if y.sum().item() > 1e9 else y


def test_what_depends_on_values_is_counted_with_real_tensors() -> None:
    found = tally(
        lambda sizes: Example(OnValues(sizes["d"]), (torch.randn(3, sizes["d"]),)), {"d": 5}
    )
    assert found.real
    assert found.counts["forward", "layer"] == 3 * 5 * 5
    plain = tally(lambda sizes: Example(nn.Linear(5, 5), (torch.randn(3, 5),)), {"d": 5})
    assert not plain.real


class UnknownBackward(torch.autograd.Function):
    """A forward that is known, and a backward that no table has."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *grad: Tensor) -> Tensor:
        return torch.ops.aten._cdist_forward(grad[0], grad[0], 2.0, None)


class Odd(nn.Module):
    """Its backward pass does what cannot be counted."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return UnknownBackward.apply(self.layer(x))


def test_an_unknown_backward_costs_only_the_backward_pass() -> None:
    found = tally(lambda sizes: Example(Odd(), (torch.randn(4, 4),)), {})
    assert found.counts["forward", "layer"] == 64
    assert found.counts["params", "layer"] == 20
    assert set(found.uncounted) == {"backward", "elementwise_backward"}
    assert not any(quantity in found.uncounted for quantity, _ in found.counts)


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU])
def test_views_in_place_are_free(kind: type[nn.RNN | nn.GRU]) -> None:
    first = tally(lambda s: Example(kind(3, 5), (torch.randn(7, 2, 3),)), {})
    batch_first = tally(
        lambda s: Example(kind(3, 5, batch_first=True), (torch.randn(2, 7, 3),)), {}
    )
    assert first.counts["forward", ""] == batch_first.counts["forward", ""] > 0
