"""The file that an option of a command names for a chart: checked first, written last."""

from pathlib import Path
from typing import TYPE_CHECKING

from workings.errors import WorkingsError

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart


def check(option: str, path: Path | None) -> None:
    """Refuse, before anything is computed, a file that no chart could be written to."""
    from workings.charts import FORMATS

    if path is None:
        return
    if path.suffix not in FORMATS:
        raise WorkingsError(
            f"{option}: no chart can be written as {path.name!r}; its name ends in one of "
            f"{', '.join(FORMATS)}"
        )
    if not path.parent.is_dir():
        raise WorkingsError(f"{option}: there is no folder {path.parent}")


def write(path: Path, chart: "Chart") -> None:
    """Write a chart in the format that the file's name ends in."""
    from workings.charts import render
    from workings.files import write_file

    write_file(path, render(chart, path.suffix))
