"""The table of work, by hand for single operations, and an unknown one is never free."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from workings.cost.counts import operations
from workings.cost.counts.tally import Example, Tally, tally
from workings.cost.quantities import FORWARD


class Of(nn.Module):
    """A function as a module."""

    def __init__(self, f: Callable[..., Any]) -> None:
        super().__init__()
        self.f = f

    def forward(self, *inputs: Tensor) -> Any:
        return self.f(*inputs)


def count(module: nn.Module | Callable[..., Any], *shapes: tuple[int, ...]) -> dict[str, int]:
    """Totals by quantity, with inputs of these shapes."""
    totals: dict[str, int] = {}
    for (quantity, _), value in tallied(module, *shapes).counts.items():
        totals[quantity] = totals.get(quantity, 0) + value
    return totals


def tallied(module: nn.Module | Callable[..., Any], *shapes: tuple[int, ...]) -> Tally:
    """What is counted, and why the rest is not, with inputs of these shapes."""
    made = module if isinstance(module, nn.Module) else Of(module)
    return tally(lambda _: Example(made, tuple(torch.randn(shape) for shape in shapes)), {})


def is_unknown(f: Callable[..., Any], shape: tuple[int, ...], words: str) -> bool:
    """Whether no work of the forward pass is counted, for a reason that has these words."""
    result = tallied(f, shape)
    is_counted = any(quantity in FORWARD for quantity, _ in result.counts)
    return not is_counted and all(re.search(words, result.uncounted[q]) for q in FORWARD)


n, k, m, b = 5, 7, 11, 3


@pytest.mark.parametrize(
    ("f", "shapes", "forward", "backward"),
    [
        (torch.mm, [(n, k), (k, m)], n * k * m, 2 * n * k * m),
        (torch.bmm, [(b, n, k), (b, k, m)], b * n * k * m, 2 * b * n * k * m),
        (torch.addmm, [(m,), (n, k), (k, m)], n * k * m, 2 * n * k * m),
        (torch.baddbmm, [(b, n, m), (b, n, k), (b, k, m)], b * n * k * m, 2 * b * n * k * m),
        (torch.mv, [(n, k), (k,)], n * k, n * k),  # ∂/∂matrix is an outer product
        (torch.dot, [(k,), (k,)], k, 0),
        (torch.matmul, [(b, n, k), (k, m)], b * n * k * m, 2 * b * n * k * m),
        (lambda x, w: torch.einsum("bnk,bmk->bnm", x, w), [(b, n, k), (b, m, k)], 1155, 2310),
        # By pairs: x W over k, and that times y.
        (F.bilinear, [(n, k), (n, m), (b, k, m)], n * b * (k * m + m), 3 * b * n * k * m),
        (F.linear, [(b, n, k), (m, k), (m,)], b * n * k * m, 2 * b * n * k * m),
        (
            lambda x: F.scaled_dot_product_attention(x, x, x),
            [(1, 2, n, k)],
            2 * (2 * n * n * k),
            4 * (2 * n * n * k),
        ),
        (
            lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
            [(1, 2, n, k)],
            2 * (2 * n * n * k),  # what is masked is computed too
            4 * (2 * n * n * k),
        ),
    ],
)
def test_products(
    f: Callable[..., Any], shapes: list[tuple[int, ...]], forward: int, backward: int
) -> None:
    counts = count(f, *shapes)
    assert counts["forward"] == forward
    assert counts["backward"] == backward


@pytest.mark.parametrize(
    ("f", "shapes", "elementwise", "moved"),
    [
        (torch.add, [(n, k), (n, k)], n * k, 0),
        (torch.add, [(n, 1), (1, k)], n * k, 0),
        (torch.tanh, [(n, k)], n * k, 0),
        (lambda x: x.clone().mul_(2).sigmoid_(), [(n, k)], 2 * n * k, n * k),
        (lambda x: torch.addcmul(x, x, x), [(n, k)], n * k, 0),
        (lambda x: x.softmax(-1), [(n, k)], 5 * n * k, 0),
        (lambda x: x.log_softmax(-1), [(n, k)], 5 * n * k, 0),
        (lambda x: x.sum(), [(n, k)], n * k, 0),
        (lambda x: x.max(-1).values, [(n, k)], n * k, 0),
        (lambda x: torch.maximum(x, x), [(n, k)], n * k, 0),
        (lambda x: x.var(-1), [(n, k)], 4 * n * k, 0),
        (lambda x: x.logsumexp(-1), [(n, k)], 4 * n * k, 0),
        (lambda x: F.max_pool2d(x, 2), [(b, 1, 4, 6)], b * 4 * 6, 0),
        (lambda x: F.avg_pool2d(x, 3, 1), [(b, 1, 4, 6)], b * 2 * 4 * 9, 0),
        (lambda x: F.adaptive_max_pool2d(x, (2, 3)), [(b, 1, 4, 6)], b * 4 * 6, 0),
        (lambda x: F.adaptive_max_pool1d(x, 2), [(b, 1, 5)], b * 2 * 3, 0),  # they overlap
        (torch.cdist, [(n, k), (m, k)], 3 * n * m * k, 0),
        (
            lambda w: F.embedding_bag(torch.zeros(b, 4, dtype=torch.long), w),
            [(n, k)],
            b * 4 * k,
            0,
        ),
        (torch.addmm, [(m,), (n, k), (k, m)], n * m, 0),
        (lambda x: x.t().reshape(n, k), [(n, k)], 0, n * k),
        (lambda x: x.view(k, n).t()[1:].transpose(0, 1), [(n, k)], 0, 0),
        (lambda x, y: torch.cat([x, y]), [(n, k), (m, k)], 0, (n + m) * k),
        (lambda x: x[torch.zeros(m, dtype=torch.long)], [(n, k)], 0, m * k),
        (lambda x: x.gather(0, torch.zeros(2, k, dtype=torch.long)), [(n, k)], 0, 2 * k),
        (
            lambda x: torch.zeros(2, k).index_add(0, torch.zeros(n, dtype=torch.long), x),
            [(n, k)],
            n * k,
            0,
        ),
        (lambda x: torch.zeros(n, k) + torch.ones(k) + x, [(n, k)], 2 * n * k, 0),
    ],
)
def test_elementwise_work_and_moves(
    f: Callable[..., Any], shapes: list[tuple[int, ...]], elementwise: int, moved: int
) -> None:
    counts = count(f, *shapes)
    assert (counts["elementwise"], counts["moved"]) == (elementwise, moved)
    assert counts["forward"] == (n * k * m if f is torch.addmm else 0)


def test_adding_into_places_is_work_in_the_backward_pass_of_a_lookup() -> None:
    counts = count(lambda x: x[torch.zeros(m, dtype=torch.long)], (n, k))
    assert counts["elementwise_backward"] == m * k


@pytest.mark.parametrize(
    ("f", "shape", "expected"),
    [
        (lambda x: F.adaptive_avg_pool2d(x, (2, 3)), (b, 1, 4, 6), b * 4 * 6),
        (lambda x: F.adaptive_avg_pool2d(x, (1, 2)), (b, 1, 2, 5), b * 2 * 6),  # they overlap
        (lambda x: F.adaptive_avg_pool2d(x, (2, 3)), (b, 4, 6), b * 4 * 6),
        (F.hardshrink, (n, k), n * k),
    ],
)
def test_gradients_of_windows_and_of_thresholds(
    f: Callable[..., Any], shape: tuple[int, ...], expected: int
) -> None:
    assert count(f, shape)["elementwise_backward"] == expected


def test_a_layer_norm_is_counted_by_its_parts() -> None:
    counts = count(nn.LayerNorm(k), (n, k))
    # variance 4, subtract, times 1/σ, times weight, plus bias: 8 a number; + ε and 1/√ are 2 a row.
    assert counts["elementwise"] == 8 * n * k + 2 * n


@pytest.mark.parametrize(
    "convolution",
    [
        nn.Conv1d(4, 6, 3),
        nn.Conv2d(4, 6, 3, padding=1),
        nn.Conv2d(4, 8, 3, dilation=2, bias=False),
        nn.Conv2d(4, 6, (3, 2), stride=2),
        nn.ConvTranspose2d(4, 6, 3, stride=2),
        nn.Conv3d(4, 2, 2),
    ],
)
def test_convolutions_are_those_of_torchs_own_counter(convolution: nn.Module) -> None:
    dimensions = {nn.Conv1d: 1, nn.Conv3d: 3}.get(type(convolution), 2)
    shape = (2, 4, *[9] * dimensions)
    module = convolution.to("meta")
    x = torch.randn(shape, device="meta", requires_grad=True)
    with FlopCounterMode(display=False) as forward:
        y = module(x)
    with FlopCounterMode(display=False) as backward:
        y.backward(torch.ones_like(y))
    counts = count(module, shape)
    assert 2 * counts["forward"] == forward.get_total_flops() > 0
    assert 2 * counts["backward"] == backward.get_total_flops()
    bias = getattr(convolution, "bias", None)
    assert counts["elementwise"] == (0 if bias is None else y.numel())


def test_a_grouped_convolution_is_as_much_as_its_groups_apart() -> None:
    grouped = count(nn.Conv2d(4, 8, 3, groups=2, bias=False), (2, 4, 9, 9))
    single = count(nn.Conv2d(2, 4, 3, bias=False), (2, 2, 9, 9))
    for quantity in ("params", "forward", "backward"):
        assert grouped[quantity] == 2 * single[quantity] > 0


@pytest.mark.parametrize(
    ("kind", "gates"), [(nn.LSTM, 4), (nn.GRU, 3), (nn.RNN, 1)], ids=["lstm", "gru", "rnn"]
)
def test_torchs_recurrent_layers_are_not_free(kind: type[nn.RNNBase], gates: int) -> None:
    T, B, d, D = 6, 2, 3, 5
    counts = count(kind(d, D), (T, B, d))
    assert counts["forward"] == T * B * gates * D * (d + D)
    twice = count(kind(d, D, num_layers=2, bidirectional=True), (T, B, d))
    assert twice["forward"] == 2 * T * B * gates * D * (d + D) + 2 * T * B * gates * D * 3 * D


def test_a_sparse_product_counts_its_entries() -> None:
    E, N, C = 13, 6, 4

    def product(x: Tensor) -> Tensor:
        at = torch.zeros(2, E, dtype=torch.long)
        return torch.sparse_coo_tensor(at, torch.ones(E), (N, N), check_invariants=False) @ x

    counts = count(product, (N, C))
    assert counts["forward"] == E * C
    assert counts["backward"] == E * C


def test_a_sparse_matrix_that_the_meta_device_cannot_scale_is_counted_with_values() -> None:
    def f(x: Tensor) -> Tensor:
        at = torch.zeros(2, 3, dtype=torch.long)
        a = torch.sparse_coo_tensor(at, torch.ones(3), (5, 5), check_invariants=False)
        return (a * 2) @ x

    counts = count(f, (5, 2))
    assert (counts["elementwise"], counts["forward"]) == (3, 3 * 2)


@pytest.mark.parametrize(
    "f", [lambda x: torch.linalg.matrix_exp(x @ x.T), lambda x: torch.fft.fft(x).abs()]
)
def test_an_operation_that_is_in_no_table_is_not_counted(f: Callable[..., Any]) -> None:
    assert is_unknown(f, (n, k), r"aten\.(linalg_matrix_exp|_fft_r2c).*not known.*PASSES\[")


def test_an_operation_of_another_library_is_not_counted() -> None:
    @torch.library.custom_op("workings_test::twice", mutates_args=())
    def twice(x: Tensor) -> Tensor:
        return x * 2

    twice.register_fake(lambda x: torch.empty_like(x))
    assert is_unknown(twice, (n, k), r"workings_test\.twice\.default in Of")


def test_its_work_can_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(operations.PASSES, "sort", 10)
    counts = count(lambda x: x.sort().values, (n, k))
    assert counts["elementwise"] == 10 * n * k


def test_what_needs_values_is_counted_with_them() -> None:
    assert count(lambda x: x * x.sum().item(), (n, k))["elementwise"] == 2 * n * k


def ids(x: Tensor) -> Tensor:
    return torch.zeros(3, dtype=torch.long, device=x.device)


@pytest.mark.parametrize(
    ("f", "shape", "quantity", "expected"),
    [
        (lambda x: x.cummax(0)[0], (6, 4), "elementwise", 24),
        (lambda x: x.cummin(0)[0], (6, 4), "elementwise", 24),
        (lambda x: F.pad(x, (1, 1), mode="replicate"), (2, 3, 8), "moved", 2 * 3 * 10),
        (lambda x: F.pad(x, (1, 1), mode="replicate"), (2, 3, 8), "elementwise_backward", 60),
        (lambda x: F.pad(x, (1,) * 6, mode="replicate"), (1, 2, 3, 3, 3), "elementwise_backward",
         2 * 5**3),
        (lambda x: x.put(ids(x), x[0, :3]), (6, 4), "moved", 24),  # to a tensor of its own
        (lambda x: x.clone().put_(ids(x), x[0, :3]), (6, 4), "moved", 24 + 3),
        (lambda x: x.index_reduce(0, ids(x), x[:3], "amax"), (6, 4), "elementwise", 12),
        (lambda x: x.masked_scatter(x > 0, x), (6, 4), "moved", 24),
        (F.pdist, (6, 4), "elementwise", 3 * 15 * 4),
        (lambda x: F.adaptive_avg_pool3d(x, 3), (1, 2, 6, 6, 6), "elementwise", 2 * 6**3),
        (lambda x: F.interpolate(x, scale_factor=2, mode="nearest-exact"), (1, 2, 4, 4),
         "elementwise_backward", 2 * 8 * 8),
    ],
)  # fmt: skip
def test_operations_that_were_not_known(
    f: Callable[..., Any], shape: tuple[int, ...], quantity: str, expected: int
) -> None:
    assert not tallied(f, shape).uncounted
    assert count(f, shape)[quantity] == expected


def test_a_module_that_differentiates_by_functions_is_counted_but_for_its_memory() -> None:
    def squares(x: Tensor) -> Tensor:
        return torch.vmap(torch.func.grad(lambda t: (t @ t) / 2))(x) @ x.T

    result = tallied(squares, (n, k))
    assert list(result.uncounted) == ["memory"]
    assert count(squares, (n, k))["forward"] == n * k * n + n * k  # xᵀx of every row


def test_gradients_that_were_switched_off_around_it_change_nothing() -> None:
    layer = nn.Linear(k, m)
    for switched in (torch.no_grad(), torch.inference_mode()):
        with switched:
            assert count(layer, (n, k))["backward"] == 2 * n * k * m
