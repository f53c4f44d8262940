"""In which encoding a text file is: UTF-8, or that of older books; others have to be named."""

import codecs
import functools
import re
from pathlib import Path

BLOCK = 1 << 20  # bytes looked at together
OLDER = "windows-1252"  # of Western Europe; Latin-1 is within it
MOST_ACCENTS = 0.2  # share of bytes beyond ASCII: a text in other letters has more
# A sign that is no letter, inside a word: there it is a letter of some other encoding.
MOST_ODD = 0.05  # share of those bytes that read so are no letters or quotation marks
MULTIBYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
SIGN_IN_WORD = re.compile(r"[a-zA-Z][¡-©«-´¶-¹»-¿×÷†‡‰‹›€ƒˆ˜][a-zA-Z]")


def of(path: Path) -> str:
    """UTF-8, or Windows-1252 where a file is not UTF-8 and reads well so."""
    about = path.stat()
    return _of(path, about.st_size, about.st_mtime_ns)


@functools.lru_cache(maxsize=4096)
def _of(path: Path, size: int, changed: int) -> str:  # of a changed file it is asked again
    if _is_utf8(path):
        return "utf-8"
    accents = signs = whole = 0
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                accents += sum(byte > 127 for byte in block)
                whole += sum(map(len, MULTIBYTE.findall(block)))
                signs += len(SIGN_IN_WORD.findall(block.decode(OLDER)))
    except UnicodeDecodeError:
        return "utf-8"
    odd = signs + whole  # where these are many, it is another encoding, or UTF-8 with a bad byte
    fits = accents <= MOST_ACCENTS * size and odd <= MOST_ODD * accents
    return OLDER if fits else "utf-8"  # and then the error names the byte


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def check(name: str) -> str:
    """The name of an encoding in which an ASCII letter is its one byte, or an error."""
    try:
        plain = name == "auto" or "a\n".encode(name) == b"a\n"
    except (LookupError, UnicodeError):
        plain = False
    if not plain:
        raise ValueError(f"no encoding {name!r} of text; one of auto, utf-8, windows-1252, …")
    return name
