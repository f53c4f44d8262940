"""Building the model of a config that names the user's own class, and trying it out."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError, first_line
from workings.own_class import import_class
from workings.own_source import imported_source


def build_own(kind: str, args: dict[str, object], **given: object) -> nn.Module:
    """The named class, built with what the task gives it and the config's [model.args]."""
    target = import_class(kind, "model.kind")
    if not isinstance(target, type):
        raise WorkingsError(f"model.kind: {kind} is a function; a torch.nn.Module class is needed")
    imported_source(target, kind)  # as it is now: the file may change while this process runs
    try:
        return target(**given, **args)
    except Exception as error:
        keys = ", ".join([*given, *args])
        raised = f"{type(error).__name__}: {first_line(error)}"
        raise WorkingsError(f"model.kind: {kind}({keys}) cannot be built ({raised})") from error


def try_out(
    model: nn.Module, kind: str, wanted: str, trial: Callable[[nn.Module], Tensor], given: str
) -> tuple[int, ...]:
    """Say at once, and in one line, when a class of the user's is not what its task needs.

    trial: gives the model an input (`given`, in words) and returns its output; what it raises is
    said after `wanted`, which tells what the model should do. Returns the output's shape.
    """
    wanted = f"model.kind: {kind}: {wanted}"
    if not any(parameter.requires_grad for parameter in model.parameters()):
        raise WorkingsError(f"model.kind: {kind} has no parameters to train")
    was_training, random = model.training, torch.get_rng_state()
    try:
        with torch.no_grad():
            output = trial(model.eval())
        shape = tuple(output.shape)
    except Exception as error:
        raised = f"{type(error).__name__}: {first_line(error)}"
        raise WorkingsError(f"{wanted}; for {given} it raised {raised}") from error
    finally:
        model.train(was_training)
        torch.set_rng_state(random)
    return shape
