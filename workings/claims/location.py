"""Where in its file a formula of a claim stands: file, line and column."""

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from workings.claims.sets import claim_texts, claims_text
from workings.errors import WorkingsError
from workings.formula.errors import FormulaError

# A comment, or a string of TOML: """…""", '''…''', "…" or '…'. A line's end after the opening of
# the first two is not part of them.
_STRING = re.compile(
    r'#[^\n]*|"""\n?(?P<basic_lines>(?:\\.|[^\\])*?)"""(?!")'
    r"|'''\n?(?P<plain_lines>.*?)'''(?!')"
    r"""|"(?P<basic>(?:\\.|[^"\\\n])*)"|'(?P<plain>[^'\n]*)'""",
    re.S,
)
_PIECE = re.compile(r"\\(?:u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})|[ \t]*\n\s*|.)|.", re.S)
_ESCAPED = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\033"}


@dataclass(frozen=True)
class _String:
    """A string of a TOML file: what it says, and where in the file each character stands."""

    value: str
    at: list[int]
    """one offset a character, and one for the end"""


def _read_string(match: re.Match[str]) -> _String:
    kind = match.lastgroup or ""
    start, raw = match.start(kind), match[kind]
    if not kind.startswith("basic"):
        return _String(raw, [*range(start, start + len(raw) + 1)])
    value, at = "", []
    for piece in _PIECE.finditer(raw):
        character = piece[0]
        if code := piece["u"] or piece["U"]:
            character = chr(int(code, 16))
        elif character[0] == "\\":  # before a line's end it continues the line
            character = "" if "\n" in character else _ESCAPED.get(character[1], character[1])
        value += character
        at += [start + piece.start()] * len(character)
    return _String(value, [*at, match.end(kind)])


class ClaimsFile:
    """A file of claims, looked at again when an error in it has to be located."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def text(self) -> str:
        """As it was read for its claims."""
        return claims_text(self.path)

    @cached_property
    def strings(self) -> dict[str, list[_String]]:
        """Every string in it, by what it says, in the order of the file."""
        by_value: dict[str, list[_String]] = {}
        for string in self._strings():
            by_value.setdefault(string.value, []).append(string)
        return by_value

    def _strings(self) -> Iterator[_String]:
        for start, end in claim_texts(self.text, self.path):
            for match in _STRING.finditer(self.text, start, end):
                if match.lastgroup:
                    yield _read_string(match)

    def where(self, error: WorkingsError, formula: str = "", occurrence: int = 0) -> str:
        """`file:line:column` of what the error is about, or nothing where that is not known.

        formula: of the claim that the error is about; occurrence: how many claims before it have
        the same formula.
        """
        written, position = formula, 0
        if isinstance(error, FormulaError) and error.text:
            if error.text in formula:
                position = formula.index(error.text) + error.position
            else:  # of an equation, or of another entry of the claim
                written, position, occurrence = error.text, error.position, 0
        same = self.strings.get(written, [])
        if not same and written:
            around = next((value for value in self.strings if written in value), None)
            if around is not None:
                same, position = self.strings[around], position + around.index(written)
        if not same:
            return ""
        string = same[min(occurrence, len(same) - 1)]
        return self._shown(string.at[min(position, len(string.value))])

    @cached_property
    def lines(self) -> list[int]:
        """Where each line begins."""
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def _shown(self, offset: int) -> str:
        line = bisect.bisect(self.lines, offset)
        return f"{self.path}:{line}:{offset - self.lines[line - 1] + 1}"
