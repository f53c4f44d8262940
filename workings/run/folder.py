"""The run folder: what is in it, how it is made, found, locked and listed.

runs/NAME/  run.json  config.toml  metrics.jsonl  checkpoint/  result.json  lock
            and the task's assets (a language model's vocabulary.json)
"""

import datetime
import json
import math
import os
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, cast

import filelock

from workings.errors import WorkingsError, nearest
from workings.files import explain, write_file, write_folder
from workings.run import config as configs
from workings.run.config import RunConfig
from workings.run.records import MetricsLine, Result, RunRecord
from workings.tasks import TASKS
from workings.version import __version__

FORMAT = 1  # raised when an older version could not read what this one writes
KEPT_FILES = ("run.json", "config.toml", "metrics.jsonl", "result.json", "lock")
KEPT_FOLDERS = ("checkpoint", "figures")  # besides the task's assets


def root(given: Path | None) -> Path:
    """Where runs are kept: --runs, WORKINGS_RUNS, or ./runs."""
    return given or Path(os.environ.get("WORKINGS_RUNS") or "runs")


def location(name: str, runs: Path) -> Path:
    """The folder of a run's name, below `runs`; a name with a slash in it is a path."""
    if not name or (name[0] in "-.~" and "/" not in name):
        raise WorkingsError(f"--run {name!r}: a run's name begins with a letter or a digit")
    return Path(name) if "/" in name else runs / name


