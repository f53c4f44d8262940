"""Softmax attention against torch.nn.MultiheadAttention and against its formula written out."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from workings.errors import WorkingsError
from workings.nn.attention.heads import KeyValueCache
from workings.nn.attention.softmax import Attention, attend

B, T, S, W, C = 2, 5, 7, 12, 9


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def random(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.double, requires_grad=True)


def explicit(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, scale: float) -> Tensor:
    """exp and sums, nothing else; a row without a key is zero."""
    scores = (q @ k.mT * scale).exp() * mask
    return scores @ v / scores.sum(-1, keepdim=True).clamp(min=1e-300)


def same_gradients(found: Tensor, expected: Tensor, leaves: list[Tensor]) -> None:
    weight = torch.randn_like(found)
    one = torch.autograd.grad((found * weight).sum(), leaves)
    other = torch.autograd.grad((expected * weight).sum(), leaves)
    torch.testing.assert_close(one, other)


class Made(TorchDispatchMode):
    """The operations that ran, and the largest tensor they made."""

    def __init__(self) -> None:
        super().__init__()
        self.operations: list[str] = []
        self.largest = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        self.operations.append(func.overloadpacket.__name__)
        for x in out if isinstance(out, tuple | list) else [out]:
            if isinstance(x, Tensor):
                self.largest = max(self.largest, x.numel())
        return out


def theirs_of(ours: Attention) -> nn.MultiheadAttention:
    """torch's, with the same weights; without W^O ours is theirs with the identity there."""
    cross = ours.key_value.in_features if ours.cross else W
    bias = ours.query.bias is not None
    theirs = nn.MultiheadAttention(
        W, ours.heads, bias=bias, kdim=cross, vdim=cross, batch_first=True
    ).double()
    key, value = ours.key_value.weight.chunk(2)
    with torch.no_grad():
        if ours.cross:
            theirs.q_proj_weight.copy_(ours.query.weight)
            theirs.k_proj_weight.copy_(key)
            theirs.v_proj_weight.copy_(value)
        else:
            theirs.in_proj_weight.copy_(torch.cat([ours.query.weight, key, value]))
        if bias:
            theirs.in_proj_bias.copy_(torch.cat([ours.query.bias, ours.key_value.bias]))
        if isinstance(ours.output, nn.Linear):
            theirs.out_proj.weight.copy_(ours.output.weight)
            if bias:
                theirs.out_proj.bias.copy_(ours.output.bias)
        else:
            nn.init.eye_(theirs.out_proj.weight)
    return theirs


def attention(**options: Any) -> Attention:
    """With biases that are not zero, so that they count."""
    layer = Attention(W, **options).double()
    for name, parameter in layer.named_parameters():
        if name.endswith("bias"):
            nn.init.normal_(parameter)
    return layer


@pytest.mark.parametrize("heads", [1, 3, 4])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("cross", [False, True])
def test_values_gradients_and_weights_are_those_of_torch(
    heads: int, bias: bool, cross: bool
) -> None:
    ours = attention(heads=heads, bias=bias, context_width=C if cross else None)
    theirs = theirs_of(ours)
    x = random(B, T, W)
    context = random(B, S, C) if cross else x
    found = ours(x, context) if cross else ours(x)
    expected, weights = theirs(x, context, context, average_attn_weights=False)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(ours.weights(x, context if cross else None), weights)

    g = torch.randn_like(found)
    mine = [x, ours.query.weight, ours.key_value.weight, ours.output.weight]
    torchs: list[Tensor] = [x, theirs.out_proj.weight]
    torchs += (
        [theirs.q_proj_weight, theirs.k_proj_weight, theirs.v_proj_weight]
        if cross
        else [theirs.in_proj_weight]
    )
    dx, dq, dkv, do = torch.autograd.grad((found * g).sum(), mine)
    dx_, do_, *din = torch.autograd.grad((expected * g).sum(), torchs)
    torch.testing.assert_close(
        [dx, do, torch.cat([dq, dkv]) if not cross else dkv],
        [dx_, do_, din[0] if not cross else torch.cat(din[1:])],
    )
    if cross:
        torch.testing.assert_close(dq, din[0])


