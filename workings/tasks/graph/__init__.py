"""The graph task: node classification and edge prediction on one graph that is seen whole."""

from workings.tasks.graph.config import GraphConfig, GraphTrain
from workings.tasks.graph.dataset import load
from workings.tasks.graph.edge_prediction import EdgePrediction
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.graph import Graph, build
from workings.tasks.graph.node_classification import NodeClassification
from workings.tasks.graph.reading.files import read
from workings.tasks.graph.reading.named_graphs import fetch
from workings.tasks.graph.task import GraphTask

__all__ = [
    "EdgePrediction",
    "Graph",
    "GraphConfig",
    "GraphTask",
    "GraphTrain",
    "NodeClassification",
    "Rows",
    "build",
    "fetch",
    "load",
    "read",
]
