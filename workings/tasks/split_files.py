"""Data given by name, by one path, or as files split by split: the config keys of each."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import model_validator

from workings.data import SOURCES, Splits, sources
from workings.errors import WorkingsError, nearest
from workings.schema import Config

SPLITS = ("train", "valid", "test")


class SplitFiles(Config):
    """The keys of a [data] section whose splits are files."""

    name: str = ""
    """a named data set (see `workings data list`)"""
    train: tuple[str, ...] = ()
    """training files"""
    valid: tuple[str, ...] = ()
    """validation files"""
    test: tuple[str, ...] = ()
    """test files"""
    allow_overlap: bool = False
    """train although what is in valid or test is in train too"""

    def files(self) -> Splits:
        """The files of each split that is given as files."""
        if self.name:
            return sources.splits(self.name)
        given = {"train": self.train, "valid": self.valid, "test": self.test}
        return {split: [Path(p) for p in paths] for split, paths in given.items() if paths}


class NamedOrPath(Config):
    """The keys of a [data] section that is a named set, or one file or folder."""

    TASK: ClassVar[str]
    DEFAULT: ClassVar[str]  # the named set where neither is given
    name: str = ""
    """a named data set (see `workings data list`)"""
    path: str = ""
    """a file or a folder"""

    @model_validator(mode="before")
    @classmethod
    def _settled(cls, values: object) -> object:
        if not isinstance(values, dict):
            return values
        given = settle_path(values, cls.DEFAULT)
        name = given.get("name")
        if isinstance(name, str) and name:
            return cls.of_named(name, given)
        return cls.of_path(given)

    @classmethod
    def of_named(cls, name: str, given: dict[str, object]) -> dict[str, object]:
        """Plain values, with what a named set says of how it is meant to be read."""
        return {**sources.source(name, cls.TASK).defaults, **given}

    @classmethod
    def of_path(cls, given: dict[str, object]) -> dict[str, object]:
        """Plain values of the user's own data, with the defaults that depend on others."""
        return given


def settle(values: dict[str, object], default: str, kind: str) -> dict[str, object]:
    """Plain values with absolute paths, and the named set `default` where no file is given."""
    given = {k: absolute(v) if k in SPLITS else v for k, v in values.items()}
    if not given.get("train") and (given.get("valid") or given.get("test")):
        raise ValueError(f"valid and test {kind} go with training {kind}: give data.train too")
    if given.get("name") and given.get("train"):
        raise ValueError("give data.name or data.train, not both")
    if not given.get("name") and not given.get("train"):
        given["name"] = default
    return given


def settle_path(values: dict[str, object], default: str) -> dict[str, object]:
    """Plain values with an absolute path, and the named set `default` where no path is given."""
    given = dict(values)
    if given.get("name") and given.get("path"):
        raise ValueError("give data.name or data.path, not both")
    if not given.get("name") and not given.get("path"):
        given["name"] = default
    if isinstance(path := given.get("path"), str) and path:
        given["path"] = _absolute(path)
    return given


def _absolute(path: str) -> str:
    """A path as it is wherever the run is used; ValueError where no file can be there."""
    shown = f"{path!a}" if len(path) < 80 else f"{path[:60]!a} …"
    try:
        absolute = Path(path).expanduser().absolute()
        absolute.exists()
    except RuntimeError:
        raise ValueError(f"{shown}: there is no such user's folder; write the path out") from None
    except OSError as error:  # a name that is too long, a folder that must not be looked into
        raise ValueError(f"{shown}: {error.strerror}; give another path") from None
    return str(absolute)


def absolute(value: object) -> object:
    """One path or several, made absolute: a run can be resumed from any folder."""
    if isinstance(value, str):
        value = (value,)
    if isinstance(value, (list, tuple)) and all(isinstance(path, str) for path in value):
        return tuple(map(_absolute, value))
    return value


def from_path(paths: list[Path], task: str, wanted: str) -> dict[str, str]:
    """The config keys of a set's name, or of the one file or folder that is given.

    wanted: what a task reads, for the error where several paths are given.
    """
    if len(paths) != 1:
        raise WorkingsError(f"--data: {wanted} (got {len(paths)})")
    if name := sources.named_in(paths):
        return {"name": name}
    if not paths[0].exists():
        known = [source.name for source in SOURCES.values() if source.task == task]
        hint = nearest(str(paths[0]), known)
        raise WorkingsError(f"{paths[0]}: no such file, folder or data set{hint}")
    return {"path": str(paths[0])}


def from_paths(
    paths: list[Path],
    inside: Callable[[Path], list[Path]],
    split_of: Callable[[Path], str | None],
) -> dict[str, str | list[str]]:
    """The config keys of a set's name, a folder, or files.

    inside: what of a folder is meant. split_of: the split that a file's name tells.
    """
    if name := sources.named_in(paths):
        return {"name": name}
    files: list[Path] = []
    for path in paths:
        if not path.exists():
            hint = nearest(str(path), SOURCES)
            raise WorkingsError(f"{path}: no such file, folder or data set{hint}")
        files += inside(path) if path.is_dir() else [path]
    splits: dict[str, list[str]] = {}
    for file in files:
        splits.setdefault(split_of(file) or "", []).append(str(file))
    if "train" not in splits:
        return {"train": [str(file) for file in files]}
    for unnamed in splits.get("", []):
        raise WorkingsError(
            f"{unnamed}: some files are named train, valid or test and this one is not: "
            "name them all so, or give them as data.train, data.valid, data.test with --set"
        )
    return dict(splits)


def split_in_name(path: Path, words: Mapping[str, set[str]], between: str) -> str | None:
    """The split whose words stand in a file's name, where they are of one split only.

    between: a regular expression of what separates the words of a name.
    """
    parts = set(re.split(between, path.name.lower()))
    named = [split for split, known in words.items() if parts & known]
    return named[0] if len(named) == 1 else None
