"""A study's folder: its file, its runs, what failed, its report; and the summary of all that.

studies/NAME/  study.toml  study.json  runs/  failed/  report.html  table.md …
"""

import json
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

import filelock
import tomlkit

from workings import json_files
from workings.errors import WorkingsError
from workings.files import explain, read_file, write_file
from workings.names import escaped
from workings.run.config import Values, read
from workings.run.folder.run_folder import RunFolder, listed
from workings.schema import build
from workings.study.file import StudyFile
from workings.study.kept import Comparison, keys
from workings.study.measures import MEASURES, direction
from workings.study.plan import Job, Plan, config_key
from workings.study.summary import ClaimSummary, RowSummary, RunSummary, StudySummary
from workings.study.where import root as root
from workings.version import __version__

PRUNED = "pruned"  # how the reason begins why a search gave a trial up


class JobRecord(TypedDict):
    """One run of a study, as study.json names it."""

    row: str
    seed: int
    folder: str


class StudyRecord(TypedDict):
    """What study.json holds."""

    name: str
    title: str
    workings: str
    command: str
    narrowed: list[str]
    jobs: list[JobRecord]
    rows: list[str]
    parts: list[str]


class StudyFolder:
    """One study's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self, plan: Plan, command: str) -> None:
        """Make the folder, or take it up again; that of another study is not touched."""
        about = self.about()
        if about and about["title"] != plan.file.title:
            raise WorkingsError(
                f"{self.path}: is the folder of another study ({about['title']!r}); "
                "choose another one with --folder"
            )
        if self.path.exists() and not about and any(map(_foreign, self.path.iterdir())):
            raise WorkingsError(
                f"{self.path}: exists and is no study's folder; choose another with --folder"
            )
        with explain(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        made = {
            "name": plan.name,
            "title": plan.file.title,
            "workings": __version__,
            "command": escaped(command),
            "narrowed": plan.narrowed,
            "jobs": [{"row": job.row, "seed": job.seed, "folder": job.folder} for job in plan.jobs],
            "rows": [row.name for row in plan.rows],
            "parts": plan.file.parts,
        }
        # First: it is what tells the folder of a study whose making was interrupted.
        write_file(self.path / "study.json", json.dumps(made, indent=2).encode())
        asked = plan.file.model_dump(mode="json", exclude_defaults=True)
        write_file(self.path / "study.toml", tomlkit.dumps(asked).encode())
        with explain(self.path):
            for name in ("runs", "failed"):
                (self.path / name).mkdir(exist_ok=True)

    def hold(self) -> filelock.AcquireReturnProxy:
        """Take the study for this process; the system gives it back when the process dies."""
        self.require_own_files()
        with explain(self.path):
            try:
                return filelock.FileLock(self.path / "lock").acquire(timeout=0)
            except filelock.Timeout:
                raise WorkingsError(
                    f"{self.path}: another process is running this study; wait for it, or choose "
                    "another folder with --folder"
                ) from None

    def require_own_files(self) -> None:
        """Refuse a folder that leads elsewhere: what is written must be inside it."""
        for pattern in ("*", "runs/*", "failed/*", "parts/*"):
            for path in self.path.glob(pattern):
                if path.is_symlink():
                    raise WorkingsError(
                        f"{path}: is a symbolic link, which a study's folder never holds; "
                        "put what it leads to in its place, or choose another with --folder"
                    )

    def about(self) -> StudyRecord | None:
        """What study it is, or None where it is none."""
        path = self.path / "study.json"
        try:
            record = json_files.read(path, StudyRecord)
        except FileNotFoundError:
            return None
        for job in record["jobs"]:
            if job["folder"] in ("", "..") or Path(job["folder"]).name != job["folder"]:
                raise WorkingsError(f"{path}: damaged: {job['folder']!a} is no run's name")
        return record

    def run(self, job: Job) -> Path:
        """Return the folder of a job's run."""
        return self.path / "runs" / job.folder

    def part(self, name: str) -> "StudyFolder":
        """Return the folder of a part of this study."""
        return StudyFolder(self.path / "parts" / re.sub(r"[^A-Za-z0-9._-]+", "-", Path(name).stem))

    def finished(self, job: Job) -> bool:
        """Whether a job's run has its result."""
        return (self.run(job) / "result.json").is_file()

    def failed(self, job: Job, error: str) -> None:
        """Remember why a job failed; a job without an error has not."""
        path = self.path / "failed" / f"{job.folder}.txt"
        if error:
            write_file(path, error.encode())
        else:
            path.unlink(missing_ok=True)

    def take(
        self, plan: Plan, sources: list[Path], say: Callable[[str], None]
    ) -> list[tuple[Job, Path]]:
        """Copy finished runs from elsewhere that are what jobs still to do ask for."""
        jobs = [job for job in plan.jobs if not job.measure and not self.run(job).exists()]
        wanted = {key: job for job in jobs for key in keys(job)}
        taken, comparison = [], Comparison()
        for source in sources:
            runs = [RunFolder(source)] if (source / "run.json").is_file() else listed(source)
            if not runs:
                raise WorkingsError(f"--take {source}: there is no run in it")
            for run in runs:
                if not (run.path / "result.json").is_file():
                    continue
                run.require_own_files()  # they are copied
                job = wanted.get(config_key(run.config()))
                if job and (why := comparison.difference(job, run)):
                    say(f"not taken in: {run.path}: {why}")
                elif job:
                    wanted = {key: other for key, other in wanted.items() if other != job}
                    self._copy(run.path, self.run(job))
                    taken.append((job, run.path))
        return taken

    def _copy(self, source: Path, target: Path) -> None:
        with explain(target):
            temporary = Path(tempfile.mkdtemp(prefix=".taking-", dir=target.parent))
            try:
                shutil.copytree(source, temporary / "run", ignore=shutil.ignore_patterns("lock"))
                (temporary / "run").rename(target)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)

    def summary(self) -> StudySummary:
        """Sum up what has been measured so far."""
        about = self.about()
        if about is None:
            raise WorkingsError(f"{self.path}: is no study's folder")
        file = build(StudyFile, read(self.path / "study.toml"), "")
        runs: dict[str, list[RunSummary]] = {}
        for job in about["jobs"]:
            runs.setdefault(job["row"], []).append(self._run(job["folder"], job["seed"]))
        rows = [
            RowSummary(row.name, row.set, row.published, row.source or file.source, runs[row.name])
            for row in file.rows()
            if row.name in runs
        ]
        return StudySummary(
            name=about["name"],
            file=file,
            rows=rows,
            lower_is_better=direction(file) is not False,
            x=MEASURES[file.measure].x if file.measure in MEASURES else "epoch",
            narrowed=about["narrowed"],
            command=about["command"],
            parts=[self.part(name).summary() for name in about["parts"] if self.part(name).about()],
            claims=self._claims(),
        )

    def _run(self, name: str, seed: int) -> RunSummary:
        path = self.path / "runs" / name
        error = self._failure(name)
        if not path.is_dir():
            return RunSummary(path, seed, "failed" if error else "waiting", error)
        folder = RunFolder(path)
        try:
            config = _asked(folder)
            result, lines = folder.result(), folder.metrics()
        except WorkingsError as damaged:
            return RunSummary(path, seed, "failed", str(damaged))
        missing = "failed" if error else "stopped"
        state = "finished" if result else PRUNED if error.startswith(PRUNED) else missing
        return RunSummary(path, seed, state, "" if result else error, config, result, lines)

    def _failure(self, name: str) -> str:
        """Why a run failed; empty where it has not."""
        path = self.path / "failed" / f"{name}.txt"
        try:
            return read_file(path).decode(errors="replace")
        except FileNotFoundError:
            return ""
        except OSError as error:
            return f"{path}: cannot be read ({error.strerror})"

    def keep_claims(self, claims: list[dict[str, object]]) -> None:
        """Write the verdicts of the book beside the runs."""
        write_file(self.path / "claims.json", json.dumps(claims, indent=2).encode())

    def _claims(self) -> list[ClaimSummary]:
        path = self.path / "claims.json"
        try:
            records = json_files.read(path, list[dict[str, object]])
            return [ClaimSummary.read(record) for record in records]
        except FileNotFoundError:
            return []
        except ValueError as error:
            raise WorkingsError(
                f"{path}: cannot be read ({error}); run the study again to write it"
            ) from None


def _foreign(entry: Path) -> bool:
    """Whether it is not what a process leaves that was killed while it made the folder."""
    return not entry.name.startswith(".study.json-")


def _asked(folder: RunFolder) -> Values:
    """A run's config, or a measurement's settings."""
    measure = folder.path / "measure.json"
    if measure.is_file():
        return json_files.read(measure, Values)
    return folder.config().flat()
