"""Searching a space of settings with Optuna: TPE proposes, the median prunes, workers train."""

import json
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from workings.errors import Interrupted, WorkingsError
from workings.run import config as configs
from workings.run.config import Values
from workings.run.folder.run_folder import RunFolder
from workings.run.machine.signals import Stop
from workings.study.engines.local import EngineMaker, Local, cores
from workings.study.file import Row, StudyFile, label
from workings.study.folder import PRUNED
from workings.study.kept import Comparison
from workings.study.plan import Job, Plan, plan
from workings.study.study import Conductor, Study

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.trial import FrozenTrial, Trial

FEWEST_TRIALS = 20  # below which the importance of a setting is a guess
RESAMPLES = 60  # of the trials, for its interval


def _optuna() -> ModuleType:
    try:
        import optuna
    except ImportError:
        raise WorkingsError(
            "--search needs optuna: `pip install 'workings[search]'` (quotes included)"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def space(file: StudyFile, optuna: ModuleType) -> dict[str, "BaseDistribution"]:
    """The distributions that a study file describes; a wrong one is named."""
    made = {}
    for key, given in (file.search or file.grid).items():
        kinds = optuna.distributions
        try:
            if isinstance(given, list):
                made[key] = kinds.CategoricalDistribution(given)
            elif not isinstance(given, dict):
                raise TypeError("no range")
            elif isinstance(given["low"], int) and isinstance(given["high"], int):
                made[key] = kinds.IntDistribution(**given)
            else:
                made[key] = kinds.FloatDistribution(**given)
        except (TypeError, KeyError, ValueError) as error:
            raise WorkingsError(
                f"search: {key}: expected a list of values, or low and high (and log or step); "
                f"got {given!r} ({error})"
            ) from None
    if not made:
        raise WorkingsError("--search: the study has no [search] and no [grid] to search")
    return made


class Trials:
    """The jobs of a search: each is asked for when a worker is free."""

    def __init__(self, conductor: Conductor, count: int) -> None:
        optuna = self.optuna = _optuna()
        self.conductor, self.file = conductor, conductor.file
        if self.file.measure or not self.file.base:
            raise WorkingsError("--search: needs a study of trainings with one `base`")
        self.space = space(self.file, optuna)
        first = self._job({key: _first(given) for key, given in self.space.items()}, "trial")
        self.metric, self.lower = _objective(self.file, first)
        empty = Plan(conductor.name, self.file, [], [], [])
        conductor.folder.create(empty, conductor.wanted.command)
        log = str(conductor.folder.path / "search.log")
        journal = optuna.storages.journal.JournalFileBackend(log)
        self.study = optuna.create_study(
            storage=optuna.storages.JournalStorage(journal),
            study_name=conductor.name,
            direction="minimize" if self.lower else "maximize",
            sampler=optuna.samplers.TPESampler(seed=self.file.seeds[0]),
            pruner=optuna.pruners.MedianPruner(n_startup_trials=4, n_warmup_steps=2),
            load_if_exists=True,
        )
        self.count = count
        self.trials: dict[str, Trial] = {}  # by the name of the job's run
        states = optuna.trial.TrialState
        # Under way when the search was stopped: these go on first.
        self.again = [t for t in self.study.get_trials() if t.state == states.RUNNING]
        self._require_same()
        self.done = len(self.study.get_trials()) - len(self.again)

    def _job(self, params: Values, name: str) -> Job:
        row = Row(name=name, set=params)
        of_trial = self.file.model_copy(update={"row": [row], "grid": {}})
        wanted = self.conductor.wanted
        return plan(
            self.conductor.name, of_trial, None, wanted.settings, self.file.seeds[:1], wanted.trust
        ).jobs[0]

    def _require_same(self) -> None:
        """Refuse to go on where the trials so far are of other data, classes or program."""
        comparison = Comparison()
        for trial in self.study.get_trials():
            job = self._job(trial.params, f"trial {trial.number + 1}: {label(trial.params)}")
            run = RunFolder(self.conductor.where(job))
            if not (run.path / "run.json").is_file():
                continue
            if difference := comparison.difference(job, run):
                raise WorkingsError(
                    f"--search: {job.row} can no longer be compared with new trials: {difference}; "
                    "begin a new search with --folder FOLDER"
                )

    def next(self) -> Job | None:
        """A trial that was under way when the search stopped, else a new one."""
        if self.again:
            frozen = self.again.pop(0)
            trial = self.optuna.trial.Trial(self.study, frozen._trial_id)
        elif self.done + len(self.trials) < self.count:
            trial = self.study.ask(self.space)
        else:
            return None
        job = self._job(trial.params, f"trial {trial.number + 1}: {label(trial.params)}")
        self.trials[job.folder] = trial
        self.write()
        return job

    def epoch(self, job: Job, epoch: int, value: float) -> bool:
        """The trial is stopped where Optuna finds it worse than the median of the others."""
        trial = self.trials[job.folder]
        trial.report(value, epoch)
        return bool(trial.should_prune())

    def ended(self, job: Job, error: str, stopped: bool) -> None:
        """Optuna is told the result, which the next trial is chosen by."""
        trial, states = self.trials.pop(job.folder), self.optuna.trial.TrialState
        self.done += 1
        self.conductor.failed(job, error)
        path = self.conductor.where(job) / "result.json"
        if path.is_file():
            value = json.loads(path.read_bytes())["metrics"][self.metric]
            self.study.tell(trial, value)
        else:
            self.study.tell(trial, state=states.PRUNED if stopped else states.FAIL)
            if stopped:
                self.conductor.failed(
                    job, f"{PRUNED}: behind the median of the trials at its epoch"
                )
        self.write()

    def write(self, importance: str = "") -> None:
        """The trials so far as the rows of the study, so that its table and report show them."""
        trials = [t for t in self.study.get_trials() if t.params]
        lower = 1 if self.lower else -1
        whole = self.optuna.trial.TrialState.COMPLETE
        trials.sort(key=lambda t: (t.state != whole, lower * (t.value or 0.0), t.number))
        rows = [Row(name=f"trial {t.number + 1}: {label(t.params)}", set=t.params) for t in trials]
        notes = f"{self.file.notes} {importance}".strip()
        file = self.file.model_copy(update={"row": rows, "grid": {}, "notes": notes})
        jobs = [self._job(row.set, row.name) for row in rows]
        narrowed = [f"a search of {self.count} trials by {self.metric}, not the whole space"]
        made = Plan(self.conductor.name, file, rows, jobs, narrowed)
        self.conductor.folder.create(made, self.conductor.wanted.command)

    def importance(self) -> str:
        """How much of the differences each setting explains, with a 90% interval; or why not.

        The interval is over resamples of the trials: other trials would give other shares.
        """
        complete = [t for t in self.study.get_trials() if t.value is not None]
        if len(self.space) < 2:
            return ""
        if len(complete) < FEWEST_TRIALS:
            return (
                f"How important each setting is, is not given: {len(complete)} trials say too "
                f"little ({FEWEST_TRIALS} would do)."
            )
        generator = np.random.default_rng(self.file.seeds[0])
        drawn = generator.integers(0, len(complete), (RESAMPLES, len(complete)))
        shares = [self._shares([complete[n] for n in numbers]) for numbers in drawn]
        whole, shares = self._shares(complete), [each for each in shares if each]
        if not whole or len(shares) < RESAMPLES // 2:
            return ""  # all trials alike
        parts = []
        for key, share in whole.items():
            low, high = np.quantile([each.get(key, 0.0) for each in shares], [0.05, 0.95])
            parts.append(f"{key} {share:.0%} ({low:.0%} to {high:.0%})")
        return (
            f"Importance (PED-ANOVA, {len(complete)} trials; in brackets 90% of resamples of the "
            f"trials): {', '.join(parts)}."
        )

    def _shares(self, trials: list["FrozenTrial"]) -> dict[str, float]:
        """Each setting's share, from these trials; nothing where they are all alike."""
        study = self.optuna.create_study(direction=self.study.direction)
        study.add_trials(trials)
        evaluator = self.optuna.importance.PedAnovaImportanceEvaluator()
        try:
            return dict(self.optuna.importance.get_param_importances(study, evaluator=evaluator))
        except (ValueError, RuntimeError):
            return {}


def _first(distribution: "BaseDistribution") -> object:
    choices = getattr(distribution, "choices", None)
    return getattr(distribution, "low", None) if choices is None else choices[0]


def _objective(file: StudyFile, job: Job) -> tuple[str, bool]:
    """Trials are told apart by the validation split: the test split is for the one chosen."""
    task = configs.resolve(job.values).build_task()
    return f"valid.{task.best}", task.lower_is_better


def search(conductor: Conductor, count: int, engine: EngineMaker = Local) -> Study:
    """So many trials, those of an earlier call counted; the table shows the best first.

    On a cluster, which tells of a trial only when it has ended, none is stopped before.
    """
    trials = Trials(conductor, count)
    trials.write()
    workers = max(1, min(conductor.wanted.jobs, cores()))
    with Stop() as stop:
        conductor.view.start(count, trials.done)
        try:
            engine(workers, conductor.where, conductor.view).run(trials, lambda: stop.signal)
        finally:
            conductor.view.close()
        if stop.signal:
            raise Interrupted(stop.signal)
    trials.write(trials.importance())
    return Study(conductor.folder, conductor.folder.summary())
