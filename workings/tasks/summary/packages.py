"""Where the Python sources of this machine are: the standard library, and installed packages.

Found by name on the path, and read as text: nothing is imported.
"""

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
    return [source for place in places for source in _below(name, Path(place))]


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


def _below(project: str, place: Path) -> list[Source]:
    project = project.removesuffix(".py")
    if place.is_file():
        return [(project, project, place)]
    return [
        (project, ".".join((project, *path.relative_to(place).with_suffix("").parts)), path)
        for path in _files(place)
    ]


def _files(folder: Path) -> list[Path]:
    """Every .py file below, in order; no link to a folder is followed."""
    return [
        path
        for path in sorted(folder.rglob("*.py"))
        if not _SKIPPED & set(path.relative_to(folder).parts[:-1]) and path.is_file()
    ]
