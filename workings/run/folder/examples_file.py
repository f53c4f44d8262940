"""examples.safetensors: what a run's best weights made of each validation and test example.

Columns by `split.column`; the header says what an example is, and the SHA-256 of the examples.
Folders of older versions have none: `workings eval RUN` makes it.
"""

import json
from pathlib import Path
from typing import TypedDict

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError, safe_open
from torch import nn

from workings.data.readers.unpack import memory_budget
from workings.errors import WorkingsError
from workings.files import read_file
from workings.json_files import WrongJson, conform, parse
from workings.run.folder.manifest import Manifest
from workings.run.folder.records import ExamplesRecord
from workings.tasks.examples import Examples
from workings.tasks.task import Task, Tick

NAME = "examples.safetensors"
SPLITS = ("valid", "test")  # of which they are kept


class _Header(TypedDict):
    """What the file's header says of a split."""

    unit: str
    sha256: str


def write(folder: Path, by_split: dict[str, Examples]) -> None:
    """Replace the file, whole or not at all, and its checksum in the manifest."""
    columns = {
        f"{split}.{name}": np.ascontiguousarray(column)
        for split, examples in by_split.items()
        for name, column in examples.columns.items()
    }
    header = {split: {"unit": e.unit, "sha256": e.sha256} for split, e in by_split.items()}
    # One key: safetensors writes several in any order, and equal runs leave equal files.
    content = safetensors.numpy.save(columns, {"splits": json.dumps(header)})
    Manifest(folder).replace(NAME, content)


def keep(folder: Path, task: Task, model: nn.Module, tick: Tick) -> dict[str, ExamplesRecord]:
    """Ask the task for the examples of every split that they are kept of, and write them down."""
    given = {split: task.examples(model, split, tick) for split in SPLITS}
    by_split = {split: examples for split, examples in given.items() if examples is not None}
    if by_split:
        write(folder, by_split)
    return {split: record(examples) for split, examples in by_split.items()}


def record(examples: Examples) -> ExamplesRecord:
    """Which examples these are, as result.json says it."""
    return {"unit": examples.unit, "sha256": examples.sha256, "count": len(examples)}


def read(folder: Path) -> dict[str, Examples]:
    """The examples by split; none where the folder has no such file. A damaged one is named."""
    path = folder / NAME
    way_out = "remove it, and `workings eval` of the run makes it again"
    try:
        if path.is_symlink():
            raise WorkingsError(f"{path}: is a symbolic link, which a run folder never holds")
        Manifest(folder).require(NAME, read_file(path, memory_budget()), way_out)
        with safe_open(path, "np") as file:
            header = conform(parse(file.metadata()["splits"].encode()), dict[str, _Header])
            columns = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return {split: _split(split, about, columns) for split, about in header.items()}
    except FileNotFoundError:
        return {}
    except (OSError, SafetensorError, WrongJson, KeyError, TypeError) as error:
        raise WorkingsError(f"{path}: cannot be read ({error}); {way_out}") from None


def _split(split: str, about: _Header, columns: dict[str, np.ndarray]) -> Examples:
    own = {
        name.removeprefix(f"{split}."): column
        for name, column in columns.items()
        if name.startswith(f"{split}.")
    }
    for name, column in own.items():
        if column.ndim != 1 or not np.isfinite(column).all():
            raise WrongJson(f"{split}.{name}: must be one finite number an example")
    return Examples(about["unit"], about["sha256"], own)
