"""A page of notes, checked: what tests of documents share."""

from pathlib import Path

from workings.claims.documents import read_document
from workings.claims.documents.check import check_document
from workings.claims.documents.finding import Checked


def checked(folder: Path, text: str) -> Checked:
    """What is found in a page of Markdown."""
    path = folder / "notes.md"
    path.write_text(text)
    return check_document(read_document(path))


def last_holds(folder: Path, text: str) -> bool:
    """Whether the last claim of a page holds."""
    result = checked(folder, text).claims[-1].result
    return result is not None and result.holds
