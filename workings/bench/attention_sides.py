"""The attentions that are set against one another, and whether they compute what they should.

Ours and `package` are the same mathematics, attention with the polynomial 1 + s + s²/2; `sdpa` and
`softmax` are attention with exp(s); s = q·k/√D.
"""

# B batch, H heads, T tokens, D width of a head

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.bench.sides import Work
from workings.nn.attention import taylor_attention, taylor_reference

BATCH, HEADS, ORDER = 1, 4, 2
PACKAGE = "taylor_series_linear_attention"
OTHERS = ("sdpa", "softmax", "package")

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]  # q, k, v, all B×H×T×D


def attention(name: str, width: int, causal: bool) -> Attention:
    """The attention of this name, for heads of this width."""
    if name == "package":
        return _package(width)

    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        if name == "ours":
            return taylor_attention(q, k, v, order=ORDER, causal=causal, method="auto")
        if name == "sdpa":
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        return softmax(q, k, v, causal)

    return attend


def softmax(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    """softmax(q kᵀ/√D) v, written out: all scores at once."""
    s_BHTT = (q * q.shape[-1] ** -0.5) @ k.mT
    if causal:
        s_BHTT.masked_fill_(_future(s_BHTT), float("-inf"))
    return s_BHTT.softmax(-1) @ v


def polynomial(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    """Σ_k p(s) v / Σ_k p(s) with p(s) = 1 + s + s²/2, written out."""
    return taylor_reference(q, k, v, ORDER, causal)


def _future(s_BHTT: Tensor) -> Tensor:
    return torch.ones(s_BHTT.shape[-2:], dtype=torch.bool).triu_(1)


def _package(width: int) -> Attention:
    """Its module without the projections: nn.Identity hands on the q, k and v that it is given."""
    build = importlib.import_module(PACKAGE).TaylorSeriesLinearAttn
    module = build(HEADS * width, dim_head=width, heads=HEADS, combine_heads=False)
    module.to_q = module.to_kv = module.merge_heads = nn.Identity()
    return lambda q, k, v: module(q, context=(k, v))


def package_is_there() -> bool:
    """Whether the package that ours is set against is installed and can be imported."""
    if importlib.util.find_spec(PACKAGE) is None:
        return False
    try:
        importlib.import_module(PACKAGE)
    except ImportError:  # without what it depends on
        return False
    return True


def work(name: str, width: int, causal: bool, backward: bool, length: int) -> Work:
    """One pass over tokens of this length."""
    attend = attention(name, width, causal)
    draw = torch.Generator().manual_seed(length)
    q, k, v, grad = _tokens(4, length, width, draw)

    def forward() -> None:
        with torch.no_grad():
            attend(q, k, v)

    def forward_and_backward() -> None:
        torch.autograd.grad(attend(q, k, v), (q, k, v), grad)

    if not backward:
        return forward
    for x in (q, k, v):
        x.requires_grad_()
    return forward_and_backward


def _tokens(count: int, length: int, width: int, draw: torch.Generator) -> list[Tensor]:
    return [torch.randn(BATCH, HEADS, length, width, generator=draw) for _ in range(count)]


def needed(name: str, width: int, length: int) -> int:
    """Bytes of the large arrays that forward and backward hold at once; 0 if there are none."""
    if name == "softmax":
        return 4 * BATCH * HEADS * length**2 * 4
    if name == "package":
        return 6 * BATCH * HEADS * length * (1 + width + width**2) * 4
    return 0


def free_memory() -> float:
    """Bytes that this machine could give to a new process."""
    try:
        text = Path("/proc/meminfo").read_text()
        return float(text.partition("MemAvailable:")[2].split()[0]) * 1024
    except (OSError, IndexError, ValueError):
        return float("inf")


def difference(width: int, causal: bool, length: int = 96) -> dict[str, float]:
    """How far each attention is from its formula in float64, relative to the largest number.

    Output and gradients, the larger of the two. Ours in both of its methods: `auto` takes either.
    """
    oracles: dict[str, Callable[..., Tensor]] = {"polynomial": polynomial, "softmax": softmax}
    attends = {
        "ours, direct": ("polynomial", _ours("direct", causal)),
        "ours, features": ("polynomial", _ours("features", causal)),
        "ours, auto": ("polynomial", attention("ours", width, causal)),
        "sdpa": ("softmax", attention("sdpa", width, causal)),
        "softmax": ("softmax", attention("softmax", width, causal)),
    }
    if not causal and package_is_there():
        attends["package"] = ("polynomial", attention("package", width, causal))
    draw = torch.Generator().manual_seed(1)
    *qkv, grad = _tokens(4, length, width, draw)
    doubles, grad_double = [x.double() for x in qkv], grad.double()
    expected = {
        name: _value_and_gradients(lambda *x, f=f: f(*x, causal), doubles, grad_double)
        for name, f in oracles.items()
    }
    return {
        name: max(
            _apart(x, y)
            for x, y in zip(_value_and_gradients(f, qkv, grad), expected[oracle], strict=True)
        )
        for name, (oracle, f) in attends.items()
    }


def _ours(method: Literal["direct", "features"], causal: bool) -> Attention:
    return lambda q, k, v: taylor_attention(q, k, v, ORDER, causal, method=method)


def _value_and_gradients(
    attend: Callable[..., Tensor], qkv: list[Tensor], grad: Tensor
) -> list[Tensor]:
    leaves = [x.clone().requires_grad_() for x in qkv]
    out = attend(*leaves)
    return [out.detach(), *torch.autograd.grad(out, leaves, grad)]


def _apart(x: Tensor, y: Tensor) -> float:
    return float((x.double() - y).abs().max() / y.abs().max())
