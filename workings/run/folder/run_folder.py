"""The run folder: made, found, locked, listed; its checkpoints dropped, or all of it removed.

runs/NAME/  run.json  config.toml  metrics.jsonl  checkpoint/  result.json  manifest.json  lock
            and the task's assets (a language model's vocabulary.json); where it went wrong,
            failure.json and metrics.damaged.jsonl
"""

import contextlib
import datetime
import json
import os
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import filelock

from workings import json_files
from workings.errors import WorkingsError, first_line, nearest
from workings.files import explain, read_file, write_file, write_folder
from workings.names import check_name
from workings.run.config import RunConfig
from workings.run.folder import checkpoint, examples_file, listing, manifest
from workings.run.folder.kept_files import foreign
from workings.run.folder.listing import State
from workings.run.folder.listing import root as root
from workings.run.folder.manifest import Manifest
from workings.run.folder.metrics_file import MetricsFile
from workings.run.folder.records import FailureRecord, MetricsLine, Result, RunRecord
from workings.run.folder.result_file import read_result
from workings.run.folder.stored_config import read_stored
from workings.tasks import TASKS
from workings.version import __version__

FORMAT = 1  # raised when an older version could not read what this one writes
LARGEST_ASSET = 1 << 30  # bytes


def location(name: str, runs: Path) -> Path:
    """The folder of a run's name, below `runs`; a name with a slash in it is a path."""
    if not name or (name[0] in "-.~" and "/" not in name):
        raise WorkingsError(f"--run {name!a}: a run's name begins with a letter or a digit")
    check_name("--run", name)
    return Path(name) if "/" in name else runs / name


