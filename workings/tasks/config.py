"""What the config sections of every task share: how it is trained, and the user's own model."""

from collections.abc import Iterable
from typing import Literal

from pydantic import Field, field_validator, model_validator

from workings.errors import nearest
from workings.own_class import is_own
from workings.schema import Config, Count, NonNegative, Positive, Size

OPTIMIZERS = ("adam", "adamw", "sgd", "asgd")


class TrainConfig(Config):
    """How any task is trained; a task's own class adds what only it has."""

    epochs: Size = 50
    """most passes over the training split"""
    max_steps: Count = 0
    """most optimizer steps, whatever the epochs; 0: no such limit"""
    patience: Count = 2
    """stop when the epoch is more than this past the best one"""
    optimizer: str = "adam"
    """adam, adamw, sgd, asgd (SGD whose weights are averaged from where the validation metric stops
    improving), or your own, module:function, called with the parameter groups and lr"""
    loss: str = ""
    """your own, module:function, called with logits N×K and classes N, gives the mean that training
    lowers; metrics stay as they are"""
    metrics: tuple[str, ...] = ()
    """your own, module:function each, called with logits N×K and classes N (speech: the texts
    written and said), gives a number; it goes by the function's name"""
    callback: str = ""
    """your own, module:function, called after every epoch with its number, the metrics and the
    model"""
    lr: float = Field(default=0.001, gt=0, le=1e30)
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
    """CPU threads; 0: one or as many as PyTorch finds, by a measurement of the first steps"""
    processes: int = Field(default=1, ge=1, le=4096)
    """processes that train together, each on its part of every batch"""
    precision: Literal["float32", "bfloat16", "auto"] = "float32"
    """of matrix products in training, whose sums and all else are float32; auto: bfloat16 where a
    measurement at the start finds it 1.2 times as fast or more, and the first losses agree"""
    matmul: Literal["torch", "onednn", "auto"] = "auto"
    """who makes float32 matrix products on a CPU: PyTorch's own library or oneDNN; auto: oneDNN
    where a measurement at the start finds it 1.2 times as fast or more"""
    checkpoint_seconds: NonNegative = 60.0
    """longest time between two checkpoints, in seconds; 0: one every step"""

    @field_validator("metrics", mode="before")
    @classmethod
    def _one_or_more(cls, given: object) -> object:
        """One name, or a list of them."""
        if isinstance(given, str):
            return (given,)
        return tuple(given) if isinstance(given, list) else given

    @field_validator("optimizer")
    @classmethod
    def _is_an_optimizer(cls, name: str) -> str:
        if name not in OPTIMIZERS and not is_own(name):
            known, hint = ", ".join(OPTIMIZERS), nearest(name, OPTIMIZERS)
            raise ValueError(f"no optimizer {name!r}{hint}; {known}, or module:function")
        return name

    @model_validator(mode="after")
    def _names_of_functions(self) -> "TrainConfig":
        for key, names in {"loss": [self.loss], "callback": [self.callback]}.items():
            _require_names(key, [name for name in names if name])
        _require_names("metrics", self.metrics)
        return self

    @model_validator(mode="after")
    def _momentum_is_sgds(self) -> "TrainConfig":
        if self.momentum and self.optimizer not in ("sgd", "asgd"):
            raise ValueError(f"momentum is of sgd and asgd, not of {self.optimizer}")
        return self


class DecoderTrain(TrainConfig):
    """Training of a decoder that writes, with the tokens before each one given."""

    batch: Size = 32
    """clips, functions or texts in a step"""
    clip: NonNegative = 1.0
    """largest norm of the whole gradient; 0: no clipping"""
    warmup: Count = 100
    """steps over which the learning rate rises linearly to `lr`"""
    eval_batch: Size = 32
    """how many are written at a time in evaluation; it changes the speed, not what is written"""
    allow_lookahead: bool = False
    """train a model although its outputs depend on later tokens of the right answer"""


def _require_names(key: str, names: Iterable[str]) -> None:
    for name in names:
        if not is_own(name):
            raise ValueError(f"{key}: {name!r} is no name of a function, module:function")


class OwnModel(Config):
    """The user's own architecture."""

    kind: str
    """package.module:Class"""
    args: dict[str, object] = {}  # noqa: RUF012 - pydantic copies it
    """keyword arguments of the class, besides those the task gives"""
