"""Which runs that a study keeps are what its plan asks for, and why others no longer are.

A run is what a job asks for when its config (less what is as it is by default), its data, the
source of its own class and the program's number of results are the same.
"""

import contextlib
import dataclasses
import json
import re
from pathlib import Path

from workings.errors import WorkingsError
from workings.own_class import names_in
from workings.run import config as configs
from workings.run.config import RunConfig
from workings.run.folder.kept_source import source_now
from workings.run.folder.run_folder import RunFolder, listed
from workings.study.plan import Job, Plan, config_key
from workings.version import RESULTS


def settle(plan: Plan, folder: Path) -> tuple[Plan, list[str]]:
    """The plan, each job with the name of its run below `folder`, and what is to be said of it."""
    kept: dict[str, list[RunFolder]] = {}
    by_name: dict[str, RunFolder] = {}
    for run in listed(folder):
        with contextlib.suppress(WorkingsError):  # a damaged one is named where it is used
            kept.setdefault(config_key(run.config()), []).append(run)
            by_name[run.path.name] = run
    comparison, used = Comparison(), set[str]()
    jobs, notes = [], dict[str, None]()
    for job in plan.jobs:
        settled, note = job, ""
        if not job.measure:
            # A run may have settled what its job leaves open: then its name, made of the job's
            # config, tells it.
            named = {name: run for name, run in by_name.items() if is_named(name, job)}
            named |= {run.path.name: run for key in keys(job) for run in kept.get(key, [])}
            runs = [run for name, run in named.items() if name not in used]
            settled, note = _named(job, runs, used, comparison)
        used.add(settled.folder)
        jobs.append(settled)
        notes |= {note: None} if note else {}
    return dataclasses.replace(plan, jobs=jobs), list(notes)


def is_named(name: str, job: Job) -> bool:
    """Whether a run's name is that of a job, or of one that was to be trained again."""
    return re.fullmatch(rf"{re.escape(job.folder)}(-\d+)?", name) is not None


def keys(job: Job) -> list[str]:
    """The keys of the configs that a job's run may have: one for each precision it may choose."""
    given = configs.section_of(job.values, "train")
    if given["precision"] != "auto":
        return [job.key]
    chosen = [given | {"precision": each} for each in ("float32", "bfloat16")]
    return [config_key(configs.resolve(job.values | {"train": train})) for train in chosen]


def _named(
    job: Job, runs: list[RunFolder], used: set[str], comparison: "Comparison"
) -> tuple[Job, str]:
    """The job with its run's name: of one that is kept and the same, or a free one."""
    runs = sorted(runs, key=lambda run: (run.path.name != job.folder, run.path.name))
    why = [comparison.difference(job, run) for run in runs]
    if "" in why:
        note = "" if comparison.data(job) else f"{job.row}: its data is not here to be compared"
        return dataclasses.replace(job, kept=runs[why.index("")].path.name), note
    name, number, taken = job.folder, 1, {run.path.name for run in runs} | used
    while name in taken:
        number += 1
        name = f"{job.folder}-{number}"
    note = f"{job.row}, seed {job.seed}: is trained again, {why[0]}" if why else ""
    return dataclasses.replace(job, kept=name), note


class Comparison:
    """Sets jobs beside runs of the same config; data and classes are read once each."""

    def __init__(self) -> None:
        self.checksums: dict[str, str] = {}
        self.digests: dict[str, str] = {}

    def difference(self, job: Job, run: RunFolder) -> str:
        """Why a run is not what a job of its config asks for, in words; empty where it is."""
        about, config = run.about(), configs.resolve(job.values)
        if named := ", ".join(names_in(job.values).values()):
            kept = about.get("own_class_source")
            if not kept:
                return f"the source of {named} was not kept, so it may have changed"
            if kept != self.source(named, config):
                return f"{named} has changed"
        if about.get("init_from"):
            return "it began with the weights of another run"
        if self.data(job) not in ("", about.get("data")):
            return "its data has changed"
        before, now = about.get("results", 1), RESULTS.get(config.task, 1)
        if before != now:
            return f"the program gives other figures than it did (results {before} → {now})"
        return ""

    def source(self, named: str, config: RunConfig) -> str:
        """The digest of the source of what a config names of the user's own."""
        if named not in self.digests:
            self.digests[named] = source_now(config).digest
        return self.digests[named]

    def data(self, job: Job) -> str:
        """The SHA-256 of a job's data; empty where it cannot be had."""
        values = {key: job.values[key] for key in ("task", "data", "seed")}
        key = json.dumps(values, sort_keys=True)
        if key not in self.checksums:
            self.checksums[key] = ""
            with contextlib.suppress(WorkingsError):
                task = configs.resolve(job.values).build_task()
                task.settle()  # how it is read is a part of some data
                self.checksums[key] = task.checksum()
        return self.checksums[key]
