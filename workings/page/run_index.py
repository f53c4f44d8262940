"""The index of runs: a row for each, kept in SQLite and read again only where something changed.

A finished run is one look at its folder's modification time; of any other its metrics and whether
some process holds it are looked at too. The file is in the cache and is made anew when it is lost.
"""

import contextlib
import datetime
import json
import os
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from workings import toml_files
from workings.data.sources import cache
from workings.errors import WorkingsError
from workings.files import read_file
from workings.page.folders import Folders, names_in
from workings.run.folder import listing, step_log
from workings.run.folder.metrics_file import MetricsFile
from workings.run.folder.records import MetricsLine

FORMAT = 4  # of a row; another number and the index is made anew
LINKS_REFUSED = (
    *("run.json", "result.json", "metrics.jsonl", "steps.jsonl"),
    *("manifest.json", "config.toml", "lock"),
)
POINTS = 24  # of a sparkline
REST = 20  # times as long as it took to read a run that trains, it is not read again
HELD = " held"  # ends the stamp of a run that some process trains
Row = dict[str, object]


class RunIndex:
    """Every run below the page's folders."""

    def __init__(self, folders: Folders, file: Path | None = None) -> None:
        self.folders = folders
        self.lock = threading.Lock()
        self.rows: dict[str, Row] = {}
        self.stamps: dict[str, str] = {}
        self.version = self.first = time.time_ns() // 1_000_000
        """raised with every change; a row has the version in which it changed; a server that comes
        later begins with a larger one"""
        self.gone: dict[str, int] = {}
        self.due: dict[str, float] = {}  # when a run that trains may be read again
        self.scanned = 0.0
        self.file = file or cache() / "page" / f"runs-{folders.digest}-{FORMAT}.sqlite"
        self._load()

    def refresh(self, oldest: float = 0.0) -> None:
        """Look what has changed, unless that was done less than `oldest` seconds ago."""
        with self.lock:
            if time.monotonic() - self.scanned < oldest:
                return
            seen: dict[str, str] = {}
            changed: dict[str, Row | None] = {}
            for head, folder in self.folders.sources():
                for entry in names_in(folder):
                    name, path = head + entry, f"{folder}/{entry}"
                    seen[name] = stamp = self._stamp(name, path)
                    if stamp != self.stamps.get(name):
                        if self._rests(name, stamp):
                            seen[name] = self.stamps[name]
                        else:
                            changed[name] = self._read(name, path)
            for name in self.rows.keys() - seen.keys():
                changed[name] = None
            self._take(changed, seen)
            self.scanned = time.monotonic()

    def _read(self, name: str, path: str) -> Row | None:
        began = time.monotonic()
        row = _row(name, Path(path))
        self.due[name] = time.monotonic() + REST * (time.monotonic() - began)
        return row

    def _rests(self, name: str, stamp: str) -> bool:
        """Whether a run that still trains was read so shortly ago that others would wait for it."""
        trains = stamp.endswith(HELD) and self.stamps.get(name, "").endswith(HELD)
        return trains and time.monotonic() < self.due.get(name, 0.0)

    def since(self, version: int) -> tuple[list[Row], list[str]]:
        """The rows that have changed since a version, and the names of those that are gone.

        Of one that this server has not counted, all rows: what is not among them is gone.
        """
        with self.lock:
            if version == self.version:  # of many windows that listen
                return [], []
            if version < self.first:
                return list(self.rows.values()), []
            rows = [row for row in self.rows.values() if _number(row, "version") > version]
            return rows, [name for name, at in self.gone.items() if at > version]

    def _stamp(self, name: str, path: str) -> str:
        """What changes when a run's row does."""
        known = self.rows.get(name)
        stamp = str(_changed(path))
        if known is not None and known["state"] == "finished" and stamp == self.stamps.get(name):
            return stamp
        if os.path.exists(f"{path}/result.json"):  # noqa: PTH110 - ten thousand of them
            return stamp
        held = listing.held(Path(path))
        written = [_changed(f"{path}/{name}") for name in ("metrics.jsonl", "steps.jsonl")]
        return f"{stamp} {written}{HELD if held else ''}"

    def _take(self, changed: dict[str, "Row | None"], stamps: dict[str, str]) -> None:
        self.stamps = stamps
        if not changed:
            return
        self.version += 1
        for name, row in changed.items():
            if row is not None:
                self.rows[name] = {**row, "version": self.version}
                self.gone.pop(name, None)
            elif self.rows.pop(name, None) is not None:
                self.gone[name] = self.version
        self._store(changed)

    def _store(self, changed: dict[str, "Row | None"]) -> None:
        """Keep rows for the next server; one that cannot be kept is only read again then."""
        kept = [(name, row) for name, row in changed.items() if row]
        # A folder's name is bytes, which need not be UTF-8.
        rows = [(os.fsencode(name), self.stamps[name], json.dumps(row)) for name, row in kept]
        gone = [(os.fsencode(name),) for name, row in changed.items() if row is None]
        with contextlib.suppress(sqlite3.Error, OSError):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.closing(sqlite3.connect(self.file, timeout=2)) as base, base:
                base.execute("create table if not exists runs (name primary key, stamp, row)")
                base.executemany("insert or replace into runs values (?, ?, ?)", rows)
                base.executemany("delete from runs where name = ?", gone)

    def _load(self) -> None:
        try:
            with contextlib.closing(sqlite3.connect(f"file:{self.file}?mode=ro", uri=True)) as base:
                kept = base.execute("select name, stamp, row from runs").fetchall()
            for encoded, stamp, row in kept:
                name = os.fsdecode(encoded)
                self.rows[name] = {**json.loads(row), "version": self.version}
                self.stamps[name] = stamp
        except (sqlite3.Error, OSError, ValueError, TypeError):  # lost or damaged: read again
            self.rows, self.stamps = {}, {}
            with contextlib.suppress(OSError):
                self.file.unlink(missing_ok=True)


