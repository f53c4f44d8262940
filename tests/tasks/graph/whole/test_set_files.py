"""Reading graph sets: what a file says is what is read, and what is wrong is one line."""

import time
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest

from tests.tasks.graph.whole.molecules import lines_file, records, tu_folder
from workings.errors import WorkingsError
from workings.tasks.graph.task import GraphTask
from workings.tasks.graph.whole import GraphSet, read


def networks(graphs: GraphSet) -> list[networkx.Graph]:
    made = []
    for g in range(len(graphs)):
        first, last = graphs.start_G1[g : g + 2]
        network = networkx.Graph()
        network.add_nodes_from(range(last - first))
        inside = (graphs.edges_2E[1] >= first) & (graphs.edges_2E[1] < last)
        network.add_edges_from((graphs.edges_2E[:, inside] - first).T.tolist())
        made.append(network)
    return made


def test_json_lines_are_read_as_written(tmp_path: Path) -> None:
    made = records()
    graphs = read(lines_file(tmp_path / "set.jsonl"), directed=False)
    assert graphs.classes == ("path", "ring")
    for record, network, label in zip(made, networks(graphs), graphs.labels_G, strict=True):
        assert graphs.classes[label] == record["label"]
        assert set(map(frozenset, network.edges)) == set(map(frozenset, record["edges"]))
    tags = [tag for record in made for tag in record["tags"]]
    assert graphs.features is not None
    assert graphs.features.table(np.float32).argmax(1).tolist() == ["CNO".index(t) for t in tags]


def test_a_tu_folder_is_the_same_set(tmp_path: Path) -> None:
    graphs = read(tu_folder(tmp_path / "RINGS"), directed=False)
    same = read(lines_file(tmp_path / "set.jsonl", records(20)), directed=False)
    assert np.array_equal(graphs.edges_2E, same.edges_2E)
    assert np.array_equal(graphs.labels_G, same.labels_G)
    assert [len(fold) for fold in graphs.folds] == [10, 10]


def test_a_folder_of_graphml_is_labelled_by_its_folders_or_attributes(tmp_path: Path) -> None:
    for number, record in enumerate(records(8)):
        network = networkx.Graph(record["edges"])
        networkx.set_node_attributes(network, dict(enumerate(record["tags"])), "atom")
        if number < 2:
            network.graph["label"] = record["label"]
        folder = tmp_path / "all" / ("any" if number < 2 else record["label"])
        folder.mkdir(parents=True, exist_ok=True)
        networkx.write_graphml(network, folder / f"{number}.graphml")
    graphs = read(tmp_path / "all", directed=False)
    assert graphs.classes == ("path", "ring")
    rings = {name for name, label in zip(graphs.names, graphs.labels_G, strict=True) if label}
    assert rings == {"any/0.graphml", *(f"ring/{n}.graphml" for n in (2, 4, 6))}
    assert graphs.x().shape == (graphs.nodes, 3)


def test_what_is_not_used_is_named(tmp_path: Path) -> None:
    made = [{**record, "charge": 1} for record in records(4)]
    graphs = read(lines_file(tmp_path / "set.jsonl", made), directed=False)
    assert "charge is not used" in graphs.notes


def test_a_graph_of_one_node_is_kept_and_counted(tmp_path: Path) -> None:
    alone: dict[str, Any] = {"edges": [], "tags": ["C"], "label": "path"}
    graphs = read(lines_file(tmp_path / "set.jsonl", [*records(4), alone]), directed=False)
    assert np.diff(graphs.start_G1)[-1] == 1
    assert "1 graphs of one node" in graphs.notes


def test_without_features_the_number_of_neighbours_stands_in(tmp_path: Path) -> None:
    made = [{"edges": [[0, 1], [0, 2], [0, 3]], "label": "a"}, {"edges": [[0, 1]], "label": "b"}]
    rows = read(lines_file(tmp_path / "set.jsonl", made), directed=False).x()
    assert rows.table(np.float32).argmax(1).tolist() == [3, 1, 1, 1, 1, 1]


