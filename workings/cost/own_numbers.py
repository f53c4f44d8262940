"""The whole numbers that a module's own code names: where it may begin to work otherwise.

`if len(x) > 128`, a window in an attribute, a limit at the top of a file: a count is most likely to
depart from its formula at such a size, or beside it.
"""

from collections.abc import Callable, Iterable, Iterator
from inspect import isfunction, unwrap
from types import CellType, CodeType

from torch import nn

SMALLEST, LARGEST = 8, 20_000  # smaller sizes are counted anyway, larger ones take too long
MOST_NUMBERS = 12


def own_numbers(module: nn.Module) -> list[int]:
    """Of a module and those inside it, in order; PyTorch's own modules branch on none."""
    numbers: set[int] = set()
    visited: set[Callable[..., object]] = set()
    for each in module.modules():
        if _is_own(type(each)):
            numbers.update(_whole(vars(each).values()))
        for kind in type(each).__mro__:
            for member in vars(kind).values() if _is_own(kind) else ():
                numbers.update(_in_function(getattr(member, "__func__", member), visited))
    return sorted(n for n in numbers if SMALLEST <= n <= LARGEST)[-MOST_NUMBERS:]


def _is_own(kind: object) -> bool:
    return getattr(kind, "__module__", "").partition(".")[0] not in ("torch", "builtins")


def _in_function(function: object, visited: set[Callable[..., object]]) -> Iterator[int]:
    """Numbers in its code, defaults and closure, among the globals it names, and in what it calls.

    Only functions of the same file are followed.
    """
    function = unwrap(function) if callable(function) else function
    if not isfunction(function) or function in visited:
        return
    visited.add(function)
    yield from _in_code(function.__code__)
    yield from _whole(function.__defaults__ or ())
    yield from _whole((function.__kwdefaults__ or {}).values())
    cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    known = [
        function.__globals__[n] for n in _names(function.__code__) if n in function.__globals__
    ]
    for value in [*cells, *known]:
        yield from _whole([value])
        if getattr(value, "__module__", None) == function.__module__:
            yield from _in_function(value, visited)


def _is_filled(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # not assigned yet
        return False


def _in_code(code: CodeType) -> Iterator[int]:
    yield from _whole(code.co_consts)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _in_code(inner)


def _names(code: CodeType) -> list[str]:
    inner = [name for c in code.co_consts if isinstance(c, CodeType) for name in _names(c)]
    return [*code.co_names, *inner]


def _whole(values: Iterable[object]) -> Iterator[int]:
    for value in values:
        if isinstance(value, int) and not isinstance(value, bool):
            yield value
        elif isinstance(value, (tuple, frozenset)):
            yield from _whole(value)
