"""What every attention has around its core: projections into heads and out of them, and checks."""

# B batch, T queries, S keys, W width, C width of the context, H heads, D = W/H, E width of a value

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol, TypedDict, TypeVar

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.nn.precision import is_autocast


class HeadOptions(TypedDict, total=False):
    """The keyword arguments that every attention takes, with the defaults of `MultiHead`."""

    bias: bool
    output: bool
    scaled: bool
    causal: bool
    context_width: int | None


class Cache(Protocol):
    """What an attention remembers of the tokens so far; each kind of attention has its own."""

    def __len__(self) -> int: ...


CacheT = TypeVar("CacheT", bound=Cache)


class MultiHead(nn.Module, ABC):
    """y = [head_1 … head_H] W^O, head_h = core(x W^Q_h, c W^K_h, c W^V_h), with c = x or a context.

    The D columns of every W_h stand side by side in one matrix. Glorot-uniform weights, zero
    biases.

    width: W; heads: H, which divides it. bias: projections have biases. output: there is a W^O.
    scaled: scores are multiplied by 1/√D. causal: no query looks ahead. context_width: C, given
    for cross-attention.

    mask: True where a query may attend, in a shape that broadcasts to …×H×T×S.

    Shapes: x …×T×W, context …×S×C; returns …×T×W.
    """

    def __init__(
        self,
        width: int,
        heads: int = 1,
        *,
        bias: bool = False,
        output: bool = True,
        scaled: bool = True,
        causal: bool = False,
        context_width: int | None = None,
    ) -> None:
        super().__init__()
        if min(width, heads, 1 if context_width is None else context_width) < 1:
            raise WorkingsError(
                f"attention of width {width}, {heads} heads"
                + (f", context {context_width}" if context_width is not None else "")
                + ": expected 1 or more of each"
            )
        if width % heads:
            raise WorkingsError(
                f"attention of width {width} with {heads} heads: the heads must divide the width"
            )
        if causal and context_width is not None:
            raise WorkingsError("causal cross-attention: a context has no future; drop one of both")
        self.width, self.heads, self.causal = width, heads, causal
        self.cross = context_width is not None
        self.scale = (width // heads) ** -0.5 if scaled else 1.0
        self.query = nn.Linear(width, width, bias)
        self.key_value = nn.Linear(context_width or width, 2 * width, bias)
        self.output = nn.Linear(width, width, bias) if output else nn.Identity()
        for name, parameter in self.named_parameters():
            for part in parameter.chunk(2 if name.startswith("key_value") else 1):
                nn.init.zeros_(part) if name.endswith("bias") else nn.init.xavier_uniform_(part)

    @abstractmethod
    def core(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        """The attention itself: q …×H×T×D, k …×H×S×D, v …×H×S×E; gives …×H×T×E."""

    @abstractmethod
    def cached(self, q: Tensor, k: Tensor, v: Tensor, cache: Cache, mask: Tensor | None) -> Tensor:
        """The same for tokens that come after those in the cache, which takes them in."""

    @abstractmethod
    def new_cache(self) -> Cache:
        """An empty cache for generation: hand it to every call, with only the new tokens as x."""

    def forward(
        self,
        x: Tensor,
        context: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        cache: Cache | None = None,
    ) -> Tensor:
        if cache is not None and torch.is_grad_enabled():
            raise WorkingsError("a cache is for generation; call under torch.no_grad()")
        q, (k, v) = self._queries(x), self._keys_values(x, context, cache)
        if cache is None or self.cross:
            out = self.core(q, k, v, mask)
        else:
            if not self.causal:
                raise WorkingsError("a cache for attention that is not causal; set causal=True")
            out = self.cached(q, k, v, cache, mask)
        return self.output(out.transpose(-3, -2).flatten(-2))

    def weights(
        self, x: Tensor, context: Tensor | None = None, *, mask: Tensor | None = None
    ) -> Tensor:
        """Every head's weights, …×H×T×S: what its core gives for the unit vectors as values."""
        q, (k, _) = self._queries(x), self._keys_values(x, context, None)
        S = k.shape[-2]
        units = torch.eye(S, dtype=k.dtype, device=k.device).expand(*k.shape[:-1], S)
        return self.core(q, k, units, mask)

    def _queries(self, x: Tensor) -> Tensor:
        return self._split(_project(self.query, x, "x"))

    def _keys_values(
        self, x: Tensor, context: Tensor | None, cache: Cache | None
    ) -> tuple[Tensor, Tensor]:
        if not self.cross:
            if context is not None:
                raise WorkingsError("self-attention was given a context; set context_width for one")
            k, v = _project(self.key_value, x, "x").chunk(2, -1)
            return self._split(k), self._split(v)
        keys_values = None if cache is None else own_cache(KeyValueCache, cache)
        if keys_values is not None and len(keys_values):
            return keys_values.all()
        if context is None:
            raise WorkingsError("cross-attention without a context: expected …×S×C to attend to")
        k, v = (self._split(y) for y in _project(self.key_value, context, "context").chunk(2, -1))
        return (k, v) if keys_values is None else keys_values.append(k, v)

    def _split(self, x: Tensor) -> Tensor:
        """…×T×W as …×H×T×D."""
        return x.unflatten(-1, (self.heads, -1)).transpose(-3, -2)

    def extra_repr(self) -> str:
        return f"{self.width}, heads={self.heads}, causal={self.causal}, scale={self.scale:.3g}"


def _project(linear: nn.Linear, x: Tensor, name: str) -> Tensor:
    weight = linear.weight
    if x.dim() < 2 or x.shape[-1] != linear.in_features:
        raise WorkingsError(
            f"{name} {shape_of(x)}: expected …×length×{linear.in_features}, the attention's width"
        )
    cast = is_autocast(weight)  # to one type, by the product itself
    if (x.dtype != weight.dtype and not cast) or x.device != weight.device:
        raise WorkingsError(
            f"{name} is {type_of(x)} on {x.device}, the attention {type_of(weight)} on "
            f"{weight.device}: expected the same; use .to(…)"
        )
    return linear(x)


class KeyValueCache:
    """Keys and values so far, …×S×D, in memory that doubles when it is full."""

    def __init__(self, capacity: int = 64) -> None:
        self.capacity = capacity
        self.length = 0
        self.memory: list[Tensor] = []

    def __len__(self) -> int:
        return self.length

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Take in new keys and values; gives all of them."""
        if self.memory:
            check_goes_on(self.memory, (k, v))
        old, self.length = self.length, self.length + k.shape[-2]
        if not self.memory or self.length > self.capacity:
            while self.capacity < self.length:
                self.capacity *= 2
            old_memory = self.memory
            self.memory = [x.new_empty(*x.shape[:-2], self.capacity, x.shape[-1]) for x in (k, v)]
            for new, before in zip(self.memory, old_memory, strict=False):
                new[..., :old, :] = before[..., :old, :]
        for memory, x in zip(self.memory, (k, v), strict=True):
            memory[..., old : self.length, :] = x
        return self.all()

    def all(self) -> tuple[Tensor, Tensor]:
        """The keys and values so far."""
        k, v = (x[..., : self.length, :] for x in self.memory)
        return k, v


def own_cache(kind: type[CacheT], cache: Cache) -> CacheT:
    """The cache, which has to be of the kind that the attention makes."""
    if not isinstance(cache, kind):
        raise WorkingsError(
            f"a cache of another attention ({type(cache).__name__}); take new_cache() of this one"
        )
    return cache


def check_heads(q: Tensor, k: Tensor, v: Tensor) -> None:
    """Refuse queries …×T×D, keys …×S×D and values …×S×E that do not fit together."""
    given = f"q {shape_of(q)}, k {shape_of(k)}, v {shape_of(v)}"
    if min(q.dim(), k.dim(), v.dim()) < 2:
        raise WorkingsError(f"{given}: expected two dimensions or more, …×length×width")
    if not (q.numel() and k.numel() and v.numel()):
        raise WorkingsError(f"{given}: a length or width of zero, nothing to attend with")
    if not (q.shape[:-2] == k.shape[:-2] == v.shape[:-2]):
        raise WorkingsError(f"{given}: expected the same dimensions before length and width")
    if q.shape[-1] != k.shape[-1]:
        raise WorkingsError(f"{given}: expected queries and keys of one width")
    if k.shape[-2] != v.shape[-2]:
        raise WorkingsError(f"{given}: expected as many keys as values")
    if not (q.dtype == k.dtype == v.dtype and q.is_floating_point()):
        types = ", ".join(type_of(x) for x in (q, k, v))
        raise WorkingsError(f"q, k and v are {types}: expected one floating-point type; use .to(…)")
    if not (q.device == k.device == v.device):
        raise WorkingsError(
            f"q, k and v are on {q.device}, {k.device}, {v.device}: expected one device; use .to(…)"
        )


def check_goes_on(before: Sequence[Tensor], new: Sequence[Tensor]) -> None:
    """Refuse new tokens that are unlike those that a cache holds in more than their number."""
    for held, given in zip(before, new, strict=True):
        shapes = [(*x.shape[:-2], x.shape[-1]) for x in (held, given)]
        if shapes[0] != shapes[1] or held.dtype != given.dtype or held.device != given.device:
            raise WorkingsError(
                f"a cache of {_like(held)} was given {_like(given)}: expected more of the same; "
                "start a new cache"
            )


def _like(x: Tensor) -> str:
    leading = "".join(f"{size}×" for size in x.shape[:-2])
    return f"{leading}length×{x.shape[-1]} {type_of(x)} on {x.device}"


def shape_of(x: Tensor) -> str:
    """2×3 for a 2×3 tensor."""
    return "×".join(map(str, x.shape)) or "a single number"


def type_of(x: Tensor) -> str:
    """float32 for torch.float32."""
    return str(x.dtype).removeprefix("torch.")
