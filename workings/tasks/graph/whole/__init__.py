"""Whole graphs: many of them, each with a class."""

from workings.tasks.graph.whole.graph_set import GraphSet, build_set
from workings.tasks.graph.whole.set_files import read
from workings.tasks.graph.whole.task import GraphSetTask

__all__ = ["GraphSet", "GraphSetTask", "build_set", "read"]
