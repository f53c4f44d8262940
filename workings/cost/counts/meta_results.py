"""Results on the meta device where its own kernels are slow, or know nothing of sparse matrices."""

from collections.abc import Mapping

import torch
from torch import Tensor
from torch._ops import OpOverload

from workings.cost.counts import trilinear
from workings.cost.counts.copies import INDEX_PUT, is_of_unknown_length
from workings.cost.counts.operations import base_name
from workings.cost.counts.products import Argument, Arguments

# The most frequent operations of a recurrent layer: their meta kernels are slow Python.
ALIKE = {"add", "sub", "mul", "sigmoid", "tanh", "sigmoid_backward", "tanh_backward"}

_SPARSE_PRODUCTS = ("mm", "addmm", "_sparse_mm", "_sparse_addmm")
_SPARSE_VIEWS = frozenset(
    {"t", "detach", "values", "crow_indices", "col_indices", "_values", "_indices"}
)


class NeedsValues(Exception):
    """The meta device cannot run this: it needs values."""


def meta_result(func: OpOverload, args: Arguments, kwargs: Mapping[str, Argument]) -> Argument:
    """What an operation on meta tensors gives."""
    if any(is_sparse(a) for a in args):
        return _sparse(func, args, kwargs)
    name = base_name(func)
    if name == "_trilinear":
        return trilinear.result(args)
    if name in INDEX_PUT and is_of_unknown_length(args):
        raise NeedsValues(f"{func}: how many places a mask names cannot be said on the meta device")
    quick = _product_and_bias(func, args, kwargs)
    if quick is None:
        quick = _alike(func, args, kwargs)
    return func(*args, **kwargs) if quick is None else quick


def is_sparse(value: object) -> bool:
    """Whether it is a tensor that stores only some of its entries."""
    return isinstance(value, Tensor) and value.layout != torch.strided


def _product_and_bias(
    func: OpOverload, args: Arguments, kwargs: Mapping[str, Argument]
) -> Tensor | None:
    """The result of b + x W of a linear layer, in `out` if given; None: whatever is not plain."""
    if func.overloadpacket.__name__ != "addmm" or len(args) != 3 or set(kwargs) - {"out"}:
        return None
    bias, left, right = args
    if not left.is_meta or left.dim() != 2 or right.dim() != 2 or left.shape[1] != right.shape[0]:
        return None
    shape = (left.shape[0], right.shape[1])
    if bias.shape not in (shape[1:], shape) or not bias.dtype == left.dtype == right.dtype:
        return None
    out = kwargs.get("out")
    if out is None:
        return torch.empty(shape, dtype=left.dtype, device="meta")
    return out if (out.shape, out.dtype) == (shape, left.dtype) else None


def _alike(func: OpOverload, args: Arguments, kwargs: Mapping[str, Argument]) -> Tensor | None:
    """The result of a pointwise operation on float tensors that are alike: one more of them."""
    name = base_name(func)
    if name not in ALIKE or kwargs or not all(isinstance(a, Tensor) for a in args):
        return None
    first = args[0]
    if any(t.shape != first.shape or t.dtype != first.dtype for t in args):
        return None
    if func.overloadpacket.__name__ != name:
        return first  # in place
    if not first.is_floating_point() or not all(_is_row_major(t) for t in args):
        return None
    return torch.empty_like(first, memory_format=torch.contiguous_format)


def _is_row_major(tensor: Tensor) -> bool:
    strides = tensor.stride()
    return 0 not in strides and sorted(strides, reverse=True) == list(strides)


def _sparse(func: OpOverload, args: Arguments, kwargs: Mapping[str, Argument]) -> Argument:
    """The result of an operation on a sparse matrix, of which the meta device knows very few.

    It would give a transpose without entries, whose product then does no work.
    """
    name = base_name(func)
    matrices = [a for a in args if isinstance(a, Tensor)]
    if name in _SPARSE_PRODUCTS and "out" not in kwargs:
        left, right = matrices[-2:]
        return torch.empty(left.shape[0], right.shape[1], dtype=left.dtype, device="meta")
    if name == "t" and args[0].layout == torch.sparse_coo:
        indices, values = args[0]._indices(), args[0]._values()
        shape = args[0].shape[::-1]
        return torch.sparse_coo_tensor(indices, values, shape, check_invariants=False)
    if name in _SPARSE_VIEWS:
        return func(*args, **kwargs)
    raise NeedsValues(f"{func} of a sparse matrix cannot run on the meta device")
