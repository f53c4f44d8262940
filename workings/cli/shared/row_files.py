"""Rows of answers as a file: CSV, JSON lines or JSON, by what its name ends in."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from workings.errors import WorkingsError
from workings.files import write_file
from workings.json_files import finite
from workings.names import csv_cell

SUFFIXES = (".csv", ".jsonl", ".json")


def check(option: str, path: Path | None) -> None:
    """Say at once that a name ends in nothing that can be written."""
    if path is not None and path.suffix not in SUFFIXES:
        raise WorkingsError(f"{option} {path}: must end in {', '.join(SUFFIXES)}")


def write(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """All rows; a table within a row becomes columns of a CSV, `probabilities.cat`."""
    if path.suffix == ".csv":
        content = _csv([_flat(row) for row in rows])
    elif path.suffix == ".jsonl":
        content = "".join(f"{json.dumps(finite(row), ensure_ascii=False)}\n" for row in rows)
    else:
        content = json.dumps(finite(rows), ensure_ascii=False, indent=2) + "\n"
    write_file(path, content.encode())


def _flat(row: Mapping[str, object]) -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            flat |= {f"{key}.{part}": each for part, each in value.items()}
        elif not isinstance(value, list):
            flat[key] = value
    return flat


def _csv(rows: list[dict[str, object]]) -> str:
    columns = dict.fromkeys(key for row in rows for key in row)
    file = io.StringIO()
    writer = csv.DictWriter(file, list(columns), lineterminator="\n")
    writer.writerow({key: csv_cell(key) for key in columns})
    writer.writerows({key: csv_cell(value) for key, value in row.items()} for row in rows)
    return file.getvalue()
