"""A study's or a run's curves as TensorBoard event files, for those who look at them there."""

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from workings.errors import WorkingsError
from workings.files import explain
from workings.study.summary import RunSummary, StudySummary

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter


def write_events(study: StudySummary, folder: Path) -> list[Path]:
    """A folder of events for each run: ROW/seed-N, below the part's name where there are parts.

    Scalars are called `valid/perplexity`; their step is the optimizer's, or what the lines of a
    measurement go over. Final figures are `test/perplexity` at the last step.
    """
    writer = _writer()
    made = []
    for part in study.parts:
        made += write_events(part, folder / _safe(part.name))
    for number, row in enumerate(study.rows, start=1):
        for run in row.runs:
            if not run.lines and not run.result:
                continue
            # The number keeps rows apart whose names differ only in what a path cannot hold.
            path = folder / f"{number:02}-{_safe(row.name)}" / f"seed-{run.seed}"
            with explain(path):
                path.mkdir(parents=True, exist_ok=True)
                _write(writer(str(path)), run, study.x)
            made.append(path)
    return made


def _writer() -> "type[SummaryWriter]":
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise WorkingsError(
            "--tensorboard: tensorboard is not installed; pip install 'workings[tensorboard]'"
        ) from None
    return SummaryWriter


def _write(to: "SummaryWriter", run: RunSummary, x: str) -> None:
    last = 0
    with to:
        for number, line in enumerate(run.lines):
            step = line.get("step", line.get(x, number))
            last = int(step) if _is_number(step) else number
            for name, value in line.items():
                if name not in ("step", x, "split") and _is_number(value):
                    tag = f"{line['split']}/{name}" if "split" in line else name
                    to.add_scalar(tag, value, last)
        metrics = run.result.get("metrics", {}) if run.result else {}
        for name, value in metrics.items():
            if name.startswith("test.") and _is_number(value):
                to.add_scalar(name.replace(".", "/", 1), value, last)
        settings = "\n".join(f"    {key} = {value}" for key, value in run.config.items())
        to.add_text("config", settings)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:60] or "row"
