"""Text files as lines and as tables, and graphs as edge lists."""

import csv
from collections.abc import Iterator
from pathlib import Path

from workings.data.readers.unpack import require_sane
from workings.errors import WorkingsError
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.named_nodes import NamedEdge, build_named


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of text, without comments and blank ones."""
    try:
        if path.exists() and not path.is_file():
            raise WorkingsError(f"{path}: is not a regular file")
        size = path.stat().st_size
        require_sane(str(path), size, size)
        with path.open(encoding="utf-8-sig", newline="") as file:
            for number, line in enumerate(file, 1):
                if "\0" in line:
                    raise WorkingsError(f"{path}, line {number}: has a NUL byte: it is not text")
                if line.strip() and not line.lstrip().startswith("#"):
                    yield number, line
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise WorkingsError(f"{path}: is not text in UTF-8") from None


def table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """A CSV file's header, and its rows with the numbers of their lines."""
    rows: list[tuple[int, list[str]]] = []
    for number, line in _lines(path):
        try:
            fields = next(csv.reader([line]))
        except csv.Error as error:  # a field of more than 131,072 characters
            raise WorkingsError(f"{path}, line {number}: {error}") from None
        rows.append((number, [field.strip() for field in fields]))
        if len(fields) != len(rows[0][1]):
            raise WorkingsError(
                f"{path}, line {number}: {len(fields)} fields, the header has {len(rows[0][1])}"
            )
    if not rows:
        raise WorkingsError(f"{path}: is empty; its first line names its columns")
    return rows[0][1], rows[1:]


def number(path: Path | str, line: int, column: str, text: str) -> float:
    """A cell of a table as a number, or an error that names its place."""
    try:
        return float(text)
    except ValueError:
        raise WorkingsError(
            f"{path}, line {line}: {column} is {text[:40]!r}, expected a number"
        ) from None


def edge_list(path: Path, directed: bool, weighted: bool) -> Graph:
    """A line an edge: two names, and a weight where it is asked for; spaces, tabs or commas."""
    edges: list[NamedEdge] = []
    weights: list[float] = []
    for line_number, line in _lines(path):
        fields = line.replace(",", " ").split()
        if len(fields) < 2 + weighted:
            raise WorkingsError(
                f"{path}, line {line_number}: {line.strip()[:40]!r} is no edge; "
                "expected SOURCE TARGET" + (" WEIGHT" if weighted else "")
            )
        if not edges and [field.lower() for field in fields[:2]] == ["source", "target"]:
            continue
        edges.append(NamedEdge(line_number, fields[0], fields[1]))
        if weighted:
            weights.append(number(path, line_number, "weight", fields[2]))
    return build_named(str(path), edges, weights if weighted else None, directed)
