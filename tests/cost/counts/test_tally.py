"""Who does the work, what is kept for the backward pass, and torch's own counter beside it."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from workings.cost.counts.one_pass import first_output
from workings.cost.counts.samples import Refused
from workings.cost.counts.tally import Example, Tally, tally
from workings.cost.quantities import Counts
from workings.errors import WorkingsError
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


@dataclass
class Scores:
    """An output with names."""

    ids: Tensor
    scores: Tensor


def test_the_first_output_with_a_gradient() -> None:
    x, y = torch.ones(2), torch.ones(3, requires_grad=True)
    assert first_output([None, (x, {"a": y})]) is y
    assert first_output(Scores(x, y)) is y
    assert first_output([SimpleNamespace(losses=[y])]) is y
    assert first_output((x, 3)) is None
    itself = SimpleNamespace()
    itself.again = itself
    assert first_output(itself) is None


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
    monkeypatch.setattr("workings.cost.counts.meta_results.ALIKE", frozenset())
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
    tallied = tally(
        lambda sizes: Example(OnValues(sizes["d"]), (torch.randn(3, sizes["d"]),)), {"d": 5}
    )
    assert tallied.real
    assert tallied.counts["forward", "layer"] == 3 * 5 * 5
    plain = tally(lambda sizes: Example(nn.Linear(5, 5), (torch.randn(3, 5),)), {"d": 5})
    assert not plain.real


class UnknownBackward(torch.autograd.Function):
    """A forward that is known, and a backward that no table has."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *grad: Tensor) -> Tensor:
        return torch.linalg.inv(grad[0])


class NoBackward(torch.autograd.Function):
    """A forward whose author wrote no backward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2


class Then(nn.Module):
    """A linear layer, and a function after it."""

    def __init__(self, f: Any) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.f = f

    def forward(self, x: Tensor) -> Any:
        return self.f(self.layer(x))


def then(f: Any) -> Tally:
    """What is counted of a linear layer and a function after it, on four rows."""
    return tally(lambda sizes: Example(Then(f), (torch.randn(4, 4),)), {})


@pytest.mark.parametrize("f", [UnknownBackward.apply, NoBackward.apply])
def test_a_backward_that_is_unknown_or_fails_costs_only_the_backward_pass(f: Any) -> None:
    tallied = then(f)
    assert tallied.counts["forward", "layer"] == 64
    assert tallied.counts["params", "layer"] == 20
    assert tallied.counts["memory", "layer"] == 64
    assert set(tallied.uncounted) == {"backward", "elementwise_backward"}
    assert not any(quantity in tallied.uncounted for quantity, _ in tallied.counts)


def test_an_unknown_forward_leaves_what_it_adds_nothing_to() -> None:
    tallied = then(torch.linalg.matrix_exp)
    assert {"forward", "elementwise", "moved", "operations"} <= set(tallied.uncounted)
    assert tallied.counts["params", "layer"] == 20
    assert tallied.counts["memory", "layer"] == 64


@pytest.mark.parametrize("f", [lambda y: y.sort().values, lambda y: y.topk(2).values])
def test_sorting_has_no_multiply_adds(f: Any) -> None:
    tallied = then(f)
    assert set(tallied.uncounted) == {"elementwise", "operations"}
    assert total(tallied.counts, "forward") == 64
    assert total(tallied.counts, "backward") == 128


def test_a_gradient_that_forward_takes_is_work_of_the_forward_pass() -> None:
    def penalty(y: Tensor) -> Tensor:
        (slope,) = torch.autograd.grad((y @ y).sum(), y, create_graph=True)
        return slope

    tallied = then(penalty)
    assert total(tallied.counts, "forward") == 64 + 3 * 64  # y @ y, and its gradient by each y


def test_lazy_parameters_have_the_shapes_that_a_call_gives_them() -> None:
    lazy = tally(lambda _: Example(nn.LazyLinear(D), (torch.randn(B, d),)), {})
    assert lazy.counts == of(nn.Linear(d, D), torch.randn(B, d))
    with pytest.raises(WorkingsError, match="lazy parameters"):
        tally(lambda _: Example(nn.LazyLinear(D), None), {})


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU])
def test_views_in_place_are_free(kind: type[nn.RNN | nn.GRU]) -> None:
    first = tally(lambda s: Example(kind(3, 5), (torch.randn(7, 2, 3),)), {})
    batch_first = tally(
        lambda s: Example(kind(3, 5, batch_first=True), (torch.randn(2, 7, 3),)), {}
    )
    assert first.counts["forward", ""] == batch_first.counts["forward", ""] > 0


def test_a_module_that_leaves_the_program_only_refuses() -> None:
    def leave(y: Tensor) -> Tensor:
        raise SystemExit("enough")

    with pytest.raises(Refused, match="SystemExit: enough"):
        then(leave)
