"""Importing a class or function of the user's own, `package.module:name`: only what is trusted.

Importing a module runs it. A name that the user typed, or passed from Python, is trusted; one that
stands in a file is not, unless the user says so (`--trust`, or `trust=True`). What is imported must
be a torch.nn.Module, or a function that is annotated to return one, before it is called.
"""

import contextlib
import importlib
import inspect
import sys
import typing
from collections.abc import Callable, Iterator, Mapping
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec, PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from workings.errors import WorkingsError, first_line, nearest

if TYPE_CHECKING:
    from torch import nn


def is_own(name: object) -> bool:
    """Whether a model's name is that of a class to import."""
    return isinstance(name, str) and ":" in name


# The keys of a config that may name something of the user's own, besides `model.kind`.
FUNCTIONS = ("optimizer", "loss", "metrics", "callback")


def names_in(values: Mapping[str, object]) -> dict[str, str]:
    """What plain values of a config name of somebody's own, by key: a class, functions."""
    model, train = (values.get(section) for section in ("model", "train"))
    named: dict[str, str] = {}
    if isinstance(model, Mapping) and is_own(model.get("kind")):
        named["model.kind"] = str(model["kind"])
    functions = {key: train.get(key) for key in FUNCTIONS} if isinstance(train, Mapping) else {}
    for key, given in functions.items():
        for name in given if isinstance(given, list | tuple) else [given]:
            if is_own(name):
                named[f"train.{key}" + (f" ({name})" if key == "metrics" else "")] = str(name)
    return named


def refuse_own(values: Mapping[str, object], where: str = "") -> None:
    """Refuse plain values that a file gave, where they name something to import."""
    for key, name in names_in(values).items():
        refuse(name, f"{where}{key}")


def refuse(name: str, where: str) -> None:
    """Say what a file would have imported, and from where."""
    kind = "class" if "train." not in where else "function"
    raise WorkingsError(
        f"{where}: names the {kind} {name!r}, which would be imported from {locate(name)}; nothing "
        "that a file names is imported unless you trust it: --trust (from Python, trust=True)"
    )


def locate(name: str) -> str:
    """The file that importing a name would run, found without running anything."""
    module = name.partition(":")[0]
    spec = find_spec(module)
    if spec is None and "." not in module:
        spec = BuiltinImporter.find_spec(module) or FrozenImporter.find_spec(module)
    if spec is None:
        return "a module that was not found"
    return spec.origin or "a folder without __init__.py"


def find_spec(module: str) -> ModuleSpec | None:
    """Where importing a module would find it, its packages not imported; None where nowhere."""
    search = [str(Path.cwd()), *sys.path]
    spec = None
    for part in module.split("."):
        try:
            # By its last part alone: a package's full name is looked up among the imported ones.
            spec = PathFinder.find_spec(part, search)
        except (ImportError, ValueError, OSError):
            return None
        if spec is None:
            return None
        search = list(spec.submodule_search_locations or ())
    return spec


def import_class(name: str, what: str = "") -> "Callable[..., nn.Module]":
    """The class or function of a trusted name; `what` begins the message where it cannot be had."""
    target = _import(name, what)
    if not makes_module(target):
        raise WorkingsError(
            f"{f'{what}: ' if what else ''}{name} is neither a torch.nn.Module class nor a "
            "function annotated to return one (def build(…) -> nn.Module)"
        )
    return typing.cast("Callable[..., nn.Module]", target)


def import_function(name: str, what: str) -> Callable[..., object]:
    """The function of a trusted name, which is called as the docs of `what` say."""
    target = _import(name, what)
    if not callable(target):
        raise WorkingsError(f"{what}: {name} is no function")
    return typing.cast("Callable[..., object]", target)


def _import(name: str, what: str) -> object:
    module_name, _, attribute = name.partition(":")
    before = f"{what}: " if what else ""
    try:
        with _search_path_for(module_name):
            module = importlib.import_module(module_name)
    except Exception as error:  # importing runs the user's code, which may raise anything
        raise WorkingsError(
            f"{before}cannot import {module_name!r} ({type(error).__name__}: {first_line(error)}); "
            "it is looked for in the current folder and among the installed packages"
        ) from error
    target = getattr(module, attribute, None)
    if target is None:
        known = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise WorkingsError(
            f"{before}{module_name} has no class or function {attribute!r}"
            f"{nearest(attribute, known)}"
        )
    return target


@contextlib.contextmanager
def _search_path_for(module: str) -> Iterator[None]:
    """A module of the current folder is found before any other; afterwards it is looked for last.

    So what a function of the user's imports later is found, and nothing there takes the name of
    an installed package that a library of ours imports later. What is installed itself is imported
    without that folder, which may be a stranger's: its modules would take the names of what an
    installed one imports.
    """
    here = str(Path.cwd())
    if here in sys.path or PathFinder.find_spec(module.partition(".")[0], [here]) is None:
        yield
        return
    sys.path.insert(0, here)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the module may have changed the path itself
            sys.path.remove(here)
        sys.path.append(here)


def makes_module(target: object) -> bool:
    """Whether something says of itself, without being called, that it gives a torch.nn.Module."""
    from torch import nn

    if inspect.isclass(target):
        return issubclass(target, nn.Module)
    if not inspect.isfunction(target):
        return False
    try:
        returned = typing.get_type_hints(target).get("return")
    except Exception:  # an annotation is any expression, and is evaluated here
        return False
    return inspect.isclass(returned) and issubclass(returned, nn.Module)
