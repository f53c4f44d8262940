"""Every form a graph comes in gives the same graph; what is none is named with its line."""

import os
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest

from workings.errors import WorkingsError
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.reading import npz_files as graph_archive
from workings.tasks.graph.reading.files import read

NODES = """id,label,split,age,tall
ann,x,train,3,1
bob,y,train,1,0
cy,,,0,0
dee,x,valid,2,1
eve,y,test,5,0
"""
EDGES = "source,target,weight\nann,bob,2\nbob,cy,1\ndee,eve,0.5\n"


def folder(tmp_path: Path, nodes: str | None = NODES, edges: str = EDGES) -> Path:
    if nodes is not None:
        (tmp_path / "nodes.csv").write_text(nodes)
    (tmp_path / "edges.csv").write_text(edges)
    return tmp_path


def opened(path: Path, directed: bool = False, weighted: bool = False) -> Graph:
    return read(path, directed, weighted)


def refused(path: Path, **how: bool) -> str:
    with pytest.raises(WorkingsError) as error:
        opened(path, **how)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_tables(tmp_path: Path) -> None:
    graph = opened(folder(tmp_path), weighted=True)
    assert graph.names == ("ann", "bob", "cy", "dee", "eve")
    assert graph.classes == ("x", "y")
    assert graph.labels_N.tolist() == [0, 1, -1, 0, 1]
    assert {split: places.tolist() for split, places in graph.splits.items()} == {
        "train": [0, 1],
        "valid": [3],
        "test": [4],
    }
    assert graph.edges_2E.tolist() == [[1, 0, 2, 1, 4, 3], [0, 1, 1, 2, 3, 4]]
    assert graph.weight_E is not None
    assert graph.weight_E.tolist() == [2, 2, 1, 1, 0.5, 0.5]
    assert graph.features is not None
    assert graph.features.shape == (5, 2)
    assert graph.features.values.tolist() == [3, 1, 1, 2, 1, 5]
    assert opened(tmp_path).weight_E is None
    assert opened(tmp_path, directed=True).edges_2E.tolist() == [[0, 1, 3], [1, 2, 4]]


def test_tables_without_nodes_are_those_of_the_edges(tmp_path: Path) -> None:
    graph = opened(folder(tmp_path, None, "source,target\n10,9\n9,2\n"))
    assert graph.names == ("2", "9", "10")
    assert graph.features is None
    assert graph.classes == ()


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        (NODES, "source,target\nann,zoe\n", "edge ann to zoe (line 2): there is no node 'zoe'"),
        (NODES, "one,other\nann,bob\n", "edges.csv: has no column 'source' (it has one, other)"),
        (NODES, "source,target\nann\n", "edges.csv, line 2: 1 field, the header has 2"),
        (NODES, "", "edges.csv: is empty"),
        (NODES, "source,target\n", "has 5 nodes and no edges"),
        ("who,label\nann,x\n", EDGES, "nodes.csv: has no column 'id'"),
        ("id\nann\nann\n", EDGES, "node 'ann' is there twice"),
        ("id,age\nann,old\nbob,1\n", EDGES, "nodes.csv, line 2: age is 'old', expected a number"),
        ("id,age\nann,inf\nbob,1\ncy,1\ndee,1\neve,1\n", EDGES, "feature 0 of node 'ann' is inf"),
        (NODES.replace("valid", "maybe"), EDGES, "no split 'maybe'"),
        (NODES.replace("cy,,", "cy,,test"), EDGES, "'cy' is in the test split and has no label"),
        ("id,label\n", EDGES, "there is no node 'ann'"),
    ],
)
def test_tables_that_are_wrong(nodes: str, edges: str, message: str, tmp_path: Path) -> None:
    assert message in refused(folder(tmp_path, nodes, edges))


def test_weights_are_numbers_that_are_there(tmp_path: Path) -> None:
    text = "source,target,weight\nann,bob,heavy\n"
    assert "weight is 'heavy'" in refused(folder(tmp_path, edges=text), weighted=True)
    assert opened(tmp_path).edges == 1
    (tmp_path / "edges.csv").write_text("source,target\nann,bob\n")
    assert "has no column 'weight'" in refused(tmp_path, weighted=True)


