"""Graphs side by side: taken apart again they are the same, and none hears of another."""

import pytest
import torch

from tests.nn.graph.graphs import dense_adjacency, random_edges
from workings.nn.graph import GAT, GCN, GGNN, GIN, MLP, EdgeList, GraphBatch, GraphModel
from workings.nn.graph.readout import GraphReadout

F, D = 4, 5
SIZES = (6, 4, 1, 7)


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def graphs(weighted: bool = False) -> list[EdgeList]:
    alone = EdgeList(torch.empty(2, 0, dtype=torch.long), None, 1, symmetric=True)
    return [alone if size == 1 else random_edges(size, weighted=weighted) for size in SIZES]


@pytest.mark.parametrize("weighted", [False, True])
def test_the_matrix_is_block_diagonal(weighted: bool) -> None:
    parts = graphs(weighted)
    expected = torch.block_diag(*map(dense_adjacency, parts))
    batch = GraphBatch.of(parts)
    torch.testing.assert_close(dense_adjacency(batch.edges), expected, rtol=0, atol=1e-7)
    assert batch.graph_N.tolist() == [g for g, size in enumerate(SIZES) for _ in range(size)]


@pytest.mark.parametrize("chosen", [[0, 1, 2, 3], [3, 0], [2], [1, 1, 2]])
def test_taken_graphs_are_those_that_were_put_in(chosen: list[int]) -> None:
    parts = graphs(weighted=True)
    batch = GraphBatch.of(parts)
    taken, nodes_M = batch.take(torch.tensor(chosen))
    expected = GraphBatch.of([parts[g] for g in chosen])
    assert torch.equal(taken.edges.edges_2E, expected.edges.edges_2E)
    assert torch.equal(taken.edges.weights(torch.float32), expected.edges.weights(torch.float32))
    assert torch.equal(taken.start_G1, expected.start_G1)
    assert torch.equal(batch.graph_N[nodes_M], torch.tensor(chosen)[taken.graph_N])


def test_pooling_is_the_sum_or_the_mean_of_each_graphs_rows() -> None:
    batch, x_ND = GraphBatch.of(graphs()), torch.randn(sum(SIZES), D)
    parts = x_ND.split(SIZES)
    torch.testing.assert_close(batch.pool(x_ND, "sum"), torch.stack([p.sum(0) for p in parts]))
    torch.testing.assert_close(batch.pool(x_ND, "mean"), torch.stack([p.mean(0) for p in parts]))


ENCODERS: dict[str, GraphModel] = {
    "gcn": GCN(F, D, None, layers=3, residual=True),
    "gin": GIN(F, D, None),
    "ggnn": GGNN(F, D, None),
    "gat": GAT(F, 3, None, heads=2),
    "mlp": MLP(F, D, None),
}


@pytest.mark.parametrize("kind", ENCODERS)
@pytest.mark.parametrize("pool", ["sum", "mean"])
def test_a_graph_in_a_batch_gives_what_it_gives_alone(kind: str, pool: str) -> None:
    encoder, parts = ENCODERS[kind].double(), graphs()
    model = GraphReadout(encoder, 2, pool).double().eval()  # type: ignore[arg-type]
    x_NF = torch.randn(sum(SIZES), F, dtype=torch.double)
    together = model(*model.prepare(x_NF, GraphBatch.of(parts)))
    for g, (part, x_nF) in enumerate(zip(parts, x_NF.split(SIZES), strict=True)):
        alone = model(*model.prepare(x_nF, GraphBatch.of([part])))
        torch.testing.assert_close(alone[0], together[g])
    states_ND = encoder.eval()(*encoder.prepare(x_NF, GraphBatch.of(parts).edges))
    assert states_ND.shape[1] == encoder.width
    pooled_GD = GraphBatch.of(parts).pool(states_ND, pool)  # type: ignore[arg-type]
    torch.testing.assert_close(together, model.output(pooled_GD))
