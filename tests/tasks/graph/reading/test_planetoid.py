"""Planetoid's pickles: read as the published graph, and a hostile one never run."""

import pickletools
from pathlib import Path

import numpy as np
import pytest

from tests.data.readers.pickled import array, lists, matrix, number, whole
from workings.data.readers import pickles
from workings.errors import WorkingsError
from workings.tasks.graph.reading import npz_files, planetoid


def test_the_raw_files_are_the_archive(shared: Path) -> None:
    raw = planetoid.read(shared / "graphs" / "planetoid", "cora")
    archive = npz_files.read(shared / "graphs" / "cora_planetoid.npz", False, False)
    assert (raw.nodes, raw.edges) == (2708, 5278)
    assert raw.checksum() == archive.checksum()
    assert planetoid.names(shared / "graphs" / "planetoid") == ["cora"]


def test_the_few_classes_are_what_the_files_name(shared: Path) -> None:
    for path in (shared / "graphs" / "planetoid").glob("ind.cora.*"):
        if path.suffix != ".index":
            named = {
                a for code, a, _ in pickletools.genops(path.read_bytes()) if "GLOB" in code.name
            }
            assert named <= set(pickles.NAMES)


def small(folder: Path) -> dict[str, Path]:
    """Six nodes: 0-2 known, 3 and 5 in the test set, 4 missing there."""
    eye = np.eye(2, dtype="<i4")
    parts = {
        "x": matrix(np.array([[1.0, 0, 2]])),
        "allx": matrix(np.array([[1.0, 0, 2], [0, 1, 0], [0, 0, 1]])),
        "tx": matrix(np.array([[5.0, 0, 0], [0, 0, 3]])),
        "y": array(eye[[0]]),
        "ally": array(eye[[0, 1, 0]]),
        "ty": array(eye[[1, 0]]),
        "graph": lists({0: [1, 1, 2], 1: [0], 2: [0, 2], 3: [5], 4: [], 5: [3]}),
    }
    for name, body in parts.items():
        (folder / f"ind.toy.{name}").write_bytes(whole(body))
    (folder / "ind.toy.test.index").write_text("5\n3\n")
    return {name: folder / f"ind.toy.{name}" for name in parts}


def test_gaps_order_self_loops_and_repetitions(tmp_path: Path) -> None:
    small(tmp_path)
    graph = planetoid.read(tmp_path, "toy")
    assert graph.labels_N.tolist() == [0, 1, 0, 0, -1, 1]  # test.index says 5 first, then 3
    assert graph.features is not None
    table = np.zeros((6, 3))
    table[graph.features.row, graph.features.columns] = graph.features.values
    assert table.tolist() == [[1, 0, 2], [0, 1, 0], [0, 0, 1], [0, 0, 3], [0, 0, 0], [5, 0, 0]]
    assert graph.edges_2E.tolist() == [[1, 2, 0, 0, 5, 3], [0, 0, 1, 2, 3, 5]]
    assert {split: places.tolist() for split, places in graph.splits.items()} == {
        "train": [0],
        "valid": [1, 2],
        "test": [3, 5],
    }


@pytest.mark.parametrize(
    ("part", "body", "message"),
    [
        ("ally", array(np.eye(2, dtype="<i4")), "count different nodes"),
        ("ally", array(np.array([[1, 1], [0, 1], [1, 0]], "<i4")), "not one-hot"),
        ("allx", array(np.ones((3, 3))), "do not fit together"),
        ("graph", array(np.ones(3)), "do not fit together"),
        ("graph", lists({0: [99]}), "edge 0 goes to node 99"),
        ("graph", lists({0: []}), "no edges"),
    ],
)
def test_files_that_do_not_fit(part: str, body: bytes, message: str, tmp_path: Path) -> None:
    files = small(tmp_path)
    files[part].write_bytes(whole(body))
    with pytest.raises(WorkingsError, match=message):
        planetoid.read(tmp_path, "toy")


def test_one_long_list_for_many_nodes_is_refused_before_it_is_walked_over(tmp_path: Path) -> None:
    """A file of 300 kB that would be 400 million edges."""
    files = small(tmp_path)
    near = number(0) + b"](" + number(1) * 20_000 + b"eq\x01"
    items = b"".join(number(node) + b"h\x01" for node in range(1, 20_000))
    files["graph"].write_bytes(whole(b"}(" + near + items + b"u"))
    with pytest.raises(WorkingsError, match="more than its file has bytes"):
        planetoid.read(tmp_path, "toy")


def test_a_missing_file_and_a_bad_index(tmp_path: Path) -> None:
    small(tmp_path)
    (tmp_path / "ind.toy.test.index").write_text("5\nx\n")
    with pytest.raises(WorkingsError, match=r"test\.index: expected a node's number"):
        planetoid.read(tmp_path, "toy")
    (tmp_path / "ind.toy.test.index").write_text("5\n999999999\n")
    with pytest.raises(WorkingsError, match="names node 999,999,999"):
        planetoid.read(tmp_path, "toy")
    (tmp_path / "ind.toy.tx").unlink()
    with pytest.raises(WorkingsError, match=r"ind\.toy\.tx: no such file"):
        planetoid.read(tmp_path, "toy")


def test_truncated_anywhere(tmp_path: Path) -> None:
    content = small(tmp_path)["allx"].read_bytes()
    for keep in range(0, len(content) - 1, 37):
        (tmp_path / "ind.toy.allx").write_bytes(content[:keep])
        with pytest.raises(WorkingsError):
            planetoid.read(tmp_path, "toy")


def test_files_with_any_byte_changed_are_read_or_refused(tmp_path: Path) -> None:
    files, draw = small(tmp_path), np.random.default_rng(1)
    refused = 0
    for trial in range(600):
        path = list(files.values())[trial % len(files)]
        content = path.read_bytes()
        changed = bytearray(content)
        for at in draw.integers(len(content), size=draw.integers(1, 4)):
            changed[at] = draw.integers(256)
        path.write_bytes(bytes(changed))
        said = "read"
        try:
            planetoid.read(tmp_path, "toy")
        except WorkingsError as error:
            said, refused = str(error), refused + 1
        assert "\n" not in said
        path.write_bytes(content)
    assert refused > 300
