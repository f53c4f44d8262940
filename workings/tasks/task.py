"""What a task is: what it reads, what it learns and what it reports; the run loop knows no more.

What only some tasks can do (generate text, predict, transcribe) is in `workings.tasks.abilities`.
"""

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Generic, NotRequired, Protocol, TypedDict, TypeVar, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.errors import WorkingsError, explain_out_of_memory
from workings.schema import Config
from workings.tasks.config import OwnModel, TrainConfig
from workings.tasks.examples import Examples
from workings.tasks.leak import Leak
from workings.tasks.own import build_own
from workings.tasks.own_functions import Criterion, own_loss, own_metrics
from workings.tasks.shard import Shard

Metrics = dict[str, float]
Tick = Callable[[int], None]  # called with the units done so far; may raise to stop
Carry = object  # what lives between batches: tensors in lists, tuples and dicts, or None

DataT = TypeVar("DataT", bound=Config)
TrainT = TypeVar("TrainT", bound=TrainConfig)
BatchT = TypeVar("BatchT")


class ParameterGroup(TypedDict):
    """Weights that the optimizer treats alike, with the settings that are theirs alone."""

    params: list[nn.Parameter]
    weight_decay: NotRequired[float]


class Architecture(Protocol):
    """The [model] section of one of our own architectures."""

    def build(self, *sizes: int) -> nn.Module:
        """The module, with its initial weights, for data of these sizes."""


class Reads(ABC, Generic[DataT]):
    """What a task reads.

    The data is read only when a split is first asked for, so that a trained run can be used where
    its data is not. `assets` are the small files that using it needs, kept in the run folder.
    """

    name: ClassVar[str]
    unit: ClassVar[str]  # what progress counts
    Data: ClassVar[type[Config]]
    LOCATION: ClassVar[tuple[str, ...]]  # the [data] keys that say where the data is
    PREPROCESSING: ClassVar[tuple[str, ...]]  # those that say how it is read: the weights fix them
    ASSETS: ClassVar[tuple[str, ...]]  # the names of its `assets`
    # What a [data] key that an older run folder has not got means there.
    BEFORE: ClassVar[Mapping[str, object]] = MappingProxyType({})
    data: DataT

    @staticmethod
    @abstractmethod
    def data_from(paths: list[Path]) -> Mapping[str, object]:
        """The [data] keys that `--data PATH…` stands for."""

    @classmethod
    @abstractmethod
    def recognises(cls, path: Path) -> bool:
        """Whether a file or folder looks like this task's data."""

    @classmethod
    @abstractmethod
    def show(cls, data: DataT) -> dict[str, object]:
        """What there is to know about a data set, by label."""

    @abstractmethod
    def assets(self) -> dict[str, bytes]:
        """The files of the run folder that prediction needs besides the weights."""

    @abstractmethod
    def use_assets(self, assets: dict[str, bytes]) -> None:
        """Take from a run folder's files what would otherwise be made from the data."""

    @abstractmethod
    def checksum(self) -> str:
        """The SHA-256 of the data."""

    @abstractmethod
    def describe(self) -> str:
        """The data in one line."""


class Learns(ABC, Generic[TrainT, BatchT]):
    """What a task learns: its model, its batches, their loss."""

    Train: ClassVar[type[TrainConfig]]
    MODELS: ClassVar[Mapping[str, type[Config]]]
    bfloat16: ClassVar[bool] = True  # whether its products can be made in bfloat16
    sharded: bool = False  # whether `batches` are of `shard`'s rows, for several processes
    OWN: ClassVar[tuple[str, ...]] = ()  # of "loss" and "metrics", which may be the user's own
    model: Config | None  # the [model] section; None where only the data is of interest
    train: TrainT
    seed: int
    device: torch.device
    shard: Shard

    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """What the data asks of a model, by the names of its arguments: the number of classes…"""

    @abstractmethod
    def try_own(self, model: nn.Module, kind: str) -> None:
        """Say at once, in one line, when a class of the user's own does not fit this task."""

    def build(self) -> nn.Module:
        """The model, with its initial weights."""
        sizes = self.sizes()
        if isinstance(self.model, OwnModel):
            model = build_own(self.model.kind, self.model.args, **sizes)
            self.try_own(model, self.model.kind)
            return model
        with explain_out_of_memory("model"):
            return cast(Architecture, self.model).build(*sizes.values())

    @property
    def kind(self) -> str:
        """The name of the architecture."""
        return str(getattr(self.model, "kind", ""))

    @property
    @abstractmethod
    def steps(self) -> int:
        """Batches in an epoch."""

    @property
    @abstractmethod
    def units(self) -> int:
        """Units (tokens, images, …) in an epoch."""

    @property
    def trained(self) -> int:
        """Training examples, of the kind that is tested: not nodes, where edges are."""
        return self.units

    @abstractmethod
    def batches(self, epoch: int, position: int) -> Iterable[BatchT]:
        """The batches of an epoch from `position` on; the same whenever it is asked."""

    @abstractmethod
    def loss(self, model: nn.Module, batch: BatchT, carry: Carry) -> tuple[Tensor, int, Carry]:
        """The mean loss of a batch, how many units it covers, and the carry for the next one."""

    def terms(self, batch: BatchT, units: int) -> int:
        """How many terms the mean loss of a batch of so many units is over."""
        return units

    def take_shard(self, shard: Shard) -> None:
        """Make batches of this part of their rows from now on."""
        rows = getattr(self.train, "batch", 1)
        if shard.of > 1 and not self.sharded:
            raise WorkingsError(
                f"train.processes: {self.kind} on this data is trained whole, by one process; "
                "set train.processes=1"
            )
        if shard.of > rows:
            raise WorkingsError(
                f"train.processes: {shard.of} cannot divide train.batch = {rows} between them; "
                f"set at most {rows}"
            )
        self.shard = shard

    @functools.cached_property
    def criterion(self) -> Criterion:
        """The mean loss of logits N×K, given the right classes N: the user's own, if any."""
        return own_loss(self.train.loss) if self.train.loss else F.cross_entropy

    def own_metrics(self, given: object, right: object) -> Metrics:
        """The user's own metrics, by the names of their functions."""
        return own_metrics(self.train.metrics, given, right)

    def first_loss(self) -> float | None:
        """What an untrained model's loss should be near to, where that is known."""
        return None

    def suspect_inputs(self) -> str:
        """Why the inputs may be what makes the first loss far too large; else nothing."""
        return ""

    def leaks(self, model: nn.Module) -> Iterable[Leak]:
        """What of the answers reaches the model through its data or its architecture."""
        return ()

    def groups(self, model: nn.Module) -> list[ParameterGroup]:
        """The optimizer's parameter groups, where some have settings of their own."""
        return [{"params": [p for p in model.parameters() if p.requires_grad]}]

    def to(self, device: torch.device) -> None:
        """Put batches on this device from now on."""
        self.device = device