def test_a_mask_is_true_where_torchs_is_false() -> None:
    ours = attention(heads=3, bias=True)
    mask = torch.rand(T, T) < 0.6
    mask |= torch.eye(T, dtype=torch.bool)
    x = random(B, T, W)
    expected, weights = theirs_of(ours)(x, x, x, attn_mask=~mask, average_attn_weights=False)
    torch.testing.assert_close(ours(x, mask=mask), expected)
    torch.testing.assert_close(ours.weights(x, mask=mask), weights)
    same_gradients(ours(x, mask=mask), expected, [x])


def test_padded_keys_are_not_seen() -> None:
    layer = attention(heads=3, context_width=C)
    x, context = random(B, T, W), random(B, S, C)
    mask = torch.arange(S) < torch.tensor([S - 3, S])[:, None]
    found = layer(x, context, mask=mask[:, None, None])
    torch.testing.assert_close(found[:1], layer(x[:1], context[:1, : S - 3]))
    torch.testing.assert_close(found[1:], layer(x[1:], context[1:]))


def test_without_an_output_projection_the_heads_stand_side_by_side() -> None:
    layer = attention(heads=3, output=False)
    x = random(B, T, W)
    expected, _ = theirs_of(layer)(x, x, x)
    torch.testing.assert_close(layer(x), expected)
    assert sum(p.numel() for p in layer.parameters()) == 3 * W * W


