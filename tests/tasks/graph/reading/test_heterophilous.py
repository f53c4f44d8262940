"""Graphs with several published splits: the fold, or the seed, says which one is used."""

from pathlib import Path

import numpy as np
import pytest

from workings.errors import WorkingsError
from workings.tasks.graph import dataset as graph_data
from workings.tasks.graph.config import GraphConfig
from workings.tasks.graph.node_classification import NodeClassification
from workings.tasks.graph.reading import heterophilous


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    masks = np.zeros((3, 2, 6), bool)
    for fold in range(2):
        for split in range(3):
            masks[split, fold, [(2 * split + fold) % 6, (2 * split + 1 + fold) % 6]] = True
    path = tmp_path / "some.npz"
    np.savez(
        path,
        node_features=np.eye(6, 4, dtype=np.float32),
        node_labels=np.array([0, 1, 0, 1, 0, 1]),
        edges=np.array([[0, 1], [1, 2], [3, 4], [4, 5]]),
        train_masks=masks[0],
        val_masks=masks[1],
        test_masks=masks[2],
    )
    return path


@pytest.mark.parametrize(("fold", "seed", "test"), [(1, 7, [4, 5]), (2, 7, [0, 5]), (0, 4, [0, 5])])
def test_the_split_is_that_of_the_fold_or_of_the_seed(
    archive: Path, fold: int, seed: int, test: list[int]
) -> None:
    graph = heterophilous.read(archive, fold, seed)
    assert graph.splits["test"].tolist() == test
    assert graph.edges == 4
    assert not graph.directed
    assert graph.x().shape == (6, 4)


def test_a_fold_beyond_the_last_is_refused(archive: Path) -> None:
    with pytest.raises(WorkingsError, match="has 2 splits, not 3"):
        heterophilous.read(archive, 3, 1)


def test_the_published_sets_are_read(shared: Path) -> None:
    graph = graph_data.load(GraphConfig(name="texas"), seed=3)
    assert (graph.nodes, graph.edges, len(graph.classes)) == (183, 279, 5)
    assert [len(graph.splits[split]) for split in ("train", "valid", "test")] == [87, 59, 37]
    for seed in range(1, 11):  # a class of one node is not in every training split
        config = GraphConfig(name="texas")
        problem = NodeClassification(graph_data.load(config, seed), config, seed)
        assert len(problem.splits["train"]) == 87
