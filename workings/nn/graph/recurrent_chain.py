"""A recurrent network along chains: sequences, as graphs whose nodes are joined to the next one."""

# N nodes of all chains, S chains, T nodes of the longest, F features, D hidden, C classes

from collections.abc import Callable
from functools import partial
from typing import Literal

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.nn.graph.adjacency import EdgeList
from workings.nn.graph.graph_model import GraphModel, NodeFeatures, glorot
from workings.nn.recurrent import GRU, LSTM, RNN

Cell = Literal["rnn", "lstm", "gru"]
CELLS: dict[Cell, Callable[[int, int], nn.Module]] = {
    "rnn": partial(RNN, activation="tanh"),
    "lstm": LSTM,
    "gru": GRU,
}


class RecurrentChain(GraphModel):
    """h_i = cell(x_i W + b, h_{i-1}) where an edge joins node i - 1 to i; else h_{i-1} is zero.

    y_i = h_i U + c. So a chain of words is read as a sentence, and many of them side by side.

    features, hidden, classes: the widths F, D and C; without classes the rows are h, for a readout.
    cell: rnn (with tanh), lstm or gru. dropout, dropout_input: probabilities of dropping a unit of
    h before the output, and a feature.

    Shapes: x_NF, dense or sparse; returns N×C, or N×D.
    """

    def __init__(
        self,
        features: int,
        hidden: int,
        classes: int | None,
        cell: Cell = "lstm",
        dropout: float = 0.5,
        dropout_input: float = 0.0,
    ) -> None:
        super().__init__(dropout, dropout_input, hidden, classes)
        self.W, self.b = glorot(features, hidden), nn.Parameter(torch.zeros(hidden))
        self.cell = CELLS[cell](hidden, hidden)
        self.output = None if classes is None else nn.Linear(hidden, classes)

    def prepare(self, x_NF: NodeFeatures, edges: EdgeList) -> tuple[object, ...]:
        return x_NF, *positions(edges)

    def forward(self, x_NF: NodeFeatures, step_N: Tensor, chain_N: Tensor) -> Tensor:
        x_ND = self.drop(x_NF, self.dropout_input) @ self.W + self.b
        x_TSD = x_ND.new_zeros(int(step_N.max()) + 1, int(chain_N[-1]) + 1, x_ND.shape[1])
        h_TSD, _ = self.cell(x_TSD.index_put((step_N, chain_N), x_ND))
        h_ND = h_TSD[step_N, chain_N]
        return h_ND if self.output is None else self.output(self.drop(h_ND, self.dropout))

    def first(self) -> list[nn.Parameter]:
        return [self.W, self.b]


def positions(edges: EdgeList) -> tuple[Tensor, Tensor]:
    """Of each node its position in its chain, and the number of that chain, both from 0.

    A graph that is no chains, each in the order of its nodes' numbers, is refused.
    """
    j_E, i_E = edges.edges_2E
    other = (j_E - i_E).abs() > 1
    if bool(other.any()):
        j, i = edges.edges_2E[:, int(other.int().argmax())].tolist()
        raise WorkingsError(
            f"model.kind: recurrent reads chains, where a node is joined to the next alone; an "
            f"edge goes from node {j} to {i}: take a graph network"
        )
    begins_N = torch.ones(edges.nodes, dtype=torch.bool, device=i_E.device)
    begins_N[i_E[j_E == i_E - 1]] = False
    chain_N = begins_N.cumsum(0) - 1
    number_N = torch.arange(edges.nodes, device=i_E.device)
    return number_N - begins_N.nonzero()[:, 0][chain_N], chain_N
