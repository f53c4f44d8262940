"""One TOML file is one run: reading it, overriding it, resolving it through its task."""

import hashlib
import json
import os
import shlex
import tomllib
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path

import tomlkit
from pydantic import Field, PrivateAttr, SerializeAsAny

from workings import toml_files
from workings.errors import WorkingsError, nearest
from workings.files import read_file
from workings.names import check_names
from workings.own_class import refuse_own
from workings.schema import Config, build
from workings.tasks import TASKS, reader_of
from workings.tasks.config import OwnModel, TrainConfig
from workings.tasks.task import Task

SECTIONS = ("data", "model", "train")
LARGEST_CONFIG = 2_000_000  # bytes of a config or a study file

# What may change of [train] in a run that has begun; the rest is part of its data, model or state.
CHANGEABLE = (
    *("epochs", "patience", "lr", "schedule", "decay", "wait", "lr_end", "warmup", "clip"),
    *("device", "threads", "processes", "matmul", "checkpoint_seconds", "eval_window"),
)

Values = dict[str, object]  # a TOML file as plain values; a section is a dict in it

# What a [train] key that older runs have not got is, where it changes nothing.
NEWER: Values = {"precision": "float32", "loss": "", "metrics": [], "callback": ""}


class RunConfig(Config):
    """Everything that determines a run."""

    task: str
    """what is learned"""
    seed: int = Field(default=1, ge=0, lt=2**63)
    """of the initial weights, dropout and everything else random"""
    data: SerializeAsAny[Config]
    model: SerializeAsAny[Config]
    train: SerializeAsAny[TrainConfig]
    _unknown: Values = PrivateAttr(default_factory=dict)

    def keeping(self, unknown: Values) -> "RunConfig":
        """This config with keys of a newer version, which are shown and written but not used."""
        self._unknown = unknown
        return self

    @property
    def unknown(self) -> Values:
        """The keys, by section, that a newer version wrote and this one does not know."""
        return self._unknown

    @property
    def unknown_keys(self) -> list[str]:
        """`section.key` of what a newer version wrote."""
        return sorted(_flat(self._unknown))

    @property
    def kind(self) -> str:
        """The name of the architecture."""
        return str(getattr(self.model, "kind", ""))

    def build_task(self, assets: dict[str, bytes] | None = None) -> Task:
        """The task, with the files that a run folder keeps for it."""
        task = TASKS[self.task].of_data(self.data)
        return task(self.data, self.model, self.train, self.seed, assets or {})

    def settled(self) -> "tuple[RunConfig, Task, list[str]]":
        """The config with what its data decides, the task, and what was chosen: `Task.settle`."""
        task = self.build_task()
        chosen = task.settle()
        return self.of(task), task, chosen

    def of(self, task: Task) -> "RunConfig":
        """This config with the sections of a task."""
        sections = {"data": task.data, "model": task.model, "train": task.train}
        return self.model_copy(update=sections)

    def flat(self) -> Values:
        """`section.key`: value."""
        known: Values = {"task": self.task, "seed": self.seed}
        sections = {section: getattr(self, section).model_dump() for section in SECTIONS}
        return known | _flat(sections) | _flat(self._unknown)

    def chosen(self) -> Values:
        """`section.key`: value of what is not as it is by default; task, seed and kind always."""
        always: Values = {"task": self.task, "seed": self.seed, "model.kind": self.kind}
        sections = {
            section: getattr(self, section).model_dump(mode="json", exclude_defaults=True)
            for section in SECTIONS
        }
        return always | _flat(sections) | _flat(self._unknown)

    def fixed(self) -> str:
        """The SHA-256 of all that stays as it is once the run has begun."""
        values = self.model_dump(mode="json")
        for key in TASKS[self.task].LOCATION:
            values["data"].pop(key, None)
        for key in CHANGEABLE:
            values["train"].pop(key, None)
        for key, plain in NEWER.items():  # as in runs from before it could be chosen
            if values["train"].get(key) == plain:
                values["train"].pop(key)
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()

    def to_toml(self) -> bytes:
        """The whole config as a file; what a newer version wrote stays in it."""
        values = self.model_dump(mode="json")
        for key, value in self._unknown.items():
            values[key] = values[key] | value if key in SECTIONS else value
        return tomlkit.dumps(values).encode()


def _flat(sections: Mapping[str, object]) -> Values:
    flat: Values = {}
    for section, content in sections.items():
        if section in SECTIONS and isinstance(content, dict):
            flat |= {f"{section}.{key}": value for key, value in content.items()}
        else:
            flat[section] = content
    return flat


def shipped() -> dict[str, Path]:
    """The configs that come with the package, by name."""
    folder = Path(str(resources.files("workings") / "configs"))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def read(path: Path) -> Values:
    """A TOML file as plain values."""
    try:
        return toml_files.parse(read_file(path, LARGEST_CONFIG).decode("utf-8"))
    except FileNotFoundError:
        raise WorkingsError(f"{path}: no such config file") from None
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None
    except toml_files.WrongToml as error:
        raise WorkingsError(f"{path}: {error}") from None
    except UnicodeDecodeError as error:
        raise WorkingsError(f"{path}: is not TOML: {error}") from None


