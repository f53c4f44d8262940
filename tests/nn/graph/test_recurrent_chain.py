"""The recurrent network along chains: each is read by itself, and as the plain loop reads it."""

import pytest
import torch

from workings.errors import WorkingsError
from workings.nn.graph import EdgeList, GraphBatch, RecurrentChain
from workings.nn.graph.recurrent_chain import Cell, positions
from workings.nn.recurrent import step_by_step


def chain(nodes: int, directed: bool = False) -> EdgeList:
    pairs_2E = torch.stack([torch.arange(nodes - 1), torch.arange(1, nodes)])
    return EdgeList.of(pairs_2E, nodes, directed)


@pytest.mark.parametrize("cell", ["rnn", "lstm", "gru"])
@pytest.mark.parametrize("directed", [False, True])
def test_every_chain_is_read_as_a_sequence_of_its_own(cell: Cell, directed: bool) -> None:
    torch.manual_seed(0)
    model = RecurrentChain(3, hidden=4, classes=2, cell=cell, dropout=0.0)
    sizes = [5, 1, 3]
    batch = GraphBatch.of([chain(size, directed) for size in sizes])
    x_NF = torch.randn(sum(sizes), 3)
    rows_NC = model(*model.prepare(x_NF, batch.edges))
    assert model.output is not None
    for x_TF, rows_TC in zip(x_NF.split(sizes), rows_NC.split(sizes), strict=True):
        h_T1D = step_by_step(model.cell, (x_TF @ model.W + model.b)[:, None])
        torch.testing.assert_close(rows_TC, model.output(h_T1D[:, 0]))


def test_a_state_depends_on_what_stands_before_it_alone() -> None:
    model = RecurrentChain(2, hidden=3, classes=None)
    x_NF = torch.randn(6, 2, requires_grad=True)
    h_ND = model(*model.prepare(x_NF, chain(6)))
    (grad_NF,) = torch.autograd.grad(h_ND[3].sum(), x_NF)
    assert (grad_NF.abs().sum(1) > 0).tolist() == [True] * 4 + [False] * 2


def test_positions() -> None:
    edges = EdgeList.of(torch.tensor([[0, 1, 3], [1, 2, 4]]), 6)
    step_N, chain_N = positions(edges)
    assert step_N.tolist() == [0, 1, 2, 0, 1, 0]
    assert chain_N.tolist() == [0, 0, 0, 1, 1, 2]


def test_what_is_no_chain_is_refused() -> None:
    ring = EdgeList.of(torch.tensor([[0, 1, 2], [1, 2, 0]]), 3)
    with pytest.raises(WorkingsError, match=r"reads chains.*an edge goes from node 2 to 0"):
        RecurrentChain(2, hidden=3, classes=2).prepare(torch.zeros(3, 2), ring)


def test_the_last_state_of_each_graph_is_pooled() -> None:
    batch = GraphBatch.of([chain(2), chain(1), chain(3)])
    rows_ND = torch.arange(6.0)[:, None]
    assert batch.pool(rows_ND, "last")[:, 0].tolist() == [1, 2, 5]