def test_unscaled_scores_are_the_products_themselves() -> None:
    layer = attention(heads=3, scaled=False)
    x = random(B, T, W)
    expected = layer.weights(x)
    layer.scale = (W // 3) ** -0.5
    with torch.no_grad():
        layer.query.weight.mul_((W // 3) ** 0.5)
    torch.testing.assert_close(layer.weights(x), expected)


@pytest.mark.parametrize("leading", [(), (3,), (2, 3), (2, 1, 3)])
@pytest.mark.parametrize("scale", [None, 0.7])
def test_attend_is_the_formula(leading: tuple[int, ...], scale: float | None) -> None:
    q, k, v = random(*leading, T, 4), random(*leading, S, 4), random(*leading, S, 6)
    factor = scale or 0.5
    shapes = [(T, S), (1, S), (T, 1)]
    shapes += [(*(1 if i else n for i, n in enumerate(leading)), T, S)] if leading else []
    for shape in shapes:
        mask = torch.rand(shape) < 0.7
        found = attend(q, k, v, mask, scale=scale)
        expected = explicit(q, k, v, mask, factor)
        torch.testing.assert_close(found, expected)
        same_gradients(found, expected, [q, k, v])
    found = attend(q, k, v, scale=scale)
    torch.testing.assert_close(found, explicit(q, k, v, torch.tensor(True), factor))


@pytest.mark.parametrize(("T", "S"), [(1, 1), (1, 6), (4, 4), (3, 6), (6, 3)])
@pytest.mark.parametrize("masked", [False, True])
def test_causal_ends_with_the_last_query_at_the_last_key(T: int, S: int, masked: bool) -> None:
    q, k, v = random(2, T, 4), random(2, S, 4), random(2, S, 4)
    seen = torch.arange(S) <= torch.arange(T)[:, None] + S - T
    mask = torch.rand(2, T, S) < 0.7 if masked else None
    found = attend(q, k, v, mask, causal=True)
    expected = explicit(q, k, v, seen if mask is None else seen & mask, 0.5)
    torch.testing.assert_close(found, expected)
    same_gradients(found, expected, [q, k, v])


@pytest.mark.parametrize("dtype", [torch.float, torch.double])
def test_a_query_that_may_attend_nowhere_gives_zeros_and_no_gradient(dtype: torch.dtype) -> None:
    q, k, v = (torch.randn(2, 3, T, 8, dtype=dtype, requires_grad=True) for _ in range(3))
    mask = torch.ones(2, 1, T, T, dtype=torch.bool)
    mask[1, :, 2] = False
    out = attend(q, k, v, mask)
    assert not out[1, :, 2].any()
    dq, dk, dv = torch.autograd.grad(out.square().sum(), [q, k, v])
    assert not dq[1, :, 2].any()
    assert all(x.isfinite().all() and x[1].any() for x in (dq, dk, dv))
    weights = Attention(W, 3).to(dtype).weights(torch.randn(2, T, W, dtype=dtype), mask=mask)
    rows = weights.sum(-1)
    torch.testing.assert_close(rows, mask.any(-1).to(dtype).expand_as(rows))


def test_causal_attention_does_not_see_the_future() -> None:
    layer = attention(heads=2, causal=True)
    x = random(B, T, W)
    changed = x.detach().clone()
    changed[:, 3:] = torch.randn(B, T - 3, W)
    torch.testing.assert_close(layer(x)[:, :3], layer(changed)[:, :3], rtol=0, atol=0)
    assert not torch.equal(layer(x)[:, 3:], layer(changed)[:, 3:])
    assert not layer.weights(x).triu(1).any()


def test_a_batch_of_one_is_the_row_of_a_batch() -> None:
    layer = attention(heads=3, causal=True)
    x = random(B, T, W)
    torch.testing.assert_close(layer(x[1:]), layer(x)[1:])
    torch.testing.assert_close(layer(x[1]), layer(x)[1])


@pytest.mark.parametrize("pieces", [[1] * 9, [4, 1, 1, 3], [9]])
@pytest.mark.parametrize("capacity", [1, 64])
@torch.no_grad()
def test_with_cached_keys_and_values_the_pieces_are_the_whole(
    pieces: list[int], capacity: int
) -> None:
    layer = attention(heads=3, causal=True)
    x = torch.randn(B, 9, W, dtype=torch.double)
    cache = KeyValueCache(capacity)
    found = [layer(part, cache=cache) for part in x.split(pieces, 1)]
    torch.testing.assert_close(torch.cat(found, 1), layer(x))
    assert len(cache) == 9


@torch.no_grad()
def test_a_cached_context_is_projected_once() -> None:
    layer = attention(heads=3, context_width=C)
    x = torch.randn(B, T, W, dtype=torch.double)
    context = torch.randn(B, S, C, dtype=torch.double)
    expected, cache = layer(x, context), layer.new_cache()
    torch.testing.assert_close(layer(x[:, :2], context, cache=cache), expected[:, :2])
    layer.key_value.weight.zero_()
    torch.testing.assert_close(layer(x[:, 2:], cache=cache), expected[:, 2:])


def test_dropout_is_on_the_weights_in_training_only() -> None:
    layer = attention(heads=3, dropout=0.5)
    x = random(B, 40, W)
    kept = layer.weights(x)
    assert 0.4 < (kept == 0).double().mean() < 0.6
    layer.eval()
    full = layer.weights(x)
    torch.testing.assert_close(kept[kept > 0], 2 * full[kept > 0])


@pytest.mark.parametrize("causal", [False, True])
def test_without_weights_nothing_but_the_fast_kernel_runs(causal: bool) -> None:
    q, k, v = torch.randn(3, 2, 300, 4, 8).transpose(2, 3)
    with Made() as made:
        attend(q, k, v, causal=causal)
    views = {"alias", "view", "_unsafe_view"}
    kernel = [name for name in made.operations if name not in views]
    assert kernel == ["_scaled_dot_product_flash_attention_for_cpu"]
    assert made.largest < 300 * 300


def test_weights_start_glorot_uniform_and_biases_zero() -> None:
    layer = Attention(120, 4, bias=True, context_width=60)
    key, value = layer.key_value.weight.chunk(2)
    for weight in (layer.query.weight, key, value, layer.output.weight):
        bound = math.sqrt(6 / sum(weight.shape))
        assert 0.97 * bound < weight.abs().max() <= bound
    assert not any(p.any() for name, p in layer.named_parameters() if name.endswith("bias"))


def test_it_has_the_parameters_of_the_equations() -> None:
    def count(**options: Any) -> int:
        return sum(p.numel() for p in Attention(W, 3, **options).parameters())

    assert count() == 4 * W * W
    assert count(bias=True) == 4 * W * W + 4 * W
    assert count(context_width=C) == 2 * W * W + 2 * W * C


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 12, "heads": 5}, "width 12 with 5 heads: the heads must divide"),
        ({"width": 0}, "width 0"),
        ({"width": 4, "heads": 0}, "0 heads"),
        ({"width": 4, "context_width": 0}, "context 0"),
        ({"width": 4, "dropout": 1.0}, "dropout 1.0"),
        ({"width": 4, "causal": True, "context_width": 3}, "causal cross-attention"),
    ],
)
def test_what_cannot_be_made_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(WorkingsError, match=message):
        Attention(**options)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([(4,), (4,), (4,)], "q 4, k 4, v 4: expected two dimensions"),
        ([(2, 0, 4), (2, 3, 4), (2, 3, 4)], "zero"),
        ([(2, 3, 4), (2, 0, 4), (2, 0, 4)], "zero"),
        ([(2, 3, 4), (3, 4), (3, 4)], "same dimensions before"),
        ([(3, 4), (3, 5), (3, 4)], "of one width"),
        ([(3, 4), (3, 4), (2, 4)], "as many keys as values"),
    ],
)
def test_what_does_not_fit_together_is_refused(shapes: Any, message: str) -> None:
    with pytest.raises(WorkingsError, match=message):
        attend(*(torch.zeros(shape) for shape in shapes))


