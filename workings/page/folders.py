"""The folders that the page shows, and nothing outside of them.

A run is named by its path from there: `runs/NAME`, or `studies/STUDY/runs/NAME`.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workings.errors import WorkingsError
from workings.names import escaped

SHOWN = 300  # letters of a path that is not there


@dataclass(frozen=True)
class Folders:
    """Where runs are, and where studies are."""

    runs: Path
    studies: Path

    @property
    def digest(self) -> str:
        """A name for what the cache keeps of them."""
        both = f"{self.runs.absolute()}\n{self.studies.absolute()}"
        return hashlib.sha256(both.encode()).hexdigest()[:16]

    def run(self, name: str) -> Path:
        """The folder of a run by its name on the page; refused where it leads elsewhere."""
        head, _, rest = name.partition("/")
        base = {"runs": self.runs, "studies": self.studies}.get(head)
        if base is None or not rest:
            raise WorkingsError(f"no run {escaped(name)!r} here")
        folder = inside(base, *rest.split("/"))
        inside(folder, "run.json")
        return folder

    def study(self, name: str) -> Path:
        """The folder of a study by its name; a part of one is NAME/parts/PART."""
        folder = inside(self.studies, *name.split("/"))
        inside(folder, "study.json")
        return folder

    def study_names(self) -> Iterator[str]:
        """Every study, and after it its parts."""
        for name in names_in(self.studies):
            yield name
            if not (self.studies / name / "parts").is_symlink():
                for part in names_in(self.studies / name / "parts"):
                    yield f"{name}/parts/{part}"

    def sources(self) -> Iterator[tuple[str, Path]]:
        """Every folder that holds run folders: the beginning of their names, and where it is."""
        if self.runs.is_dir():
            yield "runs/", self.runs
        for name in self.study_names():
            runs = self.studies / name / "runs"
            if runs.is_dir() and not runs.is_symlink():
                yield f"studies/{name}/runs/", runs


def names_in(folder: Path) -> list[str]:
    """The folders in a folder, in order; links and hidden ones are left out."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return []
    return sorted(
        entry.name
        for entry in entries
        if entry.name[0] != "." and entry.is_dir(follow_symlinks=False)
    )


def inside(base: Path, *parts: str) -> Path:
    """A path below a folder; none of its parts may be a link, or lead out of it."""
    path = base
    for part in parts:
        if part in ("", ".", "..") or part[0] == "." or "/" in part or "\0" in part:
            raise WorkingsError(f"{escaped('/'.join(parts))!r}: is no name of something here")
        path = path / part
        try:
            is_link = stat.S_ISLNK(path.lstat().st_mode)
        except (OSError, ValueError):  # not there, or longer than any name
            shown = escaped(str(path)[:SHOWN])
            raise WorkingsError(f"{shown}: there is no such file or folder") from None
        if is_link:
            raise WorkingsError(f"{escaped(str(path))}: is a symbolic link, which the page refuses")
    return path
