"""The form of a new run: every field of a task's config with its description; in a worker."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

import tomlkit

from workings import toml_files
from workings.data.named import SOURCES
from workings.errors import WorkingsError
from workings.own_class import refuse_own
from workings.page.run_details import by_section
from workings.run import config as configs
from workings.schema import Config
from workings.tasks import TASKS

USUAL = {
    "data": ("name", "train", "path"),
    "model": ("kind", "hidden", "layers", "dropout", "heads", "channels", "blocks"),
    "train": ("epochs", "lr", "batch", "patience", "max_steps"),
}


def tasks() -> Iterator[dict[str, object]]:
    """Every task with its sections and their fields, and the configs that are shipped for it."""
    shipped = {name: configs.read(path) for name, path in configs.shipped().items()}
    yield {
        name: {
            "sections": {
                "data": _fields(task.Data, "data"),
                "train": _fields(task.Train, "train"),
            },
            "models": {kind: _fields(model, "model") for kind, model in task.MODELS.items()},
            "configs": {
                key: tomlkit.dumps(values)
                for key, values in shipped.items()
                if values.get("task") == name
            },
            "sets": [key for key, source in SOURCES.items() if source.task == name],
        }
        for name, task in TASKS.items()
    }


def _fields(section: type[Config], name: str) -> list[dict[str, object]]:
    fields = []
    for key, field in section.model_fields.items():
        kind, choices = _kind(field.annotation)
        default = None if field.is_required() else field.get_default(call_default_factory=True)
        fields.append(
            {
                "key": key,
                "kind": kind,
                "choices": choices,
                "default": list(default) if isinstance(default, tuple) else default,
                "about": " ".join((field.description or "").split()),
                "usual": key in USUAL[name],
            }
        )
    return [each for each in fields if each["kind"] != "other"]


def _kind(annotation: object) -> tuple[str, list[object]]:
    """What stands in a field: number, whole, truth, text, choice, several of one, either of two."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(inner[0])
    if origin is Literal:
        return "choice", list(inner)
    if origin in (Union, UnionType):
        return "either", []
    if origin is tuple:
        each, _ = _kind(inner[0])
        return {"text": "texts", "choice": "texts", "whole": "wholes"}.get(each, "other"), []
    plain: dict[object, str] = {bool: "truth", int: "whole", float: "number", str: "text"}
    return plain.get(annotation, "other"), []


def checked(text: str, root: str, trust: bool) -> Iterator[dict[str, object]]:
    """A config's text, if it can be trained, by key; an error names the key and where it stands."""
    try:
        values = toml_files.parse(text)
    except toml_files.WrongToml as error:
        raise WorkingsError(str(error)) from None
    if not trust:
        refuse_own(values)
    config = configs.resolve(values)
    stay_inside(TASKS[config.task].LOCATION, config.data.model_dump(), Path(root))
    yield {"task": config.task, "model": config.kind, "given": by_section(values)}


def stay_inside(keys: tuple[str, ...], data: Mapping[str, object], root: Path) -> None:
    """Refuse data that is neither in the folder of the page nor in one for data sets."""
    known = [root, *map(Path, filter(None, os.environ.get("WORKINGS_DATA", "").split(os.pathsep)))]
    for key in keys:
        value = data.get(key)
        for given in value if isinstance(value, list | tuple) else [value]:
            if key == "name" or not given or not isinstance(given, str):
                continue
            path = (root / given).resolve()
            if not any(path.is_relative_to(each.resolve()) for each in known):
                raise WorkingsError(
                    f"data.{key}: {given} is outside of the folder that the page was started in; "
                    "start the page above it, or use `workings train`"
                )
