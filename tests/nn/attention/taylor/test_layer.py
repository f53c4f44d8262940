"""Taylor attention against its polynomial written out, and against softmax attention."""

import math
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from workings.errors import WorkingsError
from workings.nn.attention.softmax import Attention, attend
from workings.nn.attention.taylor import direct as taylor_direct
from workings.nn.attention.taylor import features as taylor_features
from workings.nn.attention.taylor import linear as taylor_linear
from workings.nn.attention.taylor.direct import Settings
from workings.nn.attention.taylor.layer import (
    Method,
    TaylorAttention,
    TaylorState,
    _TaylorAttention,
    features_pay,
    taylor_attention,
)
from workings.nn.attention.taylor.series import feature_count

METHODS: list[Method] = ["direct", "features"]


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def inputs(*leading: int, T: int, S: int | None = None, D: int = 4, E: int | None = None) -> Any:
    """q, k and v with products below one, so that odd orders have positive denominators."""
    shapes = [(T, D), (S or T, D), (S or T, E or D)]
    q, k, v = (torch.rand(*leading, *shape, dtype=torch.double) - 0.5 for shape in shapes)
    return tuple(x.requires_grad_() for x in (2 * q, k, v))


def explicit(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    order: int,
    causal: bool = False,
    scale: float | None = None,
    clamp: float | None = None,
) -> Tensor:
    s = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    w = torch.stack([s**n / math.factorial(n) for n in range(order + 1)]).sum(0)
    w = w.tril() if causal else w
    norm = w.sum(-1, keepdim=True)
    return w @ v / (norm if clamp is None else norm.clamp(min=clamp))


def same(found: Tensor, expected: Tensor, leaves: Any) -> None:
    """Values, and gradients for a loss in which no two outputs count alike."""
    torch.testing.assert_close(found, expected)
    weight = torch.randn_like(expected)
    one = torch.autograd.grad((found * weight).sum(), leaves)
    other = torch.autograd.grad((expected * weight).sum(), leaves, retain_graph=True)
    torch.testing.assert_close(one, other)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_values_and_gradients_are_those_of_the_polynomial(
    order: int, causal: bool, method: Method
) -> None:
    for D in (1, 4, 6):
        q, k, v = inputs(3, T=75, D=D, E=5)
        found = taylor_attention(q, k, v, order, causal, method=method)
        same(found, explicit(q, k, v, order, causal), (q, k, v))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("T", "S"), [(1, 9), (9, 1), (40, 7)])
