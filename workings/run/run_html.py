"""A run as a notebook shows it: what it is, and its figures by split."""

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workings.run.opened_run import OpenedRun

SPLITS = ("train", "valid", "test")


def run_html(run: "OpenedRun") -> str:
    """A small table; of a run that is not finished, its last evaluation."""
    result = run.result
    about = f"{run.task.name}, {run.config.kind}"
    if result is not None:
        about += f", {result['parameters']:,} parameters, best epoch {result['best_epoch']}"
        figures = dict(result["metrics"])
    else:
        about += ", not finished"
        figures = {
            f"{line['split']}.{name}": value
            for line in run.history[-2:]
            for name, value in line.items()
            if isinstance(value, float) and name != "seconds"
        }
    names = dict.fromkeys(name.partition(".")[2] for name in figures)
    rows = "".join(
        _row(name, [figures.get(f"{split}.{name}") for split in SPLITS]) for name in names
    )
    heads = "".join(f"<th>{split}</th>" for split in ("", *SPLITS))
    return (
        f"<div><b>{escape(run.folder.path.name)}</b>: {escape(about)}"
        f"<table><tr>{heads}</tr>{rows}</table></div>"
    )


def _row(name: str, values: list[object]) -> str:
    cells = "".join(f"<td>{_number(value)}</td>" for value in values)
    return f"<tr><th>{escape(name.replace('_', ' '))}</th>{cells}</tr>"


def _number(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}"
    return "" if value is None else escape(f"{value:,}" if isinstance(value, int) else str(value))
