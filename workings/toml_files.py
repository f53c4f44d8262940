"""TOML of anybody's: parsed, and refused in one line where it is damaged or nested without end."""

import tomllib
from typing import Any

from workings.errors import first_line

DEEPEST = 50  # tables and lists within one another


class WrongToml(ValueError):
    """Text that is not TOML that anybody needs; the message says why."""


def parse(text: str) -> dict[str, Any]:
    """The values of a TOML text."""
    try:
        values = tomllib.loads(text)
    except ValueError as error:  # also a number of thousands of digits
        raise WrongToml(f"is not TOML: {first_line(error)}") from None
    except RecursionError:
        raise WrongToml("is nested too deeply") from None
    level: list[Any] = [values]
    for _ in range(DEEPEST):  # level by level: a dotted key of thousands of parts nests as well
        inner = [part for each in level for part in _parts(each)]
        level = [part for part in inner if isinstance(part, (dict, list))]
        if not level:
            return values
    raise WrongToml("is nested too deeply")


def _parts(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value