@pytest.mark.parametrize("name", ["a.edges", "a.edgelist", "a.csv", "a.tsv"])
def test_edge_lists(name: str, tmp_path: Path) -> None:
    separator = {".csv": ",", ".tsv": "\t"}.get(Path(name).suffix, " ")
    path = tmp_path / name
    path.write_text(f"# a comment\n\na{separator}b{separator}2\nb{separator}c{separator}1\n")
    graph = opened(path, weighted=True)
    assert graph.names == ("a", "b", "c")
    assert graph.edges_2E.tolist() == [[1, 0, 2, 1], [0, 1, 1, 2]]
    assert graph.weight_E is not None
    assert graph.weight_E.tolist() == [2, 2, 1, 1]


def test_edge_lists_that_are_wrong(tmp_path: Path) -> None:
    path = tmp_path / "a.edges"
    path.write_text("a b\nc\n")
    assert "a.edges, line 2: 'c' is no edge; expected SOURCE TARGET" in refused(path)
    path.write_text("a b\n")
    assert "expected SOURCE TARGET WEIGHT" in refused(path, weighted=True)
    path.write_text("")
    assert "it has no nodes" in refused(path)
    path.write_bytes(b"a \xff\n")
    assert "is not text in UTF-8" in refused(path)


def network() -> Any:
    made = networkx.Graph()
    for node, (label, size) in {"a": ("x", 1.5), "b": ("y", 0.0), "c": ("x", 2.0)}.items():
        made.add_node(node, **{"class": label, "size": size})
    made.add_edge("a", "b", weight=2.0)
    made.add_edge("b", "c")
    return made


def test_graphml_and_gml_are_the_same_graph(tmp_path: Path) -> None:
    networkx.write_graphml(network(), tmp_path / "a.graphml")
    networkx.write_gml(network(), tmp_path / "a.gml")
    one, other = (opened(tmp_path / name, weighted=True) for name in ("a.graphml", "a.gml"))
    assert one.names == ("a", "b", "c")
    assert one.classes == ("x", "y")
    assert one.labels_N.tolist() == [0, 1, 0]
    assert one.features is not None
    assert one.features.values.tolist() == [1.5, 2.0]
    assert one.weight_E is not None
    assert one.weight_E.tolist() == [2, 2, 1, 1]
    assert one.checksum() == other.checksum()


def test_markup_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "a.graphml"
    path.write_text(
        '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]><graphml>&d;'
        "</graphml>"
    )
    assert "declares a document type" in refused(path)
    path.write_text("<graphml><graph>")
    assert "cannot be read as graphml" in refused(path)
    (tmp_path / "a.gml").write_text("graph [ node")
    assert "cannot be read as gml" in refused(tmp_path / "a.gml")
    path.write_text("")
    assert "cannot be read as graphml" in refused(path)


def archive(tmp_path: Path, **arrays: Any) -> Path:
    base: dict[str, Any] = {
        "edge_index": np.array([[0, 1], [1, 2]]),
        "y": np.array([0, 1, 0]),
        "x": np.array([[1.0, 0], [0, 2], [0, 0]]),
    }
    path = tmp_path / "g.npz"
    given = {name: value for name, value in (base | arrays).items() if value is not None}
    np.savez(path, allow_pickle=True, **given)
    return path


def test_archives_dense_and_sparse_and_gnn_benchmarks_are_the_same(tmp_path: Path) -> None:
    dense = opened(archive(tmp_path))
    parts = {"x_indptr": [0, 1, 2, 2], "x_indices": [0, 1], "x_data": [1.0, 2.0]}
    sparse = archive(tmp_path, x=None, **parts, x_shape=np.array([3, 2]))
    assert opened(sparse).checksum() == dense.checksum()
    benchmark = {
        "adj_data": np.ones(2),
        "adj_indices": np.array([1, 2]),
        "adj_indptr": np.array([0, 1, 2, 2]),
        "adj_shape": np.array([3, 3]),
        **{name.replace("x_", "attr_"): value for name, value in parts.items()},
        "attr_shape": np.array([3, 2]),
        "labels": np.array([0, 1, 0]),
        "class_names": np.array(["never", "read"], dtype=object),
    }
    path = archive(tmp_path, x=None, y=None, edge_index=None, **benchmark)
    assert opened(path).checksum() == dense.checksum()


