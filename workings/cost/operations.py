"""How much work each tensor operation does, by one table.

products     multiply-adds of matrix products and convolutions: n·k·m for n×k times k×m
elementwise  one for each element that a pointwise operation writes or a reduction reads, times the
             passes over the elements in an operation of several (a softmax: five)
moved        elements copied from one place to another: concatenation, lookup, making contiguous

Views, empty or constant tensors do no work. Masked entries are computed, so they are counted. An
operation that is in no table is an error: it never counts as zero.
"""

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any, NamedTuple

import torch
from torch import Tensor

from workings.errors import WorkingsError


class Work(NamedTuple):
    """What one operation does."""

    products: int = 0
    elementwise: int = 0
    moved: int = 0


class UnknownOperation(WorkingsError):
    """An operation whose work is in no table."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Passes over the elements of the first argument.
PASSES = {
    "_softmax": 5,  # max, subtract, exp, sum, divide
    "_safe_softmax": 5,
    "_log_softmax": 5,  # max, subtract, exp, sum, subtract
    "_softmax_backward_data": 4,  # multiply, sum, subtract, multiply
    "_log_softmax_backward_data": 4,  # sum, exp, multiply, subtract
    "var": 4,  # sum, subtract, square, sum
    "var_mean": 4,
    "std": 4,
    "std_mean": 4,
    "logsumexp": 4,  # max, subtract, exp, sum
    "cumsum": 1,
    "cumprod": 1,
    "nonzero": 1,
    "masked_select": 1,
    "bernoulli": 1,  # drawing a random number is work too
    "random": 1,
    "normal": 1,
    "uniform": 1,
    "rand_like": 1,
    "randn_like": 1,
    "masked_fill": 1,
    "leaky_relu_backward": 1,
    "elu_backward": 1,
    "softplus_backward": 1,
    "hardtanh_backward": 1,
    "hardswish_backward": 1,
    "hardsigmoid_backward": 1,
    "softshrink_backward": 1,
    "upsample_nearest1d_backward": 1,
    "upsample_nearest2d_backward": 1,
    "log_sigmoid_forward": 1,
    "log_sigmoid_backward": 1,
    "prelu": 1,
    "native_dropout": 3,  # draw, scale, multiply
    "native_dropout_backward": 2,
}

# Elements written by copying; for those in MOVED_BACK, elements of the gradient that is put back.
MOVED = _names(
    "clone copy _to_copy contiguous cat stack index index_select gather take embedding repeat flip "
    "roll tril triu constant_pad_nd reflection_pad1d reflection_pad2d replication_pad1d "
    "replication_pad2d index_copy scatter slice_scatter select_scatter index_fill "
    "im2col col2im pixel_shuffle pixel_unshuffle channel_shuffle"
)
MOVED_BACK = _names("select_backward slice_backward unfold_backward diagonal_backward")

# One addition for each element that is added in, with the place of those elements among the
# arguments.
ADDED_IN = {
    "scatter_add": 3,
    "scatter_reduce": 3,
    "index_add": 3,
    "embedding_dense_backward": 0,
    "max_pool2d_with_indices_backward": 0,
}

# Copies its values to their places, or adds them there.
INDEX_PUT = _names("index_put _unsafe_index_put _index_put_impl")

# No work: they allocate, fill with a constant, or look at the same elements in another way.
FREE = _names(
    "empty empty_like empty_strided new_empty new_empty_strided zeros zeros_like new_zeros ones "
    "ones_like new_ones full full_like new_full fill zero scalar_tensor arange linspace eye "
    "tril_indices triu_indices rand randn randint randperm lift_fresh lift_fresh_copy _unsafe_view "
    "unsafe_split unsafe_split_with_sizes unsafe_chunk _reshape_alias alias detach set resize "
    "_local_scalar_dense is_nonzero is_same_size _has_same_storage_numel "
    "_sparse_coo_tensor_with_dims_and_tensors "
    "_sparse_coo_tensor_unsafe sparse_compressed_tensor _values _indices _coalesced"
)


def work(func: Any, args: tuple[Any, ...], out: Any) -> Work | None:
    """The work of one call; None if the operation is in no table."""
    if func.namespace != "aten" and func.namespace != "prims":
        return None
    name = base_name(func)
    if name in PRODUCTS:
        return PRODUCTS[name](args, out)
    if name in FREE or func.is_view or _is_view_in_place(func):
        return Work()
    if name in MOVED:
        return Work(moved=_elements(out))
    if name in MOVED_BACK:
        return Work(moved=args[0].numel())
    if name in PASSES:
        return Work(elementwise=PASSES[name] * args[0].numel())
    if name in ADDED_IN:
        return Work(elementwise=args[ADDED_IN[name]].numel())
    if name in INDEX_PUT:
        written, adds = args[2].numel(), len(args) > 3 and args[3]
        return Work(elementwise=written) if adds else Work(moved=written)
    if name in POOLS:
        return Work(elementwise=POOLS[name](args, out))
    kind = _kind(func)
    if kind is None:
        return None
    return Work(elementwise=args[0].numel() if kind == "reduction" else _elements(out))


def base_name(func: Any) -> str:
    """`add` for aten.add.Tensor, aten.add_.Tensor and aten.add.out."""
    name = func.overloadpacket.__name__
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


@cache
def _is_view_in_place(func: Any) -> bool:
    """transpose_, squeeze_: they change how the elements are looked at, not the elements."""
    if func.overloadpacket.__name__ == base_name(func):
        return False
    packet = getattr(torch.ops.aten, base_name(func), None)
    return packet is not None and any(getattr(packet, o).is_view for o in packet.overloads())


@cache
def _kind(func: Any) -> str | None:
    """What PyTorch's own tags say; an overload without any is of the kind of the others."""
    packet = func.overloadpacket
    for overload in [func, *(getattr(packet, name) for name in packet.overloads())]:
        if torch.Tag.reduction in overload.tags:
            return "reduction"
        if torch.Tag.pointwise in overload.tags:
            return "pointwise"
    return None


