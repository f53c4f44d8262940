"""A bilinear layer does what torch's profiler sees the live module do, forward and back."""

from math import prod

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

from workings.cost.counts import trilinear
from workings.cost.counts.tally import Example, Tally, tally


def total(result: Tally, quantity: str) -> int:
    assert not result.uncounted
    return sum(value for (name, _), value in result.counts.items() if name == quantity)


def seen(run: profile) -> tuple[int, int]:
    """Multiply-adds of products and elementwise operations of a pass, from the shapes it had."""
    products = elementwise = 0
    for event in run.events() or ():
        shapes = [tuple(shape) for shape in event.input_shapes]
        if event.name == "aten::bmm":
            products += prod(shapes[0]) * shapes[1][-1]
        elif event.name in ("aten::mul", "aten::add", "aten::add_"):
            elementwise += prod(torch.broadcast_shapes(*shapes[:2]))
        elif event.name == "aten::sum":
            elementwise += prod(shapes[0])
    return products, elementwise


def profiled(module: nn.Module, *inputs: Tensor) -> list[tuple[int, int]]:
    inputs = tuple(x.requires_grad_() for x in inputs)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as forward:
        y = module(*inputs)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as backward:
        torch.autograd.backward(y, torch.ones_like(y))
    return [seen(forward), seen(backward)]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("n", "d", "outputs"), [(6, 5, 3), (4, 7, 2), (3, 2, 5), (5, 3, 1)])
def test_a_bilinear_layer(n: int, d: int, outputs: int, bias: bool) -> None:
    layer = nn.Bilinear(d, 2 * d, outputs, bias=bias)
    shapes = (n, d), (n, 2 * d)
    forward, backward = profiled(layer, *(torch.randn(shape) for shape in shapes))
    inputs = tuple(torch.randn(shape) for shape in shapes)
    result = tally(lambda _: Example(layer.to("meta"), inputs), {})
    assert (total(result, "forward"), total(result, "elementwise")) == forward
    assert (total(result, "backward"), total(result, "elementwise_backward")) == backward
    assert total(result, "forward") == outputs * n * (2 * d * d + 2 * d)
    assert total(result, "backward") == outputs * 6 * n * d * d


def test_more_dimensions_are_a_longer_batch() -> None:
    layer = nn.Bilinear(3, 4, 2).to("meta")
    whole = tally(lambda _: Example(layer, (torch.randn(5, 6, 3), torch.randn(5, 6, 4))), {})
    flat = tally(lambda _: Example(layer, (torch.randn(30, 3), torch.randn(30, 4))), {})
    assert whole.counts == flat.counts


def test_many_outputs_take_no_longer_than_few() -> None:
    def calls(outputs: int) -> int:
        layer = nn.Bilinear(2, 2, outputs, device="meta")
        return tally(lambda _: Example(layer, (torch.randn(3, 2), torch.randn(3, 2))), {}).calls

    assert calls(100_003) == calls(7)


def test_the_result_on_the_meta_device_is_torchs() -> None:
    a, b, w = torch.randn(4, 3), torch.randn(4, 5), torch.randn(2, 3, 5)
    args = (a, w, b, [1, 3], [0], [1, 2], [2, 3])
    expected = torch.ops.aten._trilinear(*args)
    assert trilinear.result(args).shape == expected.shape == F.bilinear(a, b, w).shape
    first, slices = trilinear.one_slice(args)
    assert slices == 2
    assert torch.equal(torch.ops.aten._trilinear(*first)[:, 0], expected[:, 0])
