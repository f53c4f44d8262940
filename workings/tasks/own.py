"""The user's own architecture, named `package.module:Class` in a config."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError


def build_own(kind: str, args: dict[str, Any], **given: Any) -> nn.Module:
    """The named class, built with what the task gives it and the config's [model.args]."""
    name, _, attribute = kind.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # so that a file beside the data is found
    try:
        module = importlib.import_module(name)
    except Exception as error:
        raise WorkingsError(
            f"model.kind: cannot import {name!r} ({type(error).__name__}: {_line(error)}); "
            "it is looked for in the current folder and among the installed packages"
        ) from error
    found = getattr(module, attribute, None)
    if not (isinstance(found, type) and issubclass(found, nn.Module)):
        raise WorkingsError(f"model.kind: {name} has no torch.nn.Module class {attribute!r}")
    try:
        return found(**given, **args)
    except Exception as error:
        keys = ", ".join([*given, *args])
        raise WorkingsError(
            f"model.kind: {kind}({keys}) cannot be built ({type(error).__name__}: {_line(error)})"
        ) from error


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
        raised = f"{type(error).__name__}: {_line(error)}"
        raise WorkingsError(f"{wanted}; for {given} it raised {raised}") from error
    finally:
        model.train(was_training)
        torch.set_rng_state(random)
    return shape


def _line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
