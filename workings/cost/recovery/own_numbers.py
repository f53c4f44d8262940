"""The whole numbers that a module's own code names: where it may begin to work otherwise.

`if len(x) > 128`, a window in an attribute, a limit at the top of a file: a count is most likely to
depart from its formula at such a size, or beside it.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from inspect import isfunction, unwrap
from math import isqrt
from numbers import Integral
from types import CellType, CodeType, FunctionType, MethodType, ModuleType

from torch import Tensor, nn

SMALLEST, LARGEST = 8, 2**40  # smaller sizes are counted anyway, a product of sizes may be large
DEEPEST = 4  # of a config in a list in an attribute
MOST_VALUES, MOST_FUNCTIONS = 200, 400  # that are looked into: a table of data names no limits
NOT_OWN = {"torch", "numpy", *sys.stdlib_module_names}

LARGEST_SIZE, MOST_SIZES = 200_000, 40  # of one symbol, at which a module is counted
LARGEST_ROOT = 2000  # of a product of sizes


def own_numbers(module: nn.Module) -> list[int]:
    """Of a module and those inside it, in order; PyTorch's own modules branch on none."""
    search = _Search()
    for each in module.modules():
        if _is_own(type(each)):
            search.values(vars(each).values(), DEEPEST)
        for kind in type(each).__mro__:
            search.kind(kind)
    return sorted(n for n in search.numbers if SMALLEST <= n <= LARGEST)


def as_sizes(numbers: Iterable[int]) -> list[int]:
    """Those of the numbers at which one size is tried."""
    return [number for number in sorted(numbers) if number <= LARGEST_SIZE][-MOST_SIZES:]


def as_products(numbers: Iterable[int]) -> list[int]:
    """Sizes whose product is just above one of the numbers: n·d > 10,000, or n·d·h."""
    roots = {isqrt(number) + 1 for number in numbers}
    roots |= {round(number ** (1 / 3)) + 1 for number in numbers}
    return sorted(root for root in roots if SMALLEST <= root <= LARGEST_ROOT)[-MOST_SIZES:]


def _is_own(named: object) -> bool:
    """Whether a class or a function is of the user's code, not of a library that we know."""
    return str(getattr(named, "__module__", "")).partition(".")[0] not in NOT_OWN


class _Search:
    def __init__(self) -> None:
        self.numbers: set[int] = set()
        self.visited: set[object] = set()

    def values(self, values: Iterable[object], depth: int) -> None:
        """Numbers, collections of them, objects with such attributes, and what functions name."""
        for value in list(values)[:MOST_VALUES]:
            self.value(value, depth)

    def value(self, value: object, depth: int) -> None:
        """One of them; modules inside a module are looked at by themselves."""
        if isinstance(value, bool | str | bytes | nn.Module | Tensor | ModuleType) or not depth:
            return
        if isinstance(value, Integral | float):
            if isinstance(value, Integral) or value.is_integer():
                self.numbers.add(int(value))
        elif isinstance(value, Mapping):
            self.values(value.values(), depth - 1)
        elif isinstance(value, tuple | list | set | frozenset):
            self.values(value, depth - 1)
        elif isinstance(value, type):
            self.kind(value)
        elif callable(value) or isinstance(value, property | staticmethod | classmethod):
            self.called(value)
        if not isinstance(value, type) and not isfunction(value):
            self.kind(type(value))
            self.values(getattr(value, "__dict__", {}).values(), depth - 1)

    def kind(self, kind: type) -> None:
        """A class of the user's: its constants and its methods."""
        if _is_own(kind) and self._is_new(kind):
            self.values(vars(kind).values(), 2)

    def called(self, called: object) -> None:
        """The functions behind what can be called, or is read as a property is."""
        if isinstance(called, partial):
            self.values([called.func, called.args, called.keywords], 2)
        elif isinstance(called, property):
            self.called(called.fget)
        elif isinstance(called, MethodType | staticmethod | classmethod):
            self.called(called.__func__)
        elif callable(called):
            function = unwrap(called)
            if isfunction(function) and _is_own(function) and self._is_new(function):
                self.function(function)

    def function(self, function: FunctionType) -> None:
        """Numbers in its code, defaults and closure, among the globals it names, in what it calls.

        Of a library it calls, those of the names that it uses.
        """
        self.values(_constants(function.__code__), 2)
        self.values(function.__defaults__ or (), 2)
        self.values((function.__kwdefaults__ or {}).values(), 2)
        self.values((c.cell_contents for c in function.__closure__ or () if _is_filled(c)), 2)
        names = list(_names(function.__code__))
        known = [function.__globals__[name] for name in names if name in function.__globals__]
        for module in [each for each in known if isinstance(each, ModuleType)]:
            if module.__name__.partition(".")[0] not in NOT_OWN:
                known += [vars(module)[name] for name in names if name in vars(module)]
        self.values(known, 2)

    def _is_new(self, visited: Callable[..., object] | type) -> bool:
        is_new = visited not in self.visited and len(self.visited) < MOST_FUNCTIONS
        self.visited.add(visited)
        return is_new


def _is_filled(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # not assigned yet
        return False


def _constants(code: CodeType) -> Iterator[object]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _constants(constant)
        else:
            yield constant


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)