def test_there_can_be_other_keys_than_queries(method: Method, T: int, S: int) -> None:
    q, k, v = inputs(2, T=T, S=S, D=3)
    found = taylor_attention(q, k, v, 2, scale=1.3, method=method)
    same(found, explicit(q, k, v, 2, scale=1.3), (q, k, v))


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("kernel", [taylor_direct, taylor_linear])
def test_the_backward_is_the_finite_difference_of_the_forward(
    order: int, causal: bool, kernel: Any
) -> None:
    q, k, v = inputs(2, T=5, D=2)
    settings = Settings(order, causal, 0.8, None, 2)
    assert torch.autograd.gradcheck(
        lambda *x: _TaylorAttention.apply(*x, kernel, settings), (q, k, v)
    )


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", [2, 3])
def test_neither_chunks_nor_blocks_nor_panels_change_the_result(
    causal: bool, method: Method, order: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    q, k, v = inputs(5, T=50, D=6)
    expected = explicit(q, k, v, order, causal)
    for chunk in (1, 7, 16, 50, 1000):
        same(taylor_attention(q, k, v, order, causal, None, method, chunk), expected, (q, k, v))
    monkeypatch.setattr(taylor_direct, "KEYS", 8)
    monkeypatch.setattr(taylor_direct, "SCORES", 2 * 8 * 8)
    monkeypatch.setattr(taylor_linear, "COLUMNS", 6 * 2 * 64)
    monkeypatch.setattr(taylor_features, "ROWS", 1)
    for chunk in (None, 7, 16):
        same(taylor_attention(q, k, v, order, causal, None, method, chunk), expected, (q, k, v))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_panels_hold_every_feature_once(order: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for rows in (1, 3, 18):
        monkeypatch.setattr(taylor_features, "ROWS", rows)
        for width in (1, 2, 3, 8, 12):
            plan = taylor_features.layout(width, order)
            assert sum(plan.sizes) == feature_count(width, order)
            assert max(plan.sizes[1:], default=0) <= rows * width


@pytest.mark.parametrize("bound", [1, 2, 4])
def test_the_error_against_softmax_falls_with_the_order(bound: float) -> None:
    q, k, v = inputs(2, T=60, D=5)
    q = q.detach() * bound / (q @ k.mT).abs().max().detach()
    expected = attend(q, k, v, scale=1.0)
    orders = range(1, 13) if bound <= 2 else range(4, 17)
    errors = [(taylor_attention(q, k, v, n, scale=1.0) - expected).abs().max() for n in orders]
    assert all(later < earlier for earlier, later in pairwise(errors))
    assert errors[-1] < 1e-5 * errors[0]


@pytest.mark.parametrize("causal", [False, True])
def test_in_the_limit_it_is_softmax_attention(causal: bool) -> None:
    q, k, v = inputs(2, T=40, D=8)
    found = taylor_attention(4 * q, k, v, 30, causal)
    same(found, attend(4 * q, k, v, causal=causal), (q, k, v))


@pytest.mark.parametrize("method", METHODS)
def test_causal_does_not_see_the_future(method: Method) -> None:
    q, k, v = (x.detach() for x in inputs(2, T=200, D=4))
    before = taylor_attention(q, k, v, 2, True, method=method)
    for x in (q, k, v):
        x[:, 130:] = torch.randn(2, 70, 4)
    after = taylor_attention(q, k, v, 2, True, method=method)
    torch.testing.assert_close(after[:, :130], before[:, :130], rtol=0, atol=0)
    assert not torch.equal(after[:, 130:], before[:, 130:])


@pytest.mark.parametrize("leading", [(), (3,), (2, 3), (2, 1, 3)])
@pytest.mark.parametrize("method", METHODS)
def test_any_leading_dimensions_and_strides(leading: tuple[int, ...], method: Method) -> None:
    q, k, v = inputs(*leading, T=20, D=4)
    found = taylor_attention(q, k, v, 2, True, method=method)
    same(found, explicit(q, k, v, 2, True), (q, k, v))
    strided = [x.mT.contiguous().mT for x in (q, k, v)]
    torch.testing.assert_close(taylor_attention(*strided, 2, True, method=method), found)


@pytest.mark.parametrize("method", METHODS)
def test_a_batch_of_one_is_the_row_of_a_batch(method: Method) -> None:
    q, k, v = inputs(7, T=90, D=4)
    whole = taylor_attention(q, k, v, 2, True, method=method)
    row = taylor_attention(q[4:5], k[4:5], v[4:5], 2, True, method=method)
    torch.testing.assert_close(row, whole[4:5])


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float, 1e-5), (torch.bfloat16, 2e-2)])
@pytest.mark.parametrize("method", METHODS)
def test_narrow_types_are_near(dtype: torch.dtype, tolerance: float, method: Method) -> None:
    q, k, v = (x.detach() for x in inputs(2, T=300, D=8))
    found = taylor_attention(*(x.to(dtype) for x in (q, k, v)), 2, True, method=method)
    assert found.dtype == dtype
    error = (found - explicit(q, k, v, 2, True)).abs().max()
    assert error < tolerance


class Made(TorchDispatchMode):
    """How many numbers the operations made: of the largest tensor, and of all."""

    def __init__(self) -> None:
        super().__init__()
        self.largest = self.total = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        for x in out if isinstance(out, tuple | list) else [out]:
            if isinstance(x, Tensor) and not func.is_view:
                self.largest = max(self.largest, x.numel())
                self.total += x.numel()
        return out


def made(length: int, method: Method, causal: bool) -> Made:
    q, k, v = (torch.randn(1, length, 4, requires_grad=True) for _ in range(3))
    with Made() as record:
        out = taylor_attention(q, k, v, 2, causal, method=method)
        torch.autograd.grad(out, (q, k, v), torch.ones_like(out))
    return record


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_no_tensor_grows_with_the_square_of_the_length(method: Method, causal: bool) -> None:
    short, long = made(2048, method, causal), made(8192, method, causal)
    assert long.largest <= 4 * short.largest
    assert long.largest < 8192**2 / 32