def test_an_archive_of_ours_is_read_back_as_it_was(tmp_path: Path) -> None:
    graph = opened(archive(tmp_path, edge_weight=np.array([1.0, 3.0])), weighted=True)
    path = tmp_path / "again.npz"
    path.write_bytes(graph_archive.write(graph))
    assert opened(path, weighted=True).checksum() == graph.checksum()


def test_labels_of_unlabelled_nodes_do_not_count(tmp_path: Path) -> None:
    graph = opened(archive(tmp_path, unlabelled_idx=np.array([1])))
    assert graph.labels_N.tolist() == [0, -1, 0]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"edge_index": np.array([[0, 1], [1, 9]])}, "edge 1 goes to node 9"),
        ({"edge_index": None}, "has no array 'edge_index'; is it a graph?"),
        ({"edge_index": np.zeros((3, 2))}, "edge_index has shape (3, 2), expected (2, E)"),
        ({"edge_index": np.zeros((2, 0))}, "no edges"),
        ({"y": np.zeros(0), "x": None}, "the graph is empty"),
        ({"y": np.array([0, 1, -5])}, "node '2' has label -5"),
        ({"x": np.array([[1.0], [np.inf], [1]])}, "feature 0 of node '1' is inf"),
        ({"x": np.ones((2, 2))}, "features of 2 nodes, labels of 3"),
        ({"x": np.ones(3)}, "x has shape (3,), expected (nodes, features)"),
        ({"x": np.array([{}], dtype=object)}, "x holds pickled Python objects"),
        ({"y": np.array(["a", "b", "c"])}, "y holds <U1, not numbers"),
        ({"y": np.array([[0], [1], [0]])}, "y has shape (3, 1), expected one row"),
        ({"y": np.array([0, 0.5, 1])}, "y holds fractions, expected whole numbers"),
        ({"y": np.array([0, np.nan, 1])}, "y holds fractions"),
        ({"edge_index": np.array([[0.5], [1]])}, "edge_index holds fractions"),
        ({"train_idx": np.array([0, 7])}, "the train split names node 0 or 7"),
        ({"unlabelled_idx": np.array([8])}, "unlabelled_idx names nodes outside 0 to 2"),
        (
            {"x": None, "x_indptr": [0, 5, 2, 2], "x_indices": [0, 1], "x_shape": [3, 2]},
            "x_indptr, _indices, _data and _shape do not fit together",
        ),
        (
            {"x": None, "x_indptr": [0, 1, 2, 2], "x_indices": [0, 9], "x_shape": [3, 2]},
            "do not fit together",
        ),
        (
            {"x": None, "x_indptr": [0, 1, 2, 2], "x_indices": [0, 1], "x_shape": [3]},
            "do not fit together",
        ),
        (
            {"x": None, "x_indptr": [], "x_indices": [], "x_shape": [-1, 2]},
            "do not fit together",
        ),
    ],
)
def test_archives_that_are_wrong(arrays: Any, message: str, tmp_path: Path) -> None:
    assert message in refused(archive(tmp_path, **arrays))


def test_weights_of_an_archive(tmp_path: Path) -> None:
    assert "has no array 'edge_weight'" in refused(archive(tmp_path), weighted=True)
    path = archive(tmp_path, edge_weight=np.ones(5))
    assert "5 weights for 2 edges" in refused(path, weighted=True)


def test_what_holds_no_graph(tmp_path: Path) -> None:
    assert "no such file or folder" in refused(tmp_path / "x.npz")
    assert "holds no graph: expected edges.csv" in refused(tmp_path)
    (tmp_path / "a.parquet").write_text("x")
    assert "no graph is read from .parquet; known: .npz" in refused(tmp_path / "a.parquet")


