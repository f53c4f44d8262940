"""Small claim sets for tests, and a fence around what may hang or eat memory."""

import resource
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import torch
from torch import Tensor

from workings.claims.kinds.formula_claims import check_formula
from workings.claims.result import Result
from workings.claims.sets import Claim, ClaimSet
from workings.claims.system.declare import Reader
from workings.formula.evaluation.evaluate import Scope
from workings.formula.parsing.parse import parse_expression
from workings.formula.resolution.names import Names

GIGABYTE = 1 << 30


def reader_of(
    symbols: Mapping[str, str], equations: Sequence[str] = (), **more: Any
) -> tuple[Reader, Any]:
    given = ClaimSet(symbols=dict(symbols), equations=tuple(equations), **more)
    reader = Reader(given)
    return reader, reader.system()


def check(
    symbols: Mapping[str, str], equations: Sequence[str], claim: str, steps: int = 0,
    sizes: Mapping[str, int | str] | None = None, **how: Any,
) -> Result:  # fmt: skip
    """The result of one claim of a set."""
    reader, system = reader_of(symbols, equations, steps=steps, sizes=dict(sizes or {}))
    return check_formula(reader, system, Claim(claim=claim, **how))


# One formula at fixed values

SIZES = {"n": 3, "d": 5}
_random = torch.Generator().manual_seed(3)


def _draw(*sides: int) -> Tensor:
    return torch.randn(sides, generator=_random, dtype=torch.float64)


VALUES: dict[str, Tensor] = {
    "x": _draw(1, 5),
    "u": _draw(5, 1),
    "W": _draw(5, 3),
    "K": _draw(5, 3),
    "y": _draw(1, 3),
    "p": _draw(1, 3).abs() + 0.1,
    "M": _draw(3, 3),
    "G": torch.diag(_draw(3).abs() + 0.5),
    "a": _draw(),
    "b": _draw(),
    "c": _draw().abs() + 0.5,
    "b_1": _draw(1, 3),
    "W_ph": _draw(3, 5),
    "hat y": _draw(1, 3),
    "hat y^(t)": _draw(1, 3),
    "h^(t-1)": _draw(1, 3),
    "\\alpha": _draw(1, 3),
    "W^Q": _draw(5, 3),
    "loss": _draw(),
}
NAMES = Names(symbols=list(VALUES), sizes=list(SIZES))
WORDS = ["loss", "b_1", "b"]


def value(text: str) -> Tensor:
    """What a formula is worth at the fixed values."""
    node = NAMES.resolve(parse_expression(text, WORDS), text)
    return Scope(SIZES, dict(VALUES)).value(node)


def assert_same(a: Tensor, b: Tensor) -> None:
    """Equal to rounding; a 1×1 matrix is a number."""
    if a.numel() == b.numel() == 1:
        a, b = a.reshape(()), b.reshape(())
    torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


@contextmanager
def fence(seconds: int = 18, memory: int = GIGABYTE) -> Iterator[None]:
    """No more than this memory besides what is used already; an alarm where it hangs."""

    def ring(_: int, __: FrameType | None) -> None:
        raise TimeoutError(f"over {seconds} seconds")

    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
        used = int(file.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGPROF, ring)
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, hard))
    signal.setitimer(signal.ITIMER_PROF, seconds)  # of work, however busy the machine is
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.signal(signal.SIGPROF, before)
