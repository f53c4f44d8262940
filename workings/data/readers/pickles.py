"""Old pickles of arrays, sparse matrices and lists by key, read without running any of them.

A pickle is a program for a small stack machine. This is that machine with nothing but the few
instructions such files need; a name in a pickle is compared with a few known ones and never looked
up, and nothing is ever called, so there is nothing that a hostile file could reach.
"""

import pickletools
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from workings.errors import WorkingsError

MOST = 1 << 30  # bytes of a file
RECONSTRUCT = ("numpy.core.multiarray _reconstruct", "numpy._core.multiarray _reconstruct")
MATRIX = ("scipy.sparse.csr csr_matrix", "scipy.sparse._csr csr_matrix")
LISTS = ("collections defaultdict", "__builtin__ list", "builtins list")
NAMES = (*RECONSTRUCT, *MATRIX, *LISTS, "numpy ndarray", "numpy dtype")


@dataclass
class Name:
    """A class or function that the pickle names; it stands for itself."""

    name: str


@dataclass
class Kind:
    """A NumPy type: its code, as i4, and byte order."""

    code: str
    order: str = "="


@dataclass
class Array:
    """An array that is being filled."""

    value: np.ndarray | None = None


@dataclass
class Matrix:
    """A scipy.sparse matrix: its attributes."""

    state: dict[Any, Any] = field(default_factory=dict)

    def array(self, name: str) -> np.ndarray:
        held = self.state.get(name)
        if not isinstance(held, Array) or held.value is None:
            raise ValueError(f"the matrix has no array {name!r}")
        return held.value


def read(path: Path) -> Any:
    """What the pickle holds: numbers, text, tuples, lists, dicts, Arrays, Matrices."""
    try:
        if path.stat().st_size > MOST:
            raise WorkingsError(f"{path}: is larger than {MOST >> 30} GB, no such pickle is read")
        content = path.read_bytes()
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd escapes in a name: it is refused anyway
            return _run(content)
    except (ValueError, IndexError, KeyError, TypeError, UnicodeError) as error:
        line = str(error).strip().partition("\n")[0] or type(error).__name__
        raise WorkingsError(f"{path}: is refused: {line}") from None


def _run(content: bytes) -> Any:
    stack: list[Any] = []
    marks: list[int] = []
    memo: dict[int, Any] = {}

    def cut() -> list[Any]:
        start = marks.pop()
        taken = stack[start:]
        del stack[start:]
        return taken

    argument: Any
    for code, argument, _ in pickletools.genops(content):
        match code.name:
            case "PROTO":
                pass
            case "STOP":
                return stack.pop()
            case "MARK":
                marks.append(len(stack))
            case "BINPUT" | "LONG_BINPUT":
                memo[argument] = stack[-1]
            case "BINGET" | "LONG_BINGET":
                stack.append(memo[argument])
            case "GLOBAL":
                if argument not in NAMES:
                    raise ValueError(
                        f"it names {argument.replace(' ', '.')!r}, which no data needs"
                    )
                stack.append(Name(argument))
            case "NONE" | "NEWTRUE" | "NEWFALSE":
                stack.append({"NONE": None, "NEWTRUE": True, "NEWFALSE": False}[code.name])
            case "BININT" | "BININT1" | "BININT2" | "BINSTRING" | "SHORT_BINSTRING" | "BINUNICODE":
                stack.append(argument)
            case "EMPTY_LIST" | "EMPTY_DICT" | "EMPTY_TUPLE":
                stack.append({"EMPTY_LIST": [], "EMPTY_DICT": {}, "EMPTY_TUPLE": ()}[code.name])
            case "TUPLE1" | "TUPLE2" | "TUPLE3":
                size = int(code.name[-1])
                if len(stack) < size:
                    raise ValueError("a tuple is larger than the stack")
                stack[-size:] = [tuple(stack[-size:])]
            case "TUPLE":
                stack.append(tuple(cut()))
            case "APPEND":
                item = stack.pop()
                _extend(stack[-1], [item])
            case "APPENDS":
                items = cut()
                _extend(stack[-1], items)
            case "SETITEMS":
                items = cut()
                _update(stack[-1], items)
            case "REDUCE" | "NEWOBJ":
                arguments = stack.pop()
                stack.append(_made(stack.pop(), arguments))
            case "BUILD":
                state = stack.pop()
                _fill(stack[-1], state)
            case other:
                raise ValueError(f"it has the instruction {other}, which no data needs")
    raise ValueError("it ends too early")


def _extend(held: Any, items: list[Any]) -> None:
    if not isinstance(held, list):
        raise ValueError(f"it appends to a {type(held).__name__}")
    held.extend(items)


def _update(held: Any, items: list[Any]) -> None:
    if not isinstance(held, dict) or len(items) % 2:
        raise ValueError(f"it sets items of a {type(held).__name__}")
    for key, value in zip(items[::2], items[1::2], strict=True):
        if not isinstance(key, (int, str)):
            raise ValueError(f"it has a {type(key).__name__} for a key")
        held[key] = value


def _made(maker: Any, arguments: Any) -> Any:
    """What calling one of the known names gives."""
    name = maker.name if isinstance(maker, Name) else type(maker).__name__
    if name in RECONSTRUCT:
        return Array()
    if name in MATRIX:
        return Matrix()
    if name == "numpy dtype" and arguments and isinstance(arguments[0], str):
        return Kind(arguments[0])
    if name == "collections defaultdict":
        return {}
    raise ValueError(f"it calls {name.replace(' ', '.')!r}")


def _fill(made: Any, state: Any) -> None:
    """What an object's own state says, given to our stand-in."""
    if isinstance(made, Matrix) and isinstance(state, dict):
        made.state = state
    elif isinstance(made, Kind) and isinstance(state, tuple) and len(state) > 1:
        made.order = {"<": "<", ">": ">"}.get(state[1], "=")
    elif isinstance(made, Array) and isinstance(state, tuple) and len(state) == 5:
        made.value = _array(*state[1:])
    else:
        raise ValueError(f"it fills a {type(made).__name__}")


def _array(shape: Any, kind: Any, fortran: Any, content: Any) -> np.ndarray:
    """The numbers are in the file itself: an array is never larger than the file."""
    if not isinstance(kind, Kind) or kind.code[:1] not in "iufb" or not isinstance(content, str):
        raise ValueError("it has an array of something else than numbers")
    if not isinstance(shape, tuple) or not all(isinstance(n, int) and n >= 0 for n in shape):
        raise ValueError("it has an array without a shape")
    flat = np.frombuffer(content.encode("latin-1"), np.dtype(kind.order + kind.code))
    size = 1
    for length in shape:
        size *= length
    if size != len(flat):
        raise ValueError(f"it has an array of shape {shape} with {len(flat):,} numbers")
    return flat.reshape(shape, order="F" if fortran else "C")
