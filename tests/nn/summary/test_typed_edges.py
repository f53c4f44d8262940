"""Gated steps along edges of several kinds, against the plain loop over nodes and relations."""

import pytest
import torch

from workings.nn.summary import GatedSteps, TypedEdges
from workings.nn.summary.typed_edges import gated_steps_reference


def random_edges(nodes: int, kinds: int, count: int) -> torch.Tensor:
    draw = torch.Generator().manual_seed(3)
    ends = torch.randint(0, nodes, (2, count), generator=draw)
    kind = torch.randint(0, kinds, (1, count), generator=draw)
    return torch.cat([ends, kind]).unique(dim=1)


@pytest.mark.parametrize("count", [0, 1, 40])
def test_steps_are_the_reference_with_its_gradients(count: int) -> None:
    torch.manual_seed(1)
    layer = GatedSteps(4, kinds=3, steps=2).double()
    edges_3E = random_edges(9, 3, count)
    h_ND = torch.randn(9, 4, dtype=torch.double, requires_grad=True)
    edges = TypedEdges.of(edges_3E, 9, 3)
    edges = TypedEdges(edges.starts_K, edges.sizes, edges.mean.to(dtype=torch.double))
    fast = layer(h_ND, edges)
    plain = gated_steps_reference(h_ND, edges_3E, list(layer.M), layer.gru, 2)
    torch.testing.assert_close(fast, plain)
    grad = torch.randn_like(fast)
    leaves = [h_ND, *(weight for weight in layer.parameters() if count > 1 or weight.ndim == 1)]
    mine = torch.autograd.grad(fast, leaves, grad, allow_unused=True)
    its = torch.autograd.grad(plain, leaves, grad, allow_unused=True)
    for one, other in zip(mine, its, strict=True):
        if other is not None:
            torch.testing.assert_close(one, other)


def test_the_order_of_the_edges_does_not_matter() -> None:
    edges_3E = random_edges(9, 3, 40)
    one, other = (TypedEdges.of(edges, 9, 3) for edges in (edges_3E, edges_3E.flip(1)))
    torch.testing.assert_close(one.mean.dense(), other.mean.dense())
    assert one.sizes == other.sizes
    assert sum(one.sizes) == len(one.starts_K) == one.mean.shape[1]


def test_what_a_node_hears_is_the_mean_of_a_relation() -> None:
    """Two edges of one kind into node 2, one of another: the way back is a relation of its own."""
    edges = TypedEdges.of(torch.tensor([[0, 1, 0], [2, 2, 2], [0, 0, 1]]), 3, 2)
    assert edges.sizes == (2, 1, 1, 1)
    assert edges.starts_K.tolist() == [0, 1, 0, 2, 2]
    expected = [[0, 0, 0, 1, 1], [0, 0, 0, 1, 0], [0.5, 0.5, 1, 0, 0]]
    assert edges.mean.dense().tolist() == expected
