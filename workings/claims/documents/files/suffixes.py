"""Reading a document by what its name ends in."""

from collections.abc import Mapping
from pathlib import Path

from workings.claims.documents.files.document import Document
from workings.claims.documents.files.markdown import read_markdown
from workings.claims.documents.files.notebook import read_notebook
from workings.claims.documents.files.tex import read_tex
from workings.errors import WorkingsError
from workings.files import read_file

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


def read_document(path: Path, texts: Mapping[Path, str] | None = None) -> Document:
    """A document; `texts` stand in place of files, by their resolved paths."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise WorkingsError(f"{path}: no document; its name ends in one of {', '.join(SUFFIXES)}")
    return reader(path, texts)


def is_document(name: str) -> bool:
    """Whether a name on the command line is a document's, and not a file of claims."""
    path = Path(name)
    if path.suffix.lower() in (".md", ".markdown"):
        try:
            return b"```claims" not in read_file(path)
        except OSError:
            return True  # reading it says what is the matter
    return path.suffix.lower() in SUFFIXES
