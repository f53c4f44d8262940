"""What a path the user names stands for, when images are expected."""

from pathlib import Path

from workings.data.readers import idx, npz, pictures, pixeltable
from workings.errors import WorkingsError
from workings.tasks import split_files
from workings.tasks.images import files as image_files

# Parts of a file's or folder's name that say which split it is.
SPLIT_WORDS = {
    "train": {"train", "training"},
    "valid": {"valid", "validation", "val", "dev"},
    "test": {"test", "testing", "t10k"},
}


def from_paths(paths: list[Path]) -> dict[str, str | list[str]]:
    """The config keys of a set's name, a folder, or files."""
    return split_files.from_paths(paths, _inside, _split)


def _split(path: Path) -> str | None:
    return split_files.split_in_name(path, SPLIT_WORDS, r"[^a-z0-9]+")


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
        visible = [inside for inside in path.iterdir() if not inside.name.startswith(".")]
        return any(
            recognises(inside)
            if inside.is_file()
            else any(map(pictures.is_picture, inside.glob("*/*")))
            for inside in visible
        ) or any(map(pictures.is_picture, path.glob("*/*")))
    if path.suffix.lower() == ".npz":
        known = {pair[0] for pairs in image_files.NPZ_KEYS.values() for pair in pairs}
        return bool(known.intersection(npz.names(path)))
    return idx.looks_like(path) or (pixeltable.looks_like(path) and pixeltable.wide(path))


def pictures_in(folder: Path) -> list[Path]:
    """The pictures of a folder and of the folders in it."""
    files = sorted(path for path in folder.rglob("*") if pictures.is_picture(path))
    if not files:
        raise WorkingsError(f"{folder}: holds no pictures ({', '.join(pictures.SUFFIXES)})")
    return files
