"""What a path the user names stands for, when images are expected."""

import re
from pathlib import Path
from typing import Any

from workings.data import sources
from workings.data.readers import idx, npz, pictures, pixeltable
from workings.errors import WorkingsError, nearest
from workings.tasks.images import files as image_files

# Parts of a file's or folder's name that say which split it is.
SPLIT_WORDS = {
    "train": {"train", "training"},
    "valid": {"valid", "validation", "val", "dev"},
    "test": {"test", "testing", "t10k"},
}


def from_paths(paths: list[Path]) -> dict[str, Any]:
    """The config keys of a set's name, a folder, or files."""
    if len(paths) == 1 and str(paths[0]) in sources.SOURCES and not paths[0].exists():
        return {"name": str(paths[0])}
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            hint = nearest(str(path), sources.SOURCES)
            raise WorkingsError(f"{path}: no such file, folder or data set{hint}")
        found += _inside(path) if path.is_dir() else [path]
    splits: dict[str, list[str]] = {}
    for path in found:
        splits.setdefault(_split(path) or "", []).append(str(path))
    if "train" not in splits:
        return {"train": [str(path) for path in found]}
    for unnamed in splits.get("", []):
        raise WorkingsError(
            f"{unnamed}: some files are named train, valid or test and this one is not: "
            "name them all so, or give them as data.train, data.valid, data.test with --set"
        )
    return dict(splits)


def _split(path: Path) -> str | None:
    words = set(re.split(r"[^a-z0-9]+", path.name.lower()))
    named = [split for split, known in SPLIT_WORDS.items() if words & known]
    return named[0] if len(named) == 1 else None


def _inside(folder: Path) -> list[Path]:
    """What of a folder is meant: its split folders, its files of images, or itself."""
    visible = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    splits = [path for path in visible if path.is_dir() and _split(path)]
    if any(_split(path) == "train" for path in splits):
        return splits
    files = [path for path in visible if path.is_file() and is_file_of_images(path)]
    if not files and not any(path.is_dir() for path in visible):
        raise WorkingsError(
            f"{folder}: holds no images; expected class folders with pictures, or an .npz, IDX "
            "or .csv file"
        )
    return files or [folder]


def is_file_of_images(path: Path) -> bool:
    """Whether a file, by its name, may hold many images."""
    return path.suffix.lower() == ".npz" or idx.looks_like(path) or pixeltable.looks_like(path)


def recognises(path: Path) -> bool:
    """Whether a file or folder looks like images, by its names and, of an .npz, its arrays."""
    if path.is_dir():
        inside = [one for one in path.iterdir() if not one.name.startswith(".")]
        return any(
            recognises(one) if one.is_file() else any(map(pictures.is_picture, one.glob("*/*")))
            for one in inside
        ) or any(pictures.is_picture(one) for one in path.glob("*/*"))
    if path.suffix.lower() == ".npz":
        known = {pair[0] for pairs in image_files.NPZ_KEYS.values() for pair in pairs}
        return bool(known.intersection(npz.names(path)))
    return idx.looks_like(path) or (pixeltable.looks_like(path) and pixeltable.wide(path))


def pictures_in(folder: Path) -> list[Path]:
    """The pictures of a folder and of the folders in it."""
    found = sorted(path for path in folder.rglob("*") if pictures.is_picture(path))
    if not found:
        raise WorkingsError(f"{folder}: holds no pictures ({', '.join(pictures.SUFFIXES)})")
    return found
