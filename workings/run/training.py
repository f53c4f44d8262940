"""Training a run: from a config in a new folder, or on from its newest checkpoint."""

import contextlib
import datetime
import itertools
from collections.abc import Mapping
from pathlib import Path

from workings.errors import Interrupted, WorkingsError
from workings.run import config as configs
from workings.run import processes
from workings.run.config import RunConfig
from workings.run.folder import kept_source, made_here
from workings.run.folder import run_folder as folder
from workings.run.folder.run_folder import RunFolder
from workings.run.given_data import data_keys, task_for
from workings.run.inherit import changed, inherit
from workings.run.leaks import require_no_leaks
from workings.run.loop import Loop
from workings.run.machine import environment, measured
from workings.run.machine.signals import Stop
from workings.run.progress import Logged, Progress
from workings.run.run import Run
from workings.run.weights import best_weights
from workings.tasks.task import Task
from workings.version import RESULTS


def train(
    config: RunConfig | Mapping[str, object] | str | None = None,
    name: str | None = None,
    runs: Path | None = None,
    init_from: str | None = None,
    progress: Progress | None = None,
    label: str = "run",
    trust: bool = False,
    data: object = None,
    settings: Mapping[str, object] | None = None,
) -> Run:
    """Train from a config (a task, a shipped name, a path, plain values) in a new folder.

    Without a config, the data say which task it is; its defaults do the rest.

    data: instead of the config's, paths or Python objects; see `given_data.data_keys`.
    settings: fields in place of the config's, as {"train.epochs": 5}.
    trust: import a class that a config file, or the run that is started from, names.
    """
    progress = progress or Logged()
    if config is None:
        if data is None:
            raise WorkingsError("train: give a config, as 'language', or data, or both")
        config = task_for(data).name
    if isinstance(config, str):
        label, config = Path(config).stem, configs.load(config, trust)
    elif isinstance(config, Mapping):
        config = dict(config)
    if data is None and isinstance(config, dict) and not isinstance(config.get("data", {}), dict):
        data, config = config["data"], {key: config[key] for key in config if key != "data"}
    if data is not None:
        config = configs.with_data(config, lambda task: data_keys(task, data))
    for key, value in (settings or {}).items():
        values = config.model_dump(mode="json") if isinstance(config, RunConfig) else config
        config = configs.with_field(values, key, value, f"settings, {key}")
    source = RunFolder.find(init_from, folder.root(runs)) if init_from else None
    if source:
        made_here.require(source, trust)
    if isinstance(config, dict):
        config = configs.resolve(inherit(config, source) if source else config)
    task = config.build_task(source.assets(config) if source else None)
    with progress.waiting("looking at the data"):
        chosen = task.settle()
    config = config.of(task)
    start = best_weights(source, progress) if source else None
    made = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    where = RunFolder(folder.location(name or f"{label}-{made}", folder.root(runs)))
    if name:
        where.refuse_existing()
    with progress.waiting("reading the data"):
        about_data = task.describe()
    progress.say(f"data   {about_data}")
    for choice in chosen:
        progress.say(f"chosen {choice}")
    config = measured.settled(processes.settled(config), task, progress)
    about: dict[str, object] = {"config": label, "data": task.checksum()}
    about |= {"results": RESULTS.get(config.task, 1), **made_here.signature(config)}
    if source:
        about["init_from"] = str(source.path.absolute())
    with Stop() as stop, environment.prepared(config.train):
        # The folder is made last: what cannot be built leaves nothing behind.
        loop = Loop(config, task, where, progress, stop)
        if start:
            loop.start_from(start)
        about["leaks"] = require_no_leaks(task, loop.model, progress)
        kept = kept_source.about(config, progress.warn)
        assets, about = _assets(task) | kept.files, about | kept.record
        if name:
            where.create(config, assets, about)
        else:  # another run may have been given the same second
            where = _create_next(where, config, assets, about)
            loop.keep_in(where)
        try:
            with where.hold():
                return _run(loop, where, progress)
        except Exception as error:
            if loop.state.step == 0 and not isinstance(error, Interrupted):
                with contextlib.suppress(WorkingsError):
                    where.remove()  # nothing was trained: the name is free again
            raise


