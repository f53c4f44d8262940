"""The page with very many runs: how long the server takes to list them and to read curves."""

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

from workings.bench.rows import Say
from workings.page.folders import Folders
from workings.page.run_details import curves
from workings.page.run_index import RunIndex

EPOCHS = 20


class PageRow(TypedDict):
    """What was done, and its time: the processor's own, and that of the clock."""

    name: str
    cpu_seconds: float
    seconds: float


def run(runs: int, drawn: int, say: Say) -> list[PageRow]:
    """Make so many run folders, then list them and read the curves of some."""
    with tempfile.TemporaryDirectory() as temporary:
        folders = Folders(Path(temporary) / "runs", Path(temporary) / "studies")
        say(f"making {runs:,} run folders")
        for number in range(runs):
            make_run(folders.runs / f"run-{number:06}", number)
        file = Path(temporary) / "index"
        index = RunIndex(folders, file)
        say("reading them")
        rows = [timed(f"the first scan of {runs:,} runs", index.refresh)]
        rows.append(timed(f"{runs:,} runs listed, none changed", lambda: _listed(index)))
        (folders.runs / "run-000000" / "figures").mkdir()
        rows.append(timed(f"{runs:,} runs listed, one changed", lambda: _listed(index)))
        rows.append(
            timed(f"{runs:,} runs listed by a new server", lambda: _listed(RunIndex(folders, file)))
        )
        some = [folders.runs / f"run-{number:06}" for number in range(min(drawn, runs))]
        rows.append(timed(f"{len(some)} curves", lambda: json.dumps([curves(f) for f in some])))
        return rows


def timed(name: str, action: Callable[[], Any]) -> PageRow:
    """Do something once."""
    cpu, clock = time.process_time(), time.monotonic()
    action()
    return {
        "name": name,
        "cpu_seconds": time.process_time() - cpu,
        "seconds": time.monotonic() - clock,
    }


def _listed(index: RunIndex) -> str:
    """The list as the browser gets it."""
    index.refresh()
    version, rows, gone = index.since(0)
    return json.dumps({"version": version, "rows": rows, "gone": gone})


def make_run(folder: Path, seed: int) -> None:
    """A finished run with 20 epochs, as a training leaves it but for its weights."""
    folder.mkdir(parents=True)
    about = {"format": 1, "made": "2026-01-02T03:04:05+00:00", "task": "images", "model": "cnn"}
    about |= {"metric": "accuracy", "lower_is_better": False}
    accuracy = [1 - 1 / (epoch + 1 + seed % 7) for epoch in range(1, EPOCHS + 1)]
    lines = [
        {"step": 100 * epoch, "epoch": epoch, "split": split, "loss": 1 / epoch, "seconds": epoch}
        | {"accuracy": accuracy[epoch - 1]}
        for epoch in range(1, EPOCHS + 1)
        for split in ("train", "valid")
    ]
    environment: dict[str, Any] = dict.fromkeys(
        ("workings", "python", "torch", "numpy", "system", "processor", "device", "command"), ""
    )
    metrics = {"valid.accuracy": accuracy[-1], "test.accuracy": accuracy[-1]}
    result = {"metrics": metrics, "seconds": 20.0, "parameters": 1000, "seed": seed}
    result |= {"epochs": EPOCHS, "best_epoch": EPOCHS}
    result["environment"] = {**environment, "cores": 1, "threads": 1}
    config = f'task = "images"\nseed = {seed}\n[train]\nepochs = {EPOCHS}\n'
    (folder / "run.json").write_text(json.dumps(about))
    (folder / "config.toml").write_text(config)
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "result.json").write_text(json.dumps(result))
