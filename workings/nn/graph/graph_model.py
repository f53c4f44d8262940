"""What the graph task counts on in a network, and what the graph networks share."""

# N nodes, F features, C classes

from typing import overload

import torch
from torch import Tensor, nn

from workings.nn.dropout import dropped
from workings.nn.graph.adjacency import EdgeList
from workings.nn.graph.sparse import Sparse

NodeFeatures = Tensor | Sparse  # N×F; words of papers are sparse


class GraphModel(nn.Module):
    """A network over a graph: `model(*model.prepare(x_NF, edges))` gives a row for every node.

    `prepare` is called once a graph, and makes what does not change while the model learns.

    dropout, dropout_input: probabilities of dropping a unit, and a feature, for `drop`.
    state, classes: the widths of a node's state and of what is said of it; without classes the
    network is an encoder, whose rows are the states, for a readout. width: of a row.
    """

    def __init__(
        self,
        dropout: float = 0.0,
        dropout_input: float = 0.0,
        state: int = 0,
        classes: int | None = None,
    ) -> None:
        super().__init__()
        self.dropout, self.dropout_input = dropout, dropout_input
        self.is_encoder, self.width = classes is None, state if classes is None else classes

    def prepare(self, x_NF: NodeFeatures, edges: EdgeList) -> tuple[object, ...]:
        """What `forward` takes."""
        raise NotImplementedError

    def first(self) -> list[nn.Parameter]:
        """The weights of the first layer, which see the features."""
        raise NotImplementedError

    @overload
    def drop(self, x: Tensor, p: float) -> Tensor: ...

    @overload
    def drop(self, x: Sparse, p: float) -> Sparse: ...

    def drop(self, x: NodeFeatures, p: float) -> NodeFeatures:
        """Dropout, in training only; of a sparse matrix, on its stored entries."""
        if not self.training or p == 0:
            return x
        return x.dropped(p) if isinstance(x, Sparse) else dropped(x, p)


def glorot(*shape: int) -> nn.Parameter:
    """Glorot-uniform weights."""
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(*shape)))


def dense(x_NF: NodeFeatures) -> Tensor:
    """Features as a dense tensor."""
    return x_NF.dense() if isinstance(x_NF, Sparse) else x_NF


def dtype_of(x_NF: NodeFeatures) -> torch.dtype:
    """The type of the features' numbers."""
    return x_NF.values_K.dtype if isinstance(x_NF, Sparse) else x_NF.dtype
