"""Pictures in files: PNG, JPEG, BMP and WebP, one by one or as a folder of class folders."""

# C channels, H height, W width

import contextlib
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workings.data.readers import unpack
from workings.errors import WorkingsError
from workings.files import read_file

if TYPE_CHECKING:
    from PIL import Image

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".webp")
FORMATS = ("PNG", "JPEG", "BMP", "WEBP")  # no other decoder of Pillow's is ever run
SYSTEM_FILES = ("Thumbs.db", "desktop.ini", "Icon\r")
GREY = {"1", "L", "LA", "La"}  # Pillow's modes without colour
DEEP = ("I", "F")  # its modes with more than 8 bits a channel begin so
# A progressive JPEG is decoded once for every scan, of which each takes a few bytes only.
SCAN, MOST_SCANNED = b"\xff\xda", 4_000_000_000  # pixels of all scans: 45 of the largest picture
LARGEST_JPEG = 1 << 29  # bytes


class BadPicture(WorkingsError):
    """A picture that cannot be read: the others beside it can."""


def is_picture(path: Path) -> bool:
    """Whether a file is a picture, by its name."""
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".")


def class_folders(folder: Path) -> dict[str, list[Path]]:
    """The pictures of every class folder, by its name, all in alphabetical order."""
    by_class = {
        inside.name: sorted(filter(is_picture, inside.iterdir()))
        for inside in sorted(folder.iterdir())
        if inside.is_dir() and not inside.name.startswith(".")
    }
    if not any(by_class.values()):
        raise WorkingsError(
            f"{folder}: holds no class folders with pictures; expected "
            f"{folder.name}/CLASS/PICTURE.png (or .jpg, .bmp, .webp)"
        )
    for name, files in by_class.items():
        if not files:
            raise WorkingsError(
                f"{folder / name}: a class with no examples; put pictures into it or remove it"
            )
    return by_class


def passed_over(folder: Path, taken: Iterable[Path]) -> list[str]:
    """What else lies in a folder of class folders, said in a line for each kind of reason."""
    others = {path for path in folder.rglob("*") if path.is_file() and not _is_hidden(folder, path)}
    others -= set(taken)
    pictures = sorted(filter(is_picture, others))
    suffixes = Counter(path.suffix.lower() or "without a suffix" for path in others - {*pictures})
    lines = []
    if pictures:
        first = pictures[0].relative_to(folder)
        lines.append(
            f"not used: {len(pictures):,} of the pictures, as {first}, which is not in "
            f"{folder.name}/CLASS itself"
        )
    if suffixes:
        kinds = ", ".join(f"{count:,} {suffix}" for suffix, count in suffixes.most_common(5))
        lines.append(f"not used: files that are no {', '.join(FORMATS)} by name: {kinds}")
    return lines


def _is_hidden(folder: Path, path: Path) -> bool:
    """Whether a system keeps a file for itself, and not its user."""
    parts = path.relative_to(folder).parts
    return path.name in SYSTEM_FILES or any(part.startswith(".") for part in parts)


def look(path: Path) -> tuple[int, int, int]:
    """Channels, height and width as it is shown."""
    from PIL import ExifTags

    with _open(path) as image, _decoding(path):
        sideways = image.getexif().get(ExifTags.Base.Orientation, 1) >= 5
        height, width = image.size if sideways else image.size[::-1]
        return 1 if image.mode in GREY else 3, height, width


def read(path: Path, channels: int) -> np.ndarray:
    """The pixels C×H×W, as bytes; 1 channel is grey, 3 are red, green, blue.

    A transparent picture lies on white; a camera's note of how it was held is followed.
    """
    from PIL import Image, ImageOps

    with _open(path) as image, _decoding(path):
        shown = ImageOps.exif_transpose(image)
        if shown.has_transparency_data:
            shown = shown.convert("RGBA")
            shown = Image.alpha_composite(Image.new("RGBA", shown.size, "white"), shown)
        pixels = np.array(shown.convert("L" if channels == 1 else "RGB"))
    return pixels[None] if channels == 1 else np.ascontiguousarray(pixels.transpose(2, 0, 1))


@contextlib.contextmanager
def _decoding(path: Path) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # a decoder raises whatever it likes
        raise BadPicture(f"{path}: is damaged or cut short ({_line(error)})") from None


def _open(path: Path) -> "Image.Image":
    """The picture, its header read and nothing else."""
    from PIL import Image

    try:
        unpack.size(path)
    except WorkingsError as error:  # what is wrong with the file itself
        raise BadPicture(str(error)) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = Image.open(path, formats=FORMATS)
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise BadPicture(f"{path}: is too large to be a picture ({_line(error)})") from None
    except Exception as error:
        line = "" if "cannot identify" in str(error) else f" ({_line(error)})"
        raise BadPicture(f"{path}: is not a {', '.join(FORMATS)} picture{line}") from None
    if image.format == "JPEG" and _scanned(path, image) > MOST_SCANNED:
        image.close()
        raise BadPicture(f"{path}: goes over its pixels again and again; save it in fewer scans")
    if image.mode.startswith(DEEP):
        image.close()
        raise BadPicture(f"{path}: has more than 8 bits a channel; convert it to 8 first")
    return image


def _scanned(path: Path, image: "Image.Image") -> int:
    """How many pixels are decoded, those of a scan counted with each."""
    try:
        return read_file(path, LARGEST_JPEG).count(SCAN) * image.width * image.height
    except OSError as error:
        raise BadPicture(f"{path}: cannot be read ({error.strerror})") from None


def _line(error: Exception | Warning) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
