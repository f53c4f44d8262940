"""The run loop: one, for every task."""

import dataclasses
import math
import time
from contextlib import AbstractContextManager

import torch
from torch import Tensor, nn

from workings.errors import Interrupted, WorkingsError, first_line
from workings.json_files import WrongJson
from workings.run import environment, examples_file, precision
from workings.run.checkpoint import Checkpoints
from workings.run.config import RunConfig
from workings.run.finite import first_bad, require_finite
from workings.run.folder import RunFolder
from workings.run.optim import Learner
from workings.run.progress import Progress
from workings.run.random_state import random_state, restore_random_state
from workings.run.records import BestRecord, ExamplesRecord, LastRecord, MetricsLine, Result
from workings.run.signals import Stop
from workings.run.state import TrainingState
from workings.run.step_log import StepLog
from workings.run.stored_state import is_alike, require_alike, unflatten_stored
from workings.run.weights import load_weights, weights
from workings.tasks.own_functions import called
from workings.tasks.plausible import questions
from workings.tasks.task import Carry, Metrics, Task, Tick
from workings.tree import flatten, map_tensors

LARGE_LOSS = 20.0  # of a task that cannot say what its first loss should be near to
SAVE_EPOCH = 1.0  # seconds after which the end of an epoch is worth a checkpoint


