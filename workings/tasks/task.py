"""What a task is: the one interface between the run loop and what is learned from what data."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar, Literal

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from workings.schema import Config, Count, NonNegative, Positive, Size

Metrics = dict[str, float]
Tick = Callable[[int], None]  # called with the units done so far; may raise to stop
Carry = Any  # what lives between batches: tensors in lists, tuples and dicts, or nothing


class TrainConfig(Config):
    """How any task is trained; a task's own class adds what only it has."""

    epochs: Size = 50
    """most passes over the training split"""
    max_steps: Count = 0
    """most optimizer steps, whatever the epochs; 0: no such limit"""
    patience: Count = 2
    """stop when the epoch is more than this past the best one"""
    optimizer: Literal["adam", "adamw", "sgd", "asgd"] = "adam"
    """asgd: SGD whose weights are averaged from where the validation metric stops improving"""
    lr: Positive = 0.001
    """learning rate, after warm-up and before decay"""
    momentum: NonNegative = 0.0
    """of SGD"""
    weight_decay: NonNegative = 0.0
    """decoupled with adamw, otherwise added to the gradient"""
    clip: NonNegative = 0.0
    """largest norm of the whole gradient; 0: no clipping"""
    schedule: Literal["constant", "plateau", "cosine", "linear"] = "constant"
    """plateau: lr times `decay` after more than `wait` epochs without a better metric; cosine and
    linear: from `lr` down to `lr_end` over all steps"""
    decay: Positive = 0.5
    """factor of the plateau schedule"""
    wait: Count = 0
    """epochs without improvement that the plateau schedule, or asgd's averaging, lets pass"""
    lr_end: NonNegative = 0.0
    """where the cosine and the linear schedule end"""
    warmup: Count = 0
    """steps over which the learning rate rises linearly to `lr`"""
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    """auto: CUDA or MPS where there is one, else the CPU"""
    threads: int = Field(default=0, ge=0, le=4096)
    """CPU threads; 0: as many as PyTorch finds"""
    checkpoint_seconds: NonNegative = 60.0
    """longest time between two checkpoints, in seconds; 0: one every step"""

    @model_validator(mode="after")
    def _momentum_is_sgds(self) -> "TrainConfig":
        if self.momentum and self.optimizer not in ("sgd", "asgd"):
            raise ValueError(f"momentum is of sgd and asgd, not of {self.optimizer}")
        return self


class OwnModel(Config):
    """The user's own architecture."""

    kind: str
    """package.module:Class"""
    args: dict[str, Any] = {}  # noqa: RUF012 - pydantic copies it
    """keyword arguments of the class, besides those the task gives"""


class Task(ABC):
    """Data, model, loss, metrics and prediction of one kind of problem.

    A task reads its data only when a split is first asked for, so that a trained run can be used
    where its data is not. `assets` are the small files it needs then, kept in the run folder.
    """

    name: ClassVar[str]
    unit: ClassVar[str]  # what progress counts
    best: str  # the validation metric that decides which weights are best
    lower_is_better: bool
    headline: str = ""  # the metric that results show first; `best` where it is empty
    Data: ClassVar[type[Config]]
    Train: ClassVar[type[TrainConfig]]
    MODELS: ClassVar[dict[str, type[Config]]]
    FILES: ClassVar[tuple[str, ...]]  # the [data] keys that say where the data is
    READING: ClassVar[tuple[str, ...]]  # the [data] keys that a model's weights depend on
    ASSETS: ClassVar[tuple[str, ...]]  # the names of its `assets`
    METRICS: ClassVar[tuple[str, ...]]  # all that `evaluate` may give
    ALSO: tuple[str, ...] = ()  # metrics shown at the end besides the best's own

    @abstractmethod
    def __init__(self, data: Any, model: Any, train: Any, seed: int, assets: dict[str, bytes]): ...

    @staticmethod
    @abstractmethod
    def data_from(paths: list[Path]) -> dict[str, Any]:
        """The [data] keys that `--data PATH…` stands for."""

    @classmethod
    @abstractmethod
    def recognises(cls, path: Path) -> bool:
        """Whether a file or folder looks like this task's data."""

    @classmethod
    @abstractmethod
    def show(cls, data: Any) -> dict[str, Any]:
        """What there is to know about a data set, by label."""

    @abstractmethod
    def assets(self) -> dict[str, bytes]:
        """Files of the run folder that prediction needs besides the weights."""

    @abstractmethod
    def checksum(self) -> str:
        """SHA-256 of the data."""

    @abstractmethod
    def describe(self) -> str:
        """The data in one line."""

    @abstractmethod
    def build(self) -> nn.Module:
        """The model, with its initial weights."""

    @property
    @abstractmethod
    def steps(self) -> int:
        """Batches in an epoch."""

    @property
    @abstractmethod
    def units(self) -> int:
        """Units (tokens, images, …) in an epoch."""

    @abstractmethod
    def batches(self, epoch: int, position: int) -> Iterable[Any]:
        """The batches of an epoch from `position` on; the same whenever it is asked."""

    @abstractmethod
    def loss(self, model: nn.Module, batch: Any, carry: Any) -> tuple[Tensor, int, Any]:
        """The mean loss of a batch, how many units it covers, and the carry for the next one."""

    @abstractmethod
    def evaluate(self, model: nn.Module, split: str, tick: Tick) -> Metrics:
        """Metrics of a split."""

    @abstractmethod
    def running(self, loss: float) -> Metrics:
        """The metrics that a mean training loss stands for."""

    def running_variant(self) -> str:
        """How the training metrics that a run reports were measured."""
        return "mean over the best epoch while it trained, with its dropout"

    def first_loss(self) -> float | None:
        """What an untrained model's loss should be near to, where that is known."""
        return None

    def groups(self, model: nn.Module) -> list[dict[str, Any]]:
        """The optimizer's parameter groups, where some have settings of their own."""
        return [{"params": [p for p in model.parameters() if p.requires_grad]}]

    def details(self) -> dict[str, Any]:
        """What the last evaluation found that is no single figure: tables, samples, as JSON."""
        return {}

    def baselines(self) -> dict[str, Metrics]:
        """Metrics of simpler methods on the same data, by name: `test.perplexity` and so on."""
        return {}

    def illustrate(self, model: nn.Module) -> list[str]:
        """A few lines that show what the trained model does."""
        return []

    def charts(self, model: nn.Module) -> dict[str, Any]:
        """Charts of the trained model, by name, besides its learning curves."""
        return {}

    @abstractmethod
    def next(self, command: Callable[[str], str]) -> list[str]:
        """What to type next; `command("eval")` is that command with this run's name."""

    def to(self, device: torch.device) -> None:
        """Put batches on this device from now on."""
        self.device = device
