"""A graph as arrays: canonical whatever order it came in, and refused where it is none."""

from typing import Any

import numpy as np
import pytest

from workings.errors import WorkingsError
from workings.nn.graph.graph_model import dense
from workings.tasks.graph import dataset
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.graph import Graph, build
from workings.tasks.graph.node_splits import settled_splits

PAIRS = [[0, 1], [1, 2], [3, 1]]


def graph(edges: Any = PAIRS, nodes: int = 5, **given: Any) -> Graph:
    ends = np.array(edges, np.int64).reshape(-1, 2).T
    return build("g", nodes, ends, given.pop("directed", False), **given)


def pairs(one: Graph) -> list[tuple[int, int]]:
    return [(int(j), int(i)) for j, i in one.edges_2E.T]


def test_an_undirected_edge_is_there_in_both_directions_sorted_by_target() -> None:
    found = graph()
    assert pairs(found) == [(1, 0), (0, 1), (2, 1), (3, 1), (1, 2), (1, 3)]
    assert found.edges == 3
    assert graph(directed=True).edges == 3
    assert pairs(graph(directed=True)) == [(0, 1), (3, 1), (1, 2)]


def test_order_direction_and_repetition_do_not_matter() -> None:
    again = graph([[1, 0], [1, 2], [1, 3], [0, 1], [3, 1], [3, 1]])
    assert pairs(again) == pairs(graph())
    assert again.checksum() == graph().checksum()
    assert (again.repeated, again.turned) == (3, 2)


def test_a_self_loop_given_twice_is_one() -> None:
    found = graph([[0, 1], [2, 2], [2, 2]])
    assert pairs(found) == [(1, 0), (0, 1), (2, 2)]
    assert (found.edges, found.repeated) == (2, 1)


