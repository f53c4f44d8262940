"""Worker processes on this machine that do a study's jobs, the cores divided between them."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing import connection
from pathlib import Path
from typing import Protocol

from workings import child_python
from workings.openmp import thread_limit
from workings.study.engines.messages import Ended, EpochEnded, Message, News, Warned
from workings.study.plan import Job

ATTEMPTS = 3  # a worker that is killed is replaced, and its job taken up again, so often


class View(Protocol):
    """What is shown while jobs run: told when a job begins, has news, and ends (with an error)."""

    def began(self, job: Job) -> None:
        """A job begins, or goes on in another worker."""

    def told(self, job: Job, message: News) -> None:
        """A job has news."""

    def ended(self, job: Job, error: str) -> None:
        """A job is done, or has failed with an error."""


class Jobs(Protocol):
    """Where jobs come from, and whom their ends concern."""

    def next(self) -> Job | None:
        """The next job, or None where there is none now."""

    def epoch(self, job: Job, epoch: int, value: float) -> bool:
        """Told the validation metric of an epoch; whether the job should stop there."""

    def ended(self, job: Job, error: str, stopped: bool) -> None:
        """Told when a job is done (no error), failed, or was stopped."""


class Engine(Protocol):
    """What does the jobs: worker processes of this machine, or a cluster."""

    def run(self, jobs: Jobs, stopping: Callable[[], int]) -> None:
        """Do all jobs to their ends; `stopping` gives the signal that asks to stop, or 0."""


# From the number of workers, the folder of a job and what is shown.
EngineMaker = Callable[[int, Callable[[Job], Path], View], Engine]


@dataclass
class Queue:
    """Jobs that are known beforehand."""

    waiting: deque[Job]
    failed: Callable[[Job, str], None]

    def next(self) -> Job | None:
        """The first of those that wait."""
        return self.waiting.popleft() if self.waiting else None

    def epoch(self, job: Job, epoch: int, value: float) -> bool:
        """No job is stopped early: each was asked for."""
        return False

    def ended(self, job: Job, error: str, stopped: bool) -> None:
        """A failed job is remembered with its error."""
        if error:
            self.failed(job, error)


@dataclass
class Worker:
    """A process, the pipe to it, and what it is doing."""

    process: subprocess.Popen[bytes]
    pipe: connection.Connection
    job: Job | None = None
    told_to_stop: bool = field(default=False)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads_each(workers: int) -> int:
    """The threads of each of so many workers: its share of the cores, at most OMP_NUM_THREADS."""
    share = max(1, cores() // workers)
    return min(share, thread_limit() or share)


class Local:
    """Worker processes on this machine; a killed one is replaced and its job goes on."""

    def __init__(self, workers: int, where: Callable[[Job], Path], view: View) -> None:
        self.workers, self.where, self.view = workers, where, view
        self.threads = threads_each(workers)
        self.attempts: dict[str, int] = {}

    def run(self, jobs: Jobs, stopping: Callable[[], int]) -> None:
        """All jobs to their ends; `stopping` gives the signal that asks to stop, or 0."""
        team: list[Worker] = []
        try:
            while True:
                self._hand_out(team, jobs)
                busy = [worker for worker in team if worker.job]
                if not busy:
                    return
                ready = connection.wait([worker.pipe for worker in busy], timeout=0.2)
                for worker in busy:
                    if worker.pipe in ready:
                        self._listen(worker, team, jobs)
                if stopping():
                    return
        finally:
            self._dismiss(team)

    def _hand_out(self, team: list[Worker], jobs: Jobs) -> None:
        while sum(worker.job is not None for worker in team) < self.workers:
            job = jobs.next()
            if job is None:
                return
            self._give(team, job)

    def _give(self, team: list[Worker], job: Job) -> None:
        worker = next((idle for idle in team if idle.job is None), None) or self._hire(team)
        worker.job, worker.told_to_stop = job, False
        self.view.began(job)
        worker.pipe.send((job, str(self.where(job))))

    def _hire(self, team: list[Worker]) -> Worker:
        # Not multiprocessing's own start: it would run the caller's main module once more.
        ours, theirs = multiprocessing.Pipe()
        command = child_python.command("workings.study.engines.worker")
        process = subprocess.Popen(
            [*command, str(theirs.fileno()), str(self.threads), str(os.getpid())],
            pass_fds=[theirs.fileno()],
            env=child_python.environment(),
        )
        theirs.close()  # so that the end of the process is the end of the pipe
        team.append(Worker(process, ours))
        return team[-1]

    def _listen(self, worker: Worker, team: list[Worker], jobs: Jobs) -> None:
        job = worker.job
        assert job is not None
        try:
            message: Message = worker.pipe.recv()
        except (EOFError, OSError):
            self._replace(worker, job, team, jobs)
            return
        if isinstance(message, Ended):
            worker.job = None
            self.view.ended(job, message.error)
            jobs.ended(job, message.error, message.stopped)
            return
        self.view.told(job, message)
        if (
            isinstance(message, EpochEnded)
            and not worker.told_to_stop
            and jobs.epoch(job, message.epoch, message.value)
        ):
            worker.told_to_stop = True
            os.kill(worker.process.pid, signal.SIGTERM)

    def _replace(self, worker: Worker, job: Job, team: list[Worker], jobs: Jobs) -> None:
        """The process died under its job: another one goes on from the last checkpoint."""
        code = worker.process.wait()
        team.remove(worker)
        if worker.told_to_stop:  # before it was listening for that
            self.view.ended(job, "")
            jobs.ended(job, "", stopped=True)
            return
        tries = self.attempts[job.folder] = self.attempts.get(job.folder, 0) + 1
        said = f"signal {-code}" if code < 0 else f"exit code {code}"
        if tries < ATTEMPTS:
            text = f"its process ended ({said}); going on from its last checkpoint"
            self.view.told(job, Warned(text))
            self._give(team, job)
            return
        error = f"its process ended {tries} times ({said}); not enough memory?"
        self.view.ended(job, error)
        jobs.ended(job, error, stopped=False)

    def _dismiss(self, team: list[Worker]) -> None:
        """Those that work save where they are and end; the others end at once."""
        for worker in team:
            if worker.job:
                os.kill(worker.process.pid, signal.SIGTERM)
            with contextlib.suppress(OSError):
                worker.pipe.send(None)
        for worker in team:
            while worker.process.poll() is None:
                time.sleep(0.02)
                with contextlib.suppress(EOFError, OSError):
                    while worker.pipe.poll():
                        worker.pipe.recv()  # a full pipe would hold it up
            worker.pipe.close()
