"""Sources: text that knows where it stands, without the most of very wide gaps."""

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from workings.claims.documents.files.sources import Builder, Source, Sources, constant

PARTS = st.sampled_from(["a", "b", " ", "\t", "\n", " " * 30, "\n" * 12, " \n" * 11])


def taken(text: str) -> tuple[Sources, str, list[int]]:
    sources = Sources()
    sources.add(Source(Path("before.tex"), "before"))
    read = sources.add(Source(Path("a.tex"), text))
    return sources, read.text, list(read.starts)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(parts=st.lists(PARTS, max_size=12))
def test_gaps_are_narrowed_and_all_else_stands_where_it_stood(parts: list[str]) -> None:
    text = "".join(parts)
    sources, read, starts = taken(text)
    assert read.split() == text.split()
    assert " " * 22 not in read
    assert read.count("\n") <= 13 * (1 + len(read.split()))
    own = [(letter, sources.locate(at)[1]) for letter, at in zip(read, starts, strict=True)]
    assert all(text[at] == letter for letter, at in own if letter in "ab")
    paragraphs = [len(re.split(r"\n\s*\n", each.strip())) for each in (text, read)]
    assert paragraphs[0] == paragraphs[1]


def test_narrow_gaps_stay() -> None:
    for text in ("a" + " " * 20 + "b", "a\n\n\nb\n", "", "   \n"):
        assert taken(text)[1] == text
    assert taken("a" + " " * 5000 + "b")[1] == "a" + " " * 21 + "b"
    assert taken("a\n" + " \n" * 5000 + "b")[1] == "a\n\n\nb"
    built = Builder()
    for _ in range(5000):
        built.add(constant(" ", 0, 1))  # as a comment leaves them behind
    assert built.build().text == " " * 21
