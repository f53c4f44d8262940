"""The graph networks by the names and fields of a config."""

from typing import Literal

from workings.nn.graph import (
    GAT,
    GCN,
    GGNN,
    GIN,
    MLP,
    RGCN,
    GraphModel,
    NodeEmbedding,
    Normalisation,
    Pooling,
    RecurrentChain,
)
from workings.nn.graph.recurrent_chain import Cell
from workings.schema import Config, Count, Depth, Positive, Probability, Size

# Fields that the network does not take: the task uses them.
NOT_ARGUMENTS = {"kind", "embed", "pool", "text_width"}


class GraphModelConfig(Config):
    """What the graph networks share."""

    hidden: Size = 16
    """width of a hidden layer"""
    embed: Size = 16
    """width of a node's state, where edges are predicted from two of them"""
    text_width: Size = 32
    """width of a word and of a text's state, where a recurrent encoder reads it"""
    pool: Pooling = "sum"
    """how the nodes' states become that of a graph, where whole graphs are classified; last: that
    of its last node"""
    dropout: Probability = 0.5
    """probability of dropping a unit before every layer but the first"""
    dropout_input: Probability = 0.5
    """probability of dropping a feature before the first layer"""

    def build(self, features: int, classes: int | None, relations: int = 1) -> GraphModel:
        """The network for so many features a node and classes; without: for a readout."""
        raise NotImplementedError


class GCNConfig(GraphModelConfig):
    """Graph convolutional network."""

    kind: Literal["gcn"] = "gcn"
    layers: Depth = 2
    """graph convolutions; after so many updates a node knows of those that many edges away"""
    normalisation: Normalisation = "symmetric"
    """Â: none A; self-loops A + I; row D⁻¹A; row-self-loops D̃⁻¹(A + I); symmetric-no-loops
    D^-½AD^-½; symmetric D̃^-½(A + I)D̃^-½; softmax over whole rows"""
    residual: bool = False
    """add a layer's input to its output where they are equally wide"""
    bias: bool = True
    """add a learned bias in every layer"""

    def build(self, features: int, classes: int | None, relations: int = 1) -> GCN:
        return GCN(features, classes=classes, **self.model_dump(exclude=NOT_ARGUMENTS))


class GATConfig(GraphModelConfig):
    """Graph attention network."""

    kind: Literal["gat"] = "gat"
    layers: Depth = 2
    """layers of attention"""
    hidden: Size = 8
    """width of a head in a hidden layer"""
    heads: Size = 8
    """heads of a hidden layer, side by side"""
    output_heads: Size = 1
    """heads of the last layer, averaged"""
    dropout: Probability = 0.6
    """probability of dropping a unit before every layer but the first"""
    dropout_input: Probability = 0.6
    """probability of dropping a feature before the first layer"""
    dropout_attention: Probability = 0.6
    """probability of dropping an edge's attention"""
    slope: Positive = 0.2
    """of the LeakyReLU below zero"""
    version: Literal[1, 2] = 1
    """2: the ranking of a node's neighbours may depend on the node"""
    residual: bool = False
    """add a layer's input to its output where they are equally wide"""

    def build(self, features: int, classes: int | None, relations: int = 1) -> GAT:
        return GAT(features, classes=classes, **self.model_dump(exclude=NOT_ARGUMENTS))


class GINConfig(GraphModelConfig):
    """Graph isomorphism network."""

    kind: Literal["gin"] = "gin"
    hidden: Size = 32
    """width of a hidden layer"""
    layers: Depth = 4
    """sums over the neighbours, each with a perceptron of two layers"""
    dropout_input: Probability = 0.0
    """probability of dropping a feature before the first layer"""
    learn_epsilon: bool = False
    """learn the weight 1 + ε that a node gives its own state; else it is 1"""

    def build(self, features: int, classes: int | None, relations: int = 1) -> GIN:
        return GIN(features, classes=classes, **self.model_dump(exclude=NOT_ARGUMENTS))


class GGNNConfig(GraphModelConfig):
    """Gated graph network."""

    kind: Literal["ggnn"] = "ggnn"
    steps: Depth = 2
    """updates of every node; after so many it knows of those that many edges away"""
    normalisation: Normalisation = "none"
    """Â: none A, the sum of the neighbours; row D⁻¹A, their mean; and as for the gcn"""

    def build(self, features: int, classes: int | None, relations: int = 1) -> GGNN:
        return GGNN(features, classes=classes, **self.model_dump(exclude=NOT_ARGUMENTS))


class MLPConfig(GraphModelConfig):
    """Multi-layer perceptron: each node from its own features alone."""

    kind: Literal["mlp"] = "mlp"
    layers: Depth = 2
    """linear layers"""

    def build(self, features: int, classes: int | None, relations: int = 1) -> MLP:
        return MLP(features, classes=classes, **self.model_dump(exclude=NOT_ARGUMENTS))


class RGCNConfig(GraphModelConfig):
    """Relational graph convolutional network: for graphs with several relations."""

    kind: Literal["rgcn"] = "rgcn"
    layers: Depth = 2
    """convolutions; after so many updates a node knows of those that many edges away"""
    bases: Count = 0
    """matrices that those of all relations are made of; 0: each relation has its own"""
    dropout_input: Probability = 0.0
    """probability of dropping a feature before the first layer"""

    def build(self, features: int, classes: int | None, relations: int = 1) -> RGCN:
        return RGCN(
            features, classes=classes, relations=relations, **self.model_dump(exclude=NOT_ARGUMENTS)
        )


class RecurrentConfig(GraphModelConfig):
    """Recurrent network along chains: for sequences, as graphs."""

    kind: Literal["recurrent"] = "recurrent"
    hidden: Size = 32
    """width of a word's vector and of the state"""
    cell: Cell = "lstm"
    """what makes a state of a node and the state before it"""
    pool: Pooling = "last"
    """how the nodes' states become that of a graph, where whole graphs are classified"""
    dropout_input: Probability = 0.0
    """probability of dropping a feature before the first layer"""

    def build(self, features: int, classes: int | None, relations: int = 1) -> RecurrentChain:
        return RecurrentChain(features, classes=classes, **self.model_dump(exclude=NOT_ARGUMENTS))


class DistMultConfig(Config):
    """DistMult: a state of its own for every node, without the graph; predicts edges only."""

    kind: Literal["distmult"] = "distmult"
    embed: Size = 32
    """width of a node's state"""
    dropout: Probability = 0.0
    """probability of dropping an entry of a node's state"""

    def build(self, features: int, classes: int | None, relations: int = 1) -> NodeEmbedding:
        """The embedding; the task sets a vector for every relation beside it."""
        return NodeEmbedding(features, classes or self.embed, self.dropout)


MODELS: dict[str, type[Config]] = {
    "gcn": GCNConfig,
    "gat": GATConfig,
    "gin": GINConfig,
    "ggnn": GGNNConfig,
    "rgcn": RGCNConfig,
    "mlp": MLPConfig,
    "recurrent": RecurrentConfig,
    "distmult": DistMultConfig,
}
