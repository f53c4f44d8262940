"""Names of runs, studies, rows and files: checked before training, escaped where printed."""

import re
import unicodedata
from collections.abc import Iterable

from workings.errors import WorkingsError

# Control characters (line breaks, escapes), lone surrogates (bytes that are not UTF-8), and the
# separators of lines and paragraphs: a table, a terminal or a file cannot hold them in a name.
UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")
# Embeddings, overrides and isolates: they show the rest of a line in another order than it has.
REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

# The last four are full-width, as a Japanese keyboard has them.
FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?", re.ASCII)


def check_name(what: str, name: str) -> None:
    """Refuse a name that cannot stand on one line of UTF-8, showing it escaped."""
    for character in name:
        if unicodedata.category(character) in UNPRINTABLE:
            raise WorkingsError(
                f"{what} {name!a}: has the character {character!a}, "
                "which no table can show; rename it"
            )


def require_characters(where: str, words: Iterable[str]) -> None:
    """Refuse half of a character, which JSON, GML and NumPy can write and no file can hold."""
    words = list(words)
    try:
        "".join(words).encode()
    except UnicodeEncodeError:
        word = next(word for word in words if any(map(_is_half, word)))
        raise WorkingsError(f"{where}: {word[:40]!a}: has half of a character") from None


def _is_half(character: str) -> bool:
    return unicodedata.category(character) == "Cs"


def escaped(text: str) -> str:
    r"""Write what cannot be printed as its escape: a line break as \n, a byte as \udc80."""
    if text.isprintable():  # nearly every text, and a list has thousands of them
        return text
    return "".join(
        ascii(character)[1:-1] if _is_unprintable(character) else character for character in text
    )


def _is_unprintable(character: str) -> bool:
    return unicodedata.category(character) in UNPRINTABLE or character in REORDERING


def escaped_text(text: str) -> str:
    """The same of a text of several lines, whose ends and tabs stay."""
    return "\n".join(
        "\t".join(map(escaped, line.split("\t"))) for line in text.replace("\r\n", "\n").split("\n")
    )


def csv_cell(value: object) -> object:
    """A value for a CSV file; an apostrophe keeps a spreadsheet from computing a stranger's name.

    A text that begins as a formula does has one, unless it is a number or a single mark, such as
    `-`, which are what they say. What cannot be printed is written as its escape, as on screen.
    """
    if not isinstance(value, str):
        return value
    text = escaped(value)
    is_formula = text.strip()[1:] and text.lstrip().startswith(FORMULA)
    return f"'{text}" if is_formula and not NUMBER.fullmatch(text.strip()) else text


def check_names(key: str, value: object) -> None:
    """Refuse a name anywhere in nested values that a run's files could not hold."""
    if isinstance(value, str):
        check_name(key, value)
    elif isinstance(value, dict):
        for name, part in value.items():
            check_names(f"{key}.{name}", part)
    elif isinstance(value, list):
        for part in value:
            check_names(key, part)