@pytest.mark.parametrize("causal", [False, True])
def test_through_features_all_that_is_made_grows_with_the_length(causal: bool) -> None:
    short, long = made(32_768, "features", causal), made(65_536, "features", causal)
    assert 1.9 < long.total / short.total < 2.05


@pytest.mark.parametrize("causal", [False, True])
def test_the_choice_goes_from_scores_to_features_once(causal: bool) -> None:
    for order, width in ((1, 16), (2, 16), (2, 64), (3, 8)):
        choices = [features_pay(2**n, 2**n, width, width, order, causal) for n in range(6, 20)]
        assert choices == sorted(choices)
        assert choices[0] is False
        assert choices[-1] is True
    assert features_pay(4096, 4096, 32, 32, 2, causal)
    assert not features_pay(4096, 4096, 128, 128, 2, causal)
    assert not features_pay(10**12, 10**12, 512, 512, 5, causal)


@pytest.mark.parametrize("length", [64, 1600])
def test_the_automatic_choice_is_one_of_the_two(length: int) -> None:
    q, k, v = inputs(1, T=length, D=2)
    method: Method = "features" if length > 1000 else "direct"
    expected = taylor_attention(q, k, v, 2, True, method=method)
    torch.testing.assert_close(taylor_attention(q, k, v, 2, True), expected, rtol=0, atol=0)


def opposed() -> tuple[Tensor, Tensor, Tensor]:
    """The first query against its keys, so that odd orders go below zero there, and only there."""
    q, k, v = torch.ones(3, 6, 2, dtype=torch.double)
    q, v = q.clone(), torch.randn(6, 2, dtype=torch.double)
    q[0] = -3
    return q.requires_grad_(), k.clone().requires_grad_(), v.requires_grad_()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", [1, 3])
def test_a_denominator_below_zero_is_an_error(method: Method, order: int) -> None:
    q, k, v = opposed()
    with pytest.raises(WorkingsError, match=f"order {order} has a denominator of -.*even order"):
        taylor_attention(q, k, v, order, method=method)
    taylor_attention(q, k, v, order + 1, method=method)
    with pytest.raises(WorkingsError, match="denominator"):
        TaylorState(order)(q, k, v)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("causal", [False, True])
def test_a_clamp_is_a_least_denominator(method: Method, causal: bool) -> None:
    q, k, v = opposed()
    found = taylor_attention(q, k, v, 3, causal, None, method, clamp=0.25)
    same(found, explicit(q, k, v, 3, causal, clamp=0.25), (q, k, v))


def test_a_denominator_lost_to_rounding_is_an_error() -> None:
    # Orthogonal, so that every score is 0 and every weight 1, from features that are far larger.
    q = 1e3 * torch.rand(200, 1) * torch.tensor([0.7, 1.3])
    k = 1e3 * torch.rand(200, 1) * torch.tensor([1.3, -0.7])
    with pytest.raises(WorkingsError, match="by rounding"):
        taylor_attention(q, k, k, 2, scale=1.0, method="features")


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("pieces", [[1] * 9, [4, 1, 1, 3], [9]])
def test_a_state_of_fixed_size_gives_what_the_full_pass_gives(
    order: int, pieces: list[int]
) -> None:
    q, k, v = (x.detach() for x in inputs(2, 3, T=9, D=4, E=5))
    state = TaylorState(order)
    parts = zip(*(x.split(pieces, -2) for x in (q, k, v)), strict=True)
    found, sizes = [], []
    for part in parts:
        found.append(state(*part))
        sizes.append(sum(S.numel() for S in state.sums.panels))
    torch.testing.assert_close(torch.cat(found, -2), explicit(q, k, v, order, True))
    assert set(sizes) == {6 * 6 * feature_count(4, order)}
    assert len(state) == 9


@pytest.mark.parametrize("order", [2, 4])
def test_a_layer_in_pieces_is_the_layer(order: int) -> None:
    layer = TaylorAttention(12, 3, causal=True, order=order, bias=True).double()
    x = torch.randn(2, 9, 12, dtype=torch.double)
    with torch.no_grad():
        cache = layer.new_cache()
        found = [layer(part, cache=cache) for part in x.split([5, 1, 1, 2], 1)]
        torch.testing.assert_close(torch.cat(found, 1), layer(x))


