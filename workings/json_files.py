"""JSON read back from disk: parsed, and checked against the TypedDict that describes it."""

import dataclasses
import functools
import json
import types
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from workings.errors import WorkingsError, first_line

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class AtLeast:
    """In `Annotated[int, AtLeast(0)]`: the smallest value that makes sense."""

    least: float


Count = Annotated[int, AtLeast(0)]


class WrongJson(ValueError):
    """JSON that is not what was written; the message names the key."""


def parse(content: bytes) -> Any:
    """The value that JSON text holds; WrongJson says why there is none."""
    try:
        return json.loads(content)
    except ValueError as error:  # not UTF-8, not JSON, a number of thousands of digits
        raise WrongJson(f"is not JSON ({first_line(error)})") from None
    except RecursionError:
        raise WrongJson("is nested too deeply") from None


def conform(value: Any, kind: type[T], key: str = "") -> T:
    """The value, which has the type `kind`; WrongJson names the key that has not.

    kind: a TypedDict, whose further keys are let pass, or a type of JSON (`dict[str, float]`,
    `int | None`, `list[str]`, Literal).
    """
    check: Check = _check(cast(Any, kind))
    check(value, key)
    return cast(T, value)


def read(path: Path | str, kind: type[T]) -> T:
    """The JSON file, checked; one line names the file and the key that is wrong.

    Raises FileNotFoundError where there is no file: what that means is the caller's to say.
    """
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - twice as fast, for long lists
            content = file.read()
        return conform(parse(content), kind)
    except WrongJson as error:
        raise WorkingsError(f"{path}: damaged: {error}") from None
    except FileNotFoundError:
        raise
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None


Check = Callable[[Any, str], None]  # of a value, and the key that it stands under


@functools.cache
def _check(kind: Any) -> Check:
    """The check of a type, taken apart once: a list of runs makes it ten thousand times."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return lambda value, key: None
    if origin in (NotRequired, Required):
        return _check(arguments[0])
    if origin is Annotated:
        return _bounded(_check(arguments[0]), max(bound.least for bound in arguments[1:]))
    if origin in (Union, types.UnionType):
        return _union([_check(argument) for argument in arguments])
    if origin is Literal:
        return _literal(arguments)
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        checks = {name: _check(hint) for name, hint in hints.items()}
        return _record(checks, kind.__required_keys__)
    if origin is dict:
        return _table(_check(arguments[1]))
    if origin is list:
        return _list(_check(arguments[0]))
    return _plain(kind)


def _bounded(check: Check, least: float) -> Check:
    def bounded(value: Any, key: str) -> None:
        check(value, key)
        if value < least:
            raise _wrong(value, f"at least {least:g}", key)

    return bounded


def _union(checks: list[Check]) -> Check:
    def union(value: Any, key: str) -> None:
        first = None
        for check in checks:
            try:
                return check(value, key)
            except WrongJson as error:
                first = first or error
        raise first or WrongJson(key)

    return union


def _literal(values: tuple[Any, ...]) -> Check:
    def literal(value: Any, key: str) -> None:
        if value not in values:
            raise _wrong(value, " or ".join(map(repr, values)), key)

    return literal


def _record(checks: dict[str, Check], required: Iterable[str]) -> Check:
    def record(value: Any, key: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(value, "a table", key)
        for name in required:
            if name not in value:
                raise WrongJson(f"{_below(key, name)}: is missing")
        for name, part in value.items():
            if name in checks:
                checks[name](part, f"{key}.{name}" if key else name)

    return record


def _table(check: Check) -> Check:
    def table(value: Any, key: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(value, "a table", key)
        for name, part in value.items():
            check(part, _below(key, name))

    return table


def _list(check: Check) -> Check:
    def list_(value: Any, key: str) -> None:
        if not isinstance(value, list):
            raise _wrong(value, "a list", key)
        for position, part in enumerate(value):
            check(part, _below(key, position))

    return list_


# How a type is called in a message.
PLAIN: Mapping[Any, tuple[Any, str]] = {
    str: (str, "a text"),
    bool: (bool, "true or false"),
    int: (int, "a whole number"),
    float: ((int, float), "a number"),
    type(None): (type(None), "null"),
    dict: (dict, "a table"),
    list: (list, "a list"),
}


def _plain(kind: Any) -> Check:
    classes, words = PLAIN[kind]

    def plain(value: Any, key: str) -> None:
        # True is no number, though Python has it so.
        if not isinstance(value, classes) or (isinstance(value, bool) and kind is not bool):
            raise _wrong(value, words, key)

    return plain


def _wrong(value: Any, expected: str, key: str) -> WrongJson:
    shown = repr(value)
    shown = shown if len(shown) <= 40 else shown[:37] + "…"
    return WrongJson(f"{key or 'the file'}: expected {expected}, found {shown}")


def _below(key: str, name: object) -> str:
    shown = str(name) if str(name).isprintable() else ascii(name)
    return f"{key}.{shown}" if key else shown
