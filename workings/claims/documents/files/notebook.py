"""Reading a Jupyter notebook: its Markdown cells, in their order."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workings.claims.documents.files.document import Document
from workings.claims.documents.files.markdown import find_in_markdown
from workings.claims.documents.files.sources import LARGEST, Source, read_text
from workings.claims.documents.files.tex import TexReader
from workings.errors import WorkingsError

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


def load_cells(text: str, path: Path) -> dict[str, Any]:
    """The notebook's JSON, once it has the parts that are read."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits
        raise WorkingsError(f"{path}: is not a notebook: {error}") from None
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list) or not all(_is_cell(cell) for cell in cells):
        raise WorkingsError(f"{path}: is not a notebook of version 4: it has no list of cells")
    return dict(content)


def _is_cell(cell: object) -> bool:
    if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
        return False
    source = cell.get("source")
    return isinstance(source, str) or (
        isinstance(source, list) and all(isinstance(line, str) for line in source)
    )


def cell_text(cell: dict[str, Any]) -> str:
    """The text of a cell, which is kept as one string or as a list of lines."""
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)
