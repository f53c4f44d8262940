"""Which labelled nodes are for training: of your own graph half of each class."""

from pathlib import Path

import pytest

from workings.schema import build
from workings.tasks.graph.config import GraphConfig, GraphTrain
from workings.tasks.graph.models import GCNConfig
from workings.tasks.graph.node_classification import NodeClassification
from workings.tasks.graph.task import GraphTask


@pytest.fixture
def ring(tmp_path: Path) -> str:
    """A ring of 400 nodes, 100 of the class a and 300 of b."""
    nodes = "".join(f"n{i},{'b' if i % 4 else 'a'}\n" for i in range(400))
    edges = "".join(f"n{i},n{(i + 1) % 400}\n" for i in range(400))
    (tmp_path / "nodes.csv").write_text(f"id,label\n{nodes}")
    (tmp_path / "edges.csv").write_text(f"source,target\n{edges}")
    return str(tmp_path)


def problem(**data: object) -> NodeClassification:
    asked = GraphTask(build(GraphConfig, data, "data"), GCNConfig(), GraphTrain(), 1, {}).problem
    assert isinstance(asked, NodeClassification)
    return asked


def sizes(of: NodeClassification) -> list[int]:
    return [len(of.splits[split]) for split in ("train", "valid", "test")]


def test_whoever_labelled_many_nodes_trains_on_half_of_them(ring: str) -> None:
    own = problem(path=ring)
    assert sizes(own) == [200, 100, 100]
    assert own.labels["train"].bincount().tolist() == [50, 150]
    # As many of each class would make the most frequent class anyone, and the baseline 0.25.
    assert own.baselines()["most frequent class"]["test.accuracy"] == 0.75


def test_as_many_of_each_class_as_are_asked_for(ring: str) -> None:
    assert sizes(problem(path=ring, train_per_class=20, valid_per_class=30)) == [40, 60, 300]
    assert sizes(problem(path=ring, train_per_class=5)) == [10, 194, 196]
    few = build(GraphConfig, {"name": "karate"}, "data")
    assert (few.train_per_class, few.valid_per_class) == (20, 30)
