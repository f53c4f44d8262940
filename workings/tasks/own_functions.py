"""Functions of the user's own that a config names: a loss, metrics, a callback."""

from collections.abc import Callable, Sequence
from typing import SupportsFloat, SupportsIndex

from torch import Tensor

from workings.errors import WorkingsError, first_line
from workings.own_class import import_function

Criterion = Callable[[Tensor, Tensor], Tensor]


def called(name: str, key: str, *args: object) -> object:
    """What a function gives; an error in it is one line with its name."""
    function = import_function(name, key)
    try:
        return function(*args)
    except Exception as error:  # the user's code may raise anything
        raise WorkingsError(
            f"{key}: {name} failed ({type(error).__name__}: {first_line(error)})"
        ) from error


def own_loss(name: str) -> Criterion:
    """The user's loss of logits N×K and classes N; what it gives must be one number."""

    def criterion(logits_NK: Tensor, classes_N: Tensor) -> Tensor:
        given = called(name, "train.loss", logits_NK, classes_N)
        if not isinstance(given, Tensor) or given.numel() != 1:
            kind = tuple(given.shape) if isinstance(given, Tensor) else type(given).__name__
            raise WorkingsError(
                f"train.loss: {name}(logits_NK, classes_N) must give a tensor with one number, the "
                f"mean loss; it gave {kind}"
            )
        return given.reshape(())

    return criterion


def metric_name(name: str) -> str:
    """The name that a metric goes by: its function's."""
    return name.rpartition(":")[2]


def own_metrics(names: Sequence[str], given: object, right: object) -> dict[str, float]:
    """The user's metrics of what a model gives, by the names of their functions."""
    figures: dict[str, float] = {}
    for name in names:
        value = called(name, "train.metrics", given, right)
        try:
            if not isinstance(value, str | bytes | SupportsFloat | SupportsIndex):
                raise TypeError
            figures[metric_name(name)] = float(value)
        except (TypeError, ValueError, RuntimeError):
            raise WorkingsError(
                f"train.metrics: {name} must give a number; it gave {type(value).__name__}"
            ) from None
    return figures
