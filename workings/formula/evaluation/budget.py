"""What one evaluation may cost: a formula is data and must not hang its reader.

Time is the thread's own (CPU time), so that a busy machine gives the same verdicts as a quiet one.
"""

import time
from dataclasses import dataclass, field

from workings.errors import WorkingsError

MOST_STEPS = 150_000  # operations for one formula
LONGEST_SECONDS = 5.0


def now() -> float:
    """The seconds that this thread has worked."""
    return time.thread_time()


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
