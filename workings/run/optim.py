"""The optimizer, its learning-rate schedule, clipping, and the average of the weights."""

import contextlib
import functools
import math
from collections.abc import Iterator, Sequence
from typing import TypedDict

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.json_files import WrongJson, conform
from workings.own_class import is_own
from workings.run.folder.records import LearnerRecord
from workings.run.folder.stored_state import require_alike, unflatten_stored
from workings.tasks.config import TrainConfig
from workings.tasks.own_functions import called
from workings.tasks.task import ParameterGroup
from workings.tree import flatten


class Learner:
    """Turns gradients into new weights; everything it remembers goes into the checkpoint."""

    def __init__(
        self,
        model: nn.Module,
        config: TrainConfig,
        steps: int,
        groups: Sequence[ParameterGroup] | None = None,
    ) -> None:
        groups = groups or [{"params": [p for p in model.parameters() if p.requires_grad]}]
        self.model, self.config, self.steps = model, config, steps
        self.weights = [weight for group in groups for weight in group["params"]]
        self.optimizer = _optimizer(groups, config)
        self.factor = 1.0  # of the plateau schedule
        self.bad = 0  # evaluations since the best one or the last decay
        self.average: dict[str, Tensor] = {}  # running mean of the weights, once it has begun
        self.averaged = 0  # steps in it

    def lr(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        config = self.config
        if step < config.warmup:
            return config.lr * (step + 1) / config.warmup
        if config.schedule in ("cosine", "linear"):
            done = min(1.0, (step - config.warmup) / max(1, self.steps - config.warmup))
            left = 0.5 * (1 + math.cos(math.pi * done)) if config.schedule == "cosine" else 1 - done
            return config.lr_end + (config.lr - config.lr_end) * left
        return config.lr * self.factor

    def backward(self, loss: Tensor) -> None:
        """The gradient of the loss by every weight."""
        for weight in self.weights:  # what zero_grad does, without what it looks up
            weight.grad = None
        loss.backward()

    def step(self, step: int) -> None:
        """One step down the gradient."""
        if self.config.clip:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = self.lr(step)
        self.optimizer.step()
        if self.average:
            self.averaged += 1
            for name, weight in self.model.named_parameters():
                self.average[name].lerp_(weight.detach(), 1 / self.averaged)

    def observe(self, improved: bool) -> None:
        """Told after every evaluation whether it was the best one so far."""
        self.bad = 0 if improved else self.bad + 1
        if self.bad <= self.config.wait:
            return
        if self.config.schedule == "plateau":
            self.factor *= self.config.decay
            self.bad = 0
        if self.config.optimizer == "asgd" and not self.average:
            self.average = {n: p.detach().clone() for n, p in self.model.named_parameters()}
            self.averaged = 1

    @contextlib.contextmanager
    def evaluating(self) -> Iterator[None]:
        """The model in evaluation mode, with the averaged weights if there are any."""
        weights = {n: p.detach().clone() for n, p in self.model.named_parameters() if self.average}
        self.model.eval()
        try:
            _copy(self.average, self.model)
            yield
        finally:
            _copy(weights, self.model)
            self.model.train()

    def state(self, tensors: dict[str, Tensor]) -> dict[str, object]:
        """The JSON part of what it remembers; tensors go into `tensors`."""
        return {
            "optimizer": flatten(self.optimizer.state_dict(), "optimizer", tensors),
            "average": flatten(self.average, "average", tensors),
            "averaged": self.averaged,
            "factor": self.factor,
            "bad": self.bad,
        }

    def load(self, state: LearnerRecord, tensors: dict[str, Tensor]) -> None:
        """Go on from what `state` gave; WrongJson names what does not fit the model."""
        stored = unflatten_stored(state["optimizer"], tensors, "learner.optimizer")
        fitting = dict(self._fitting(stored))
        try:
            self.optimizer.load_state_dict(fitting)
        except (LookupError, TypeError, ValueError, RuntimeError, AttributeError) as error:
            name = type(self.optimizer).__name__
            raise WrongJson(f"learner.optimizer: {name} does not take it ({error})") from error
        device = next(self.model.parameters()).device
        unflattened = unflatten_stored(state["average"], tensors, "learner.average")
        average = conform(unflattened, dict[str, object], "learner.average")
        if average:
            require_alike(average, dict(self.model.named_parameters()), "learner.average")
        self.average = {n: t.to(device) for n, t in average.items() if isinstance(t, Tensor)}
        self.averaged, self.factor, self.bad = state["averaged"], state["factor"], state["bad"]

    def _fitting(self, stored: object) -> "OptimizerRecord":
        """PyTorch itself checks only how many weights there are, not what is kept of each."""
        record = conform(stored, OptimizerRecord, "learner.optimizer")
        groups, own = record["param_groups"], self.optimizer.state_dict()["param_groups"]
        if len(groups) != len(own):
            raise WrongJson(f"learner.optimizer.param_groups: are {len(groups)}, not {len(own)}")
        for number, (ours, theirs) in enumerate(zip(own, groups, strict=True)):
            key = f"learner.optimizer.param_groups.{number}"
            if theirs.get("params") != ours["params"]:
                raise WrongJson(f"{key}.params: are not the weights of the model, in their order")
            if not is_own(self.config.optimizer):
                theirs.update(ours)  # the config says how it steps; a checkpoint only from where
            # Other versions of PyTorch keep other options.
            common = {name: theirs[name] for name in ours.keys() & theirs.keys()}
            require_alike(common, {name: ours[name] for name in common}, key)
        for index, kept in record["state"].items():
            key = f"learner.optimizer.state.{index}"
            if type(index) is not int or not 0 <= index < len(self.weights):
                raise WrongJson(f"{key}: there is no such weight")
            if missing := self._kept_of_each.keys() - kept.keys():
                raise WrongJson(f"{key}: lacks {', '.join(sorted(missing))}")
            for name, value in kept.items():
                like = self._kept_of_each.get(name, value)
                is_number = not isinstance(like, Tensor) or like.dim() == 0
                require_alike(value, like if is_number else self.weights[index], f"{key}.{name}")
        return record

    @functools.cached_property
    def _kept_of_each(self) -> dict[str, object]:
        """What the optimizer keeps of a weight after its first step; nothing of a user's own.

        Its fused steps write to what they are given without a look at its size.
        """
        if is_own(self.config.optimizer):
            return {}
        weight = nn.Parameter(torch.zeros(1))
        weight.grad = torch.zeros(1)
        optimizer = _optimizer([{"params": [weight]}], self.config)
        optimizer.step()
        return dict(optimizer.state[weight])


class OptimizerRecord(TypedDict):
    """What PyTorch's `state_dict` of an optimizer holds."""

    state: dict[int, dict[str, object]]
    param_groups: list[dict[str, object]]


@torch.no_grad()
def _copy(weights: dict[str, Tensor], model: nn.Module) -> None:
    for name, parameter in model.named_parameters():
        if name in weights:
            parameter.copy_(weights[name])


def _optimizer(groups: Sequence[ParameterGroup], config: TrainConfig) -> torch.optim.Optimizer:
    decay, lr = config.weight_decay, config.lr
    weights = [dict(group) for group in groups]
    if is_own(config.optimizer):
        made = called(config.optimizer, "train.optimizer", weights, lr)
        if not isinstance(made, torch.optim.Optimizer):
            raise WorkingsError(
                f"train.optimizer: {config.optimizer} must give a torch.optim.Optimizer of the "
                f"parameter groups and lr that it is called with; it gave {type(made).__name__}"
            )
        return made
    match config.optimizer:
        case "adam":
            return torch.optim.Adam(weights, lr, weight_decay=decay, fused=True)
        case "adamw":
            return torch.optim.AdamW(weights, lr, weight_decay=decay, fused=True)
        case _:
            return torch.optim.SGD(
                weights, lr, momentum=config.momentum, weight_decay=decay, fused=True
            )
