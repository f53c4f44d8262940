"""Planetoid's pickles: read as the published graph, and a hostile one never run."""

import os
import pickle
import pickletools
import struct
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workings.data.readers import pickles
from workings.errors import WorkingsError
from workings.tasks.graph import npz_files as graph_archive
from workings.tasks.graph import planetoid


def test_the_raw_files_are_the_archive(shared: Path) -> None:
    raw = planetoid.read(shared / "graphs" / "planetoid", "cora")
    archive = graph_archive.read(shared / "graphs" / "cora_planetoid.npz", False, False)
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


def string(content: bytes) -> bytes:
    return b"T" + struct.pack("<i", len(content)) + content


def number(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def array(value: np.ndarray) -> bytes:
    """As Python 2 pickled an array."""
    kind = string(value.dtype.str[1:].encode())
    shape = b"(" + b"".join(number(n) for n in value.shape) + b"t"
    return (
        b"cnumpy.core.multiarray\n_reconstruct\n"
        + b"cnumpy\nndarray\n" + number(0) + b"\x85" + string(b"b") + b"\x87R"
        + b"(" + number(1) + shape
        + b"cnumpy\ndtype\n" + kind + number(0) + number(1) + b"\x87R"
        + b"(" + number(3) + string(b"<") + b"NNN" + number(-1) + number(-1) + number(0) + b"tb"
        + b"\x89" + string(value.tobytes()) + b"tb"
    )  # fmt: skip


def matrix(table: np.ndarray) -> bytes:
    """As Python 2 pickled a scipy.sparse.csr_matrix."""
    row, column = np.nonzero(table)
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(table)))])
    parts = {
        "indptr": array(starts.astype("<i4")),
        "indices": array(column.astype("<i4")),
        "data": array(table[row, column].astype("<f4")),
        "_shape": number(table.shape[0]) + number(table.shape[1]) + b"\x86",
    }
    state = b"".join(string(name.encode()) + value for name, value in parts.items())
    return b"cscipy.sparse.csr\ncsr_matrix\n)\x81}(" + state + b"ub"


def lists(graph: dict[int, list[int]]) -> bytes:
    items = b"".join(
        number(i) + b"](" + b"".join(map(number, near)) + b"e" for i, near in graph.items()
    )
    return b"ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(" + items + b"u"


def whole(body: bytes) -> bytes:
    return b"\x80\x02" + body + b"."


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


class Call:
    """A pickle that calls something when it is loaded."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.function, self.arguments = function, arguments

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return self.function, self.arguments


def hostile(folder: Path) -> dict[str, bytes]:
    made = str(folder / "made")
    code = f"__import__('os').mkdir({made!r})"
    nested = defaultdict(list, {0: [Call(os.mkdir, made)]})
    return {
        "os.system": pickle.dumps(Call(os.system, f"mkdir {made}"), 2),
        "eval": pickle.dumps(Call(eval, code), 2),
        "exec, newest protocol": pickle.dumps(Call(exec, code), 5),
        "getattr chain": pickle.dumps(Call(getattr, Call(__import__, "os"), "mkdir"), 2),
        "nested in a list": pickle.dumps(nested, 2),
        "by extension code": whole(b"\x82\x01)R"),
        "by instance": whole(b"(" + string(made.encode()) + b"ios\nmkdir\n"),
        "by object": whole(b"(cos\nmkdir\n" + string(made.encode()) + b"o"),
        "by stacked name": whole(string(b"os") + string(b"mkdir") + b"\x93" + b")R"),
        "calls a known name oddly": whole(b"c__builtin__\nlist\n)R"),
        "calls an array": whole(array(np.ones(1)) + b")R"),
        "builds a name": whole(b"cnumpy\nndarray\n}(" + string(b"x") + number(1) + b"ub"),
        "builds a list": whole(b"](" + string(b"x") + b"eb"),
        "persistent": whole(b"Pos\n"),
        "huge text": whole(b"T" + struct.pack("<i", 2**31 - 1) + b"x"),
        "huge bytes": b"\x80\x04\x8e" + struct.pack("<Q", 2**60) + b"x.",
        "huge frame": b"\x80\x04\x95" + struct.pack("<Q", 2**60) + b"N.",
        "huge array": whole(array(np.ones(1)).replace(number(1) + b"t", number(2**31 - 1) + b"t")),
        "array of objects": whole(array(np.ones(1)).replace(b"f8", b"O8")),
        "a key that is a list": whole(b"}(]Nu"),
        "pops nothing": whole(b"R"),
        "unmarked": whole(b"t"),
        "never put": whole(b"h\x07"),
        "no end": whole(b"N")[:-1],
        "empty": b"",
        "not a pickle": b"hello",
    }  # fmt: skip


CASES = list(hostile(Path("unused")))


@pytest.mark.parametrize("case", CASES)
def test_a_hostile_pickle_is_refused_in_one_line_and_never_run(case: str, tmp_path: Path) -> None:
    small(tmp_path)
    (tmp_path / "ind.toy.graph").write_bytes(hostile(tmp_path)[case])
    with pytest.raises(WorkingsError) as error:
        planetoid.read(tmp_path, "toy")
    assert "\n" not in str(error.value)
    assert "ind.toy" in str(error.value)
    assert not (tmp_path / "made").exists()


def test_the_hostile_ones_are_hostile(tmp_path: Path) -> None:
    """What pickle itself does with two of them: so that the test above tests something."""
    for case in ("eval", "nested in a list"):
        pickle.loads(hostile(tmp_path)[case])
        assert (tmp_path / "made").exists()
        (tmp_path / "made").rmdir()


def test_a_huge_memo_place_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(whole(b"Nr" + struct.pack("<I", 2**32 - 1)))
    assert pickles.read(path) is None


def test_our_machine_reads_what_pickle_reads(tmp_path: Path) -> None:
    value = {1: [2, 3, "text"], "key": (4, (None, True), ())}
    path = tmp_path / "x"
    path.write_bytes(pickle.dumps(value, 2))
    assert pickles.read(path) == value


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
    for number in range(600):
        path = list(files.values())[number % len(files)]
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
