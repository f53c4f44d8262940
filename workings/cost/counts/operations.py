"""The work of each torch operation that is no matrix product: elementwise and moved, by table.

products     multiply-adds of matrix products and convolutions: n·k·m for n×k times k×m
elementwise  one for each element that a pointwise operation writes or a reduction reads, times the
             passes over the elements in an operation of several (a softmax: five)
moved        elements copied from one place to another: concatenation, lookup, making contiguous,
             assignment to a part of a tensor

Views, empty or constant tensors do no work. Masked entries are computed, so they are counted. An
operation that is in no table never counts as zero: what it would add to is not counted at all.
"""

from collections.abc import Sequence
from functools import cache

import torch
from torch import Tensor
from torch._ops import OpOverload

from workings.cost.counts.copies import copying
from workings.cost.counts.products import (
    PRODUCTS,
    Argument,
    Arguments,
    Work,
    elements,
    entries,
    names,
)
from workings.cost.counts.windows import WINDOWS
from workings.cost.quantities import OPERATIONS

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
    "cummax": 1,
    "cummin": 1,
    "segment_reduce": 1,
    "fake_quantize_per_tensor_affine_cachemask": 1,
    "nonzero": 1,
    "equal": 1,
    "logcumsumexp": 3,  # subtract, exp, add
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
    "hardshrink_backward": 1,
    "upsample_nearest1d_backward": 1,
    "upsample_nearest2d_backward": 1,
    "upsample_nearest3d_backward": 1,
    "_upsample_nearest_exact1d_backward": 1,
    "_upsample_nearest_exact2d_backward": 1,
    "_upsample_nearest_exact3d_backward": 1,
    "upsample_linear1d_backward": 2,  # to as many places as each output was made of
    "upsample_bilinear2d_backward": 4,
    "upsample_trilinear3d_backward": 8,
    "upsample_bicubic2d_backward": 16,
    "log_sigmoid_forward": 1,
    "log_sigmoid_backward": 1,
    "prelu": 1,
    "rrelu_with_noise": 3,  # draw, compare, multiply
    "rrelu_with_noise_backward": 1,
    "native_dropout": 3,  # draw, scale, multiply
    "native_dropout_backward": 2,
    "_weight_norm_interface_backward": 5,  # multiply, sum, scale, subtract, scale
}

# One addition for each element that is added in, with the place of those elements among the
# arguments.
ADDED_IN = {
    "scatter_add": 3,
    "scatter_reduce": 3,
    "index_add": 3,
    "index_reduce": 3,
    "replication_pad1d_backward": 0,
    "replication_pad2d_backward": 0,
    "replication_pad3d_backward": 0,
    "reflection_pad1d_backward": 0,
    "reflection_pad2d_backward": 0,
    "reflection_pad3d_backward": 0,
    "_segment_reduce_backward": 2,
    "embedding_dense_backward": 0,
    "max_pool2d_with_indices_backward": 0,
    "max_pool3d_with_indices_backward": 0,
    "adaptive_max_pool2d_backward": 0,
    "adaptive_max_pool3d_backward": 0,
    "fractional_max_pool2d_backward": 0,
    "fractional_max_pool3d_backward": 0,
}

# No work: they allocate, fill with a constant, or look at the same elements in another way.
FREE = names(
    "empty empty_like empty_strided _efficientzerotensor new_empty new_empty_strided zeros "
    "zeros_like new_zeros ones "
    "ones_like new_ones full full_like new_full fill zero scalar_tensor arange linspace eye "
    "tril_indices triu_indices rand randn randint randperm lift_fresh lift_fresh_copy _unsafe_view "
    "unsafe_split unsafe_split_with_sizes unsafe_chunk _reshape_alias alias detach set resize "
    "_local_scalar_dense is_nonzero is_same_size is_coalesced _has_same_storage_numel "
    "_sparse_coo_tensor_with_dims_and_tensors "
    "_sparse_coo_tensor_unsafe sparse_compressed_tensor _values _indices _coalesced"
)

