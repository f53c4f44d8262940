"""One precision for all rows of a study that leave the choice to a measurement."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

from workings.run.config import resolve, section_of
from workings.run.folder.run_folder import RunFolder
from workings.run.machine import measured
from workings.study.plan import Job


def settled(
    left: list[Job], every: list[Job], where: Callable[[Job], Path], threads: int
) -> list[Job]:
    """The jobs that are left, with their precision; runs of two precisions are not compared.

    It is that of the runs that the study has begun with, else what its first row's measurement
    gives. every: all jobs of the study; where: the folder of a job's run.
    """
    chosen: dict[str, str] = {}  # by the study's part
    settled_jobs = []
    for job in left:
        if is_open(job):
            if job.part not in chosen:
                rows = [other for other in every if is_open(other) and other.part == job.part]
                chosen[job.part] = _begun_with(rows, where) or _measured(rows[0], threads)
            job = dataclasses.replace(job, precision=chosen[job.part])
        settled_jobs.append(job)
    return settled_jobs


def is_open(job: Job) -> bool:
    """Whether the job leaves its precision to a measurement."""
    return not job.measure and section_of(job.values, "train")["precision"] == "auto"


def _begun_with(jobs: list[Job], where: Callable[[Job], Path]) -> str:
    """The precision of the first run that is there; empty where there is none."""
    for job in jobs:
        if (where(job) / "config.toml").is_file():
            return RunFolder(where(job)).config().train.precision
    return ""


def _measured(job: Job, threads: int) -> str:
    config = resolve(job.trained_on(threads))
    task = config.build_task()
    return measured.settled(config, task).train.precision
