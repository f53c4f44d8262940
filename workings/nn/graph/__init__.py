"""Graph networks, and the sparse matrices they work on.

- `gcn`, `gat`, `ggnn`, `mlp`: one architecture each, its equation first
- `graph_model`: what they share, and what the graph task counts on
- `adjacency`: a graph's edges, and the normalisations Â of its adjacency matrix
- `sparse`: constant sparse matrices and their products
- `segments`: attention along edges
"""

from workings.nn.graph.adjacency import EdgeList, Normalisation, propagation
from workings.nn.graph.gat import GAT, GraphAttention
from workings.nn.graph.gcn import GCN, GraphConvolution
from workings.nn.graph.ggnn import GGNN
from workings.nn.graph.graph_model import GraphModel, NodeFeatures
from workings.nn.graph.mlp import MLP
from workings.nn.graph.sparse import Sparse

__all__ = [
    "GAT",
    "GCN",
    "GGNN",
    "MLP",
    "EdgeList",
    "GraphAttention",
    "GraphConvolution",
    "GraphModel",
    "NodeFeatures",
    "Normalisation",
    "Sparse",
    "propagation",
]
