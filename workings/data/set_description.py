"""What a named data set says of itself, and where its files are by split."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Splits = dict[str, list[Path]]  # files by split: train, and valid and test where they are given


def _no_files(folder: Path) -> Splits:
    return {"train": []}


@dataclass(frozen=True)
class Source:
    """A named data set.

    A checksum is `sha256:…` or `md5:…`. A file may have several, where the same content is
    distributed in several compressed forms; the first is the download's. None: the task that reads
    the file checks its content.
    """

    name: str
    task: str
    about: str
    licence: str
    split_method: str
    folder: str = ""  # below one of WORKINGS_DATA or the cache; empty: the set needs no files
    splits: Callable[[Path], Splits] = _no_files
    files: dict[str, tuple[str, ...]] = field(default_factory=dict)  # name: accepted checksums
    url: str = ""  # what the names of the files are appended to; empty where pip brings them
    archive: str = ""  # where the url is a tar archive of the whole folder: its checksum
    raw: tuple[str, ...] = ()  # what is downloaded where the task makes `files` from other files
    package: str = ""  # the pip requirement that carries it
    system_folders: tuple[str, ...] = ()  # where a distribution's package puts it
    defaults: Mapping[str, str | int | float | bool] = field(default_factory=dict)  # of [data]


def single_file(name: str) -> Callable[[Path], Splits]:
    """The layout of a set whose splits are all made from one file."""
    return lambda folder: {"train": [folder / name]}


def sotu_splits(folder: Path, every: int = 20) -> Splits:
    """Addresses in order of time: one in so many is test, the one midway before it valid."""
    splits: Splits = {"train": [], "valid": [], "test": []}
    for number, address in enumerate(sorted(folder.glob("*.txt"))):
        split = {every // 2 - 1: "valid", every - 1: "test"}.get(number % every, "train")
        splits[split].append(address)
    return splits
