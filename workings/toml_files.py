"""TOML of anybody's: parsed, and refused in one line where it is damaged or nested without end."""

import re
import tomllib

from workings.errors import first_line

DEEPEST = 50  # tables and lists within one another

# Strings and comments, each to its end, or to where one without an end stops the parser.
_QUOTED = re.compile(
    r'''"""(?:[^"\\]|\\(?:.|\Z)|"(?!""))*+(?:"{3,5}|\Z)'''
    r"""|'''(?:[^']|'(?!''))*+(?:'{3,5}|\Z)"""
    r"""|"(?:[^"\\\n]|\\(?:.|\Z))*+(?:"|$)|'[^'\n]*+(?:'|$)|\#[^\n]*+""",
    re.DOTALL | re.MULTILINE,
)
_LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{DEEPEST}}}")


class WrongToml(ValueError):
    """Text that is not TOML that anybody needs; the message says why."""


def parse(text: str) -> dict[str, object]:
    """The values of a TOML text.

    A dotted key of many parts is refused before: the time for one grows with their square.
    """
    if _LONG_KEY.search(_QUOTED.sub("s", text)):
        raise WrongToml("is nested too deeply")
    try:
        values = tomllib.loads(text)
    except ValueError as error:  # also a number of thousands of digits
        raise WrongToml(f"is not TOML: {first_line(error)}") from None
    except RecursionError:
        raise WrongToml("is nested too deeply") from None
    level: list[dict[str, object] | list[object]] = [values]
    for _ in range(DEEPEST):  # level by level: a dotted key of thousands of parts nests as well
        inner = [part for each in level for part in _parts(each)]
        level = [part for part in inner if isinstance(part, (dict, list))]
        if not level:
            return values
    raise WrongToml("is nested too deeply")


def _parts(value: dict[str, object] | list[object]) -> list[object]:
    return list(value.values()) if isinstance(value, dict) else value