# Without multiply-adds; how many steps they take depends on values, or on the method.
UNMEASURED = names(
    "sort topk kthvalue median nanmedian mode msort argsort unique_dim _unique _unique2 "
    "unique_consecutive bincount histc searchsorted bucketize multinomial embedding_renorm "
    "_ctc_loss _ctc_loss_backward _to_sparse _to_sparse_csr _coalesce multi_margin_loss "
    "multi_margin_loss_backward multilabel_margin_loss_forward multilabel_margin_loss_backward "
    "grid_sampler_2d grid_sampler_2d_backward grid_sampler_3d grid_sampler_3d_backward"
)


def spoils(func: OpOverload, quantities: Sequence[str]) -> list[str]:
    """Those of a pass's quantities about which an unknown operation leaves nothing to say."""
    if base_name(func) not in UNMEASURED:
        return list(quantities)
    return [q for q in quantities if q.startswith("elementwise") or q == OPERATIONS]


def work(func: OpOverload, args: Arguments, out: Argument) -> Work | None:
    """The work of one call; None if the operation is in no table."""
    if func.namespace != "aten" and func.namespace != "prims":
        return None
    name = base_name(func)
    if name in PRODUCTS:
        return PRODUCTS[name](args, out)
    if name in FREE or func.is_view or _is_view_in_place(func):
        return Work(moved=elements(out) if _copies(func, args, out) else 0)
    copied = copying(name, is_in_place(func), args, out)
    if copied is not None:
        return copied
    if name in PASSES:
        return Work(elementwise=PASSES[name] * entries(args[0]))
    if name in ADDED_IN:
        return Work(elementwise=args[ADDED_IN[name]].numel())
    if name in WINDOWS:
        return Work(elementwise=WINDOWS[name](args, out))
    kind = _kind(func)
    if kind is None:
        return None
    return Work(elementwise=entries(args[0]) if kind == "reduction" else elements(out))


def base_name(func: OpOverload) -> str:
    """`add` for aten.add.Tensor, aten.add_.Tensor and aten.add.out."""
    name = func.overloadpacket.__name__
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


def is_in_place(func: OpOverload) -> bool:
    """Whether its name ends in the underscore that says so."""
    return func.overloadpacket.__name__ != base_name(func)


@cache
def _is_view_in_place(func: OpOverload) -> bool:
    """transpose_, squeeze_: they change how the elements are looked at, not the elements.

    `aten.copy` has overloads for lists and dicts, which are called views; copy_ is none.
    """
    if not is_in_place(func):
        return False
    packet = getattr(torch.ops.aten, base_name(func), None)
    overloads = [getattr(packet, name) for name in packet.overloads()] if packet else []
    return any(o.is_view and _is_of_tensors(o) for o in overloads)


def _is_of_tensors(func: OpOverload) -> bool:
    given = func._schema.arguments
    return bool(given) and isinstance(given[0].type, torch.TensorType)


def _copies(func: OpOverload, args: Arguments, out: Argument) -> bool:
    """Whether reshape, which is a view where it can be, made a tensor of its own.

    `to` within an operation is free: a kernel converts numbers as it reads them. Called by a module
    it is `_to_copy`, which is not.
    """
    if not _may_copy(func) or not isinstance(out, Tensor) or out.layout != torch.strided:
        return False
    return out.untyped_storage()._cdata != args[0].untyped_storage()._cdata


@cache
def _may_copy(func: OpOverload) -> bool:
    if not func.is_view or base_name(func) == "to":
        return False
    return torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd")


@cache
def _kind(func: OpOverload) -> str | None:
    """What PyTorch's own tags say; an overload without any is of the kind of the others."""
    packet = func.overloadpacket
    if func.namespace == "prims":  # whose operations have no tags
        packet = getattr(torch.ops.aten, packet.__name__, packet)
    for overload in [func, *(getattr(packet, name) for name in packet.overloads())]:
        if torch.Tag.reduction in overload.tags:
            return "reduction"
        if torch.Tag.pointwise in overload.tags:
            return "pointwise"
    return None
