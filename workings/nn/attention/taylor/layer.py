"""Taylor attention, fast: the function, the layer, and the state for generation.

Features φ with φ(q)·φ(k) = p_K(q·k) make the cost linear in the length; up to the length where they
pay (`features_pay`), the scores are made directly.
"""

# N heads of all the batch, T queries, S keys, D width of a key, E of a value, M features

from types import ModuleType
from typing import Literal, Protocol, Unpack

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from workings.errors import WorkingsError
from workings.nn.attention.heads import (
    Cache,
    HeadOptions,
    KeyValueCache,
    MultiHead,
    check_goes_on,
    check_heads,
    own_cache,
    shape_of,
)
from workings.nn.attention.taylor import direct as taylor_direct
from workings.nn.attention.taylor import linear as taylor_linear
from workings.nn.attention.taylor.direct import Gradients, Heads, Settings
from workings.nn.attention.taylor.features import Features
from workings.nn.attention.taylor.linear import Stretch, Work, forward_causal
from workings.nn.attention.taylor.series import feature_count
from workings.nn.attention.taylor.sums import Sums
from workings.nn.function_context import FunctionContext
from workings.nn.precision import without_autocast
from workings.nn.threads import each_part

Method = Literal["auto", "direct", "features"]

LARGEST = 2**28  # numbers in the sums of one head, M×(1+E): 1 GiB in float32
NO_MASK = "Taylor attention was given a mask; it takes none but the causal one (causal=True)"
ONE = Stretch(0, 1, 1)  # a single token


def taylor_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    order: int = 2,
    causal: bool = False,
    scale: float | None = None,
    method: Method = "auto",
    chunk: int | None = None,
    clamp: float | None = None,
) -> Tensor:
    """`taylor_reference` by the cheaper of two ways, with hand-written gradients.

    scale: 1/√D if not given. method: "direct" makes all T×S scores, a block at a time; "features"
    is linear in the length; "auto" takes the cheaper. chunk: the tokens worked on at once; chosen
    if not given.
    clamp: the smallest denominator. Those of even orders are positive. Those of odd orders can be
    zero or less, where q·k < -1, which is an error unless a clamp is given; a clamped denominator
    is a constant for the gradient.

    Shapes: q …×T×D, k …×S×D, v …×S×E, T = S if causal; returns …×T×E.
    """
    check_heads(q, k, v)
    check_options(order, method, clamp)
    *leading, T, D = q.shape
    S, E = v.shape[-2:]
    if causal and T != S:
        raise WorkingsError(
            f"q {shape_of(q)}, k {shape_of(k)}: causal attention expected as many queries as keys"
        )
    if chunk is not None and chunk < 1:
        raise WorkingsError(f"chunk {chunk}: expected 1 token or more")
    if method == "auto":
        method = "features" if features_pay(T, S, D, E, order, causal) else "direct"
    if method == "features":
        check_size(order, D, E)
    kernel = taylor_linear if method == "features" else taylor_direct
    settings = Settings(order, causal, D**-0.5 if scale is None else scale, clamp, chunk)
    out: Tensor = _TaylorAttention.apply(_flat(q), _flat(k), _flat(v), kernel, settings)
    return out.view(*leading, T, E).to(q.dtype)


def features_pay(T: int, S: int, width: int, value_width: int, order: int, causal: bool) -> bool:
    """Whether features are cheaper than scores; both constants were measured, on a CPU."""
    M = feature_count(width, order)
    seen = (1 if causal else 2) * T * S / (T + S)  # keys a query sees, if there are as many of both
    return seen > 1.4 * M + 350 and M * (1 + value_width) <= LARGEST


def _flat(x: Tensor) -> Tensor:
    """N×T×D, in float32 at least."""
    return x.reshape(-1, *x.shape[-2:]).to(torch.promote_types(x.dtype, torch.float32))


class _TaylorContext(FunctionContext, Protocol):
    step: int
    kernel: ModuleType
    settings: Settings


class _TaylorAttention(torch.autograd.Function):
    """Either way, some heads at a time; its forward and backward stand side by side in its file."""

    @staticmethod
    @without_autocast
    def forward(
        ctx: _TaylorContext, q: Tensor, k: Tensor, v: Tensor, kernel: ModuleType, settings: Settings
    ) -> Tensor:
        N, T, _ = q.shape
        heads = Heads(q, k, v, q.new_empty(N, T, v.shape[2]), q.new_empty(N, T))
        ctx.step = kernel.heads_at_once(heads, settings)
        each_part(lambda part: kernel.forward(heads.some(part), settings), N, ctx.step)
        check_norm(heads.norm, settings)
        ctx.save_for_backward(*heads)
        ctx.kernel, ctx.settings = kernel, settings
        return heads.out

    @staticmethod
    @once_differentiable
    @without_autocast
    def backward(ctx: _TaylorContext, *grad: Tensor) -> tuple[Tensor | None, ...]:
        heads = Heads(*ctx.saved_tensors)
        gradients = Gradients(*(torch.empty_like(x) for x in heads[:3]))

        def work(part: slice) -> None:
            ctx.kernel.backward(heads.some(part), grad[0][part], gradients.some(part), ctx.settings)

        each_part(work, len(heads.q), ctx.step)
        return *gradients, None, None


