"""The class of a whole graph: its nodes' states pooled into one, and a linear layer on that."""

# N nodes of all graphs, G graphs, D width of a state, C classes

from torch import Tensor, nn

from workings.nn.graph.batch import GraphBatch, Pooling
from workings.nn.graph.graph_model import GraphModel, NodeFeatures


class GraphReadout(nn.Module):
    """y_g = dropout(pool_{i ∈ g} s_i) U + u, with the states s_i that a graph network gives.

    The sum tells how many nodes of a kind a graph has, the mean only their share (Xu et al., 2019).

    encoder: a graph network without classes. classes: C. pool: sum, mean or last. dropout:
    the probability of dropping an entry of the pooled state.

    Shapes: `model(*model.prepare(x_NF, batch))` is G×C.
    """

    def __init__(
        self, encoder: GraphModel, classes: int, pool: Pooling = "sum", dropout: float = 0.5
    ) -> None:
        super().__init__()
        self.encoder, self.pool = encoder, pool
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(encoder.width, classes)

    def prepare(self, x_NF: NodeFeatures, batch: GraphBatch) -> tuple[object, ...]:
        """What `forward` takes."""
        return batch, *self.encoder.prepare(x_NF, batch.edges)

    def forward(self, batch: GraphBatch, *inputs: object) -> Tensor:
        pooled_GD = batch.pool(self.encoder(*inputs), self.pool)
        return self.output(self.dropout(pooled_GD))

    def first(self) -> list[nn.Parameter]:
        """The weights of the first layer, which see the features."""
        return self.encoder.first()
