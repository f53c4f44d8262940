"""From a study file to the runs it asks for: every row with every seed, all checked beforehand."""

import dataclasses
import hashlib
import json
import re
from dataclasses import dataclass

from workings.errors import WorkingsError, nearest
from workings.names import escaped
from workings.own_class import refuse_own
from workings.run import config as configs
from workings.run.config import Values
from workings.study.file import Row, StudyFile
from workings.study.measures import MEASURES, direction
from workings.study.metric_names import OF_A_RUN, VARIANTS
from workings.tasks import TASKS
from workings.tasks.own_functions import metric_name
from workings.version import RESULTS

SPEED = ("train.threads", "train.device", "train.matmul", "train.checkpoint_seconds")
# What changes how fast a run is, or what is accepted, not what it measures: no other run.
NEUTRAL = (
    *SPEED,
    *("data.allow_overlap", "data.allow_label_features", "train.allow_lookahead"),
)


@dataclass(frozen=True)
class Job:
    """One run of one row: plain values, so that it can be sent to another process or machine."""

    row: str
    seed: int
    values: Values  # a config's, or a measurement's settings
    measure: str = ""
    part: str = ""  # of a study of parts, the one it belongs to
    precision: str = ""  # what the study has chosen for all of its rows that leave it open
    kept: str = ""  # the name of its run, once it is known which are kept

    @property
    def key(self) -> str:
        """Equal for two jobs that ask the same, of the same data, classes and program."""
        if self.measure:
            number = RESULTS["measure"]
            raised = {"results": number} if number > 1 else {}
            return digest({"measure": self.measure, "seed": self.seed, **self.values, **raised})
        return config_key(configs.resolve(self.values))

    @property
    def folder(self) -> str:
        """The name of its run: readable, and another one when its config is changed."""
        if self.kept:
            return self.kept
        row = re.sub(r"[^a-z0-9.]+", "-", self.row.lower()).strip("-.")[:48] or "row"
        return f"{row}-seed{self.seed}-{self.key[:8]}"

    def trained_on(self, threads: int) -> Values:
        """Its config's values with the threads it gets of so many, and the study's precision.

        A small graph asks for one thread, whatever there is; 0 leaves it to a measurement.
        """
        train = configs.resolve(self.values).train
        each = max(1, threads // train.processes)
        asked = train.threads or (0 if train.processes == 1 < each else each)
        given = configs.section_of(self.values, "train") | {"threads": min(asked, each)}
        if self.precision:
            given["precision"] = self.precision
        return self.values | {"train": given}


@dataclass(frozen=True)
class Plan:
    """What a study will do."""

    name: str
    file: StudyFile
    rows: list[Row]
    jobs: list[Job]
    narrowed: list[str]  # what was left out or changed from the command line


def config_key(config: configs.RunConfig) -> str:
    """Of all that is not as it is by default: a field that a later version adds changes nothing."""
    return digest({k: v for k, v in config.chosen().items() if k not in NEUTRAL})


def digest(values: Values) -> str:
    """The SHA-256 of values, the same whatever order they are in."""
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()


def plan(
    name: str,
    file: StudyFile,
    rows: list[str] | None = None,
    settings: list[str] | None = None,
    seeds: list[int] | None = None,
    trust: bool = False,
) -> Plan:
    """Plan the jobs of a study, narrowed as asked; an invalid row is named before anything runs.

    trust: its rows may name classes of the user's own, which the workers will import.
    """
    every = file.rows()
    chosen = _choose(every, rows) if rows else every
    narrowed = []
    if len(chosen) < len(every):
        narrowed.append(f"{len(chosen)} of {len(every)} rows: {', '.join(r.name for r in chosen)}")
    if seeds and seeds != file.seeds:
        narrowed.append(f"seeds {', '.join(map(str, seeds))}")
    changed = [each for each in settings or [] if each.partition("=")[0].strip() not in SPEED]
    if changed:
        narrowed.append(escaped(f"set for every row: {', '.join(changed)}"))
    jobs = []
    for row in chosen:
        try:
            first, *others = seeds or file.seeds
            job = _job(file, row, first, settings or [], trust)
            # The data is looked at once a row, not once a seed.
            jobs += [job, *(_with_seed(job, seed) for seed in others)]
        except WorkingsError as error:
            raise WorkingsError(f"row {row.name!r}: {error}") from None
    return Plan(name, file, chosen, jobs, narrowed)


def _with_seed(job: Job, seed: int) -> Job:
    """The same job with another seed."""
    values = job.values if job.measure else job.values | {"seed": seed}
    return dataclasses.replace(job, seed=seed, values=values)


def _choose(rows: list[Row], wanted: list[str]) -> list[Row]:
    """By number, from 1, or by name; in the study's order."""
    names = [row.name for row in rows]
    picked = set()
    for row in wanted:
        if row in names:
            picked.add(names.index(row))
        elif row.isdecimal() and 1 <= int(row) <= len(rows):
            picked.add(int(row) - 1)
        else:
            raise WorkingsError(
                f"--rows: no row {row!r}{nearest(row, names)}; there are 1 to {len(rows)}: "
                f"{'; '.join(names)}"
            )
    return [rows[number] for number in sorted(picked)]


def _job(file: StudyFile, row: Row, seed: int, settings: list[str], trust: bool) -> Job:
    changes = file.set | row.set
    if file.measure:
        if file.measure not in MEASURES:
            raise WorkingsError(
                f"measure: no measurement {file.measure!r}{nearest(file.measure, MEASURES)}; "
                f"there is: {', '.join(MEASURES)}"
            )
        under = [f"settings.{setting}" for setting in settings]
        values = configs.section_of(configs.override({"settings": changes}, under), "settings")
        MEASURES[file.measure].check(values)
        _check_metrics(file, row, {f"test.{name}" for name in MEASURES[file.measure].metrics})
        return Job(row.name, seed, values, file.measure)
    values = configs.load(row.base or file.base, trust)
    for key, value in changes.items():
        inner = values
        *sections, last = key.split(".")
        for section in sections:
            below = inner.setdefault(section, {})
            if not isinstance(below, dict):
                raise WorkingsError(f"set: {key}: {section} is not a section")
            inner = below
        inner[last] = value
    if not trust:  # what is --set on the command line is the user's word
        refuse_own(values, "set: ")
    values = configs.override(values, settings) | {"seed": seed}
    config, _, _ = configs.resolve(values).settled()
    task = TASKS[config.task]
    splits = ("train", "valid", "test")
    known = (*task.METRICS, *map(metric_name, config.train.metrics))
    _check_metrics(file, row, {f"{s}.{metric}" for s in splits for metric in known})
    return Job(row.name, seed, config.model_dump(mode="json"))


def _check_metrics(file: StudyFile, row: Row, known: set[str]) -> None:
    """Figures can only be published for, and tables only show, what the task measures.

    Which of two figures is the better one is known, not guessed.
    """
    asked = {"metric": [file.metric], "also": file.also, "published": list(row.published)}
    for where, names in asked.items():
        for name in names:
            plain, _, variant = name.partition("@")
            if variant and variant not in VARIANTS:
                raise WorkingsError(
                    f"{where}: {name}: no variant {variant!r}{nearest(variant, VARIANTS)}; "
                    f"there is: {', '.join(VARIANTS)}"
                )
            if plain not in known and plain not in OF_A_RUN:
                raise WorkingsError(
                    f"{where}: no metric {name!r}{nearest(name, known)}; there is: "
                    f"{', '.join(sorted(known))}"
                )
    lower, given = direction(file), file.lower_is_better
    if lower is None:
        raise WorkingsError(
            f"metric: which way {file.metric} goes is not known; set lower_is_better to true or "
            "false"
        )
    if given is not None and given != lower:
        better = "lower" if lower else "higher"
        raise WorkingsError(
            f"lower_is_better: of {file.metric} {better} is better; leave it out "
            f"(got {str(given).lower()})"
        )
