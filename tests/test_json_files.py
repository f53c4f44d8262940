"""JSON read back is what its type says, or one line names the file and the key."""

import json
import math
from pathlib import Path
from typing import Annotated, Literal, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workings import json_files
from workings.errors import WorkingsError
from workings.json_files import AtLeast, Count, WrongJson, conform, parse


class Inner(TypedDict):
    name: str


class Record(TypedDict):
    count: Count
    share: NotRequired[Annotated[float, AtLeast(0)] | None]
    inner: NotRequired[Inner]
    figures: NotRequired[dict[str, float]]
    words: NotRequired[list[str]]
    kind: NotRequired[Literal["a", "b"]]
    good: NotRequired[bool]
    rest: NotRequired[object]


GOOD = {
    "count": 3,
    "share": None,
    "inner": {"name": "x", "further": [1]},
    "figures": {"loss": 1, "other": 2.5},
    "words": ["a"],
    "kind": "a",
    "good": True,
    "rest": [None],
    "of a newer version": {},
}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(GOOD))
    assert json_files.read(path, Record) == GOOD
    assert math.isnan(conform(parse(b'{"loss": NaN}'), dict[str, float])["loss"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"count": "3"}, "count: expected a whole number, found '3'"),
        ({"count": True}, "count: expected a whole number, found True"),
        ({"count": -1}, "count: expected at least 0, found -1"),
        ({"count": 1.5}, "count: expected a whole number, found 1.5"),
        ({"count": 1 << 63}, "count: expected a number of at most 64 bits, found 9223"),
        ({"figures": {"loss": -(10**400)}}, "figures.loss: expected a number of at most 64 bits"),
        ({"share": math.nan}, "share: expected a finite number, found nan"),
        ({"share": "a"}, "share: expected a number, found 'a'"),
        ({"share": -0.5}, "share: expected at least 0, found -0.5"),
        ({"inner": {}}, "inner.name: is missing"),
        ({"inner": []}, r"inner: expected a table, found \[\]"),
        ({"figures": {"loss": "x" * 99}}, "figures.loss: expected a number, found 'xxx"),
        ({"figures": {"a\nb": "x"}}, r"figures.'a\\nb': expected a number"),
        ({"words": ["a", 1]}, "words.1: expected a text, found 1"),
        ({"kind": "c"}, "kind: expected 'a' or 'b', found 'c'"),
        ({"good": 1}, "good: expected true or false, found 1"),
    ],
)
def test_the_wrong_key_is_named(change: dict[str, object], message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(GOOD | change))
    with pytest.raises(WorkingsError, match=message) as raised:
        json_files.read(path, Record)
    assert str(raised.value).startswith(f"{path}: damaged: ")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff", b"[" * 100_000, b"1" * 5_000, b"nul", b'{"a": 1}x']
)
def test_what_is_no_json_is_said(content: bytes) -> None:
    with pytest.raises(WrongJson, match=r"is not JSON|nested too deeply"):
        parse(content)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(list(GOOD)), JSON) | JSON)
def test_any_json_is_right_or_named(value: object) -> None:
    message = ""
    try:
        assert conform(value, Record)["count"] >= 0
    except WrongJson as error:
        message = str(error)
    assert "\n" not in message
