"""What one evaluation may cost: a formula is data and must not hang its reader.

Time is the thread's own (CPU time), so that a busy machine gives the same verdicts as a quiet one.
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from workings.errors import WorkingsError

MOST_STEPS = 150_000  # operations for one formula
LONGEST_SECONDS = 5.0
_DEADLINE: ContextVar[float] = ContextVar("deadline", default=math.inf)


class OutOfTime(WorkingsError):
    """The time that was given to a claim is over."""


def now() -> float:
    """The seconds that this thread has worked."""
    return time.thread_time()


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """All that is checked inside has this much time together, whatever each part may take."""
    token = _DEADLINE.set(now() + seconds)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def at_most(until: float) -> float:
    """A time to end at, and no later than what is around allows."""
    return min(until, _DEADLINE.get())


def check_time() -> None:
    """Refuse to go on where the time that is given around is over."""
    if now() > _DEADLINE.get():
        raise OutOfTime("it takes too long to check")


@dataclass
class Budget:
    """Operations and seconds that are left for one formula."""

    steps: int = MOST_STEPS
    until: float = field(default_factory=lambda: now() + LONGEST_SECONDS)

    def spend(self) -> None:
        """Count one operation."""
        self.steps -= 1
        if self.steps < 0 or (self.steps % 256 == 0 and now() > self.until):
            raise WorkingsError("the formula takes too long to compute; give smaller [sizes]")

    def check(self) -> None:
        """Refuse to go on after the time is up."""
        if now() > self.until:
            raise WorkingsError("the claim takes too long to check; give smaller [sizes]")