class RunFolder:
    """One run's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = filelock.FileLock(path / "lock")

    def create(
        self, config: RunConfig, assets: dict[str, bytes], about: Mapping[str, object]
    ) -> None:
        """Make the folder, whole at once; an existing one is never touched."""
        self.refuse_existing()
        with explain(self.path.parent):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        made = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
        record = {"format": FORMAT, "workings": __version__, "made": made, **about}
        files = {"run.json": _json(record), "config.toml": config.to_toml(), **assets}
        write_folder(self.path, files)

    def refuse_existing(self) -> None:
        """A new run never goes into an old folder."""
        if self.path.exists():
            raise WorkingsError(
                f"{self.path}: exists already; go on with `{self.command('resume')}`, "
                "or choose another name with --run"
            )

    @classmethod
    def find(cls, name: str, runs: Path) -> "RunFolder":
        """The run of that name or path, or an error that offers the nearest name."""
        path = location(name, runs)
        if not (path / "run.json").is_file():
            known = [folder.path.name for folder in listed(runs)]
            raise WorkingsError(
                f"no run {name!r} in {runs}{nearest(name, known)}; `workings runs list` shows them"
            )
        folder = cls(path)
        folder.require_own_files()
        if folder.about()["format"] > FORMAT:
            raise WorkingsError(
                f"{path}: was made by a newer version of workings "
                f"({folder.about()['workings']}, this is {__version__}); upgrade workings"
            )
        return folder

    def require_own_files(self) -> None:
        """Refuse a folder that leads elsewhere: what is written or removed must be inside it."""
        for name in (*KEPT_FILES, *KEPT_FOLDERS):
            if (self.path / name).is_symlink():
                raise WorkingsError(
                    f"{self.path / name}: is a symbolic link, which a run folder never holds; "
                    "copy the run, with what it links to, to another folder"
                )

    def about(self) -> RunRecord:
        """What run.json says; keys of a newer version stay in it."""
        try:
            about = json.loads((self.path / "run.json").read_bytes())
            return cast(RunRecord, {"workings": "?", **about, "format": int(about["format"])})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise WorkingsError(f"{self.path}/run.json: cannot be read ({error})") from None

    def made(self) -> str:
        """When, or nothing where that cannot be read."""
        try:
            return str(self.about().get("made", ""))
        except WorkingsError:
            return ""

    def config(self, warn: Callable[[str], None] | None = None) -> RunConfig:
        """The run's config; the keys that only a newer version knows are warned of, and kept."""
        config = configs.resolve_stored(configs.read(self.path / "config.toml"))
        if warn and config.unknown:
            keys = ", ".join(configs.unknown_keys(config))
            warn(
                f"{self.path}/config.toml: this version of workings ({__version__}) does not know "
                f"{keys}; kept, but without effect"
            )
        return config

    def assets(self, config: RunConfig) -> dict[str, bytes]:
        """The files that the task left for prediction."""
        assets = {}
        for name in TASKS[config.task].ASSETS:
            try:
                assets[name] = (self.path / name).read_bytes()
            except OSError as error:
                raise WorkingsError(
                    f"{self.path / name}: cannot be read ({error.strerror}); without it the run "
                    "cannot be used"
                ) from None
        return assets

    def hold(self) -> filelock.AcquireReturnProxy:
        """Take the folder for this process; the system gives it back when the process dies."""
        self.require_own_files()
        with explain(self.path):
            try:
                return self.lock.acquire(timeout=0)
            except filelock.Timeout:
                raise WorkingsError(
                    f"{self.path}: another process is training in this folder; "
                    "wait for it, or stop it"
                ) from None

    def held(self) -> bool:
        """Whether some process is training in it now."""
        if (self.path / "lock").is_symlink():
            return False  # not a lock of ours, and never opened
        try:
            with self.lock.acquire(timeout=0):
                return False
        except filelock.Timeout:
            return True
        except OSError:
            return False  # not ours to write: nor does anybody train there through us

    def append_metrics(self, lines: list[MetricsLine]) -> None:
        """Add evaluations to metrics.jsonl, and see them to the disk."""
        if not lines:
            return
        path = self.path / "metrics.jsonl"
        with explain(path), path.open("a") as file:
            for line in lines:
                file.write(json.dumps({key: _finite(value) for key, value in line.items()}) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def metrics(self) -> list[MetricsLine]:
        """Every evaluation so far."""
        try:
            lines = (self.path / "metrics.jsonl").read_text(errors="replace").splitlines()
        except OSError:
            return []
        whole = []
        for line in lines:
            try:
                whole.append(dict(json.loads(line)))
            except (ValueError, TypeError):
                break  # a line that a killed process did not finish
        return whole

    def keep_metrics(self, count: int) -> None:
        """Forget the lines written after the checkpoint that is resumed from."""
        kept = self.metrics()[:count]
        content = "".join(json.dumps(line) + "\n" for line in kept)
        write_file(self.path / "metrics.jsonl", content.encode())

    def write_config(self, config: RunConfig) -> None:
        """Replace the run's config."""
        write_file(self.path / "config.toml", config.to_toml())

    def write_result(self, result: Result) -> None:
        """The figures of a run that is finished with this."""
        write_file(self.path / "result.json", _json(result))

    def result(self) -> Result | None:
        """The finished run's result, or None."""
        try:
            return cast(Result, json.loads((self.path / "result.json").read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise WorkingsError(f"{self.path}/result.json: cannot be read ({error})") from None

    def forget_result(self) -> None:
        """A finished run that goes on is no longer finished."""
        (self.path / "result.json").unlink(missing_ok=True)

    def state(self) -> Literal["finished", "running", "stopped"]:
        """Where the run stands."""
        if (self.path / "result.json").is_file():
            return "finished"
        return "running" if self.held() else "stopped"

    def command(self, verb: str) -> str:
        """What to type to do something with this run."""
        default = self.path.parent == root(None)
        return f"workings {verb} {shlex.quote(self.path.name if default else _path(self.path))}"

    def remove(self) -> None:
        """Delete the run; a folder that holds anything but a run's files is left alone."""
        self.require_own_files()
        if self.path.is_symlink():
            raise WorkingsError(f"{self.path}: is a symbolic link; remove what it leads to")
        if self.held():
            raise WorkingsError(f"{self.path}: is being trained now; stop it first")
        files = {*KEPT_FILES, *(name for task in TASKS.values() for name in task.ASSETS)}
        for entry in self.path.iterdir():
            # A killed process leaves the file that it was writing as .NAME-RANDOM.
            name = entry.name.removeprefix(".").rpartition("-")[0] or entry.name
            if entry.name not in KEPT_FOLDERS if entry.is_dir() else name not in files:
                raise WorkingsError(
                    f"{entry}: is not a file of a run; move it away, then remove the run"
                )
        with explain(self.path):
            shutil.rmtree(self.path)


def listed(runs: Path) -> list[RunFolder]:
    """Every run below a folder, the oldest first."""
    if not runs.is_dir():
        return []
    folders = [
        RunFolder(p) for p in runs.iterdir() if (p / "run.json").is_file() and p.name[0] != "."
    ]
    return sorted(folders, key=lambda folder: (folder.made(), folder.path.name))


def _path(path: Path) -> str:
    return str(path) if "/" in str(path) else f"./{path}"


def _finite(value: int | float | str | None) -> int | float | str | None:
    """JSON has no NaN and no infinity: they are null there."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
