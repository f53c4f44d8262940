"""The runs below a folder, for a list of thousands: without torch, and reading only what is shown.

A run whose files are damaged is one line of the list and says what is wrong with it.
"""

import datetime
import os
from pathlib import Path
from typing import Literal, TypedDict

from workings import json_files
from workings.errors import WorkingsError
from workings.files import read_file
from workings.run.folder.manifest import Manifest, sha256
from workings.run.folder.metrics_file import MetricsFile
from workings.run.folder.records import FailureRecord, RunRecord
from workings.run.folder.result_file import read_result

State = Literal["finished", "running", "failed", "stopped"]


class ListedRun(TypedDict):
    """A line of `runs list`; figures are those of the metric that decides which weights are best.

    problem: why a run failed, or which file of it is damaged; then its figures are not known.
    """

    run: str
    task: str | None
    model: str | None
    state: State | Literal["damaged"]
    epochs: int | None
    valid: float | None
    test: float | None
    metric: str | None
    lower_is_better: bool | None
    made: str
    problem: str | None


def root(given: Path | None) -> Path:
    """Where runs are kept: --runs, WORKINGS_RUNS, or ./runs."""
    return given or Path(os.environ.get("WORKINGS_RUNS") or "runs")


def folders(runs: Path) -> list[Path]:
    """Every run below a folder, the oldest first; before them those without a date."""
    return [path for path, _ in _read_records(runs)]


def listed(runs: Path) -> list[ListedRun]:
    """A line for every run below a folder, the oldest first."""
    return [_line(path, record) for path, record in _read_records(runs)]


def line(path: Path) -> ListedRun | None:
    """The line of one run's folder; None where it is none."""
    try:
        record: RunRecord | WorkingsError = json_files.read(f"{path}/run.json", RunRecord)
    except FileNotFoundError:
        return None
    except WorkingsError as error:
        record = error
    return _line(path, record)


def runs(root_folder: Path | str | None = None) -> list[ListedRun]:
    """The runs below a folder (WORKINGS_RUNS or ./runs if none is given), the oldest first."""
    return listed(root(Path(root_folder) if root_folder else None))


def held(folder: Path) -> bool:
    """Whether some process is training in a run's folder now."""
    lock = folder / "lock"
    if lock.is_symlink() or not lock.exists():
        return False  # a link is no lock of ours, and never opened
    import filelock  # a list of finished runs does without it

    try:
        with filelock.FileLock(lock).acquire(timeout=0):
            return False
    except filelock.Timeout:
        return True
    except OSError:
        return False  # not ours to write: nor does anybody train there through us


def state(folder: Path) -> State:
    """Where a run stands."""
    if (folder / "result.json").is_file():
        return "finished"
    if held(folder):
        return "running"
    return "failed" if (folder / "failure.json").is_file() else "stopped"


def failure(folder: Path) -> str:
    """Why a run ended without its result, where that is known."""
    try:
        return json_files.read(folder / "failure.json", FailureRecord)["error"]
    except FileNotFoundError:
        return ""
    except WorkingsError as error:
        return str(error)


def _read_records(runs: Path) -> list[tuple[Path, RunRecord | WorkingsError]]:
    """The folder of every run, the oldest first, and its run.json or what is wrong with that."""
    records: list[tuple[str, str, Path, RunRecord | WorkingsError]] = []
    try:
        names = sorted(entry.name for entry in os.scandir(runs) if entry.name[0] != ".")
    except (FileNotFoundError, NotADirectoryError):
        return []
    for name in names:
        path = runs / name
        try:
            record = json_files.read(f"{path}/run.json", RunRecord)
            records.append((_utc(record.get("made", "")), name, path, record))
        except FileNotFoundError:
            continue
        except WorkingsError as error:
            if os.path.isfile(f"{path}/run.json"):  # noqa: PTH113 - asks no permission
                records.append(("", name, path, error))
    records.sort(key=lambda each: each[:2])
    return [(path, record) for _, _, path, record in records]


def _utc(made: str) -> str:
    """A time with its offset as one that sorts: in UTC."""
    try:
        return datetime.datetime.fromisoformat(made).astimezone(datetime.UTC).isoformat()
    except (ValueError, OverflowError):  # no time, or one at the end of all times
        return ""


def _line(path: Path, record: RunRecord | WorkingsError) -> ListedRun:
    made = "" if isinstance(record, WorkingsError) else record.get("made", "")
    line: ListedRun = {
        "run": path.name,
        "task": None,
        "model": None,
        "state": "damaged",
        "epochs": None,
        "valid": None,
        "test": None,
        "metric": None,
        "lower_is_better": None,
        "made": made[:16].replace("T", " "),
        "problem": None,
    }
    try:
        if isinstance(record, WorkingsError):
            raise record
        _describe(line, path, record)
    except WorkingsError as error:
        line |= {"state": "damaged", "problem": str(error)}
    return line


def _describe(line: ListedRun, path: Path, record: RunRecord) -> None:
    """Fill a line from a run's files; the first damaged one is raised."""
    checksums = Manifest(path).read()["files"]
    sealed = _changed_at(f"{path}/manifest.json")
    if "task" in record and _is_unchanged(path, "config.toml", checksums, sealed):
        lower_is_better = record.get("lower_is_better", True)
        line["task"], line["model"] = record["task"], record.get("model")
        line["metric"] = record.get("metric", "loss")
    else:
        line["task"], line["model"], line["metric"], lower_is_better = _from_config(path)
    line["lower_is_better"] = lower_is_better
    try:
        result = read_result(f"{path}/result.json")
    except FileNotFoundError:
        line["state"], line["problem"] = state(path), failure(path) or None
        lines = [each for each in MetricsFile(path).read() if each.get("split") == "valid"]
        figures = [each.get(str(line["metric"])) for each in lines]
        valid = [figure for figure in figures if isinstance(figure, float)]
        line["epochs"] = len(lines)
        line["valid"] = (min if lower_is_better else max)(valid) if valid else None
        return
    if not _is_unchanged(path, "result.json", checksums, sealed):
        raise WorkingsError(f"{path / 'result.json'}: changed since the run wrote it")
    line["state"], line["epochs"] = "finished", result.get("epochs")
    line["valid"] = result["metrics"].get(f"valid.{line['metric']}")
    line["test"] = result["metrics"].get(f"test.{line['metric']}")


def _is_unchanged(folder: Path, name: str, checksums: dict[str, str], sealed: int) -> bool:
    """Whether a file is as the manifest says; one that is older than that is not read for it."""
    try:
        if 0 < _changed_at(f"{folder}/{name}") < sealed:
            return True
        content = read_file(f"{folder}/{name}")
    except FileNotFoundError:
        return False  # of an older folder, or gone: its reader says so
    except OSError as error:
        raise WorkingsError(f"{folder / name}: cannot be read ({error.strerror})") from None
    return checksums.get(name, sha256(content)) == sha256(content)


def _changed_at(path: str) -> int:
    """In nanoseconds; 0 where there is no such file."""
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 - without the cost of a Path
    except OSError:
        return 0


def _from_config(path: Path) -> tuple[str, str, str, bool]:
    """The task, the model, and the metric with its direction, as the config has them now."""
    # With torch: of older folders and edited configs.
    from workings.run.folder.stored_config import read_stored

    config = read_stored(path / "config.toml")
    task = config.build_task()
    return config.task, config.kind, task.best, task.lower_is_better