class Reports(ABC):
    """What a task reports of a model: its metrics, and what shows what it has learned."""

    best: str  # the validation metric that decides which weights are best
    lower_is_better: bool
    headline: str = ""  # the metric that results show first; `best` where it is empty
    extra_metrics: tuple[str, ...] = ()  # those shown at the end besides it
    METRICS: ClassVar[tuple[str, ...]]  # all that `evaluate` may give

    @abstractmethod
    def evaluate(self, model: nn.Module, split: str, tick: Tick) -> Metrics:
        """The metrics of a split."""

    def examples(self, model: nn.Module, split: str, tick: Tick) -> Examples | None:
        """What the model makes of each example of a split; None where a task has no examples."""
        return None

    def training_metrics(self, loss: float) -> Metrics:
        """The metrics that a mean training loss stands for."""
        return {"loss": loss}

    def evaluate_training(self, model: nn.Module, tick: Tick) -> Metrics:
        """What else is measured on the training split at the end of an epoch."""
        return {}

    def evaluate_further(self, model: nn.Module, tick: Tick) -> Metrics:
        """What else is measured on the test split, once, with the best weights."""
        return {}

    def training_variant(self) -> str:
        """How the training metrics that a run reports were measured."""
        return "mean over the best epoch while it trained, with its dropout"

    def details(self) -> Mapping[str, object]:
        """What the last evaluation gave that is no single figure: tables, samples, as JSON."""
        return {}

    def baselines(self) -> dict[str, Metrics]:
        """The metrics of simpler methods on the same data, by name: `test.perplexity` and so on."""
        return {}

    def when_beaten(self) -> str:
        """What to try where a simpler method does better than the model; nothing where unknown."""
        return ""

    def illustrate(self, model: nn.Module) -> list[str]:
        """A few lines that show what the trained model does."""
        return []

    @abstractmethod
    def next_commands(self, command: Callable[[str], str]) -> list[str]:
        """What to type next; `command("eval")` is that command with this run's name."""


class Task(Reads[DataT], Learns[TrainT, BatchT], Reports, Generic[DataT, TrainT, BatchT]):
    """One kind of problem: data, model, loss, metrics."""

    def __init__(
        self,
        data: DataT,
        model: Config | None,
        train: TrainT,
        seed: int,
        assets: dict[str, bytes],
    ) -> None:
        self.data, self.model, self.train, self.seed = data, model, train, seed
        self.device, self.shard = torch.device("cpu"), Shard()
        if assets:
            self.use_assets(assets)

    def settle(self) -> list[str]:
        """Choose, by looking at the data, what the config leaves open; say what was chosen.

        `data`, `model` and `train` are then those that the run folder keeps, so that nothing is
        chosen a second time.
        """
        return []

    @classmethod
    def of_data(cls, data: DataT) -> "type[Task]":
        """The class that does the work: another one where what [data] asks for is done apart."""
        return cls

    @classmethod
    def adapt(cls, values: dict[str, object]) -> dict[str, object]:
        """Plain values of a config with the defaults that depend on another of its settings."""
        return values


def with_defaults(values: dict[str, object], section: str, **defaults: object) -> dict[str, object]:
    """Plain values of a config, with defaults for what one of its sections does not give."""
    given = values.get(section, {})
    return {**values, section: {**defaults, **given}} if isinstance(given, dict) else values