def _create_next(
    where: RunFolder, config: RunConfig, assets: dict[str, bytes], about: dict[str, object]
) -> RunFolder:
    """Make the folder; where there is one of that name, the same with -2, -3 … after it."""
    for number in itertools.count(1):
        named = where if number == 1 else RunFolder(Path(f"{where.path}-{number}"))
        try:
            named.create(config, assets, about)
            return named
        except WorkingsError:
            if not named.path.exists():
                raise
    raise AssertionError("a count has no end")


def _assets(task: Task) -> dict[str, bytes]:
    try:
        return task.assets()
    except UnicodeEncodeError as error:
        name = error.object[max(0, error.start - 20) : error.end + 20]
        raise WorkingsError(
            f"data: a name in it is not UTF-8, near {name!a}; rename that file or class"
        ) from None


def resume(
    name: str,
    runs: Path | None = None,
    settings: list[str] | None = None,
    progress: Progress | None = None,
    trust: bool = False,
) -> Run:
    """Go on with a run from its newest good checkpoint, to the end; `trust` as in `open_run`."""
    progress = progress or Logged()
    where = RunFolder.find(name, folder.root(runs))
    made_here.require(where, trust)
    with contextlib.ExitStack() as stack:
        stop = stack.enter_context(Stop())
        stack.enter_context(where.hold())
        if where.result() and not settings:
            progress.say(f"{where.path}: is finished already")
            return Run(where, progress, trust=trust)
        stored = where.config(progress.warn)
        where.require_same_config(stored)
        config = changed(stored, settings or [])
        task = config.build_task(where.assets(config))
        stack.enter_context(environment.prepared(config.train))
        _warn_of_changes(where, config, progress)
        loop = Loop(config, task, where, progress, stop)
        if loop.restore():
            progress.say(f"resuming at step {loop.state.step:,}, epoch {loop.state.epoch + 1}")
            if loop.ended():
                progress.say(
                    f"nothing left to train: {loop.state.epoch} epochs done, the best was "
                    f"{loop.state.best_epoch}; raise train.epochs or train.patience with --set"
                )
        else:
            progress.say("no checkpoint yet: starting from the beginning")
            where.metrics_file.keep(0, 0, progress.warn)
            loop.step_log.restore(None, 0)
            start = where.about().get("init_from")
            if start:
                source = RunFolder.find(start, folder.root(runs))
                made_here.require(source, trust)
                loop.start_from(best_weights(source, progress))
        if settings:  # only now: what cannot be resumed so has changed nothing
            where.write_config(config)
            where.forget_result()
        where.forget_failure()
        return _run(loop, where, progress)


def _warn_of_changes(where: RunFolder, config: RunConfig, progress: Progress) -> None:
    """Say what of a run that goes on is no longer what it began with."""
    if differs := kept_source.difference(where, config):
        progress.warn(f"resuming, but not exactly: {differs}")
    before, now = where.about().get("results", 1), RESULTS.get(config.task, 1)
    if before != now:
        progress.warn(
            "resuming, but not exactly: this version of workings gives other figures than the one "
            f"that began the run (results {before} → {now})"
        )


def _run(loop: Loop, where: RunFolder, progress: Progress) -> Run:
    try:
        with processes.together(loop):
            loop.run()
    except Interrupted as stopped:
        progress.close()
        progress.say(
            f"stopped at step {loop.state.step:,} by signal {stopped.signal}; "
            f"go on with `{where.command('resume')}`"
        )
        raise
    except Exception as error:
        where.write_failure(error, loop.state.step)
        raise
    finally:
        progress.close()
    return Run(where, progress, loop.config, loop.model)
