"""JSON read back from disk: parsed, and checked against the TypedDict that describes it."""

import dataclasses
import functools
import json
import math
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import (
    Annotated,
    Literal,
    NotRequired,
    Required,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from workings.errors import WorkingsError, first_line
from workings.files import read_file

T = TypeVar("T")
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
LARGEST_INT = 1 << 63  # Python has larger ones, what computes with them has not
_DECODER = json.JSONDecoder()  # of text in UTF-8, the only encoding that is written


@dataclasses.dataclass(frozen=True)
class AtLeast:
    """In `Annotated[int, AtLeast(0)]`: the smallest value that makes sense; a finite one."""

    least: float


Count = Annotated[int, AtLeast(0)]
Finite = Annotated[float, AtLeast(-math.inf)]


class WrongJson(ValueError):
    """JSON that is not what was written; the message names the key."""


class _WrongPart(Exception):
    """What is wrong with a part of a value; each value around it adds its key on the way out."""

    def __init__(self, message: str) -> None:
        self.message, self.keys = message, list[object]()

    def below(self, key: object) -> "_WrongPart":
        self.keys.insert(0, key)
        return self


def parse(content: bytes) -> Json:
    """The value that JSON text holds; WrongJson says why there is none."""
    try:
        return _DECODER.decode(content.decode())
    except ValueError as error:  # not UTF-8, not JSON, a number of thousands of digits
        raise WrongJson(f"is not JSON ({first_line(error)})") from None
    except RecursionError:
        raise WrongJson("is nested too deeply") from None


def conform(value: object, kind: type[T], key: str = "") -> T:
    """The value, which has the type `kind`; WrongJson names the key that has not.

    kind: a TypedDict, whose further keys are let pass, or a type of JSON (`dict[str, float]`,
    `int | None`, `list[str]`, Literal).
    """
    described: object = kind  # mypy takes no type[T] for something that can be hashed
    try:
        _check(described)(value)
    except _WrongPart as wrong:
        keys = [each for each in (key, *map(_shown_key, wrong.keys)) if each]
        raise WrongJson(f"{'.'.join(keys) or 'the file'}: {wrong.message}") from None
    return cast(T, value)


def read(path: Path | str, kind: type[T]) -> T:
    """The JSON file, checked; one line names the file and the key that is wrong.

    Raises FileNotFoundError where there is no file: what that means is the caller's to say.
    """
    try:
        return conform(parse(read_file(path)), kind)
    except WrongJson as error:
        raise WorkingsError(f"{path}: damaged: {error}") from None
    except FileNotFoundError:
        raise
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None


def finite(value: object) -> object:
    """The value with null for every NaN and infinity in it: JSON has neither."""
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


Check = Callable[[object], None]


@functools.cache
def _check(kind: object) -> Check:
    """The check of a type, taken apart once: a list of runs makes it ten thousand times."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is object:
        return lambda value: None
    if origin in (NotRequired, Required):
        return _check(arguments[0])
    if origin is Annotated:
        return _bounded(_check(arguments[0]), max(bound.least for bound in arguments[1:]))
    if origin in (Union, types.UnionType):
        return _union([_check(argument) for argument in arguments], {*arguments} & UNBOUNDED)
    if origin is Literal:
        return _literal(arguments)
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        checks = {name: _check(hint) for name, hint in hints.items()}
        return _record(checks, getattr(kind, "__required_keys__", frozenset()))
    if origin is dict:
        return _table(_check(arguments[1]))
    if origin is list:
        return _list(_check(arguments[0]))
    return _plain(kind)


def _bounded(check: Check, least: float) -> Check:
    def bounded(value: object) -> None:
        check(value)
        assert isinstance(value, int | float)  # or it would not have passed
        if not math.isfinite(value):
            raise _wrong(value, "a finite number")
        if value < least:
            raise _wrong(value, f"at least {least:g}")

    return bounded


def _union(checks: list[Check], unbounded: set[object]) -> Check:
    def union(value: object) -> None:
        if type(value) in unbounded:  # most values, of files with a hundred thousand lines
            return None
        first = None
        for check in checks:
            try:
                return check(value)
            except _WrongPart as error:
                first = first or error
        raise first or _wrong(value, "nothing")

    return union


def _literal(values: tuple[object, ...]) -> Check:
    def literal(value: object) -> None:
        if value not in values:
            raise _wrong(value, " or ".join(map(repr, values)))

    return literal


def _record(checks: dict[str, Check], required: frozenset[str]) -> Check:
    def record(value: object) -> None:
        if not isinstance(value, dict):
            raise _wrong(value, "a table")
        if not required <= value.keys():
            missing = min(required - value.keys())
            raise _WrongPart("is missing").below(missing)
        for name, part in value.items():
            if name in checks:
                try:
                    checks[name](part)
                except _WrongPart as wrong:
                    raise wrong.below(name) from None

    return record


def _table(check: Check) -> Check:
    def table(value: object) -> None:
        if not isinstance(value, dict):
            raise _wrong(value, "a table")
        for name, part in value.items():
            try:
                check(part)
            except _WrongPart as wrong:
                raise wrong.below(name) from None

    return table


def _list(check: Check) -> Check:
    def list_(value: object) -> None:
        if not isinstance(value, list):
            raise _wrong(value, "a list")
        for position, part in enumerate(value):
            try:
                check(part)
            except _WrongPart as wrong:
                raise wrong.below(position) from None

    return list_


# How a type is called in a message.
PLAIN: Mapping[object, tuple[tuple[type, ...], str]] = {
    str: ((str,), "a text"),
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    type(None): ((type(None),), "null"),
    dict: ((dict,), "a table"),
    list: ((list,), "a list"),
}
UNBOUNDED = {str, bool, float, type(None)}  # any value of these will do


def _plain(kind: object) -> Check:
    classes, words = PLAIN[kind]
    quick = None if kind is int else kind

    def plain(value: object) -> None:
        if type(value) is quick:
            return
        if type(value) is int and int in classes:
            if not -LARGEST_INT <= value < LARGEST_INT:
                raise _wrong(value, "a number of at most 64 bits")
        elif type(value) not in classes:  # True is no number, though Python has it so
            raise _wrong(value, words)

    return plain


def _wrong(value: object, expected: str) -> _WrongPart:
    shown = repr(value)
    shown = shown if len(shown) <= 40 else shown[:37] + "…"
    return _WrongPart(f"expected {expected}, found {shown}")


def _shown_key(key: object) -> str:
    return str(key) if str(key).isprintable() else ascii(key)