def check_options(order: int, method: str, clamp: float | None) -> None:
    """Refuse options that Taylor attention does not have."""
    if not 1 <= order <= 100:
        raise WorkingsError(f"order {order} of Taylor attention: expected 1 to 100")
    if method not in ("auto", "direct", "features"):
        raise WorkingsError(f'method "{method}": expected auto, direct or features')
    if clamp is not None and not clamp > 0:
        raise WorkingsError(f"clamp {clamp}: expected a smallest denominator above 0")


def check_size(order: int, width: int, value_width: int) -> None:
    """Refuse sums that do not fit in memory."""
    M = feature_count(width, order)
    if M * (1 + value_width) > LARGEST:
        raise WorkingsError(
            f"order {order} with heads of width {width} has M = {M:,} features, "
            f"{M * (1 + value_width):,} numbers a head, more than {LARGEST:,}; "
            "take a lower order or narrower heads"
        )


def check_norm(norm: Tensor, settings: Settings) -> None:
    """Refuse a denominator of zero or less."""
    if settings.clamp is not None or not (norm <= 0).any():
        return
    order, smallest = settings.order, norm.min().item()
    problem = f"Taylor attention of order {order} has a denominator of {smallest:.3g}"
    if order % 2:
        raise WorkingsError(f"{problem}: take an even order, smaller q·k, or ask for clamp=…")
    raise WorkingsError(f"{problem} by rounding: q·k is too large; scale it down or use float64")


class TaylorState:
    """All tokens so far in sums of one fixed size, M×(1+E) a head, for generation.

    A call takes in the new tokens, and gives what causal attention over all tokens gives for them.

    Shapes: q and k …×T×D, v …×T×E; returns …×T×E.
    """

    def __init__(
        self, order: int = 2, scale: float | None = None, clamp: float | None = None
    ) -> None:
        check_options(order, "features", clamp)
        self.order, self.scale, self.clamp = order, scale, clamp
        self.length = 0
        self.first: tuple[Tensor, ...]  # token, for what the next ones have to be like
        self.sums: Sums
        self.features: tuple[Features, Features]  # of one query and one key

    def __len__(self) -> int:
        return self.length

    @torch.no_grad()
    @without_autocast
    def __call__(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        check_heads(q, k, v)
        *leading, T, D = q.shape
        check_size(self.order, D, v.shape[-1])
        q_NTD, k_NTD, v_NTE = _flat(q), _flat(k), _flat(v)
        out_NTE = torch.empty_like(v_NTE)
        heads = Heads(q_NTD, k_NTD, v_NTE, out_NTE, out_NTE.new_empty(len(out_NTE), T))
        scale = D**-0.5 if self.scale is None else self.scale
        work = Work(heads, Settings(self.order, True, scale, self.clamp, None))
        if not self.length:
            self.first = tuple(x[..., :1, :] for x in (q, k, v))
            self._start(work)
        check_goes_on(self.first, (q, k, v))
        if T == 1:
            self._step(work)
        else:
            self.sums = forward_causal(work, self.sums).clone()
        check_norm(heads.norm, work.settings)
        self.length += T
        return out_NTE.view(*leading, T, -1).to(q.dtype)

    def _start(self, work: Work) -> None:
        self.sums = work.sums()
        phi_q, phi_k = (Features(work.layout, work.G, 1, work.heads.norm) for _ in range(2))
        self.features = phi_q, phi_k

    def _step(self, work: Work) -> None:
        """One token, which sees itself too: it is added to the sums before they are read."""
        phi_q, phi_k = self.features
        phi_q.load(work.heads.q.mT, work.settings.scale)
        phi_k.load(work.heads.k.mT)
        work.normalise(ONE, self.sums.step(phi_k, phi_q, work.v_bar(ONE)))


class TaylorAttention(MultiHead):
    """Heads of Σ_k p_K(s) v / Σ_k p_K(s), p_K(s) = Σ_{n≤K} sⁿ/n!, with s = q·k/√D.

    All else as in `MultiHead`, but for masks: only the causal one.

    order: the highest power K of the series; method and clamp: as in `taylor_attention`.

    Shapes: x …×T×W, context …×S×C; returns …×T×W.
    """

    def __init__(
        self,
        width: int,
        heads: int = 1,
        *,
        order: int = 2,
        method: Method = "auto",
        clamp: float | None = None,
        **options: Unpack[HeadOptions],
    ) -> None:
        super().__init__(width, heads, **options)
        check_options(order, method, clamp)
        check_size(order, width // heads, width // heads)
        self.order, self.method, self.clamp = order, method, clamp

    def core(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        if mask is not None:
            raise WorkingsError(NO_MASK)
        return taylor_attention(
            q, k, v, self.order, self.causal, self.scale, self.method, clamp=self.clamp
        )

    def cached(self, q: Tensor, k: Tensor, v: Tensor, cache: Cache, mask: Tensor | None) -> Tensor:
        if mask is not None:
            raise WorkingsError(NO_MASK)
        return own_cache(TaylorState, cache)(q, k, v)

    def new_cache(self) -> TaylorState | KeyValueCache:
        return KeyValueCache() if self.cross else TaylorState(self.order, self.scale, self.clamp)

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, order={self.order}"