def test_a_weight_that_is_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.graphml"
    path.write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="w" for="edge" attr.name="weight" attr.type="string"/>'
        '<graph edgedefault="undirected"><node id="a"/><node id="b"/>'
        '<edge source="a" target="b"><data key="w">heavy</data></edge></graph></graphml>'
    )
    with pytest.raises(WorkingsError, match="from 'a' to 'b' has weight 'heavy', expected a num"):
        read(path, False, True)
    assert read(path, False, False).edges == 1


def test_a_table_with_a_huge_field_or_a_nul_byte(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\na," + "b" * 131_073 + "\n")
    with pytest.raises(WorkingsError, match=r"edges\.csv, line 2: field larger than field limit"):
        read(tmp_path, False, False)
    (tmp_path / "edges.csv").write_text("source,target\na,b\0\n")
    with pytest.raises(WorkingsError, match=r"edges\.csv, line 2: has a NUL byte"):
        read(tmp_path, False, False)


def test_a_number_of_many_digits_is_no_finite_feature(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\na,b\n")
    (tmp_path / "nodes.csv").write_text("id,f\na,1\nb," + "9" * 4301 + "\n")
    with pytest.raises(WorkingsError, match="features are finite numbers"):
        read(tmp_path, False, False)


@pytest.mark.parametrize("content", ["graph [ " * 2000, "graph [ node [ id " + "9" * 4301 + " ] ]"])
def test_nested_brackets_and_long_numbers_in_gml(content: str, tmp_path: Path) -> None:
    path = tmp_path / "a.gml"
    path.write_text(content)
    with pytest.raises(WorkingsError, match=r"cannot be read as gml|is nested too deeply") as error:
        read(path, False, False)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("label", [10**9, 10**18])
def test_a_huge_label_does_not_list_that_many_classes(label: int, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, edge_index=np.array([[0], [1]]), y=np.array([0, label]))
    with pytest.raises(WorkingsError, match=f"node '1' has label {label:,}"):
        read(path, False, False)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    os.mkfifo(path)
    with pytest.raises(WorkingsError, match="is not a regular file"):
        read(path, False, False)


def test_a_name_that_begins_like_a_comment_is_a_name(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text(
        "# by hand\nsource,target\n#a,#b\n# a note, of three, parts\n"
    )
    (tmp_path / "nodes.csv").write_text("id,label\n#a,x\n#b,y\n")
    graph = read(tmp_path, directed=False, weighted=False)
    assert (graph.names, graph.edges) == (("#a", "#b"), 1)


def test_lines_of_an_edge_list_that_are_taken_for_comments_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "g.edges"
    path.write_text("# by hand\na b\n#b c\n")
    graph = read(path, directed=False, weighted=False)
    assert (graph.names, graph.notes) == (("a", "b"), ("2 lines that begin with # are comments",))


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target,source\na,b,c\n")
    with pytest.raises(WorkingsError, match="two columns have one name"):
        read(tmp_path, directed=False, weighted=False)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"edge_index": [[0], [2**33]]}, "has 8,589,934,593 nodes, of which almost none"),
        (
            {"node_type": [0, 10**9, 0]},
            "node_type holds 0 or 1000000000, which is none of the 10000",
        ),
        ({"edge_type": [10**18, 0]}, "edge_type holds 0 or 10{18}, which is none of the 10000"),
        ({"y": np.array([0, 1, 2**64 - 1], np.uint64)}, "y holds 18446744073709551615, more than"),
        ({"y": [0, 1, 1], "classes": ["a", "a"]}, "two classes have one name"),
    ],
)
def test_an_archive_of_numbers_that_would_fill_the_memory_or_wrap(
    tmp_path: Path, arrays: dict[str, Any], message: str
) -> None:
    np.savez(tmp_path / "g.npz", **{"edge_index": [[0, 1], [1, 2]], **arrays})
    with pytest.raises(WorkingsError, match=message):
        read(tmp_path / "g.npz", directed=False, weighted=False)


def test_half_of_a_character_in_gml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.gml"
    nodes = 'node [ id 0 label "&#55296;" ] node [ id 1 label "b" ]'
    path.write_text(f"graph [\n{nodes}\nedge [ source 0 target 1 ]\n]\n")
    with pytest.raises(WorkingsError, match=r"g.gml: '.ud800': has half of a character"):
        read(path, directed=False, weighted=False)
