"""Text files as lines and as tables, and graphs as edge lists."""

import csv
import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from workings.data.readers.unpack import require_sane
from workings.errors import WorkingsError
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.reading.named_nodes import NamedEdge, build_named

# What the columns of an edge's ends are also called.
MOST_LINES = 1000  # that a field in quotes goes over: more is a quote that nothing closes
ENDS = {"source": ("from", "src", "head", "start"), "target": ("to", "dst", "tail", "end")}
LOOKED_AT, FEWEST_LINES = 50, 3  # lines of a file that may be an edge list


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of text, without blank ones."""
    try:
        if path.exists() and not path.is_file():
            raise WorkingsError(f"{path}: is not a regular file")
        size = path.stat().st_size
        require_sane(str(path), size, size)
        with path.open(encoding="utf-8-sig", newline="") as file:
            for number, line in enumerate(file, 1):
                if "\0" in line:
                    raise WorkingsError(f"{path}, line {number}: has a NUL byte: it is not text")
                if line.strip():
                    yield number, line
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise WorkingsError(f"{path}: is not text in UTF-8") from None


def _records(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a table; those that a field in quotes goes over are one, by its first number."""
    held, first = "", 0
    for number, line in _lines(path):
        if not held and '"' not in line:
            yield number, line
            continue
        held, first = held + line, first if held else number
        if not _is_open(held):
            yield first, held
            held = ""
        elif number - first >= MOST_LINES:
            break
    if held:
        raise WorkingsError(f"{path}, line {first}: a quote in it is not closed")


def _is_open(record: str) -> bool:
    """Whether a field in quotes goes on after this."""
    try:
        list(csv.reader([record], skipinitialspace=True, strict=True))
    except csv.Error as error:
        return "unexpected end of data" in str(error)
    return False


def table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """A CSV file's header, and its rows with the numbers of their lines.

    A line that begins with # is a comment before the header, and where its fields do not fit it:
    a name may begin so.
    """
    rows: list[tuple[int, list[str]]] = []
    for number, line in _records(path):
        fields = _cells(path, number, line)
        if _is_comment(line) and not (rows and 1 < len(fields) == len(rows[0][1])):
            continue
        rows.append((number, [field.strip() for field in fields]))
        if len(fields) != len(rows[0][1]):
            has = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
            raise WorkingsError(f"{path}, line {number}: {has}, the header has {len(rows[0][1])}")
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
    """A line an edge: two names, and a weight where it is asked for; commas, tabs or spaces."""
    edges: list[NamedEdge] = []
    weights: list[float] = []
    unused = comments = 0
    for line_number, line in (_records if path.suffix == ".csv" else _lines)(path):
        if _is_comment(line):
            comments += 1
            continue
        fields = _fields(path, line_number, line)
        if len(fields) < 2 + weighted or not all(fields[:2]):
            raise WorkingsError(
                f"{path}, line {line_number}: {line.strip()[:40]!r} is no edge; "
                "expected SOURCE TARGET" + (" WEIGHT" if weighted else "")
            )
        if not edges and _is_header(fields):
            continue
        edges.append(NamedEdge(line_number, fields[0], fields[1]))
        unused = max(unused, len(fields) - 2 - weighted)
        if weighted:
            weights.append(number(path, line_number, "weight", fields[2]))
    notes = []
    if unused:
        takes = "" if weighted else ": data.weighted = true takes the third column as the weight"
        notes.append(f"what stands after an edge is not used{takes}")
    if comments:
        notes.append(f"{comments:,} lines that begin with # are comments")
    return build_named(str(path), edges, weights if weighted else None, directed, notes=notes)


def _fields(path: Path, line_number: int, line: str) -> list[str]:
    """What a line holds, between commas if it has any, else between tabs, else between spaces."""
    for separator in (",", "\t"):
        if separator in line:
            return [field.strip() for field in _cells(path, line_number, line, separator)]
    return line.split()


def _cells(path: Path, line_number: int, line: str, separator: str = ",") -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True))
    except csv.Error as error:  # a field of more than 131,072 characters
        raise WorkingsError(f"{path}, line {line_number}: {error}") from None


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _is_header(fields: Sequence[str]) -> bool:
    names = [{name, *others} for name, others in ENDS.items()]
    return all(field.lower() in known for field, known in zip(fields, names, strict=False))


def looks_like_edges(path: Path) -> bool:
    """Whether the first lines are two names and a number each, or two numbers, or say so."""
    lines = 0
    try:
        lines_read = ((number, line) for number, line in _lines(path) if not _is_comment(line))
        for line_number, line in itertools.islice(lines_read, LOOKED_AT):
            fields = _fields(path, line_number, line)
            if line_number == 1 and len(fields) >= 2 and _is_header(fields):
                return True
            rest = fields[2:] or fields[:2]
            if len(fields) not in (2, 3) or not all(map(_is_number, rest)):
                return False
            lines += 1
    except WorkingsError:
        return False
    return lines >= FEWEST_LINES


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