class Loop:
    """One run of one task: trains from where it is to the end, and leaves result.json."""

    def __init__(
        self, config: RunConfig, task: Task, folder: RunFolder, progress: Progress, stop: Stop
    ) -> None:
        self.config, self.task = config, task
        self.progress, self.stop = progress, stop
        self.device = environment.device(config.train)
        task.to(self.device)
        self.environment = environment.record(self.device)
        torch.manual_seed(config.seed)
        self.model: nn.Module = task.build().to(self.device)
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

    def run(self) -> Result:
        """Train to the end; evaluate the best weights; return what result.json holds."""
        state, self.model = self.state, self.model.train()
        self.saved = time.monotonic()
        self.started = self.saved - state.seconds
        while not self.ended():
            self.progress.epoch(state.epoch + 1, self.config.train.epochs, self.task, state)
            for batch in self.task.batches(state.epoch, state.position):
                if state.step >= self.steps:
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
                self.save()  # the epoch's steps are done; its evaluation will be made again
                raise
        return self.finish()

    def ended(self) -> bool:
        """Whether all epochs or steps are done, or the patience is used up."""
        state, train = self.state, self.config.train
        too_long = state.epoch > state.best_epoch + train.patience
        limit = state.step >= self.steps and state.position == 0
        return state.epoch >= train.epochs or limit or (state.epoch > 0 and too_long)

    def train_step(self, batch: object) -> None:
        """One step of the optimizer; stops where the loss is no longer a number."""
        state = self.state
        with self.products():
            loss, units, carry = self.task.loss(self.model, batch, self.carry)
        value = loss.item()
        if not math.isfinite(value):
            with self.products():
                culprit = first_bad(self.model, self.task, batch, self.carry)
            way_on = (
                f" or {self.folder.command('resume')} from the last good checkpoint with "
                "--set train.lr=…"
            )
            raise WorkingsError(
                f"step {state.step + 1}: the loss is {value}; the first tensor that went bad: "
                f"{culprit}; "
                + (self.task.suspect_inputs() or "lower train.lr or set train.clip")
                + f", then start again{way_on if state.step else ''}"
            )
        if state.step == 0 and not self.started_from:
            self.check_first(value)
        self.learner.step(loss, state.step)
        self.carry = carry
        state.step += 1
        state.position += 1
        state.loss_sum += value * units
        state.units += units
        self.step_log.add(value, units, state.step, state.epoch + 1, state.position)
        self.progress.step(state)

    def products(self) -> AbstractContextManager[object]:
        """What a training step's loss is computed under: the precision of its products."""
        return precision.products(self.config.train.precision, self.device)

    def check_first(self, loss: float) -> None:
        """Warn of an untrained model that is much worse than a uniform guess."""
        expected = None if self.config.train.loss else self.task.first_loss()
        if expected is None:
            guess, far = "", loss > LARGE_LOSS
        else:
            guess = f", far from {expected:.2f} of a uniform guess"
            far = abs(loss - expected) > max(0.5, 0.1 * expected)
        if far:
            cause = self.task.suspect_inputs() or (
                "the initial weights are too large, or the loss is not what it seems"
            )
            self.progress.warn(f"the first loss is {loss:,.2f}{guess}: {cause}")

    def end_epoch(self) -> None:
        """Evaluate, keep the best weights, tell the schedule, write everything down."""
        state, task = self.state, self.task
        with self.learner.evaluating():
            valid = self.evaluate("valid")
            value = valid[task.best]
            better = math.isfinite(value) and state.improves(value, task.lower_is_better)
            train = task.training_metrics(state.mean_loss) | self.evaluate_training()
            if better:
                state.best, state.best_epoch, state.best_step = value, state.epoch + 1, state.step
                tensors = weights(self.model)
                require_finite(tensors, state.step)
                kept = {name: tensor.clone() for name, tensor in tensors.items()}
                self.best = (
                    kept,
                    BestRecord(epoch=state.best_epoch, step=state.step, metrics=valid, train=train),
                )
        self.learner.observe(better)
        state.seconds = time.monotonic() - self.started
        for split, metrics in (("train", train), ("valid", valid)):
            line: MetricsLine = {"step": state.step, "epoch": state.epoch + 1, "split": split}
            line |= metrics
            line["seconds"] = round(state.seconds, 3)
            line[f"{task.unit}_per_second"] = self.progress.rate
            self.lines.append(line)
        self.step_log.end_point(state.step, state.epoch + 1)
        state.evaluations += 2
        state.epoch, state.position = state.epoch + 1, 0
        state.loss_sum, state.units, self.carry = 0.0, 0, None
        # An epoch may last milliseconds (one step over a small graph): not every one is saved.
        if self.ended() or time.monotonic() - self.saved > min(
            SAVE_EPOCH, self.config.train.checkpoint_seconds
        ):
            self.save()
        self.progress.evaluated(state, train, valid, better)
        self.call_back(train, valid)

    def call_back(self, train: Metrics, valid: Metrics) -> None:
        """Tell the user's own function, if there is one, of the epoch that has ended."""
        name = self.config.train.callback
        if name:
            metrics = {f"train.{key}": value for key, value in train.items()}
            metrics |= {f"valid.{key}": value for key, value in valid.items()}
            called(name, "train.callback", self.state.epoch, metrics, self.model)

    def evaluate(self, split: str) -> Metrics:
        """Metrics of a split; stops at a signal."""
        return self.task.evaluate(self.model, split, self.tick(split))

    def evaluate_training(self) -> Metrics:
        """What the task measures on the training split besides the loss."""
        return self.task.evaluate_training(self.model, self.tick("train"))

    def keep_examples(self) -> dict[str, ExamplesRecord]:
        """Write down what the best weights make of each example; say which examples they are."""
        tick = self.tick("each example")
        return examples_file.keep(self.folder.path, self.task, self.model, tick)

    def tick(self, what: str) -> Tick:
        """Shows how far an evaluation is, and stops it at a signal."""

        def tick(done: int) -> None:
            self.progress.evaluating(what, done, self.task.unit)
            if self.stop.signal:
                raise Interrupted(self.stop.signal)

        return tick

    def finish(self) -> Result:
        """Load the best weights into the model and leave it so, tested; write result.json."""
        best = self.checkpoints.load_best(self.state.best_step)
        if best is None and self.state.best_step:
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
        examples = self.keep_examples()
        further = self.task.evaluate_further(self.model, self.tick("test"))
        test = self.evaluate("test")  # the last: `details` are of it
        state = self.state
        state.seconds = time.monotonic() - self.started
        baselines = self.task.baselines()
        metrics = {
            **{f"train.{name}": value for name, value in record["train"].items()},
            **{f"valid.{name}": value for name, value in record["metrics"].items()},
            **{f"test.{name}": value for name, value in (test | further).items()},
        }
        result: Result = {
            "metrics": metrics,
            "variants": {"train": self.task.training_variant()},
            "details": dict(self.task.details()),
            "baselines": baselines,
            "questions": questions(metrics, baselines),
            "best_epoch": state.best_epoch,
            "epochs": state.epoch,
            "steps": state.step,
            "seconds": round(state.seconds, 1),
            "parameters": sum(p.numel() for p in self.model.parameters()),
            "seed": self.config.seed,
            "data": {"sha256": self.task.checksum(), "about": self.task.describe()},
            "examples": examples,
            "environment": self.environment,
        }
        self.folder.write_result(result)
        for question in result["questions"]:
            self.progress.warn(question)
        return result

    def save(self) -> None:
        """Everything the run needs to go on from here, bit for bit."""
        state = self.state
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
        }
        model = weights(self.model)
        require_finite(model, state.step)
        tensors |= {f"model.{name}": tensor for name, tensor in model.items()}
        tensors |= random_state(self.device)
        self.checkpoints.save_last(tensors, saved)
        self.saved = time.monotonic()

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
            return self._restore(*checkpoint)
        except WrongJson as error:
            raise WorkingsError(
                f"{self.checkpoints.folder}: the newest checkpoint does not fit the run: {error}; "
                f"start a new run, with --init-from {self.folder.path} from its best weights"
            ) from error

    def _restore(self, tensors: dict[str, Tensor], saved: LastRecord) -> bool:
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
        carry = unflatten_stored(saved["carry"], tensors, "carry")
        self.carry = map_tensors(lambda tensor: tensor.to(self.device), carry)
        self._require_fitting(self.carry)  # before the weights: it may draw, and change buffers
        load_weights(
            self.model,
            {k.removeprefix("model."): v for k, v in tensors.items() if k.startswith("model.")},
        )
        self.learner.load(saved["learner"], tensors)
        restore_random_state(tensors, self.device)
        self.step_log.restore(saved.get("step_log"), self.state.step)
        self.folder.metrics_file.keep(self.state.epoch, self.state.evaluations, self.progress.warn)
        changed = environment.differences(saved["environment"], self.environment)
        if changed:
            self.progress.warn(
                f"resuming, but not bit for bit: {', '.join(changed)} since the checkpoint"
            )
        return True
