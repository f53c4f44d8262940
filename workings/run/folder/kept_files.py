"""What a run leaves in its folder: anything else there is somebody's, and stays."""

from collections.abc import Iterator
from itertools import filterfalse
from pathlib import Path

from workings.run.folder import checkpoint, examples_file, manifest, metrics_file, step_log
from workings.tasks import TASKS

KEPT_FILES = (
    *("run.json", "config.toml", "result.json", "failure.json", "lock"),
    *(manifest.NAME, metrics_file.NAME, metrics_file.DAMAGED, examples_file.NAME, step_log.NAME),
    "report.html",  # which `workings report RUN` writes here
)
KEPT_FOLDERS = ("checkpoint", "figures", "source")  # besides the task's assets


def foreign(folder: Path) -> Iterator[Path]:
    """What lies in the folder, among its checkpoints and figures, that no run leaves there."""
    files = {*KEPT_FILES, *(name for task in TASKS.values() for name in task.ASSETS)}
    for entry in folder.iterdir():
        # A killed process leaves the file that it was writing as .NAME-RANDOM.
        name = entry.name
        if name.startswith("."):
            name = name[1:].rpartition("-")[0]
        if entry.name not in KEPT_FOLDERS if entry.is_dir() else name not in files:
            yield entry
    yield from filterfalse(checkpoint.is_ours, folder.glob("checkpoint/*"))
    yield from (entry for entry in folder.glob("figures/*") if entry.is_dir())
