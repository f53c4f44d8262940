"""A run as Python sees it: train one, resume one, open one and use it."""

import datetime
from pathlib import Path
from typing import Any

import torch

from workings.errors import Interrupted, WorkingsError
from workings.run import config as configs
from workings.run import environment, folder
from workings.run.checkpoint import Checkpoints
from workings.run.config import RunConfig
from workings.run.folder import RunFolder
from workings.run.loop import Loop
from workings.run.progress import Progress
from workings.run.signals import Stop
from workings.run.weights import load_weights
from workings.tasks.task import Metrics


class Run:
    """A trained run: its config, its task, and the model with its best weights."""

    def __init__(self, where: RunFolder, progress: Progress | None = None) -> None:
        self.folder, self.config = where, where.config()
        self.progress = progress or Progress()
        environment.prepare(self.config.train)
        self.task = self.config.build_task(where.assets())
        device = environment.device(self.config.train)
        self.task.to(device)
        tensors = best_weights(where, self.progress)
        self.model = self.task.build().to(device).eval()
        load_weights(self.model, tensors)

    @property
    def result(self) -> dict[str, Any] | None:
        return self.folder.result()

    def evaluate(self, split: str = "test", data: list[str | Path] | None = None) -> Metrics:
        """Metrics of a split, or of the user's own files."""

        def tick(done: int) -> None:
            self.progress.evaluating("your data" if data else split, done, self.task.unit)

        try:
            if data is None:
                return self.task.evaluate(self.model, split, tick)
            return self.using("evaluate_files")(self.model, [Path(p) for p in data], tick)
        finally:
            self.progress.close()

    def generate(self, prompt: str | None = None, **options: Any) -> Any:
        """Text from a language model; the options are those of `LanguageTask.generate`."""
        return self.using("generate")(self.model, prompt, **options)

    def using(self, ability: str) -> Any:
        """What only some tasks can do, or an error that says which task this is."""
        if not hasattr(self.task, ability):
            raise WorkingsError(f"{self.folder.path}: a {self.task.name} run cannot {ability}")
        return getattr(self.task, ability)


def best_weights(where: RunFolder, progress: Progress) -> dict[str, torch.Tensor]:
    """The best weights that a run has so far."""
    checkpoints = Checkpoints(where.path / "checkpoint", progress.warn)
    found = checkpoints.load_best()
    if found is None:
        raise WorkingsError(
            f"{where.path}: has no evaluated weights yet; `{where.command('resume')}` first"
        )
    return found[0]


def open_run(name: str, runs: Path | None = None, progress: Progress | None = None) -> Run:
    """An existing run, by name or path."""
    return Run(RunFolder.find(name, folder.root(runs)), progress)


def train(
    config: RunConfig | dict[str, Any] | str,
    name: str | None = None,
    runs: Path | None = None,
    init_from: str | None = None,
    progress: Progress | None = None,
    label: str = "run",
) -> Run:
    """Train from a config (a shipped name, a path, plain values) in a new folder, to the end."""
    progress = progress or Progress()
    if isinstance(config, str):
        label, config = Path(config).stem, configs.load(config)
    source = RunFolder.find(init_from, folder.root(runs)) if init_from else None
    if isinstance(config, dict):
        config = configs.resolve(inherit(config, source) if source else config)
    task = config.build_task(source.assets() if source else None)
    start = best_weights(source, progress) if source else None
    made = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    where = RunFolder(folder.place(name or f"{label}-{made}", folder.root(runs)))
    where.refuse_existing()
    with progress.waiting("reading the data"):
        about_data = task.describe()
    progress.say(f"data   {about_data}")
    about = {"config": label} | ({"init_from": str(source.path.absolute())} if source else {})
    with Stop() as stop:
        # The folder is made last: what cannot be built leaves nothing behind.
        loop = Loop(config, task, where, progress, stop)
        if start:
            load_weights(loop.model, start)
        where.create(config, task.assets(), about)
        with where.hold():
            return _run(loop, where, progress)


def resume(
    name: str,
    runs: Path | None = None,
    settings: list[str] | None = None,
    progress: Progress | None = None,
) -> Run:
    """Go on with a run from its newest good checkpoint, to the end."""
    progress = progress or Progress()
    where = RunFolder.find(name, folder.root(runs))
    with Stop() as stop, where.hold():
        config = where.config()
        if settings:
            config = _changed(where, config, settings)
        elif where.result():
            progress.say(f"{where.path}: is finished already")
            return Run(where, progress)
        task = config.build_task(where.assets())
        loop = Loop(config, task, where, progress, stop)
        if loop.restore():
            progress.say(f"resuming at step {loop.place.step:,}, epoch {loop.place.epoch + 1}")
        else:
            progress.say("no checkpoint yet: starting from the beginning")
            where.keep_metrics(0)
            start = where.about().get("init_from")
            if start:
                source = RunFolder.find(start, folder.root(runs))
                load_weights(loop.model, best_weights(source, progress))
        return _run(loop, where, progress)


def _run(loop: Loop, where: RunFolder, progress: Progress) -> Run:
    try:
        loop.run()
    except Interrupted as stopped:
        progress.close()
        progress.say(
            f"stopped at step {loop.place.step:,} by signal {stopped.signal}; "
            f"go on with `{where.command('resume')}`"
        )
        raise
    finally:
        progress.close()
    return Run(where, progress)


def _changed(where: RunFolder, config: RunConfig, settings: list[str]) -> RunConfig:
    """A run may go on with other training settings: longer, more slowly, on another device."""
    for setting in settings:
        if not setting.startswith("train."):
            raise WorkingsError(
                f"--set {setting}: only train.… can change in a run that has begun; "
                "start a new one with --init-from"
            )
    changed = configs.resolve(configs.override(config.model_dump(mode="json"), settings))
    where.write_config(changed)
    where.forget_result()
    return changed


def inherit(values: dict[str, Any], source: RunFolder) -> dict[str, Any]:
    """A run that starts from another's weights has its model and reads its data the same way."""
    config = source.config()
    if values.get("task", config.task) != config.task:
        raise WorkingsError(
            f"--init-from {source.path}: is a {config.task} run, this is {values['task']}"
        )
    task = type(config.build_task())
    reading = {key: getattr(config.data, key) for key in task.READING}
    return {
        **values,
        "data": reading | values.get("data", {}),
        "model": config.model.model_dump() | values.get("model", {}),
    }