LINES = {
    "no JSON": ("{", r"line 1: is no graph"),
    "no edges": ('{"label": "a"}', r"line 1: is no graph \(.*edges"),
    "a triple": ('{"edges": [[0, 1, 2]]}', "each is a pair"),
    "too far": ('{"edges": [[0, 9]], "nodes": 3}', "graph 1 has an edge to node 9"),
    "too many": (
        '{"edges": [[0, 99999999999]]}',
        "has 100,000,000,000 nodes, of which almost none",
    ),
    "negative": ('{"edges": [[0, -1]]}', "graph 1 has an edge to node -1"),
    "empty": ('{"edges": [], "nodes": 0}', "graph 1 is empty"),
    "ragged": ('{"edges": [], "features": [[1], [1, 2]]}', "rows of 1 and 2 numbers"),
    "tags of others": ('{"edges": [], "nodes": 3, "tags": ["C"]}', "3 nodes, but features or tags"),
    "a split": ('{"edges": [[0, 1]], "split": "exam"}', "no split 'exam'"),
    "no graph": ("", "is empty"),
    "infinite": ('{"edges": [], "features": [[1, 2], [0, Infinity]]}', "of node 1 are not all fin"),
    "not a number": ('{"edges": [], "features": [[NaN]]}', "of node 0 are not all finite"),
    "too large": ('{"edges": [], "features": [[1e999]]}', "of node 0 are not all finite"),
}


@pytest.mark.parametrize("case", LINES)
def test_bad_lines_are_one_line(case: str, tmp_path: Path) -> None:
    text, message = LINES[case]
    (tmp_path / "set.jsonl").write_text(text)
    with pytest.raises(WorkingsError, match=message) as raised:
        read(tmp_path / "set.jsonl", directed=False)
    assert "\n" not in str(raised.value)


def test_a_fold_that_does_not_fit_is_named(tmp_path: Path) -> None:
    folder = tu_folder(tmp_path / "RINGS")
    (folder / "10fold_idx" / "test_idx-2.txt").write_text("1\n2\n99\n")
    with pytest.raises(WorkingsError, match=r"test_idx-2.txt: this fold does not fit"):
        read(folder, directed=False)
    (folder / "10fold_idx" / "test_idx-2.txt").write_text("one\n")
    with pytest.raises(WorkingsError, match=r"test_idx-2.txt: expected the numbers of graphs"):
        read(folder, directed=False)


def test_a_tu_file_that_ends_early_is_named(tmp_path: Path) -> None:
    folder = tu_folder(tmp_path / "RINGS")
    path = folder / "RINGS.txt"
    path.write_text("\n".join(path.read_text().splitlines()[:-1]))
    with pytest.raises(WorkingsError, match=r"expected 2 whole numbers, not the end of the file"):
        read(folder, directed=False)


LINE = '{"edges": [[0, 1]], "label": "%d"%s}\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (LINE % (0, ', "nodes": -5'), "nodes: expected at least 0, found -5"),
        (LINE % (0, ', "nodes": 9000000000'), "line 1: has 9,000,000,000 nodes, of which almost"),
        (4 * (LINE % (0, ', "nodes": 900000')), "set.jsonl: has 3,600,000 nodes, of which almost"),
        (4 * '{"edges": [[0, 899999]]}\n', "set.jsonl: has 3,600,000 nodes, of which almost"),
        (LINE % (0, ', "name": "\\ud800"'), "has half of a character"),
        (LINE.replace("%d", "\\ud800") % "", "has half of a character"),
    ],
)
def test_numbers_of_nodes_and_texts_that_no_graph_has(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(content)
    with pytest.raises(WorkingsError, match=message):
        read(path, directed=False)


def test_of_many_names_one_that_is_there_twice_is_found_at_once(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    names = [*range(30_000), 29_999]
    path.write_text("".join(LINE % (n % 2, f', "name": "n{n}"') for n in names))
    start = time.process_time()
    with pytest.raises(WorkingsError, match="graph 'n29999' is there twice"):
        read(path, directed=False)
    assert time.process_time() - start < 5  # 10 and more where each is compared with all


@pytest.mark.parametrize("size", [0, -1, -3])
def test_a_graph_of_less_than_no_nodes_does_not_repeat_its_line(tmp_path: Path, size: int) -> None:
    folder = tmp_path / "SET"
    folder.mkdir()
    (folder / "10fold_idx").mkdir()
    (folder / "SET.txt").write_text(f"2000000000\n{size} 0\n")
    with pytest.raises(WorkingsError, match=f"line 2: a graph of {size} nodes"):
        read(folder, directed=False)


def test_a_byte_order_mark_is_passed_over_and_such_lines_are_known(tmp_path: Path) -> None:
    path = lines_file(tmp_path / "set.jsonl")
    plain = read(path, directed=False)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(read(path, directed=False).names) == len(plain.names)
    assert GraphTask.recognises(path)
    (tmp_path / "text.jsonl").write_text('{"summary": "adds", "edges": []}\n')
    assert not GraphTask.recognises(tmp_path / "text.jsonl")
    (tmp_path / "words.jsonl").write_text("a line of text\n")
    assert not GraphTask.recognises(tmp_path / "words.jsonl")
