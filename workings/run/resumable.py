"""All that a training is made of: set up, saved whole, and taken up again bit for bit."""

import dataclasses
import math
import time
from contextlib import AbstractContextManager

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError, first_line
from workings.json_files import WrongJson
from workings.run.config import RunConfig
from workings.run.finite import require_finite
from workings.run.folder.checkpoint import Checkpoints
from workings.run.folder.records import BestRecord, LastRecord, MetricsLine
from workings.run.folder.run_folder import RunFolder
from workings.run.folder.step_log import StepLog
from workings.run.folder.stored_state import is_alike, require_alike, unflatten_stored
from workings.run.machine import environment
from workings.run.machine.autocast import products
from workings.run.machine.random_state import random_state, restore_random_state, seed_process
from workings.run.machine.signals import Stop
from workings.run.optim import Learner
from workings.run.processes import Alone, parts
from workings.run.progress import Progress
from workings.run.state import TrainingState
from workings.run.weights import load_weights, weights
from workings.tasks.shard import Shard
from workings.tasks.task import Carry, Task
from workings.tree import flatten, map_tensors


class Resumable:
    """The model, the learner, the position in the data, and the folder that keeps them."""

    def __init__(
        self,
        config: RunConfig,
        task: Task,
        folder: RunFolder,
        progress: Progress,
        stop: Stop,
        rank: int = 0,
    ) -> None:
        """rank: of this process among those that train the run; the first one, 0, writes."""
        self.config, self.task = config, task
        self.progress, self.stop = progress, stop
        self.device = environment.device(config.train)
        task.to(self.device)
        task.take_shard(Shard(rank, config.train.processes))
        self.processes = Alone()  # until the others are there
        self.environment = environment.record(self.device, config.train.processes)
        torch.manual_seed(config.seed)
        self.model: nn.Module = task.build().to(self.device)
        if rank:  # the first process goes on drawing where one that trains alone would
            seed_process(config.seed, rank, 0)
        train = config.train
        self.steps = min(train.epochs * task.steps, train.max_steps or math.inf)
        self.learner = Learner(self.model, train, int(self.steps), task.groups(self.model))
        self.keep_in(folder)
        self.state = TrainingState()
        self.step_log = StepLog(folder.path, task.steps)
        self.carry: Carry = None
        self.started_from = False
        # Of epochs since the last checkpoint; they go to disk together with the next one.
        self.lines: list[MetricsLine] = []
        self.best: tuple[dict[str, Tensor], BestRecord] | None = None

    def keep_in(self, folder: RunFolder) -> None:
        """Write to this folder."""
        self.folder = folder
        self.checkpoints = Checkpoints(folder.path / "checkpoint", self.progress.warn)

    def start_from(self, tensors: dict[str, Tensor]) -> None:
        """Begin with another run's weights."""
        load_weights(self.model, tensors)
        self.started_from = True

    def products(self) -> AbstractContextManager[object]:
        """What a training step's loss is computed under: the precision of its products."""
        return products(self.config.train.precision, self.device)

    def begin(self) -> None:
        """Set the clocks, before the first step."""
        self.model.train()
        self.saved = time.monotonic()
        self.started = self.saved - self.state.seconds

    def due(self, seconds: float) -> bool:
        """Whether the last checkpoint is older than that."""
        return time.monotonic() - self.saved > seconds

    def save(self) -> None:
        """Everything the run needs to go on from here, bit for bit."""
        state = self.state
        others = self.processes.gather(lambda: parts.pack(self.carry, self.device))
        self.saved = time.monotonic()
        if self.task.shard.rank:
            return  # the first process writes for all
        if self.best:
            tensors, record = self.best
            self.checkpoints.save_best(record["step"], tensors, record)
            self.best = None
        self.folder.append_metrics(self.lines)
        self.lines = []
        state.seconds = time.monotonic() - self.started
        tensors = {}
        saved = {
            "place": dataclasses.asdict(state),
            "best_step": state.best_step,
            "learner": self.learner.state(tensors),
            # Cloned: a state may hold one tensor twice, which safetensors refuses.
            "carry": flatten(map_tensors(Tensor.clone, self.carry), "carry", tensors),
            "data": self.task.checksum(),
            "environment": self.environment,
            "step_log": self.step_log.save(),
            "processes": self.processes.size,
        }
        model = weights(self.model)
        require_finite(model, state.step)
        tensors |= {f"model.{name}": tensor for name, tensor in model.items()}
        tensors |= random_state(self.device) | parts.named(others)
        self.checkpoints.save_last(tensors, saved)

    def _require_fitting(self, carry: Carry) -> None:
        """WrongJson where the next batch cannot go on from what was carried."""
        batch = next(iter(self.task.batches(0, 0)), None)
        if batch is None or (carry is None and self.state.position == 0):
            return
        with torch.no_grad(), self.products():
            _, _, first = self.task.loss(self.model, batch, None)
            _, _, second = self.task.loss(self.model, batch, first)
            try:
                self.task.loss(self.model, batch, carry)
            except (AttributeError, IndexError, RuntimeError, TypeError, ValueError) as error:
                raise WrongJson(f"carry: does not fit the model ({first_line(error)})") from error
        if is_alike(first, second):  # a model may also carry what grows with every batch
            require_alike(carry, first, "carry")

    def restore(self) -> bool:
        """Go back to the newest good checkpoint; False where there is none."""
        checkpoint = self.checkpoints.load_last()
        if checkpoint is None:
            return False
        try:
            self._restore(*checkpoint)
        except WrongJson as error:
            raise WorkingsError(
                f"{self.checkpoints.folder}: the newest checkpoint does not fit the run: {error}; "
                f"start a new run, with --init-from {self.folder.path} from its best weights"
            ) from error
        if self.task.shard.rank == 0:
            self._restore_files(checkpoint[1])
        return True

    def _restore(self, tensors: dict[str, Tensor], saved: LastRecord) -> None:
        if saved["data"] != self.task.checksum():
            raise WorkingsError(
                f"{self.folder.path}: the data has changed since this run began; bring the old "
                f"data back, or start a new run with --init-from {self.folder.path}"
            )
        self.state = TrainingState.from_json(saved["place"])
        if self.state.position > self.task.steps:
            raise WrongJson(
                f"place.position: {self.state.position}, but an epoch has {self.task.steps} batches"
            )
        random = self._restore_own(tensors, saved)
        load_weights(
            self.model,
            {k.removeprefix("model."): v for k, v in tensors.items() if k.startswith("model.")},
        )
        self.learner.load(saved["learner"], tensors)
        restore_random_state(random, self.device)

    def _restore_own(self, tensors: dict[str, Tensor], saved: LastRecord) -> dict[str, Tensor]:
        """Take up what this process alone carries; gives what its random state is among.

        With another number of processes the state that is carried through a text begins anew.
        """
        shard = self.task.shard
        if saved.get("processes", 1) != shard.of:
            seed_process(self.config.seed, shard.rank, self.state.step)
            return random_state(self.device) if shard.rank else tensors
        if shard.rank:
            carry, tensors = parts.part(tensors, shard.rank)
        else:
            carry = unflatten_stored(saved["carry"], tensors, "carry")
        self.carry = map_tensors(lambda tensor: tensor.to(self.device), carry)
        self._require_fitting(self.carry)  # before the weights: it may draw, and change buffers
        return tensors

    def _restore_files(self, saved: LastRecord) -> None:
        """Drop the lines that came after the checkpoint, and say what is not as it was."""
        self.step_log.restore(saved.get("step_log"), self.state.step)
        self.folder.metrics_file.keep(self.state.epoch, self.state.evaluations, self.progress.warn)
        changed = environment.differences(saved["environment"], self.environment)
        if saved.get("processes", 1) != self.task.shard.of and saved["carry"] is not None:
            changed.append("so that the hidden state begins at zero,")
        if changed:
            self.progress.warn(
                f"resuming, but not bit for bit: {', '.join(changed)} since the checkpoint"
            )
