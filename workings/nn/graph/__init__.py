"""Graph networks, and the sparse matrices they work on.

- `gcn`, `gat`, `gin`, `ggnn`, `rgcn`, `mlp`: one architecture each, its equation first
- `sampling`: parts of a large graph; `by_layers`: a whole one, layer by layer
- `recurrent_chain`: a recurrent network along chains, as sentences are
- `text_graph`: a recurrent encoder of each node's text before a graph network
- `distmult`: how likely an edge of a relation is; `relations`: edges of several relations
- `readout`: the class of a whole graph, from its nodes; `batch`: many graphs as one
- `graph_model`: what they share, and what the graph task counts on
- `adjacency`: a graph's edges, and the normalisations Â of its adjacency matrix
- `sparse`: constant sparse matrices and their products
- `segments`: attention along edges
"""

from workings.nn.graph.adjacency import EdgeList, Normalisation, propagation
from workings.nn.graph.batch import GraphBatch, Pooling
from workings.nn.graph.distmult import NodeEmbedding, RelationScores, distmult
from workings.nn.graph.gat import GAT, GraphAttention
from workings.nn.graph.gcn import GCN, GraphConvolution
from workings.nn.graph.ggnn import GGNN
from workings.nn.graph.gin import GIN, GraphIsomorphism
from workings.nn.graph.graph_model import GraphModel, NodeFeatures
from workings.nn.graph.mlp import MLP
from workings.nn.graph.readout import GraphReadout
from workings.nn.graph.recurrent_chain import RecurrentChain
from workings.nn.graph.relations import RelationEdges, RelationMatrices
from workings.nn.graph.rgcn import RGCN, RelationalConvolution
from workings.nn.graph.sparse import Sparse
from workings.nn.graph.text_graph import TextEncoder, TextGraph

__all__ = [
    "GAT",
    "GCN",
    "GGNN",
    "GIN",
    "MLP",
    "RGCN",
    "EdgeList",
    "GraphAttention",
    "GraphBatch",
    "GraphConvolution",
    "GraphIsomorphism",
    "GraphModel",
    "GraphReadout",
    "NodeEmbedding",
    "NodeFeatures",
    "Normalisation",
    "Pooling",
    "RecurrentChain",
    "RelationEdges",
    "RelationMatrices",
    "RelationScores",
    "RelationalConvolution",
    "Sparse",
    "TextEncoder",
    "TextGraph",
    "distmult",
    "propagation",
]
