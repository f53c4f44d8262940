"""Old pickles of arrays, sparse matrices and dicts of lists, read without running any of them.

A pickle is a program for a small stack machine. This is that machine with only the instructions
that such files need. A name in a pickle is compared with an allow-list and never looked up, and
nothing is ever called, so there is nothing that a hostile file could reach. The number of
instructions is bounded, and arrays together are no larger than the file.

Why not `pickle.Unpickler` with an allow-list in `find_class`? Tried with hostile files, it
 - hashes a tuple of two million nested tuples, given as a key, which kills the process (SIGSEGV);
 - lets BUILD set attributes of the allowed classes themselves, for every later file;
 - takes extension codes from copyreg's cache without asking `find_class`;
 - allocates a memo of 32 GB for one instruction that names the memo's entry 2³¹;
 - bounds neither the instructions nor what the allowed classes are called with.
Overriding all of these is longer than this file, in a class whose methods are private.
"""

import math
import pickletools
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from workings.errors import WorkingsError
from workings.files import read_file

MOST_BYTES = 1 << 28  # of a file
MOST_INSTRUCTIONS = 5_000_000
MOST_DIMENSIONS = 2  # of an array
RECONSTRUCT = ("numpy.core.multiarray _reconstruct", "numpy._core.multiarray _reconstruct")
MATRIX = ("scipy.sparse.csr csr_matrix", "scipy.sparse._csr csr_matrix")
LISTS = ("collections defaultdict", "__builtin__ list", "builtins list")
NAMES = (*RECONSTRUCT, *MATRIX, *LISTS, "numpy ndarray", "numpy dtype")


@dataclass(frozen=True)
class PickledName:
    """A class or function that the pickle names; only its name is kept."""

    name: str


@dataclass
class PickledType:
    """A NumPy type: its code, for example i4, and its byte order."""

    code: str
    order: str = "="


@dataclass
class PickledArray:
    """A NumPy array; its value is None until the pickle has given its content."""

    value: np.ndarray | None = None


@dataclass
class PickledMatrix:
    """A scipy.sparse matrix: its attributes by name."""

    attributes: dict[object, object] = field(default_factory=dict)

    def array(self, name: str) -> np.ndarray:
        """The attribute of that name, which must be an array."""
        held = self.attributes.get(name)
        if not isinstance(held, PickledArray) or held.value is None:
            raise ValueError(f"the matrix has no array {name!r}")
        return held.value