@pytest.mark.parametrize("cross", [False, True])
def test_a_layer_has_the_projections_of_softmax_attention(cross: bool) -> None:
    options: dict[str, Any] = {"bias": True, "context_width": 7 if cross else None}
    ours = TaylorAttention(12, 3, order=6, **options).double()
    softmax = Attention(12, 3, **options).double()
    softmax.load_state_dict(ours.state_dict())
    x, context = 0.1 * torch.randn(2, 5, 12).double(), 0.1 * torch.randn(2, 8, 7).double()
    given = (x, context) if cross else (x,)
    torch.testing.assert_close(ours(*given), softmax(*given))
    torch.testing.assert_close(ours.weights(*given), softmax.weights(*given))


def test_a_layers_options_are_those_of_the_function() -> None:
    x = torch.randn(2, 5, 12, dtype=torch.double)
    layer = TaylorAttention(12, 2, scaled=False, causal=True, output=False, order=1, clamp=0.5)
    layer = layer.double()
    q = layer.query(x).unflatten(-1, (2, 6)).transpose(1, 2)
    k, v = (y.unflatten(-1, (2, 6)).transpose(1, 2) for y in layer.key_value(x).chunk(2, -1))
    expected = explicit(q, k, v, 1, True, 1.0, 0.5).transpose(1, 2).flatten(2)
    torch.testing.assert_close(layer(x), expected)


@torch.no_grad()
def test_a_cached_context_is_projected_once() -> None:
    layer = TaylorAttention(12, 3, context_width=7).double()
    x, context = torch.randn(2, 5, 12).double(), torch.randn(2, 8, 7).double()
    expected, cache = layer(x, context), layer.new_cache()
    torch.testing.assert_close(layer(x[:, :2], context, cache=cache), expected[:, :2])
    layer.key_value.weight.zero_()
    torch.testing.assert_close(layer(x[:, 2:], cache=cache), expected[:, 2:])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 0}, "order 0 .*expected 1 to 100"),
        ({"order": 101}, "order 101"),
        ({"order": 9, "method": "features"}, "M = 2,042,975 features, .* more than 10,000"),
        ({"method": "fast"}, 'method "fast": expected auto, direct or features'),
        ({"chunk": 0}, "chunk 0"),
        ({"clamp": 0.0}, "clamp 0.0"),
    ],
)
def test_wrong_options_are_refused(
    options: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workings.nn.attention.taylor.layer.LARGEST", 10_000)
    q, k, v = torch.zeros(3, 2, 5, 16)
    with pytest.raises(WorkingsError, match=message):
        taylor_attention(q, k, v, **options)


def test_inputs_that_do_not_fit_are_refused() -> None:
    x = torch.zeros(2, 5, 4)
    with pytest.raises(WorkingsError, match="zero"):
        taylor_attention(x[:, :0], x, x)
    with pytest.raises(WorkingsError, match="float32, float64, float32"):
        taylor_attention(x, x.double(), x)
    with pytest.raises(WorkingsError, match="cpu, cpu, meta"):
        taylor_attention(x, x, x.to("meta"))
    with pytest.raises(WorkingsError, match=r"q 2×3×4, k 2×5×4: .*as many queries as keys"):
        taylor_attention(x[:, :3], x, x, causal=True)
    state = TaylorState()
    state(x, x, x)
    with pytest.raises(WorkingsError, match=r"2×length×4 .* was given 1×length×4"):
        state(x[:1], x[:1], x[:1])


def test_a_layer_that_cannot_be_made_is_refused() -> None:
    with pytest.raises(WorkingsError, match="M = 11,969,016,345 features"):
        TaylorAttention(128, 2, order=8)
    with pytest.raises(WorkingsError, match="order 0"):
        TaylorAttention(8, order=0)
    with pytest.raises(WorkingsError, match="the heads must divide"):
        TaylorAttention(8, 3)
    layer, x = TaylorAttention(8, causal=True), torch.zeros(2, 3, 8)
    mask = torch.ones(3, 3, dtype=torch.bool)
    with pytest.raises(WorkingsError, match="none but the causal"):
        layer(x, mask=mask)
    with torch.no_grad(), pytest.raises(WorkingsError, match="none but the causal"):
        layer(x, mask=mask, cache=layer.new_cache())
