"""Documents as people write them: their displayed formulas, read where they stand and checked."""

from pathlib import Path

from workings.claims.documents.document import Directive, Display, Document, Heading, Inline, Note
from workings.claims.documents.markdown import read_markdown
from workings.claims.documents.notebook import read_notebook
from workings.claims.documents.rows import Row, rows_of
from workings.claims.documents.sources import Position
from workings.claims.documents.tex import read_tex
from workings.errors import WorkingsError

__all__ = [
    "SUFFIXES",
    "Directive",
    "Display",
    "Document",
    "Heading",
    "Inline",
    "Note",
    "Position",
    "Row",
    "read_document",
    "read_markdown",
    "read_notebook",
    "read_tex",
    "rows_of",
]

_READERS = {
    ".tex": read_tex,
    ".ltx": read_tex,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".qmd": read_markdown,
    ".rmd": read_markdown,
    ".txt": read_markdown,
    ".ipynb": read_notebook,
}
SUFFIXES = tuple(_READERS)


def read_document(path: Path) -> Document:
    """A document, read by what its name ends in."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise WorkingsError(f"{path}: no document; its name ends in one of {', '.join(SUFFIXES)}")
    return reader(path)