def load(what: str, trust: bool = False) -> Values:
    """Plain values of a task (its defaults), a shipped config, or a path.

    trust: the file may name a class of the user's own, which building the model will import.
    """
    if what in TASKS:
        return {"task": what}
    if "/" in what or what.endswith(".toml"):
        values = read(Path(what))
        if not trust:
            refuse_own(values, f"{what}: ")
        return values
    known = shipped()
    if what not in known:
        if os.path.exists(what):  # noqa: PTH110 - Path's own raises where a name is too long
            reader = reader_of(Path(what))
            raise WorkingsError(
                f"{what!r} is data, and which task it is for comes first: "
                f"`workings train {reader.name if reader else 'TASK'} --data {shlex.quote(what)}`"
            )
        hint = nearest(what, [*TASKS, *known])
        raise WorkingsError(
            f"{what!r} is neither a task nor a shipped config{hint}; "
            "a config file is given as a path: ./NAME.toml"
        )
    return read(known[what])


def with_data(
    values: "Values | RunConfig", keys: Callable[[type[Task]], Mapping[str, object]]
) -> Values:
    """Other data for a config: its preprocessing stays, its files do not."""
    if isinstance(values, RunConfig):
        values = values.model_dump(mode="json")
    task = task_of(values)
    kept = {
        key: value for key, value in section_of(values, "data").items() if key not in task.LOCATION
    }
    return {**values, "data": {**kept, **keys(task)}}


def section_of(values: Values, name: str) -> Values:
    """A section of plain values; empty where they have none."""
    section = values.get(name, {})
    if not isinstance(section, dict):
        raise WorkingsError(f"{name}: must be a section, [{name}]")
    return section


def override(values: Values, settings: list[str]) -> Values:
    """The values with `key=value` or `section.key=value` settings applied."""
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key.strip():
            raise WorkingsError(f"--set {setting}: expected KEY=VALUE, as in model.hidden=300")
        values = with_field(values, key.strip(), _value(text.strip()), f"--set {setting}")
    return values


def with_field(values: Values, key: str, value: object, where: str) -> Values:
    """The values with one field, `key` or `section.key`, in place of what it was."""
    *sections, name = key.split(".")
    values = dict(values)
    target = values
    for section in sections:
        inside = target.get(section, {})
        if not isinstance(inside, dict):
            raise WorkingsError(f"{where}: {section} is not a section")
        section_values = dict(inside)
        target[section] = section_values
        target = section_values
    target[name] = value
    return values


def _value(text: str) -> object:
    try:
        return tomllib.loads(f"v = {text}")["v"]
    except (RecursionError, ValueError):
        return text  # a bare word is a string


def task_of(values: Values) -> type[Task]:
    """The task that plain values name."""
    name = values.get("task")
    if name is None:
        raise WorkingsError(f"task: is required; one of {', '.join(TASKS)}")
    if not isinstance(name, str) or name not in TASKS:
        raise WorkingsError(
            f"task: no task {name!r}{nearest(str(name), TASKS)}; known: {', '.join(TASKS)}"
        )
    return TASKS[name]


def _hint(key: str, task: type[Task]) -> str:
    """Which key may be meant: one at the top, or one of the same name in a section."""
    for section, kind in (("train", task.Train), ("data", task.Data)):
        if key in kind.model_fields:
            return f" (did you mean {section}.{key}?)"
    if any(key in kind.model_fields for kind in task.MODELS.values()):
        return f" (did you mean model.{key}?)"
    return nearest(key, ["seed", "task", *SECTIONS])


def resolve(values: Values) -> RunConfig:
    """A full, checked config from plain values; every error names its key."""
    task = task_of(values)
    unknown = set(values) - {"task", "seed", *SECTIONS}
    for key in sorted(unknown):
        raise WorkingsError(f"{key}: unknown key{_hint(key, task)}")
    for section in SECTIONS:
        section_of(values, section)
    values = task.adapt(values)
    data, model, train = (section_of(values, section) for section in SECTIONS)
    sections = {
        "data": build(task.Data, data, "data"),
        "model": build(model_class(task, model.get("kind")), model, "model"),
        "train": build(task.Train, train, "train"),
    }
    for section in SECTIONS:
        check_names(section, values.get(section, {}))
    for key in ("loss", "metrics"):
        if getattr(sections["train"], key) and key not in task.OWN:
            raise WorkingsError(f"train.{key}: the {task.name} task takes none of your own")
    seed = {"seed": values["seed"]} if "seed" in values else {}
    return build(RunConfig, {"task": task.name, **seed, **sections}, "")


def model_class(task: type[Task], kind: object) -> type[Config]:
    """The config class of an architecture; the task's first one when none is named."""
    if kind is None:
        return next(iter(task.MODELS.values()))
    if isinstance(kind, str) and ":" in kind:
        return OwnModel
    if not isinstance(kind, str) or kind not in task.MODELS:
        raise WorkingsError(
            f"model.kind: {task.name} has no model {kind!r}{nearest(str(kind), task.MODELS)}; "
            f"known: {', '.join(task.MODELS)}, or your own as package.module:Class"
        )
    return task.MODELS[kind]
