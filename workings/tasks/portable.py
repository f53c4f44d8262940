"""A trained model in a form that leaves the program: a stand-alone module, with real cases."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import Tensor, nn

from workings.errors import WorkingsError

Case = tuple[tuple[Tensor, ...], tuple[Tensor, ...]]  # inputs, and what the live model gives


@dataclass(frozen=True)
class Part:
    """A module with plain tensors in and out, and what the live model gives for real inputs.

    inputs: the name of each with its sizes; a size that has a name may vary. cases: the first one
    has no size of 0 or 1 among those that vary. meaning: of inputs and outputs by name, what their
    numbers are.
    """

    name: str
    module: nn.Module
    inputs: dict[str, tuple[str | int, ...]]
    outputs: tuple[str, ...]
    cases: list[Case]
    meaning: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Portable:
    """Everything that a trained model is outside of Workings.

    standalone: the file of `workings.nn.standalone` that has its class. model: the config of that
    class; use: what using it needs besides, such as its vocabulary. how: lines of Python that use
    it, after `model, config = load()`.
    """

    parts: list[Part]
    module: nn.Module  # the whole of it, with its weights
    standalone: str
    model: Mapping[str, object]
    use: Mapping[str, object]
    how: str


def cannot_leave(kind: str) -> WorkingsError:
    """What is said of a model that has no stand-alone form."""
    return WorkingsError(
        f"model.kind: {kind} has no stand-alone form yet; from Python, `workings.open(RUN).model` "
        "is the torch module, with its weights"
    )
