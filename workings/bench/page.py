"""The page with very many runs: how long the server takes to list them and to read curves."""

import json
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

from workings import child_python
from workings.bench import page_trackers
from workings.bench.page_trackers import MLflow, TensorBoard
from workings.bench.rows import Say
from workings.json_files import conform
from workings.page.folders import Folders
from workings.page.run_details import curves
from workings.page.run_index import RunIndex

EPOCHS = 20


class PageRow(TypedDict):
    """What was done, and its time: the processor's own, and that of the clock."""

    name: str
    cpu_seconds: float
    seconds: float


def run(runs: int, drawn: int, beside: list[str], say: Say) -> list[PageRow]:
    """Make so many run folders, then list them and read the curves of some.

    beside: trackers that do the same with the same curves, through their own servers.
    """
    page_trackers.require(beside)
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
    if beside:
        rows += _through_our_server(runs, drawn, say)
    for name in beside:
        rows += _through_theirs(page_trackers.TRACKERS[name], runs, drawn, say)
    return rows


def _through_our_server(runs: int, drawn: int, say: Say) -> list[PageRow]:
    """The same through the page's server, as the others are asked."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for number in range(runs):
            make_run(folder / "runs" / f"run-{number:06}", number)
        command = [*child_python.command("workings"), "page", "--port", "0", "--no-browser"]
        environment = child_python.environment() | {"WORKINGS_CACHE": str(folder / "cache")}
        say("asking our server")
        began = time.monotonic()
        with subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stdout is not None
                ask = _asker(process.stdout.readline().rpartition(" ")[2].strip())
                listed = conform(ask("/api/runs"), _Listed)
                names = [row["name"] for row in listed["rows"]]
                ready = time.monotonic() - began
                rows = [_until_listed("ours", ready)]
                rows.append(timed("ours: all runs listed", lambda: ask("/api/runs")))
                some = {"runs": names[:drawn]}
                rows.append(timed(f"ours: {drawn} curves", lambda: ask("/api/curves", some)))
            finally:
                process.send_signal(signal.SIGINT)
                process.wait(60)
        return rows


class _ListedRun(TypedDict):
    name: str


class _Listed(TypedDict):
    rows: list[_ListedRun]


def _asker(link: str) -> Callable[..., object]:
    """A function that asks the page's server, with the cookie that its link is exchanged for."""
    origin = link.partition("/?")[0]
    jar = urllib.request.HTTPCookieProcessor()
    opener = urllib.request.build_opener(jar)
    opener.open(link).close()

    def ask(path: str, content: object = None) -> object:
        body = None if content is None else json.dumps(content).encode()
        headers = {"Origin": origin, "Content-Type": "application/json"}
        with opener.open(urllib.request.Request(origin + path, body, headers)) as answer:
            return json.load(answer)

    return ask


def _through_theirs(
    tracker: MLflow | TensorBoard, runs: int, drawn: int, say: Say
) -> list[PageRow]:
    name = tracker.name
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        say(f"writing {runs:,} runs with {name}; this may take long")
        written = timed(
            f"{name}: {runs:,} runs written", lambda: tracker.write(folder, runs, curve)
        )
        began = time.monotonic()
        with tracker.serve(folder) as address:
            names = page_trackers.until_all(tracker, address, runs, say)
            ready = time.monotonic() - began
            first = _until_listed(name, ready)
            listed = timed(f"{name}: all runs listed", lambda: tracker.listed(address))
            some = names[:drawn]
            points: list[int] = []
            drawn_row = timed(
                f"{name}: {len(some)} curves",
                lambda: points.extend(tracker.curves(address, some)),
            )
            if short := sum(each < EPOCHS for each in points):
                say(f"{name}: {short} of {len(some)} curves were not whole yet")
        return [written, first, listed, drawn_row]


def _until_listed(name: str, seconds: float) -> PageRow:
    """A server's own time: that of its processor is not known here."""
    what = f"{name}: from its start until all are listed"
    return {"name": what, "cpu_seconds": 0.0, "seconds": seconds}


def curve(seed: int) -> list[tuple[int, float]]:
    """A run's accuracy by step."""
    return [(100 * epoch, accuracy(seed, epoch)) for epoch in range(1, EPOCHS + 1)]


def accuracy(seed: int, epoch: int) -> float:
    """Of a made run after an epoch."""
    return 1 - 1 / (epoch + 1 + seed % 7)


def timed(name: str, action: Callable[[], object]) -> PageRow:
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
    rows, gone = index.since(0)
    return json.dumps({"version": index.version, "rows": rows, "gone": gone})


def make_run(folder: Path, seed: int) -> None:
    """A finished run with 20 epochs, as a training leaves it but for its weights."""
    folder.mkdir(parents=True)
    about = {"format": 1, "made": "2026-01-02T03:04:05+00:00", "task": "images", "model": "cnn"}
    about |= {"metric": "accuracy", "lower_is_better": False}
    lines = [
        {"step": 100 * epoch, "epoch": epoch, "split": split, "loss": 1 / epoch, "seconds": epoch}
        | {"accuracy": accuracy(seed, epoch)}
        for epoch in range(1, EPOCHS + 1)
        for split in ("train", "valid")
    ]
    environment: dict[str, object] = dict.fromkeys(
        ("workings", "python", "torch", "numpy", "system", "processor", "device", "command"), ""
    )
    best = accuracy(seed, EPOCHS)
    metrics = {"valid.accuracy": best, "test.accuracy": best}
    result = {"metrics": metrics, "seconds": 20.0, "parameters": 1000, "seed": seed}
    result |= {"epochs": EPOCHS, "best_epoch": EPOCHS}
    result["environment"] = {**environment, "cores": 1, "threads": 1}
    config = f'task = "images"\nseed = {seed}\n[train]\nepochs = {EPOCHS}\n'
    (folder / "run.json").write_text(json.dumps(about))
    (folder / "config.toml").write_text(config)
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "result.json").write_text(json.dumps(result))
