"""Where an example begins."""

from pathlib import Path

import pytest

from workings.claims.documents import read_document
from workings.claims.documents.outline.blocks import Blocks


def begins(path: Path, text: str) -> list[int]:
    """The offsets at which examples begin."""
    path.write_text(text)
    return [offset for offsets in Blocks(read_document(path)).begins.values() for offset in offsets]


@pytest.mark.parametrize(
    "line",
    [
        "Example 3",
        "## Worked example",
        "> **3. Another exercise**",
        ". Theorem",
        "* 2. Definition",
        "__a)__ f",
        "3) f",
        "\\begin{myexample*}",
        "\\item f",
        "例 1",
    ],
)
def test_an_example_is_seen_where_it_begins(line: str, tmp_path: Path) -> None:
    assert begins(tmp_path / "a.md", f"Text.\n{line}\nfor example, text") == [6]


@pytest.mark.parametrize("gap", [" ", "> ", "-", "1", ".", "1.", "*_", "\\begin{ex", "ex"])
def test_a_long_gap_takes_no_longer_than_a_text(gap: str, tmp_path: Path) -> None:
    """A look at each way to divide it would take a minute."""
    text = f"Example\n{gap * (100_000 // len(gap))} text\n\\begin{{{'ex' * 50_000}"
    assert begins(tmp_path / "a.md", text) == [0]
