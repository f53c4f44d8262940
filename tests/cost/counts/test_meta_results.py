"""Results on the meta device: the quick ones are those that PyTorch gives."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from workings.cost.counts.meta_results import meta_result

ADDMM = torch.ops.aten.addmm
SHAPES = st.lists(st.integers(1, 3), min_size=0, max_size=3)


def meta(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.empty(shape, dtype=dtype, device="meta")


def about(tensor: object) -> tuple[object, ...]:
    assert isinstance(tensor, Tensor)
    return tensor.shape, tensor.stride(), tensor.dtype, tensor.device


@settings(max_examples=200, deadline=None, derandomize=True)
@given(shapes=st.tuples(SHAPES, SHAPES, SHAPES), half=st.booleans())
def test_a_product_with_a_bias_is_what_torch_gives(
    shapes: tuple[list[int], ...], half: bool
) -> None:
    bias, left, right = (meta(*shape) for shape in shapes)
    left = left.bfloat16() if half else left
    try:
        expected = about(ADDMM.default(bias, left, right))
    except (RuntimeError, IndexError) as error:
        with pytest.raises(type(error)):
            meta_result(ADDMM.default, (bias, left, right), {})
    else:
        assert about(meta_result(ADDMM.default, (bias, left, right), {})) == expected


def test_a_result_that_is_given_is_the_result() -> None:
    parts, out = (meta(5), meta(4, 3), meta(3, 5)), meta(5, 4).T
    assert meta_result(ADDMM.out, parts, {"out": out}) is out
    assert about(meta_result(ADDMM.default, parts, {})) == about(meta(4, 5))
    inplace = meta(4, 5)
    result = meta_result(torch.ops.aten.addmm_.default, (inplace, *parts[1:]), {})
    assert result is inplace
