"""Errors that a user can act on: one line that names the thing and the way out, exit code 2."""

import difflib
from collections.abc import Iterable


class WorkingsError(Exception):
    """Something the user gave, or the machine has, does not work; the message is one line."""


class Interrupted(Exception):
    """Training was asked to stop (SIGINT or SIGTERM) and left a checkpoint behind."""

    def __init__(self, signal: int) -> None:
        super().__init__(f"interrupted by signal {signal}")
        self.signal = signal


def nearest(name: str, known: Iterable[str], prefix: str = "") -> str:
    """` (did you mean prefix+NAME?)` for the known name most like the given one, or nothing."""
    folded = {each.lower(): each for each in known}
    match = difflib.get_close_matches(name.lower(), list(folded), n=1, cutoff=0.5)
    return f" (did you mean {prefix}{folded[match[0]]}?)" if match else ""
