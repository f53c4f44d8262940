"""Errors that a user can act on: one line that names the thing and the way out, exit code 2."""

import contextlib
import difflib
import re
from collections.abc import Iterable, Iterator


class WorkingsError(Exception):
    """Something the user gave, or the machine has, does not work; the message is one line."""


class Interrupted(Exception):
    """Training was asked to stop (SIGINT or SIGTERM) and left a checkpoint behind."""

    def __init__(self, signal: int) -> None:
        super().__init__(f"interrupted by signal {signal}")
        self.signal = signal


class Terminated(BaseException):
    """A command was asked to end (SIGTERM) while it did something that leaves nothing behind.

    Like KeyboardInterrupt, it is no Exception: nothing on the way may take it for a failure.
    """


# How torch, numpy and Python say that a size is beyond the memory, or beyond what can be counted.
# Only their words tell these errors from others of the same classes.
TOO_LARGE = (
    "DefaultCPUAllocator",
    "not enough memory",
    "out of memory",
    "Storage size calculation overflowed",
    "integer multiplication overflow",
    "Overflow when unpacking long",
    "too large to convert to C",
    "cannot fit 'int' into an index-sized integer",
    "array is too big",
)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an exception says that something is too large for the memory."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in TOO_LARGE)


@contextlib.contextmanager
def explain_out_of_memory(what: str) -> Iterator[None]:
    """Say in one line that `what` is too large for this machine; any other error stays itself."""
    try:
        yield
    except (MemoryError, OverflowError, RuntimeError, TypeError, ValueError) as error:
        if not is_out_of_memory(error):
            raise
        raise WorkingsError(
            f"{what}: too large for this machine{_asked(error)}; lower it"
        ) from error


def _asked(error: BaseException) -> str:
    """How much memory an error was about, where it says so."""
    size = re.search(r"allocate (\d+) bytes", str(error))
    return f" (it would take {int(size[1]) / 1e9:,.1f} GB at once)" if size else ""


def first_line(error: BaseException) -> str:
    """The first line of an exception's message."""
    return str(error).strip().partition("\n")[0]


def nearest(name: str, known: Iterable[str], prefix: str = "") -> str:
    """` (did you mean prefix+NAME?)` for the known name most like the given one, or nothing."""
    folded = {each.lower(): each for each in known}
    match = difflib.get_close_matches(name.lower(), list(folded), n=1, cutoff=0.5)
    return f" (did you mean {prefix}{folded[match[0]]}?)" if match else ""
