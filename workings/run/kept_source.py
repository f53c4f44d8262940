"""What a run folder keeps of a class of the user's own: its source, and whether it has changed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from workings.own_class import import_class
from workings.own_source import OwnSource, imported_source, own_source
from workings.run.config import RunConfig
from workings.run.folder import RunFolder
from workings.tasks.config import OwnModel

FOLDER = "source"  # of a run folder


@dataclass(frozen=True)
class Kept:
    """What goes into a run folder: entries of run.json, and files; nothing of our own models."""

    record: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)


def about(config: RunConfig, warn: Callable[[str], None]) -> Kept:
    """The source of the class that is about to be trained."""
    if not isinstance(config.model, OwnModel):
        return Kept()
    kind = config.model.kind
    source = imported_source(import_class(kind, "model.kind"), kind)
    if changed := source.unlike(own_source(kind)):
        warn(
            f"{kind}: {', '.join(changed)} changed since this Python imported it, and it is "
            "trained as it was; restart Python to train it as it is"
        )
    files = {f"{FOLDER}/{name}": content for name, content in source.files.items()}
    return Kept({"own_class_source": source.digest}, files)


def difference(where: RunFolder, config: RunConfig) -> str:
    """What of a run's class is not as it was trained, in words; empty where all is.

    A run of an older version has kept no source, and nothing is said of it.
    """
    if not isinstance(config.model, OwnModel) or not where.about().get("own_class_source"):
        return ""
    kept = where.path / FOLDER
    changed = _read(kept).unlike(own_source(config.model.kind))
    if not changed:
        return ""
    return (
        f"{config.model.kind} is not what this run was trained with: {', '.join(changed)} changed; "
        f"{kept} has what it was"
    )


def _read(folder: Path) -> OwnSource:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return OwnSource({path.relative_to(folder).as_posix(): path.read_bytes() for path in files})
