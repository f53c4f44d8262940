"""Elements that an operation copies: to a new tensor, to a part of one, or to places in one."""

from collections.abc import Callable, Sequence
from math import prod

import torch
from torch import Tensor

from workings.cost.counts.products import Argument, Arguments, Work, elements, names

# A new tensor is written by copying; for those in MOVED_BACK, the elements of the first argument
# go to their places in one.
MOVED = names(
    "clone copy _to_copy contiguous cat stack index index_select gather take embedding repeat flip "
    "roll tril triu constant_pad_nd reflection_pad1d reflection_pad2d reflection_pad3d "
    "replication_pad1d replication_pad2d replication_pad3d index_copy scatter slice_scatter "
    "select_scatter diagonal_scatter as_strided_scatter index_fill masked_scatter im2col col2im "
    "pixel_shuffle pixel_unshuffle channel_shuffle _pack_padded_sequence upsample_nearest1d "
    "upsample_nearest2d upsample_nearest3d _upsample_nearest_exact1d _upsample_nearest_exact2d "
    "_upsample_nearest_exact3d"
)
MOVED_BACK = names(
    "select_backward slice_backward unfold_backward diagonal_backward diag_embed max_unpool2d "
    "max_unpool3d _pack_padded_sequence_backward masked_scatter_backward"
)

# Copies its values to their places, or adds them there.
INDEX_PUT = names("index_put _unsafe_index_put _index_put_impl")


def copying(name: str, is_in_place: bool, args: Arguments, out: Argument) -> Work | None:
    """The work of an operation that copies; None if it is in no table here."""
    if is_in_place and name in IN_PLACE:
        return Work(moved=IN_PLACE[name](args))
    if name in MOVED:
        return Work(moved=elements(out))
    if name in MOVED_BACK:
        return Work(moved=args[0].numel())
    if name in INDEX_PUT:
        return _index_put(args, is_in_place)
    if name == "put":
        return _put(args, args[2].numel(), is_in_place)
    return None


def is_of_unknown_length(args: Arguments) -> bool:
    """Whether `index_put` writes to as many places as a mask without values is true at."""
    masks = [index for index in args[1] if index is not None and _is_mask(index)]
    return any(mask.is_meta for mask in masks) and not _fills(args)


def _assigned(args: Arguments) -> int:
    """`y[:n] = x`, y.copy_(x): as many elements as y[:n] has, unless x is there already.

    That is so behind `y[:n] += x`. A single number fills y[:n], which is free as zeros are; the
    meta device repeats it first.
    """
    there, given = args[0], args[1]
    if given._base is not None and given._base.dim() == 0 < given.dim():
        return 0
    if there.layout == given.layout == torch.strided and _is_same(there, given):
        return 0
    return elements(there)


def _is_same(a: Tensor, b: Tensor) -> bool:
    if a.untyped_storage()._cdata != b.untyped_storage()._cdata or a.dtype != b.dtype:
        return False
    return (a.storage_offset(), a.shape, a.stride()) == (b.storage_offset(), b.shape, b.stride())


def _rows(args: Arguments) -> int:
    """Of a tensor along a dimension, those that an index names."""
    x, dimension, index = args[:3]
    return x.numel() // x.shape[dimension] * index.numel() if x.dim() and x.numel() else x.numel()


# Where the tensor is there already, only what is written to it is copied.
IN_PLACE: dict[str, Callable[[Arguments], int]] = {
    "copy": _assigned,
    "scatter": lambda args: args[2].numel(),
    "index_copy": lambda args: args[3].numel(),
    "index_fill": _rows,
}


def _index_put(args: Arguments, is_in_place: bool) -> Work:
    if _fills(args):
        return Work(elementwise=args[0].numel())  # as masked_fill does
    return _put(args, _places(args[0], args[1]), is_in_place)


def _put(args: Arguments, written: int, is_in_place: bool) -> Work:
    if _adds(args):
        return Work(elementwise=written)
    return Work(moved=written if is_in_place else args[0].numel())


def _adds(args: Arguments) -> bool:
    """Whether it adds its values to what is in their places."""
    return len(args) > 3 and args[3]


def _fills(args: Arguments) -> bool:
    """Whether it puts one number where a mask is true."""
    indices = [index for index in args[1] if index is not None]
    is_masked = len(indices) == 1 and _is_mask(indices[0])
    return is_masked and args[2].numel() == 1 and not _adds(args)


def _is_mask(index: Tensor) -> bool:
    return index.dtype in (torch.bool, torch.uint8)


def _places(x: Tensor, indices: Sequence[Tensor | None]) -> int:
    """To how many elements of x the indices lead, one index for each dimension.

    A mask stands for as many dimensions as it has, and leads to where it is true.
    """
    kept, named, dimension = [], [], 0
    for index in indices:
        if index is None:
            kept.append(x.shape[dimension])
            dimension += 1
        elif _is_mask(index):
            named.append(torch.Size([int(index.count_nonzero())]))
            dimension += index.dim()
        else:
            named.append(index.shape)
            dimension += 1
    return prod(torch.broadcast_shapes(*named)) * prod(kept) * prod(x.shape[dimension:])
