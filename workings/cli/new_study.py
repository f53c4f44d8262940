"""`workings study new NAME`: a commented study file to begin with."""

from pathlib import Path

from workings.errors import WorkingsError
from workings.files import write_file
from workings.names import check_name

TEMPLATE = """\
# A study: rows that vary one config, with several seeds, in one table.
# Run it with `workings study ./{name}.toml`; look first with `--plan`.
title = "{name}"
question = "Which number of hidden units is best?"

# What the rows vary: a task, a shipped config (`workings train --help`) or a path to a .toml file.
base = "karate-gcn"

# The figure that decides, and others for the table: SPLIT.METRIC.
metric = "test.accuracy"
also = ["valid.accuracy", "parameters"]

# Every row is run once with each seed; from three on, differences have p-values.
seeds = [1, 2, 3]

# Settings of every row.
[set]
"train.epochs" = 50

# The rows; `published` figures stand beside the measured ones.
[[row]]
name = "4 units"
set = {{ "model.hidden" = 4 }}

[[row]]
name = "16 units"
set = {{ "model.hidden" = 16 }}
# published = {{ "test.accuracy" = 0.95 }}
# source = "who published it, and where"
"""


def write_new(name: str | None) -> Path:
    """Write NAME.toml into the current folder; an existing file is never touched."""
    if not name:
        raise WorkingsError("study new: give the study a name: `workings study new NAME`")
    check_name("study new", name)
    path = Path(name if name.endswith(".toml") else f"{name}.toml")
    if path.exists():
        raise WorkingsError(f"{path}: exists already; choose another name")
    write_file(path, TEMPLATE.format(name=path.stem).encode())
    return path
