"""Features of a graph that are its labels, or the edges that are to be predicted."""

import numpy as np
import pytest

from workings.errors import WorkingsError
from workings.tasks.graph.config import GraphConfig
from workings.tasks.graph.edge_prediction import EdgePrediction
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.graph import Graph, build
from workings.tasks.graph.leaks import edge_features, extremes, label_features
from workings.tasks.leak import Leak

N = 60
DRAW = np.random.default_rng(0)
WORDS = (DRAW.random((N, 30)) < 0.2).astype(np.float32)
LABELS = np.arange(N) % 3
EDGES = np.unique(np.sort(DRAW.integers(0, N, (2, 200)), axis=0), axis=1)


def graph(x_NF: np.ndarray, **more: object) -> Graph:
    given = {"labels": LABELS, "features": Rows.dense(x_NF), **more}
    return build("here", N, EDGES, directed=False, **given)  # type: ignore[arg-type]


def labels_in(graph: Graph) -> list[Leak]:
    return list(label_features(graph.where, graph.features, graph.labels_N, graph.classes))


def test_words_do_not_tell_the_label() -> None:
    assert labels_in(graph(WORDS)) == []
    assert labels_in(graph(np.eye(N))) == []


def test_a_one_hot_of_the_label_among_the_words() -> None:
    (leak,) = labels_in(graph(np.hstack([WORDS, np.eye(3)[LABELS]])))
    assert leak.grave
    assert "columns 30, 31, 32 (from 0) tell class 0, 1, 2 exactly" in leak.text
    (leak,) = labels_in(graph(np.hstack([WORDS, np.eye(3)[LABELS][:, 1:2]])))
    assert not leak.grave
    assert "column 30 (from 0) tells class 1 exactly" in leak.text
    named = [*map(str, range(30)), "colour = red"]
    about = graph(np.hstack([WORDS, np.eye(3)[LABELS][:, 1:2]]))
    (leak,) = label_features("here", about.features, about.labels_N, about.classes, named)
    assert "column 'colour = red' tells class 1 exactly" in leak.text


def test_the_label_as_a_number() -> None:
    (leak,) = labels_in(graph(np.column_stack([WORDS, LABELS])))
    assert leak.grave
    near = LABELS + 1 + DRAW.uniform(0, 0.5, N)
    (leak,) = labels_in(graph(np.column_stack([WORDS, near])))
    assert not leak.grave
    assert "column 30 (from 0) of the features tells every class by itself" in leak.text


def test_extremes_of_sparse_features_count_their_zeros() -> None:
    x_NF = np.where(DRAW.random((N, 7)) < 0.5, DRAW.normal(size=(N, 7)), 0).astype(np.float32)
    nodes = np.arange(0, N, 2)
    least, most, counts = extremes(Rows.dense(x_NF), nodes, LABELS[nodes], 3)
    for label in range(3):
        chosen = x_NF[nodes][LABELS[nodes] == label]
        assert np.array_equal(least[label], chosen.min(0))
        assert np.array_equal(most[label], chosen.max(0))
        assert counts[label] == len(chosen)


def test_rows_of_the_adjacency_matrix_hold_the_edges_that_are_held_out() -> None:
    a = np.zeros((N, N), np.float32)
    a[EDGES[0], EDGES[1]] = a[EDGES[1], EDGES[0]] = 1
    for x_NF, leaks in ((a, 1), (np.eye(N), 0), (WORDS, 0), (DRAW.random((N, N)) < 0.5, 0)):
        given = graph(x_NF.astype(np.float32))
        problem = EdgePrediction(given, GraphConfig(), 1)
        pairs = (problem.pairs["test"].numpy(), problem.negative["test"].numpy())
        assert len(list(edge_features(given, *pairs))) == leaks


@pytest.mark.parametrize("directed", [False, True])
def test_an_edge_that_is_held_out_is_so_in_both_directions(directed: bool) -> None:
    both = np.hstack([EDGES, EDGES[::-1]])
    problem = EdgePrediction(build("here", N, both, directed), GraphConfig(), 1)
    seen = {tuple(sorted(pair)) for pair in problem.edges.edges_2E.t().tolist()}
    for split in ("valid", "test"):
        assert not seen & {tuple(sorted(pair)) for pair in problem.pairs[split].t().tolist()}


def test_a_node_in_two_splits_is_refused() -> None:
    splits = {"train": np.array([0, 1, 2]), "test": np.array([2, 3, 4])}
    with pytest.raises(WorkingsError, match="node '2' is in the train split and in test"):
        graph(WORDS, splits=splits)
