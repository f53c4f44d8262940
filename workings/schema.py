"""What every config class shares: frozen, unknown keys refused, errors in one line."""

from collections.abc import Iterable, Mapping
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workings.errors import WorkingsError, nearest
from workings.json_files import LARGEST_INT

Size = Annotated[int, Field(ge=1)]
Depth = Annotated[int, Field(ge=1, le=1_000)]  # of layers, each of which is built
Count = Annotated[int, Field(ge=0)]
Probability = Annotated[float, Field(ge=0, lt=1)]
Share = Annotated[float, Field(ge=0, le=0.5)]
Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]


class Config(BaseModel):
    """A section of a config file; the text under a field is its description."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
    )


C = TypeVar("C", bound=Config)
LONGEST_SHOWN = 200  # characters of a wrong value in a message


def build(kind: type[C], values: Mapping[str, object], section: str) -> C:
    """A config section from plain values; a wrong one is named with its section and nearest key."""
    if wide := _wide_number(values):
        raise WorkingsError(f"{section}{'.' * bool(section)}{wide}: a number of more than 64 bits")
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise WorkingsError(_one_line(kind, error, section)) from None


def _wide_number(value: object) -> str:
    """The key of a whole number, anywhere in a value, that only Python computes with."""
    parts: Iterable[tuple[object, object]] = ()
    if isinstance(value, Mapping):
        parts = value.items()
    elif isinstance(value, list | tuple):
        parts = enumerate(value)
    for key, part in parts:
        if isinstance(part, int) and not -LARGEST_INT <= part < LARGEST_INT:
            return str(key)
        if inner := _wide_number(part):
            return f"{key}.{inner}"
    return ""


def _one_line(kind: type[Config], error: ValidationError, section: str) -> str:
    first = error.errors()[0]
    if len(first["loc"]) > 1 and str(first["loc"][1]).startswith("literal["):
        # Of a word or a number, what is wrong with the number; the branch is no key.
        first = next(each for each in error.errors() if each["loc"][1:] != first["loc"][1:])
        first = {**first, "loc": first["loc"][:1]}
    prefix = f"{section}." if section else ""
    key = (prefix + ".".join(str(part) for part in first["loc"])).rstrip(".")
    if first["type"] == "extra_forbidden":
        name = str(first["loc"][-1])
        return f"{key}: unknown key{nearest(name, kind.model_fields, prefix)}"
    if first["type"] == "missing":
        return f"{key}: is required"
    message = first["msg"].removeprefix("Value error, ")
    message = message[0].lower() + message[1:]
    given = repr(first["input"])
    given = given if len(given) <= LONGEST_SHOWN else given[: LONGEST_SHOWN - 1] + "…"
    shown = f"{key}: {message}" if key else message
    return shown if first["type"] == "value_error" else f"{shown} (got {given})"
