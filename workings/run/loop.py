"""The run loop, one for every task: steps, evaluations, patience, and when to save."""

import math
import time

from workings.errors import Interrupted, WorkingsError
from workings.run.finite import first_bad, require_finite
from workings.run.folder import examples_file
from workings.run.folder.records import BestRecord, ExamplesRecord, MetricsLine, Result
from workings.run.processes import Step
from workings.run.resumable import Resumable
from workings.run.weights import load_weights, weights
from workings.tasks.own_functions import called
from workings.tasks.plausible import questions
from workings.tasks.task import Metrics, Tick

FAR = 1.5  # from the loss of a uniform guess: standardised features give logits of about 1
LARGE_LOSS = 20.0  # of a task that cannot say what its first loss should be near to
SAVE_EPOCH = 1.0  # seconds after which the end of an epoch is worth a checkpoint


class Loop(Resumable):
    """One run of one task: trains from where it is to the end, and leaves result.json."""

    def run(self) -> Result:
        """Train to the end; evaluate the best weights; return what result.json holds."""
        self.train()
        return self.finish()

    def train(self) -> None:
        """Train from where it is to the end."""
        state = self.state
        self.begin()
        while not self.ended():
            self.progress.epoch(state.epoch + 1, self.config.train.epochs, self.task, state)
            for batch in self.task.batches(state.epoch, state.position):
                if state.step >= self.steps:
                    break
                self.train_batch(batch)
            try:
                self.end_epoch()
            except Interrupted:
                self.save()  # the epoch's steps are done; its evaluation will be made again
                raise

    def train_batch(self, batch: object) -> None:
        """A step, and what may follow it: a checkpoint, and the end if a signal asks for it."""
        step = self.train_step(batch)
        if step.signal or step.due:
            self.save()
        if step.signal:
            raise Interrupted(step.signal)

    def ended(self) -> bool:
        """Whether all epochs or steps are done, or the patience is used up."""
        state, train = self.state, self.config.train
        too_long = state.epoch > state.best_epoch + train.patience
        limit = state.step >= self.steps and state.position == 0
        return state.epoch >= train.epochs or limit or (state.epoch > 0 and too_long)

    def train_step(self, batch: object) -> Step:
        """One step of the optimizer; stops where the loss is no longer a number."""
        state = self.state
        with self.products():
            loss, units, carry = self.task.loss(self.model, batch, self.carry)
        terms = self.task.terms(batch, units)
        if self.task.shard.idle:
            terms = units = 0
        self.learner.backward(loss)
        due = self.due(self.config.train.checkpoint_seconds)
        own = Step(loss.item(), terms, units, self.stop.signal, due)
        step = self.processes.combine(own, self.learner.weights)
        value, units = step.loss, step.units
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
        self.learner.step(state.step)
        self.carry = carry
        state.step += 1
        state.position += 1
        state.loss_sum += value * units
        state.units += units
        self.step_log.add(value, units, state.step, state.epoch + 1, state.position)
        if not self.task.shard.rank:  # the first process writes for all
            self.step_log.show()
        self.progress.step(state)
        return step

    def check_first(self, loss: float) -> None:
        """Warn of an untrained model that is much worse than a uniform guess."""
        expected = None if self.config.train.loss else self.task.first_loss()
        if expected is None:
            guess, far = "", loss > LARGE_LOSS
        else:
            guess = f", far from {expected:.2f} of a uniform guess"
            far = abs(loss - expected) > max(FAR, 0.1 * expected)
        if far:
            cause = self.task.suspect_inputs() or (
                "the initial weights are too large, or the loss is not what it seems"
            )
            self.progress.warn(f"the first loss is {loss:,.2f}{guess}: {cause}")

    def end_epoch(self) -> None:
        """Evaluate, keep the best weights, tell the schedule, write everything down."""
        state, task = self.state, self.task
        with self.learner.evaluating():
            valid, train = self.processes.from_first(self.evaluate_epoch)
            value = valid[task.best]
            better = math.isfinite(value) and state.improves(value, task.lower_is_better)
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
        due = self.due(min(SAVE_EPOCH, self.config.train.checkpoint_seconds))
        if any(self.processes.agree(self.ended() or due)):
            self.save()
        self.processes.from_first(lambda: self.tell(train, valid, better))

    def tell(self, train: Metrics, valid: Metrics, better: bool) -> None:
        """Show an epoch that has ended, and call the user's own function."""
        self.progress.evaluated(self.state, train, valid, better)
        self.call_back(train, valid)

    def call_back(self, train: Metrics, valid: Metrics) -> None:
        """Tell the user's own function, if there is one, of the epoch that has ended."""
        name = self.config.train.callback
        if name:
            metrics = {f"train.{key}": value for key, value in train.items()}
            metrics |= {f"valid.{key}": value for key, value in valid.items()}
            called(name, "train.callback", self.state.epoch, metrics, self.model)

    def evaluate_epoch(self) -> tuple[Metrics, Metrics]:
        """The validation metrics, and those of training."""
        valid = self.evaluate("valid")
        return valid, self.task.training_metrics(self.state.mean_loss) | self.evaluate_training()

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
            self.processes.check()
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
            "data": {
                "sha256": self.task.checksum(),
                "about": self.task.describe(),
                "units": self.task.units,
                "trained": self.task.trained,
            },
            "examples": examples,
            "environment": self.environment,
        }
        self.folder.write_result(result)
        for question in result["questions"]:
            self.progress.warn(question)
        return result
