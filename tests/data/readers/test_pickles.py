"""Pickles from strangers: read as data, and a hostile one never run, in bounded memory."""

import copyreg
import os
import pickle
import re
import struct
import time
import tracemalloc
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.data.readers.pickled import array, number, string, whole
from workings.data.readers import pickles
from workings.errors import WorkingsError


class Call:
    """A pickle that calls something when it is loaded."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.function, self.arguments = function, arguments

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return self.function, self.arguments


def name(text: bytes) -> bytes:
    """SHORT_BINUNICODE."""
    return b"\x8c" + bytes([len(text)]) + text


def shaped(shape: bytes, content: bytes = b"8" * 8) -> bytes:
    """An array of one number that says it has that shape."""
    plain = array(np.ones(1))
    start, end = plain.index(number(1) + b"t"), plain.rindex(b"\x89") + 1
    body = plain[:start] + shape + plain[start + 5 : end]
    return body + string(content) + b"tb"


def shared_array() -> bytes:
    """An array of 12,500 numbers, whose content is the memo's first entry."""
    plain = array(np.ones(12_500))
    return plain[: plain.rindex(b"\x89") + 1] + b"h\x00tb"


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
        "persistent, binary": whole(string(b"os") + b"Q"),
        "dotted name": b"\x80\x04" + name(b"builtins") + name(b"list.__class__") + b"\x93.",
        "posix": whole(b"cposix\nsystem\n" + string(f"mkdir {made}".encode()) + b"\x85R"),
        "copyreg": whole(b"ccopyreg\n_reconstructor\ncos\nsystem\nc__builtin__\nobject\nN\x87R"),
        "sets attributes of a class": whole(
            b"cscipy.sparse.csr\ncsr_matrix\nN}(" + string(b"array") + number(1) + b"u\x86b"
        ),
        "nested tuples as a key": whole(b"}" + b"(" + b")" + b"\x85" * 200_000 + b"Nu"),
        "shape of 100,000 entries": whole(shaped(b"J\xff\xff\xff\x7f" * 100_000)),
        "shape (0, 2**31 - 1)": whole(shaped(number(0) + number(2**31 - 1), b"")),
        "shape of booleans": whole(shaped(b"\x88")),
        "one text for many arrays": whole(
            b"](" + string(b"8" * 100_000) + b"q\x00" + shared_array() * 2_000 + b"e"
        ),
        "structured type": whole(array(np.ones(1)).replace(string(b"f8"), string(b"f8,O"))),
        "huge bytearray": b"\x80\x05\x96" + struct.pack("<Q", 2**33) + b"x.",
        "huge long": b"\x80\x02\x8b" + struct.pack("<i", 2**31 - 1) + b"x.",
        "digits": whole(b"L" + b"9" * 100_000 + b"L\n"),
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
    path = tmp_path / "x.pickle"
    path.write_bytes(hostile(tmp_path)[case])
    started = time.process_time()
    with pytest.raises(WorkingsError) as error:
        pickles.read(path)
    assert "\n" not in str(error.value)
    assert "x.pickle: is refused: " in str(error.value)
    assert not (tmp_path / "made").exists()
    assert time.process_time() - started < 30


@pytest.mark.parametrize(
    "case", ["one text for many arrays", "shape of 100,000 entries", "shape (0, 2**31 - 1)"]
)
def test_memory_is_bounded_by_the_size_of_the_file(case: str, tmp_path: Path) -> None:
    path = tmp_path / "x.pickle"
    path.write_bytes(hostile(tmp_path)[case])
    tracemalloc.start()
    try:
        with pytest.raises(WorkingsError):
            pickles.read(path)
        assert tracemalloc.get_traced_memory()[1] < 20 * path.stat().st_size + (1 << 20)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("nested tuples as a key", "it has a tuple for a key"),
        ("shape of 100,000 entries", "an array of 100,000 dimensions"),
        ("shape (0, 2**31 - 1)", "with 0 numbers"),
        ("shape of booleans", "an array without a shape"),
        ("one text for many arrays", "its arrays are larger than the file"),
        ("structured type", "something else than numbers"),
        ("array of objects", "something else than numbers"),
        ("sets attributes of a class", "it fills a PickledName"),
        ("posix", "it names 'posix.system'"),
        ("copyreg", "it names 'copyreg._reconstructor'"),
        ("dotted name", "instruction SHORT_BINUNICODE"),
    ],
)
def test_it_is_refused_for_what_is_wrong_with_it(case: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "x.pickle"
    path.write_bytes(hostile(tmp_path)[case])
    with pytest.raises(WorkingsError, match=re.escape(reason)):
        pickles.read(path)


def test_instructions_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.pickle"
    path.write_bytes(whole(b"N" * 1000))
    assert pickles.read(path) is None
    monkeypatch.setattr(pickles, "MOST_INSTRUCTIONS", 1000)
    with pytest.raises(WorkingsError, match="more than 1,000 instructions"):
        pickles.read(path)


def test_a_class_that_a_pickle_tries_to_change_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.pickle"
    path.write_bytes(hostile(tmp_path)["sets attributes of a class"])
    with pytest.raises(WorkingsError):
        pickles.read(path)
    assert callable(pickles.PickledMatrix.array)


def test_a_registered_extension_is_refused_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extensions: dict[int, Any] = vars(copyreg)["_extension_cache"]
    monkeypatch.setitem(extensions, 1, os.mkdir)
    content = hostile(tmp_path)["by extension code"]
    with pytest.raises(TypeError, match="mkdir"):
        pickle.loads(content)  # which calls it
    path = tmp_path / "x.pickle"
    path.write_bytes(content)
    with pytest.raises(WorkingsError, match="instruction EXT1"):
        pickles.read(path)


def test_the_hostile_ones_are_hostile(tmp_path: Path) -> None:
    """What pickle itself does with two of them: so that the test above tests something."""
    for case in ("eval", "nested in a list"):
        pickle.loads(hostile(tmp_path)[case])
        assert (tmp_path / "made").exists()
        (tmp_path / "made").rmdir()


def test_a_huge_position_in_the_memo_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(whole(b"Nr" + struct.pack("<I", 2**32 - 1)))
    assert pickles.read(path) is None


def test_our_machine_reads_what_pickle_reads(tmp_path: Path) -> None:
    value = {1: [2, 3, "text"], "key": (4, (None, True), ())}
    path = tmp_path / "x"
    path.write_bytes(pickle.dumps(value, 2))
    assert pickles.read(path) == value
