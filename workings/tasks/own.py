"""The user's own architecture, named `package.module:Class` in a config."""

import importlib
import sys
from pathlib import Path
from typing import Any

from torch import nn

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


def _line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
