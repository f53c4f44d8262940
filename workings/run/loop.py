"""The run loop: one, for every task."""

import dataclasses
import math
import time
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from workings.errors import Interrupted, WorkingsError
from workings.run import environment
from workings.run.checkpoint import Checkpoints
from workings.run.config import RunConfig
from workings.run.finite import first_bad, require_finite
from workings.run.folder import RunFolder
from workings.run.optim import Learner
from workings.run.progress import Progress
from workings.run.signals import Stop
from workings.run.weights import load_weights, weights
from workings.tasks.task import Metrics, Task
from workings.tree import flatten, map_tensors, unflatten

SAVE_EPOCH = 1.0  # seconds after which the end of an epoch is worth a checkpoint


@dataclass
class Place:
    """Where a run is: all that changes while it trains and is not a tensor."""

    epoch: int = 0  # epochs done and evaluated
    position: int = 0  # batches done in the epoch under way
    step: int = 0
    loss_sum: float = 0.0  # over the epoch under way, weighted by units
    units: int = 0  # of the epoch under way
    best: float | None = None
    best_epoch: int = 0
    best_step: int = 0
    evaluations: int = 0  # lines in metrics.jsonl
    seconds: float = 0.0  # of training and evaluating, over all its processes


class Loop:
    """One run of one task: trains from where it is to the end, and leaves result.json."""

    def __init__(
        self, config: RunConfig, task: Task, folder: RunFolder, progress: Progress, stop: Stop
    ) -> None:
        self.config, self.task, self.folder = config, task, folder
        self.progress, self.stop = progress, stop
        environment.prepare(config.train)
        self.device = environment.device(config.train)
        task.to(self.device)
        self.environment = environment.record(self.device)
        torch.manual_seed(config.seed)
        self.model: nn.Module = task.build().to(self.device)
        train = config.train
        self.steps = min(train.epochs * task.steps, train.max_steps or math.inf)
        self.learner = Learner(self.model, train, int(self.steps), task.groups(self.model))
        self.checkpoints = Checkpoints(folder.path / "checkpoint", progress.warn)
        self.place = Place()
        self.carry: Any = None
        self.started_from = False
        # Of epochs since the last checkpoint; they go to disk together with the next one.
        self.lines: list[dict[str, Any]] = []
        self.best: tuple[int, dict[str, Tensor], dict[str, Any]] | None = None

    def start_from(self, tensors: dict[str, Tensor]) -> None:
        """Begin with another run's weights."""
        load_weights(self.model, tensors)
        self.started_from = True

    def run(self) -> dict[str, Any]:
        """Train to the end; evaluate the best weights; return what result.json holds."""
        place, self.model = self.place, self.model.train()
        self.saved = time.monotonic()
        self.started = self.saved - place.seconds
        while not self.ended():
            self.progress.epoch(place.epoch + 1, self.config.train.epochs, self.task, place)
            for batch in self.task.batches(place.epoch, place.position):
                if place.step >= self.steps:
                    break
                self.train_step(batch)
                if self.stop.signal:
                    self.save()
                    raise Interrupted(self.stop.signal)
                if time.monotonic() - self.saved > self.config.train.checkpoint_seconds:
                    self.save()
            try:
                self.end_epoch()
            except Interrupted:
                self.save()  # the epoch's steps are done; its evaluation will be made anew
                raise
        return self.finish()

    def ended(self) -> bool:
        place, train = self.place, self.config.train
        too_long = place.epoch > place.best_epoch + train.patience
        limit = place.step >= self.steps and place.position == 0
        return place.epoch >= train.epochs or limit or (place.epoch > 0 and too_long)

    def train_step(self, batch: Any) -> None:
        place = self.place
        loss, units, carry = self.task.loss(self.model, batch, self.carry)
        value = loss.item()
        if not math.isfinite(value):
            raise WorkingsError(
                f"step {place.step + 1}: the loss is {value}; the first tensor that went bad: "
                f"{first_bad(self.model, self.task, batch, self.carry)}; lower train.lr or set "
                f"train.clip, then start again or {self.folder.command('resume')} from the last "
                "good checkpoint with --set train.lr=…"
            )
        if place.step == 0 and not self.started_from:
            self.check_first(value)
        self.learner.step(loss, place.step)
        self.carry = carry
        place.step += 1
        place.position += 1
        place.loss_sum += value * units
        place.units += units
        self.progress.step(place)

    def check_first(self, loss: float) -> None:
        expected = self.task.first_loss()
        if expected is not None and abs(loss - expected) > max(0.5, 0.1 * expected):
            self.progress.warn(
                f"the first loss is {loss:.2f}, far from {expected:.2f} of a uniform guess: "
                "the initial weights are too large, or the loss is not what it seems"
            )

    def end_epoch(self) -> None:
        """Evaluate, keep the best weights, tell the schedule, write everything down."""
        place, task = self.place, self.task
        with self.learner.evaluating():
            valid = self.evaluate("valid")
            value = valid[task.best]
            better = math.isfinite(value) and (
                place.best is None
                or (value < place.best if task.lower_is_better else value > place.best)
            )
            train = task.running(place.loss_sum / max(1, place.units))
            if better:
                place.best, place.best_epoch, place.best_step = value, place.epoch + 1, place.step
                tensors = weights(self.model)
                require_finite(tensors, place.step)
                record = {"epoch": place.best_epoch, "step": place.step, "metrics": valid}
                kept = {name: tensor.clone() for name, tensor in tensors.items()}
                self.best = place.step, kept, record | {"train": train}
        self.learner.observe(better)
        place.seconds = time.monotonic() - self.started
        common = {"step": place.step, "epoch": place.epoch + 1}
        pace = {"seconds": round(place.seconds, 3), f"{task.unit}_per_second": self.progress.rate}
        self.lines.append(common | {"split": "train"} | train | pace)
        self.lines.append(common | {"split": "valid"} | valid | pace)
        place.evaluations += 2
        place.epoch, place.position = place.epoch + 1, 0
        place.loss_sum, place.units, self.carry = 0.0, 0, None
        # An epoch may last milliseconds (one step over a small graph): not every one is saved.
        if self.ended() or time.monotonic() - self.saved > min(
            SAVE_EPOCH, self.config.train.checkpoint_seconds
        ):
            self.save()
        self.progress.evaluated(place, train, valid, better)

    def evaluate(self, split: str) -> Metrics:
        """Metrics of a split; stops at a signal."""

        def tick(done: int) -> None:
            self.progress.evaluating(split, done, self.task.unit)
            if self.stop.signal:
                raise Interrupted(self.stop.signal)

        return self.task.evaluate(self.model, split, tick)

    def finish(self) -> dict[str, Any]:
        best = self.checkpoints.load_best(self.place.best_step)
        if best is None and self.place.best_step:
            raise WorkingsError(
                f"{self.folder.path}: its best weights are damaged (see above); train it again "
                f"from {self.folder.path}/config.toml"
            )
        if best is None:
            raise WorkingsError(
                f"{self.folder.path}: no weights were ever best: the validation "
                f"{self.task.best} was never a finite number; lower train.lr"
            )
        tensors, record = best
        load_weights(self.model, tensors)
        self.model.eval()
        test = self.evaluate("test")
        place = self.place
        place.seconds = time.monotonic() - self.started
        result = {
            "metrics": {
                **{f"train.{name}": value for name, value in record["train"].items()},
                **{f"valid.{name}": value for name, value in record["metrics"].items()},
                **{f"test.{name}": value for name, value in test.items()},
            },
            "variants": {"train": self.task.running_variant()},
            "details": self.task.details(),
            "baselines": self.task.baselines(),
            "best_epoch": place.best_epoch,
            "epochs": place.epoch,
            "steps": place.step,
            "seconds": round(place.seconds, 1),
            "parameters": sum(p.numel() for p in self.model.parameters()),
            "seed": self.config.seed,
            "data": {"sha256": self.task.checksum(), "about": self.task.describe()},
            "environment": self.environment,
        }
        self.folder.write_result(result)
        return result

    def save(self) -> None:
        """Everything the run needs to go on from here, bit for bit."""
        place = self.place
        if self.best:
            self.checkpoints.save_best(*self.best)
            self.best = None
        self.folder.append_metrics(self.lines)
        self.lines = []
        place.seconds = time.monotonic() - self.started
        tensors: dict[str, Tensor] = {}
        state = {
            "place": dataclasses.asdict(place),
            "best_step": place.best_step,
            "learner": self.learner.state(tensors),
            # Cloned: a state may hold one tensor twice, which safetensors refuses.
            "carry": flatten(map_tensors(Tensor.clone, self.carry), "carry", tensors),
            "data": self.task.checksum(),
            "environment": self.environment,
        }
        model = weights(self.model)
        require_finite(model, place.step)
        tensors |= {f"model.{name}": tensor for name, tensor in model.items()}
        tensors["random.cpu"] = torch.get_rng_state()
        if self.device.type == "cuda":
            tensors["random.cuda"] = torch.cuda.get_rng_state(self.device)
        if self.device.type == "mps":
            tensors["random.mps"] = torch.mps.get_rng_state()
        self.checkpoints.save_last(tensors, state)
        self.saved = time.monotonic()

    def restore(self) -> bool:
        """Go back to the newest good checkpoint; False where there is none."""
        found = self.checkpoints.load_last()
        if found is None:
            return False
        tensors, state = found
        if state["data"] != self.task.checksum():
            raise WorkingsError(
                f"{self.folder.path}: the data has changed since this run began; bring the old "
                f"data back, or start anew with --init-from {self.folder.path}"
            )
        self.place = Place(**state["place"])
        load_weights(
            self.model,
            {k.removeprefix("model."): v for k, v in tensors.items() if k.startswith("model.")},
        )
        self.learner.load(state["learner"], tensors)
        carry = unflatten(state["carry"], tensors)
        self.carry = map_tensors(lambda tensor: tensor.to(self.device), carry)
        torch.set_rng_state(tensors["random.cpu"])
        if self.device.type == "cuda" and "random.cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random.cuda"], self.device)
        if self.device.type == "mps" and "random.mps" in tensors:
            torch.mps.set_rng_state(tensors["random.mps"])
        self.folder.keep_metrics(self.place.evaluations)
        changed = environment.differences(state["environment"], self.environment)
        if changed:
            self.progress.warn(
                f"resuming, but not bit for bit: {', '.join(changed)} since the checkpoint"
            )
        return True
