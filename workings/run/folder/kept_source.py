"""What a run folder keeps of a class of the user's own: its source, and whether it has changed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from workings.errors import WorkingsError
from workings.files import read_file
from workings.own_class import import_function, names_in
from workings.own_source import OwnSource, imported_source, own_source
from workings.run.config import RunConfig
from workings.run.folder.run_folder import RunFolder

FOLDER = "source"  # of a run folder


@dataclass(frozen=True)
class Kept:
    """What goes into a run folder: entries of run.json, and files; nothing of our own models."""

    record: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)


def about(config: RunConfig, warn: Callable[[str], None]) -> Kept:
    """The source of the class, and of the functions, that are about to be trained with."""
    named = names_in(config.model_dump())
    if not named:
        return Kept()
    files: dict[str, bytes] = {}
    for key, name in named.items():
        source = imported_source(import_function(name, key), name)
        if changed := source.unlike(own_source(name)):
            warn(
                f"{name}: {', '.join(changed)} changed since this Python imported it, and it is "
                "trained as it was; restart Python to train it as it is"
            )
        files |= source.files
    kept = {f"{FOLDER}/{name}": content for name, content in files.items()}
    return Kept({"own_class_source": OwnSource(files).digest}, kept)


def source_now(config: RunConfig) -> OwnSource:
    """All that a config names of the user's own, as it stands on the disk now."""
    files: dict[str, bytes] = {}
    for name in names_in(config.model_dump()).values():
        files |= own_source(name).files
    return OwnSource(files)


def difference(where: RunFolder, config: RunConfig) -> str:
    """What of a run's class is not as it was trained, in words; empty where all is.

    A run of an older version has kept no source, and nothing is said of it.
    """
    named = names_in(config.model_dump())
    if not named or not where.about().get("own_class_source"):
        return ""
    kept = where.path / FOLDER
    changed = _read(kept).unlike(source_now(config))
    if not changed:
        return ""
    return (
        f"{', '.join(named.values())} is not what this run was trained with: "
        f"{', '.join(changed)} changed; {kept} has what it was"
    )


def _read(folder: Path) -> OwnSource:
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    try:
        return OwnSource({path.relative_to(folder).as_posix(): read_file(path) for path in paths})
    except OSError as error:
        raise WorkingsError(f"{error.filename}: cannot be read ({error.strerror})") from None
