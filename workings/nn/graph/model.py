"""What the graph task counts on in a model, and what the graph models share."""

# N nodes, F features, C classes

from typing import Any

import torch
from torch import Tensor, nn

from workings.nn.fast_dropout import dropped
from workings.nn.graph.adjacency import Edges
from workings.nn.graph.sparse import Sparse
from workings.schema import Config, Probability, Size

Features = Tensor | Sparse  # N×F; words of papers are sparse


class GraphModel(nn.Module):
    """A network over a graph: `model(*model.prepare(x_NF, edges))` gives a row for every node.

    `prepare` is called once a graph, and makes what does not change while the model learns.
    """

    def prepare(self, x_NF: Features, edges: Edges) -> tuple[Any, ...]:
        """What `forward` takes."""
        raise NotImplementedError

    def first(self) -> list[nn.Parameter]:
        """The weights of the first layer, which see the features."""
        raise NotImplementedError

    def drop(self, x: Any, p: float) -> Any:
        """Dropout, in training only; of a sparse matrix, on its stored entries."""
        if not self.training or p == 0:
            return x
        return x.dropped(p) if isinstance(x, Sparse) else dropped(x, p)


class GraphModelConfig(Config):
    """What the graph networks share."""

    hidden: Size = 16
    """width of a hidden layer"""
    embed: Size = 16
    """width of a node's state, where edges are predicted from two of them"""
    dropout: Probability = 0.5
    """probability of dropping a unit before every layer but the first"""
    dropout_input: Probability = 0.5
    """probability of dropping a feature before the first layer"""

    def build(self, features: int, classes: int) -> GraphModel:
        raise NotImplementedError


def glorot(*shape: int) -> nn.Parameter:
    """Glorot-uniform weights."""
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(*shape)))