def test_other_types_and_devices_are_refused() -> None:
    x = torch.zeros(3, 4)
    with pytest.raises(WorkingsError, match="float32, float64, float32"):
        attend(x, x.double(), x)
    with pytest.raises(WorkingsError, match="int64"):
        attend(x.long(), x.long(), x.long())
    with pytest.raises(WorkingsError, match="cpu, meta, cpu: expected one device"):
        attend(x, x.to("meta"), x)
    with pytest.raises(WorkingsError, match="float64 on cpu, the attention float32 on cpu"):
        Attention(4)(x.double())
    with pytest.raises(WorkingsError, match="float32 on meta"):
        Attention(4)(x.to("meta"))
    with pytest.raises(WorkingsError, match="x 3×5: expected …×length×4"):
        Attention(4)(torch.zeros(3, 5))


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (torch.zeros(3, 3), "mask of float32: expected bool"),
        (torch.ones(4, 3, dtype=torch.bool), "mask 4×3: expected .* broadcasts to 2×3×3"),
        (torch.ones(2, 2, 3, 3, dtype=torch.bool), "mask 2×2×3×3"),
        (torch.ones(3, 3, dtype=torch.bool, device="meta"), "mask on meta"),
    ],
)
def test_a_wrong_mask_is_refused(mask: Tensor, message: str) -> None:
    x = torch.zeros(2, 3, 4)
    with pytest.raises(WorkingsError, match=message):
        attend(x, x, x, mask)


def test_wrong_calls_are_refused() -> None:
    x = torch.zeros(2, 3, 4)
    with pytest.raises(WorkingsError, match="self-attention was given a context"):
        Attention(4)(x, x)
    with pytest.raises(WorkingsError, match="without a context"):
        Attention(4, context_width=4)(x)
    with pytest.raises(WorkingsError, match="no_grad"):
        Attention(4, causal=True)(x, cache=KeyValueCache())
    with torch.no_grad():
        with pytest.raises(WorkingsError, match="not causal"):
            Attention(4)(x, cache=KeyValueCache())
        cache = KeyValueCache()
        Attention(4, causal=True)(x, cache=cache)
        with pytest.raises(WorkingsError, match=r"2×1×length×4 .* was given 3×1×length×4"):
            Attention(4, causal=True)(torch.zeros(3, 1, 4), cache=cache)
