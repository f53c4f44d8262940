"""The relational network against torch_geometric, and its equation with a loop over edges."""

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.nn.graph.graphs import random_edges, sparse_features
from workings.nn.graph import RGCN, NodeEmbedding, RelationalConvolution, RelationScores, distmult
from workings.nn.graph.relations import RelationEdges, RelationMatrices

N, F, C, R = 8, 5, 3, 3


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def triples() -> Tensor:
    """Edges of three relations, some between the same nodes; the second has none."""
    s, r, t = (torch.randint(high, (30,)) for high in (N, 2, N))
    return torch.stack([s, 2 * r, t]).unique(dim=1)


def by_hand(layer: RelationalConvolution, triples_3E: Tensor, x_NF: Tensor) -> Tensor:
    """Node by node, edge by edge, each relation there and back."""
    W_RFC, rows = layer.weights(), []
    both = [(s, r, t) for s, r, t in triples_3E.t().tolist()]
    both += [(t, r + R, s) for s, r, t in triples_3E.t().tolist()]
    for i in range(N):
        y = x_NF[i] @ layer.W_0 + layer.b
        for r in range(2 * R):
            near = [s for s, relation, t in both if (relation, t) == (r, i)]
            for j in near:
                y = y + x_NF[j] @ W_RFC[r] / len(near)
        rows.append(y)
    return torch.stack(rows)


@pytest.mark.parametrize("bases", [0, 1, 2, 9])
def test_a_layer_is_its_equation(bases: int) -> None:
    layer = RelationalConvolution(F, C, 2 * R, bases).double()
    x_NF, given = torch.randn(N, F, dtype=torch.double), triples()
    matrices = RelationMatrices(RelationEdges.of_triples(given, N, R), torch.double)
    assert set(matrices.matrices) == {0, 2, 3, 5}  # the second relation has no edges
    expected = by_hand(layer, given, x_NF)
    torch.testing.assert_close(layer(matrices, x_NF), expected)
    zero = torch.zeros(N, N, dtype=torch.double)
    dense = [matrices.matrices[r].dense() if r in matrices.matrices else zero for r in range(2 * R)]
    torch.testing.assert_close(layer.reference(dense, x_NF), expected)


def test_a_layer_is_torch_geometrics() -> None:
    geometric = pytest.importorskip("torch_geometric.nn")
    layer, given = RelationalConvolution(F, C, 2 * R, bases=2).double(), triples()
    theirs = geometric.RGCNConv(F, C, 2 * R, num_bases=2).double()
    with torch.no_grad():
        theirs.weight.copy_(layer.V)
        theirs.comp.copy_(layer.a)
        theirs.root.copy_(layer.W_0)
        theirs.bias.copy_(layer.b)
    x_NF = torch.randn(N, F, dtype=torch.double)
    s, r, t = given
    edge_index = torch.cat([torch.stack([s, t]), torch.stack([t, s])], 1)
    ours = layer(RelationMatrices(RelationEdges.of_triples(given, N, R), torch.double), x_NF)
    torch.testing.assert_close(ours, theirs(x_NF, edge_index, torch.cat([r, r + R])))


@pytest.mark.parametrize("sparse", [False, True])
def test_the_network_is_its_layers(sparse: bool) -> None:
    model = RGCN(F, 4, C, R, layers=2, dropout=0.0).double()
    x, edges = sparse_features(N, F), RelationEdges.of_triples(triples(), N, R)
    x_NF = x.dense()
    layers: list[Any] = list(model.layers)
    h = by_hand(layers[0], edges.triples_3E, x_NF @ model.W + model.c)
    expected = by_hand(layers[1], edges.triples_3E, h.relu())
    torch.testing.assert_close(model(*model.prepare(x if sparse else x_NF, edges)), expected)


def test_plain_edges_are_of_one_relation() -> None:
    model, edges = RGCN(F, 4, C, dropout=0.0).double(), random_edges(N)
    x_NF = torch.randn(N, F, dtype=torch.double)
    _, matrices = model.prepare(x_NF, edges)
    a_NN = matrices.matrices[0].dense() + matrices.matrices[1].dense()  # type: ignore[attr-defined]
    joined = torch.zeros(N, N, dtype=torch.bool)
    joined[edges.edges_2E[1], edges.edges_2E[0]] = True
    assert torch.equal(a_NN > 0, joined)


def test_hidden_edges_are_gone_both_ways() -> None:
    given = triples()
    matrices = RelationMatrices(RelationEdges.of_triples(given, N, R), torch.double)
    hidden_E = torch.arange(given.shape[1]) % 2 == 0
    found = matrices.hiding(hidden_E)
    share = 1 - hidden_E.double().mean()
    for edge, (s, r, t) in enumerate(given.t().tolist()):
        for number, i, j in ((r, t, s), (r + R, s, t)):
            before = matrices.matrices[number].dense()[i, j]
            expected = 0 if hidden_E[edge] else before / share
            assert found.matrices[number].dense()[i, j].item() == pytest.approx(float(expected))


def test_distmult_is_its_sum() -> None:
    model = RelationScores(NodeEmbedding(N, 4), R)
    z_ND, q_RD = model(*model.prepare(torch.eye(N), random_edges(N)))
    given = triples()
    expected = [sum(z_ND[s] * q_RD[r] * z_ND[t]) for s, r, t in given.t().tolist()]
    torch.testing.assert_close(distmult(z_ND, q_RD, given), torch.stack(expected))
