"""Statements side by side: what stands around them goes."""

import pytest

from workings.claims.documents.files.sources import constant
from workings.claims.documents.outline.side_by_side import trimmed


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (r" a = b\,. ", "a = b"),
        ("a = b ,;\n", "a = b"),
        (r"a = b\\", r"a = b\\"),  # a line's end
        (r"a = b\\\,", "a = b"),
        (r"\,", ""),
        ("", ""),
        ("a = b" + r"\, " * 100_000, "a = b"),
    ],
)
def test_spaces_and_punctuation_around_a_statement_go(text: str, kept: str) -> None:
    assert trimmed(constant(text, 0, len(text))).text == kept