class RunFolder:
    """One run's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = filelock.FileLock(path / "lock")
        self.manifest, self.metrics_file = Manifest(path), MetricsFile(path)

    def create(
        self, config: RunConfig, assets: dict[str, bytes], about: Mapping[str, object]
    ) -> None:
        """Make the folder, whole at once; an existing one is never touched."""
        self.refuse_existing()
        with explain(self.path.parent):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        made = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
        task = config.build_task()
        record = {
            "format": FORMAT,
            "workings": __version__,
            "made": made,
            **about,
            "task": config.task,
            "model": config.kind,
            # Of this run's task: nodes and edges of a graph are selected by other metrics.
            "metric": task.best,
            "lower_is_better": task.lower_is_better,
        }
        checked = {"config.toml": config.to_toml(), **assets}
        digests = {name: manifest.sha256(content) for name, content in checked.items()}
        files = {"run.json": _json(record), **checked}
        files[manifest.NAME] = manifest.written(digests, config.fixed())
        write_folder(self.path, files)

    def refuse_existing(self) -> None:
        """A new run never goes into an old folder."""
        if self.path.exists():
            raise WorkingsError(
                f"{self.path}: exists already; go on with `{self.command('resume')}`, "
                f"open it in Python with workings.open({self.path.name!r}), or choose another name "
                "(--run, name=)"
            )

    @classmethod
    def find(cls, name: str, runs: Path) -> "RunFolder":
        """The run of that name or path, or an error that offers the nearest name."""
        path = location(name, runs)
        if not (path / "run.json").is_file():
            known = [path.name for path in listing.folders(runs)]
            raise WorkingsError(
                f"no run {name!r} in {runs}{nearest(name, known)}; `workings runs list` shows them"
            )
        folder = cls(path)
        folder.require_own_files()
        if folder.about()["format"] > FORMAT:
            raise WorkingsError(
                f"{path}: was made by a newer version of workings "
                f"({folder.about().get('workings', '?')}, this is {__version__}); upgrade workings"
            )
        return folder

    def require_own_files(self) -> None:
        """Refuse a folder that leads elsewhere: what is written or removed must be inside it."""
        for folder, folders, files in os.walk(self.path):
            for name in (*folders, *files):
                if os.path.islink(f"{folder}/{name}"):  # noqa: PTH114 - without the cost of a Path
                    raise WorkingsError(
                        f"{folder}/{name}: is a symbolic link, which a run folder never holds; "
                        "copy the run, with what it links to, to another folder"
                    )

    def about(self) -> RunRecord:
        """What run.json says; keys of a newer version stay in it."""
        try:
            return json_files.read(self.path / "run.json", RunRecord)
        except FileNotFoundError:
            raise WorkingsError(f"{self.path}: has no run.json; it is no run's folder") from None

    def config(self, warn: Callable[[str], None] | None = None) -> RunConfig:
        """The run's config; an edit of it, and the keys of a newer version, are warned of."""
        path = self.path / "config.toml"
        edited = self._is_changed(path.name)
        try:
            config = read_stored(path)
        except WorkingsError as error:
            if not edited:
                raise
            raise WorkingsError(f"{error}; it has changed since the run wrote it") from None
        if warn and edited:
            warn(f"{path}: was edited since the run wrote it; what it says now is used")
        if warn and config.unknown:
            keys = ", ".join(config.unknown_keys)
            warn(
                f"{path}: this version of workings ({__version__}) does not know "
                f"{keys}; kept, but without effect"
            )
        return config

    def _is_changed(self, name: str) -> bool:
        """Whether a file is not the one that was written; what cannot be read its reader names."""
        try:
            return self.manifest.changed(name, read_file(self.path / name))
        except OSError:
            return False

    def require_same_config(self, config: RunConfig) -> None:
        """Refuse to go on with a config whose data, model or recipe was edited by hand."""
        fixed, path = self.manifest.read()["fixed_config"], self.path / "config.toml"
        if fixed not in ("", config.fixed()) and self._is_changed(path.name):
            raise WorkingsError(
                f"{path}: was edited in more than a run that has begun can change (how long and "
                "how fast it trains, where its data is); undo the edit, or start a new run from "
                f"its weights with --init-from {self.path}"
            )

    def assets(self, config: RunConfig) -> dict[str, bytes]:
        """The files that the task left for prediction, as they were written."""
        assets = {}
        for name in TASKS[config.task].ASSETS:
            try:
                assets[name] = read_file(self.path / name, LARGEST_ASSET)
            except OSError as error:
                raise WorkingsError(
                    f"{self.path / name}: cannot be read ({error.strerror}); without it the run "
                    "cannot be used"
                ) from None
            way_out = "the weights would mean something else with it; bring the old file back"
            self.manifest.require(name, assets[name], way_out)
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
        return listing.held(self.path)

    def append_metrics(self, lines: list[MetricsLine]) -> None:
        """Add evaluations to metrics.jsonl, and see them to the disk."""
        self.metrics_file.append(lines)

    def metrics(self) -> list[MetricsLine]:
        """Every evaluation so far."""
        return self.metrics_file.read()

    def write_config(self, config: RunConfig) -> None:
        """Replace the run's config."""
        self.manifest.replace("config.toml", config.to_toml(), config.fixed())

    def write_result(self, result: Result) -> None:
        """The figures of a run that is finished with this."""
        self.manifest.replace("result.json", _json(result))

    def result(self) -> Result | None:
        """The finished run's result, as it was written, or None."""
        path = self.path / "result.json"
        try:
            result = read_result(path)
        except FileNotFoundError:
            return None
        remade = f"remove it, and `{self.command('resume')}` makes it again"
        self.manifest.require(path.name, read_file(path), remade)
        return result

    def forget_result(self) -> None:
        """A finished run that goes on is no longer finished."""
        for name in ("result.json", examples_file.NAME):
            self.manifest.forget(name)
            with explain(self.path):
                (self.path / name).unlink(missing_ok=True)

    def write_failure(self, error: BaseException, step: int) -> None:
        """Remember why the run ended, as far as the disk still takes it."""
        record: FailureRecord = {"error": first_line(error) or type(error).__name__, "step": step}
        with contextlib.suppress(WorkingsError):
            write_file(self.path / "failure.json", _json(record))

    def forget_failure(self) -> None:
        """The run goes on."""
        with explain(self.path):
            (self.path / "failure.json").unlink(missing_ok=True)

    def state(self) -> State:
        """Where the run stands."""
        return listing.state(self.path)

    def command(self, verb: str) -> str:
        """What to type to do something with this run."""
        default = self.path.parent == root(None)
        return f"workings {verb} {shlex.quote(self.path.name if default else _path(self.path))}"

    def last_checkpoints_size(self) -> int:
        """Bytes of the checkpoints that only training on would need."""
        files = [file for last in self._last_checkpoints() for file in last.rglob("*")]
        return sum(file.stat().st_size for file in files if file.is_file())

    def prune(self) -> None:
        """Drop them; the best weights stay."""
        self.require_own_files()
        with self.hold(), explain(self.path):
            for last in self._last_checkpoints():
                checkpoint.remove(last)

    def _last_checkpoints(self) -> list[Path]:
        return [path for path in self.path.glob("checkpoint/last-*") if not path.is_symlink()]

    def remove(self) -> None:
        """Delete the run; a folder that holds anything but a run's files is left alone."""
        self.require_own_files()
        if self.path.is_symlink():
            raise WorkingsError(f"{self.path}: is a symbolic link; remove what it leads to")
        if self.held():
            raise WorkingsError(f"{self.path}: is being trained now; stop it first")
        for entry in foreign(self.path):
            raise WorkingsError(
                f"{entry}: is not a file of a run; move it away, then remove the run"
            )
        with explain(self.path):
            shutil.rmtree(self.path)


def listed(runs: Path) -> list[RunFolder]:
    """Every run below a folder, the oldest first."""
    return [RunFolder(path) for path in listing.folders(runs)]


def _path(path: Path) -> str:
    return str(path) if "/" in str(path) else f"./{path}"


def _json(value: object) -> bytes:
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    try:
        return text.encode()
    except UnicodeEncodeError:  # the name of a file that is not UTF-8
        return (json.dumps(value, indent=2) + "\n").encode()
