"""Reading a Jupyter notebook: its Markdown cells, in their order."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

from workings.claims.documents.files.document import Document
from workings.claims.documents.files.markdown import find_in_markdown
from workings.claims.documents.files.sources import LARGEST, Source, read_text
from workings.claims.documents.files.tex import TexReader
from workings.errors import WorkingsError
from workings.json_files import WrongJson, conform

LARGEST_NOTEBOOK = 64_000_000  # bytes, most of them pictures


def read_notebook(path: Path, texts: Mapping[Path, str] | None = None) -> Document:
    """A notebook; a position in it is that of the cell and of the line in the cell."""
    document = Document(path)
    tex = TexReader(document)
    characters = 0
    content = load_cells(read_text(path, texts, LARGEST_NOTEBOOK), path)
    for number, cell in enumerate(content["cells"], start=1):
        if cell["cell_type"] != "markdown":
            continue
        text = cell_text(cell)
        characters += len(text)
        if characters > LARGEST:
            raise WorkingsError(f"{path}: over {LARGEST:,} characters in its Markdown cells")
        find_in_markdown(document, document.sources.add(Source(path, text, number)), tex)
    return document


class Cell(TypedDict):
    """A cell of a notebook: a text, as one string or as a list of lines."""

    cell_type: str
    source: str | list[str]


class Notebook(TypedDict):
    """The part of a notebook's JSON that is read; the rest is kept as it is."""

    cells: list[Cell]


def load_cells(text: str, path: Path) -> Notebook:
    """The notebook's JSON, once it has the parts that are read."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits
        raise WorkingsError(f"{path}: is not a notebook: {error}") from None
    try:
        return conform(content, Notebook)
    except WrongJson:
        raise WorkingsError(
            f"{path}: is not a notebook of version 4: it has no list of cells"
        ) from None


def cell_text(cell: Cell) -> str:
    """The text of a cell, which is kept as one string or as a list of lines."""
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)
