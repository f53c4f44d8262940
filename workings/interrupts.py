"""Ctrl-C is remembered: a library that swallows it while it is imported fails later, elsewhere."""

import signal
import threading
from types import FrameType

_seen = False


def remember() -> None:
    """From now on Ctrl-C raises KeyboardInterrupt, as always, and is remembered.

    Where it is ignored, as it is for a job in the background, it stays so.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _note)


def seen() -> bool:
    """Whether Ctrl-C was pressed: then whatever failed afterwards is no defect."""
    return _seen


def _note(number: int, frame: FrameType | None) -> None:
    global _seen
    _seen = True
    raise KeyboardInterrupt
