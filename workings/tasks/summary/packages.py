"""Where the Python sources of this machine are: the standard library, and installed packages.

Found by name on the path, and read as text: nothing is imported.
"""

import os
import sysconfig
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path

from workings.errors import WorkingsError, nearest

# Folders that not every installation has, or whose files are not the library's own.
_SKIPPED = {
    *("test", "tests", "idle_test", "site-packages", "dist-packages", "__pycache__"),
    *("lib2to3", "turtledemo", "ensurepip", "lib-dynload", "node_modules"),
}
MOST_ENTRIES = 200_000  # files that a folder is looked through for
Source = tuple[str, str, Path]  # project, module, file


def standard_library() -> list[Source]:
    """The sources of the standard library without its tests; a project is a top-level module."""
    root = Path(sysconfig.get_paths()["stdlib"])
    return [source for name in sorted(_tops(root)) for source in _below(name, root / name)]


def _tops(root: Path) -> Iterator[str]:
    for path in root.iterdir():
        package = path.is_dir() and path.name not in _SKIPPED and (path / "__init__.py").exists()
        if package or (path.suffix == ".py" and not path.name.startswith("_sysconfigdata")):
            yield path.name


def installed(names: list[str]) -> list[Source]:
    """The sources of packages by the names they are imported by, each a project."""
    return [source for name in dict.fromkeys(names) for source in _package(name)]


def _package(name: str) -> list[Source]:
    spec = PathFinder.find_spec(name) if name.isidentifier() else None
    places = list(spec.submodule_search_locations or []) if spec else []
    if spec and not places and spec.origin and spec.origin.endswith(".py"):
        places = [spec.origin]
    if not places:
        raise WorkingsError(
            f"--packages {name}: no package of that name is installed{nearest(name, available())}"
        )
    return [source for folder in places for source in _below(name, Path(folder))]


def available() -> list[str]:
    """The packages beside this interpreter's own libraries, by name."""
    root = Path(sysconfig.get_paths()["purelib"])
    folders = (path for path in root.iterdir() if (path / "__init__.py").exists())
    return sorted(path.name for path in folders)


def folder_sources(folder: Path) -> list[Source]:
    """The sources of a user's own file or folder; a project is a folder directly below it."""
    if folder.is_file():
        return [("", folder.stem, folder)]
    sources = []
    for path in _files(folder):
        parts = path.relative_to(folder).with_suffix("").parts
        sources.append((parts[0], ".".join(parts), path))
    return sources


def _below(project: str, folder: Path) -> list[Source]:
    project = project.removesuffix(".py")
    if folder.is_file():
        return [(project, project, folder)]
    return [
        (project, ".".join((project, *path.relative_to(folder).with_suffix("").parts)), path)
        for path in _files(folder)
    ]


def _files(folder: Path) -> list[Path]:
    """Every .py file below, in order; no link to a folder is followed."""
    files: list[Path] = []
    for looked_at, path in enumerate(_walk(folder)):
        if looked_at > MOST_ENTRIES:
            raise WorkingsError(
                f"{folder}: holds more than {MOST_ENTRIES:,} files; name a folder of sources"
            )
        if path.suffix == ".py" and path.is_file():
            files.append(path)
    return sorted(files)


def _walk(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        yield from (Path(root, name) for name in names)
