"""Writing the functions of installed packages, or of the standard library, as JSON lines."""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import TypedDict

from workings.data.progress_bar import following
from workings.errors import WorkingsError
from workings.files import disk, explain
from workings.tasks.summary import corpus, json_lines, packages
from workings.tasks.summary.config import SummaryData


class About(TypedDict):
    """What was written, and what was not."""

    functions: int
    projects: int
    files: int
    duplicates: int
    not_parsed: int


def write(path: Path, names: list[str], config: SummaryData) -> About:
    """Write the functions of these packages (none: the standard library), each once.

    Only a little is held in memory at a time; the file appears when all of it is there.
    """
    files = packages.installed(names) if names else packages.standard_library()
    about: About = {"functions": 0, "projects": 0, "files": 0, "duplicates": 0, "not_parsed": 0}
    seen: set[bytes] = set()
    projects: set[str] = set()
    problems: list[str] = []
    with explain(path):
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                for source in following(files, "parsing"):
                    for each in corpus.parsed([source], config, problems.append):
                        key = hashlib.sha256("\0".join(each.tokens).encode()).digest()
                        if key in seen:
                            about["duplicates"] += 1
                            continue
                        seen.add(key)
                        projects.add(each.project)
                        file.write(json_lines.line(each))
                disk.sync(file.fileno())
            if not seen:
                raise WorkingsError(f"{', '.join(names)}: no function to summarise in it")
            Path(temporary).chmod(0o644)
            disk.replace(Path(temporary), path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    about |= {"functions": len(seen), "projects": len(projects), "files": len(files)}
    about["not_parsed"] = len(problems)
    return about