def test_the_checksum_sees_every_part() -> None:
    base = graph()
    labels, x = [0, 1, 0, 1, -1], Rows.dense(np.eye(5))
    others = [
        graph([[0, 1], [1, 2]]),
        graph(nodes=6),
        graph(directed=True),
        graph(labels=labels),
        graph(labels=[1, 0, 0, 1, -1]),
        graph(features=x),
        graph(features=Rows.dense(2 * np.eye(5))),
        graph(weight_E=np.array([1.0, 2, 3])),
        graph(labels=labels, splits={"train": np.array([0, 1])}),
        graph(names="abcde"),
    ]
    sums = [one.checksum() for one in (base, *others)]
    assert len(set(sums)) == len(sums)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no nodes": ({"edges": [], "nodes": 0}, "the graph is empty: it has no nodes"),
    "no edges": ({"edges": []}, "has 5 nodes and no edges"),
    "no such node": ({"edges": [[0, 1], [2, 7]]}, "edge 1 goes to node 7, which does not exist"),
    "a negative node": ({"edges": [[-1, 1]]}, "edge 0 goes from node -1"),
    "NaN weight": ({"weight_E": np.array([1.0, np.nan, 1])}, "edge 1 has weight nan"),
    "negative weight": ({"weight_E": np.array([1.0, 1, -2])}, "edge 2 has weight -2"),
    "infinite feature": (
        {"features": Rows.dense(np.array([[0.0]] * 3 + [[np.inf]] * 2))},
        "feature 0 of node '3' is inf",
    ),
    "features of others": ({"features": Rows.dense(np.ones((4, 1)))}, "features of 4 nodes"),
    "labels of others": ({"labels": [0, 1]}, "2 labels for 5 nodes"),
    "label too large": (
        {"labels": [0, 1, 2, 0, 0], "classes": ("a", "b")},
        "node '2' has label 2, outside the 2 classes",
    ),
    "label too small": ({"labels": [0, 1, -2, 0, 0]}, "node '2' has label -2"),
    "in two splits": (
        {"labels": [0] * 5, "splits": {"train": np.array([0]), "test": np.array([1, 0])}},
        "node '0' is in the train split and in test",
    ),
    "split of no node": (
        {"labels": [0] * 5, "splits": {"train": np.array([9])}},
        "the train split names node 9",
    ),
    "split without label": (
        {"labels": [0, 0, -1, 0, 0], "splits": {"test": np.array([2])}},
        "node '2' is in the test split and has no label",
    ),
    "two weights": (
        {"edges": [[0, 1], [1, 2], [1, 0]], "weight_E": np.array([1.0, 2, 3])},
        "given with weights 3 and 1; give it once",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_graph_is_refused_in_one_line(case: str) -> None:
    given, message = BAD[case]
    with pytest.raises(WorkingsError) as error:
        graph(**given)
    assert message in str(error.value)
    assert str(error.value).startswith("g: ")
    assert "\n" not in str(error.value)


def test_weights_go_with_their_edges() -> None:
    found = graph([[3, 1], [0, 1]], weight_E=np.array([0.5, 2.0]))
    assert pairs(found) == [(1, 0), (0, 1), (3, 1), (1, 3)]
    assert found.weight_E is not None
    assert found.weight_E.tolist() == [2.0, 2.0, 0.5, 0.5]


def test_rows_are_the_table_without_its_zeros() -> None:
    table = np.array([[0, 2.0, 0], [0, 0, 0], [1, 0, 3]])
    rows = Rows.dense(table)
    assert rows.starts.tolist() == [0, 1, 1, 3]
    assert rows.columns.tolist() == [1, 0, 2]
    back = np.zeros((3, 3))
    back[rows.row, rows.columns] = rows.values
    assert (back == table).all()
    ones = rows.sums_to_one()
    assert ones.values.tolist() == [1, 0.25, 0.75]


def labelled(sizes: dict[int, int], **given: Any) -> Graph:
    labels = [label for label, size in sizes.items() for _ in range(size)]
    return graph([[0, 1]], len(labels), labels=labels, **given)


def test_a_random_split_has_so_many_of_each_class() -> None:
    one = labelled({0: 100, 1: 60, -1: 7})
    found = settled_splits(one, 1, train=20, valid=30)
    everyone = np.concatenate(list(found.values()))
    assert len(everyone) == len(set(everyone.tolist())) == 160
    counts = {s: np.bincount(one.labels_N[places]).tolist() for s, places in found.items()}
    assert counts == {"train": [20, 20], "valid": [30, 20], "test": [50, 20]}
    again = settled_splits(one, 1, 20, 30)
    assert all((found[split] == again[split]).all() for split in found)
    assert (found["train"] != settled_splits(one, 2, 20, 30)["train"]).any()


def test_a_given_train_split_leaves_the_rest_half_and_half() -> None:
    one = labelled({0: 6, 1: 6}, splits={"train": np.array([0, 11])})
    found = settled_splits(one, 1, 20, 30)
    assert found["train"].tolist() == [0, 11]
    assert [len(found[split]) for split in ("valid", "test")] == [5, 5]
    assert settled_splits(one, 1, 2, 1, ignore_given=True)["train"].tolist() != [0, 11]


def test_a_graph_without_labels_or_with_too_few_has_no_splits() -> None:
    with pytest.raises(WorkingsError, match="no node has a label; name the column"):
        settled_splits(graph(), 1, 20, 30)
    with pytest.raises(WorkingsError, match="the valid split is empty: 2 labelled nodes"):
        settled_splits(labelled({0: 1, 1: 1, -1: 3}), 1, 20, 30)


def test_rows_sum_to_one_and_rows_of_zeros_stay() -> None:
    rows = Rows.dense(np.array([[1.0, 3.0], [0.0, 0.0]])).sums_to_one()
    assert rows.values.tolist() == [0.25, 0.75]
    zeros = Rows.dense(np.zeros((3, 2))).sums_to_one()
    assert (len(zeros.values), zeros.shape, zeros.values.dtype) == (0, (3, 2), np.float32)


def test_a_graph_with_features_that_are_all_zero_has_a_tensor_of_zeros() -> None:
    edges_2E = np.array([[0, 1], [1, 2]])
    zeros = build("zeros", 3, edges_2E, False, features=Rows.dense(np.zeros((3, 2))))
    for normalise in ("sum", "none"):
        x_NF = dense(dataset.features(zeros, normalise))
        assert x_NF.tolist() == [[0.0, 0.0]] * 3