def _elements(out: Any) -> int:
    """Of the result, or of the first of several."""
    return out.numel() if isinstance(out, Tensor) else next(_elements(part) for part in out)


def _entries(matrix: Tensor) -> int:
    """Of a sparse matrix those that are stored."""
    return matrix.numel() if matrix.layout == torch.strided else matrix._nnz()


def _matrix(a: Tensor, b: Tensor, out: Tensor) -> int:
    """Multiply-adds of a (batched) product: each stored entry of a meets a row of b."""
    if b.layout != torch.strided:
        return a.numel() // a.shape[-1] * b._nnz()
    return _entries(a) * (b.shape[-1] if b.dim() > 1 else 1)


def _product(first: int) -> Callable[[tuple[Any, ...], Any], Work]:
    """A product of the arguments `first` and the next; what it is added to comes before them."""

    def count(args: tuple[Any, ...], out: Any) -> Work:
        products = _matrix(args[first], args[first + 1], out)
        return Work(products, elementwise=out.numel() if first else 0)

    return count


def _convolution(x: Tensor, w: Tensor, out: Tensor, transposed: bool) -> int:
    """Every output takes a kernel's weights; transposed, every input gives to as many."""
    return (x if transposed else out).numel() * prod(w.shape[1:])


def _forward_convolution(args: tuple[Any, ...], out: Tensor) -> Work:
    x, w, bias, transposed = args[0], args[1], args[2], args[6]
    products = _convolution(x, w, out, transposed)
    return Work(products, elementwise=0 if bias is None else out.numel())


def _backward_convolution(args: tuple[Any, ...], out: Any) -> Work:
    """∂E/∂x and ∂E/∂w are each a convolution of the forward's size; ∂E/∂b is a sum."""
    grad, x, w, transposed, wanted = args[0], args[1], args[2], args[7], args[10]
    forward = _convolution(x, w, grad, transposed)
    return Work(forward * (wanted[0] + wanted[1]), elementwise=grad.numel() if wanted[2] else 0)


PRODUCTS: dict[str, Callable[[tuple[Any, ...], Any], Work]] = {
    "mm": _product(0),
    "bmm": _product(0),
    "mv": _product(0),
    "dot": _product(0),
    "vdot": _product(0),
    "_sparse_mm": _product(0),
    "addmm": _product(1),
    "addmv": _product(1),
    "baddbmm": _product(1),
    "addbmm": _product(1),
    "_sparse_addmm": _product(1),
    "convolution": _forward_convolution,
    "convolution_backward": _backward_convolution,
}


def _window(args: tuple[Any, ...], out: Any) -> int:
    """Every output looks at a window."""
    return _elements(out) * prod(args[1])


def _spread(args: tuple[Any, ...], out: Any) -> int:
    """Every gradient goes to a window."""
    return args[0].numel() * prod(args[2])


POOLS: dict[str, Callable[[tuple[Any, ...], Any], int]] = {
    "max_pool2d_with_indices": _window,
    "max_pool3d_with_indices": _window,
    "avg_pool2d": _window,
    "avg_pool3d": _window,
    "avg_pool2d_backward": _spread,
    "avg_pool3d_backward": _spread,
}