def _changed(path: str) -> int:
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0


def _row(name: str, path: Path) -> Row | None:
    """A run as the table shows it; None for a folder that is no run's."""
    for file in LINKS_REFUSED:
        if (path / file).is_symlink():
            return None
    line = listing.line(path)
    if line is None:
        return None
    study = name.split("/")[1:-2] if name.startswith("studies/") else []
    row: Row = {**line, "name": name, "study": "/".join(study)}
    try:
        metrics = MetricsFile(path).read()
    except WorkingsError:
        metrics = []
    valid = [each for each in metrics if each.get("split") == "valid"]
    row["spark"] = _thinned([each.get(str(line["metric"])) for each in valid])
    row["seconds"] = metrics[-1].get("seconds") if metrics else None
    row["made"] = _since_1970(line["made"])
    if line["state"] == "running":
        row |= _progress(path, metrics)
    return row


def _since_1970(made: str) -> float | None:
    """A run's time in seconds: a browser may be in another time zone."""
    try:
        return datetime.datetime.fromisoformat(made).timestamp()
    except (ValueError, OverflowError):
        return None


def _progress(path: Path, metrics: list[MetricsLine]) -> Row:
    """How far a run is that trains now: its share of the steps, and its latest training loss.

    The share is that of the last checkpoint; how many steps an epoch has is known after the first.
    """
    try:
        config = toml_files.parse(read_file(path / "config.toml").decode())
        section = config.get("train")
        train = section if isinstance(section, dict) else {}
        lines = [*metrics, *step_log.read(path)]
        latest = max(
            (line for line in lines if line.get("split") == "train"),
            key=lambda line: _number(line, "step"),
        )
    except (OSError, ValueError, WorkingsError):
        return {}
    ended = metrics[-1] if metrics else {}
    epochs = _number(ended, "epoch")
    planned = [_number(train, "max_steps")] if _number(train, "max_steps") else []
    if epochs and _number(train, "epochs"):
        planned.append(_number(train, "epochs") * _number(ended, "step") / epochs)
    share = min(1.0, _number(latest, "step") / min(planned)) if planned else None
    return {"loss": latest.get("loss"), "share": share}


def _number(line: Mapping[str, object], key: str) -> float:
    value = line.get(key)
    return value if isinstance(value, int | float) else 0


def _thinned(values: Sequence[object]) -> list[float]:
    kept = [value for value in values if isinstance(value, int | float)]
    every = max(1, -(-len(kept) // POINTS))
    return [round(value, 6) for value in kept[::every]]
