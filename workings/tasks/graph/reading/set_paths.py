"""Whether a path holds many graphs or one: told by names alone, before anything is read."""

from pathlib import Path

LINES = (".jsonl", ".ndjson")
FOLDS = "10fold_idx"


def is_tu_set(folder: Path) -> bool:
    """Whether a folder NAME holds NAME.txt and its folds."""
    return (folder / f"{folder.name}.txt").is_file() and (folder / FOLDS).is_dir()


def is_set(path: Path) -> bool:
    """Whether a path holds many graphs: JSON lines, a folder of GraphML files, or a TU set."""
    try:
        is_folder = path.is_dir()
    except OSError:  # a name that is too long, say: reading it says so
        return False
    if not is_folder:
        return path.suffix in LINES
    if any(path.glob("edges*.csv")):
        return False
    return is_tu_set(path) or bool(markup(path))


def markup(folder: Path) -> list[Path]:
    """The GraphML files of a folder and of the folders in it, which may be its classes."""
    return sorted([*folder.glob("*.graphml"), *folder.glob("*/*.graphml")])
