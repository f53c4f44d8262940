"""A study from its file to its summary: planned, run (or resumed) and summed up."""

import dataclasses
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

from workings.errors import Interrupted, WorkingsError
from workings.run.machine.signals import Stop
from workings.study import file as files
from workings.study import folder as folders
from workings.study import one_precision
from workings.study.engines.local import EngineMaker, Local, Queue, cores, threads_each
from workings.study.folder import StudyFolder
from workings.study.kept import settle
from workings.study.plan import Job, Plan, plan
from workings.study.progress import Quiet
from workings.study.summary import StudySummary

BOOK_INTERVAL = 10.0  # seconds between two lines about the book's statements


@dataclass(frozen=True)
class Study:
    """A study that has run: its folder, and the summary of what it measured."""

    folder: StudyFolder
    summary: StudySummary


class WantedOptions(TypedDict, total=False):
    """The fields of `Wanted`, as options of a call."""

    rows: list[str] | None
    settings: list[str] | None
    seeds: list[int] | None
    jobs: int
    folder: Path | None
    studies: Path | None
    take: tuple[Path, ...]
    command: str
    trust: bool


@dataclass(frozen=True)
class Wanted:
    """What is asked of a study, besides its file."""

    rows: list[str] | None = None
    settings: list[str] | None = None
    seeds: list[int] | None = None
    jobs: int = 1
    folder: Path | None = None  # instead of one below the studies' root
    studies: Path | None = None
    take: tuple[Path, ...] = ()
    command: str = ""
    trust: bool = False  # import the classes that the study's file names


class Conductor:
    """Plans a study, and has its jobs done."""

    def __init__(self, what: str, wanted: Wanted, view: Quiet | None = None) -> None:
        self.wanted, self.view = wanted, view or Quiet()
        name, file = files.load(what)
        self.name, self.file = name, file
        self.folder = StudyFolder(wanted.folder or folders.root(wanted.studies) / name)
        self.plans: dict[str, Plan] = {"": self._plan(name, file, self.folder)}
        for part in file.parts:
            part_name, part_file = files.load(part)
            if part_file.parts or part_file.book:
                raise WorkingsError(f"parts: {part} is made of parts itself")
            self.plans[part] = self._plan(part_name, part_file, self.folder.part(part))

    def _plan(self, name: str, file: files.StudyFile, folder: StudyFolder) -> Plan:
        if file.parts or file.book:
            return Plan(name, file, [], [], [])
        wanted = self.wanted
        made = plan(name, file, wanted.rows, wanted.settings, wanted.seeds, wanted.trust)
        settled, notes = settle(made, folder.path / "runs")
        for note in notes:
            self.view.say(note)
        return settled

    def part_folder(self, part: str) -> StudyFolder:
        """Return the folder of a part; that of the study itself where there are no parts."""
        return self.folder.part(part) if part else self.folder

    def where(self, job: Job) -> Path:
        """Return the folder of a job's run."""
        return self.part_folder(job.part).run(job)

    @property
    def jobs(self) -> list[Job]:
        """Of all parts, in order."""
        return [
            dataclasses.replace(job, part=part)
            for part, planned in self.plans.items()
            for job in planned.jobs
        ]

    def left(self) -> list[Job]:
        """The jobs that are not finished."""
        return [job for job in self.jobs if not self.part_folder(job.part).finished(job)]

    def prepare(self) -> list[tuple[Job, Path]]:
        """Make the folders, and take in finished runs from elsewhere."""
        taken = []
        for part, planned in self.plans.items():
            folder = self.part_folder(part)
            folder.create(planned, self.wanted.command)
            if self.wanted.take and planned.jobs:
                taken += folder.take(planned, list(self.wanted.take), self.view.say)
        return taken

    def failed(self, job: Job, error: str) -> None:
        """Remember why a job failed."""
        self.part_folder(job.part).failed(job, error)

    def run(self, engine: EngineMaker = Local) -> Study:
        """Do what is left; an interrupted study is resumed by the same command."""
        left = self.left()
        for job in left:
            self.failed(job, "")
        workers = max(1, min(self.wanted.jobs, cores(), len(left) or 1))
        left = one_precision.settled(left, self.jobs, self.where, threads_each(workers))
        with Stop() as stop, self.folder.hold():
            self.view.start(len(self.jobs), len(self.jobs) - len(left))
            try:
                engine(workers, self.where, self.view).run(
                    Queue(deque(left), self.failed), lambda: stop.signal
                )
                if self.file.book and not stop.signal:
                    self._check_book(lambda: stop.signal)
            finally:
                self.view.close()
            if stop.signal:
                raise Interrupted(stop.signal)
        return Study(self.folder, self.folder.summary())

    def _check_book(self, stopped: Callable[[], object]) -> None:
        """Every statement of the book; stopped between two of them, nothing is kept."""
        from workings.claims import check as checking

        self.view.say("checking the book of claims")
        results, said = [], time.monotonic()
        for result in checking.check_book():
            results.append(result.to_dict())
            if stopped():
                return
            if time.monotonic() - said > BOOK_INTERVAL:
                said = time.monotonic()
                self.view.say(f"the book of claims: {len(results)} statements checked")
        self.folder.keep_claims(results)


def study(what: str, view: Quiet | None = None, **wanted: Unpack[WantedOptions]) -> Study:
    """Run a shipped study or a file to the end; the options are those of `Wanted`."""
    conductor = Conductor(what, Wanted(**wanted), view)
    conductor.prepare()
    return conductor.run()