def read(path: Path) -> object:
    """What the pickle holds: numbers, text, tuples, lists, dicts, PickledArrays, PickledMatrices.

    Shared parts stay shared, so a small file can describe far more than it holds: who walks over
    the result has to bound the number of steps.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise WorkingsError(f"{path}: is larger than {MOST_BYTES >> 20} MB: no such pickle")
        content = read_file(path, MOST_BYTES)
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd escapes in a name, which is refused anyway
            return _Machine(content).run()
    except (ValueError, IndexError, KeyError, TypeError, UnicodeError) as error:
        line = str(error).strip().partition("\n")[0] or type(error).__name__
        raise WorkingsError(f"{path}: is refused: {line}") from None


CONSTANTS: dict[str, Callable[[], object]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
    "EMPTY_TUPLE": tuple,
}


class _Machine:
    """The stack, the positions of the marks on it, and the memo."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.bytes_left = len(content)  # for arrays
        self.stack: list[object] = []
        self.marks: list[int] = []
        self.memo: dict[object, object] = {}

    def run(self) -> object:
        for count, (code, argument, _) in enumerate(pickletools.genops(self.content)):
            if count == MOST_INSTRUCTIONS:
                raise ValueError(f"it has more than {MOST_INSTRUCTIONS:,} instructions")
            if code.name == "STOP":
                return self.stack.pop()
            self._step(code.name, argument)
        raise ValueError("it ends too early")

    def _step(self, code: str, argument: object) -> None:
        stack = self.stack
        match code:
            case "PROTO":
                pass
            case "MARK":
                self.marks.append(len(stack))
            case "BINPUT" | "LONG_BINPUT":
                self.memo[argument] = stack[-1]
            case "BINGET" | "LONG_BINGET":
                stack.append(self.memo[argument])
            case "GLOBAL":
                if not isinstance(argument, str) or argument not in NAMES:
                    raise ValueError(f"it names {_dotted(str(argument))}, which no data needs")
                stack.append(PickledName(argument))
            case _ if code in CONSTANTS:
                stack.append(CONSTANTS[code]())
            case "BININT" | "BININT1" | "BININT2" | "BINSTRING" | "SHORT_BINSTRING" | "BINUNICODE":
                stack.append(argument)
            case "TUPLE1" | "TUPLE2" | "TUPLE3":
                size = int(code[-1])
                if len(stack) < size:
                    raise ValueError("a tuple is larger than the stack")
                stack[-size:] = [tuple(stack[-size:])]
            case "TUPLE":
                stack.append(tuple(self._to_mark()))
            case "APPEND":
                item = stack.pop()
                _extend(stack[-1], [item])
            case "APPENDS":
                items = self._to_mark()
                _extend(stack[-1], items)
            case "SETITEMS":
                items = self._to_mark()
                _update(stack[-1], items)
            case "REDUCE" | "NEWOBJ":
                arguments = stack.pop()
                stack.append(_make(stack.pop(), arguments))
            case "BUILD":
                state = stack.pop()
                self._fill(stack[-1], state)
            case _:
                raise ValueError(f"it has the instruction {code}, which no data needs")

    def _to_mark(self) -> list[object]:
        """Take from the stack what lies above the last mark."""
        start = self.marks.pop()
        taken = self.stack[start:]
        del self.stack[start:]
        return taken

    def _fill(self, made: object, state: object) -> None:
        """Give an object its state."""
        if isinstance(made, PickledMatrix) and isinstance(state, dict):
            made.attributes = state
        elif isinstance(made, PickledType) and isinstance(state, tuple) and len(state) > 1:
            made.order = state[1] if state[1] in ("<", ">") else "="
        elif isinstance(made, PickledArray) and isinstance(state, tuple) and len(state) == 5:
            made.value = self._array(*state[1:])
        else:
            raise ValueError(f"it fills a {type(made).__name__}")

    def _array(self, shape: object, kind: object, fortran: object, content: object) -> np.ndarray:
        if not isinstance(kind, PickledType) or not isinstance(content, str):
            raise ValueError("it has an array of something else than numbers")
        if not re.fullmatch("[iufb][1248]", kind.code):
            raise ValueError("it has an array of something else than numbers")
        if not isinstance(shape, tuple) or not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError("it has an array without a shape")
        if len(shape) > MOST_DIMENSIONS:
            raise ValueError(f"it has an array of {len(shape):,} dimensions")
        # The same text can be the content of many arrays, each of which is a copy.
        self.bytes_left -= len(content)
        if self.bytes_left < 0:
            raise ValueError("its arrays are larger than the file")
        flat = np.frombuffer(content.encode("latin-1"), np.dtype(kind.order + kind.code))
        if math.prod(shape) != len(flat) or any(length > len(flat) for length in shape):
            raise ValueError(f"it has an array of shape {shape} with {len(flat):,} numbers")
        return flat.reshape(shape, order="F" if fortran else "C")


def _dotted(name: str) -> str:
    return repr(name.replace(" ", "."))


def _extend(held: object, items: list[object]) -> None:
    if not isinstance(held, list):
        raise ValueError(f"it appends to a {type(held).__name__}")
    held.extend(items)


def _update(held: object, items: list[object]) -> None:
    if not isinstance(held, dict) or len(items) % 2:
        raise ValueError(f"it sets items of a {type(held).__name__}")
    for key, value in zip(items[::2], items[1::2], strict=True):
        if not isinstance(key, (int, str)):  # a nested tuple would be hashed by recursion
            raise ValueError(f"it has a {type(key).__name__} for a key")
        held[key] = value


def _make(maker: object, arguments: object) -> object:
    """Our own stand-in for what calling one of the known names would give."""
    name = maker.name if isinstance(maker, PickledName) else type(maker).__name__
    if name in RECONSTRUCT:
        return PickledArray()
    if name in MATRIX:
        return PickledMatrix()
    if name == "collections defaultdict":
        return {}
    if name == "numpy dtype" and isinstance(arguments, tuple) and arguments:
        code = arguments[0]
        if isinstance(code, str):
            return PickledType(code)
    raise ValueError(f"it calls {_dotted(name)}")
