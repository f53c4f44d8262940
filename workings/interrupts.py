"""Ctrl-C is remembered: a library that swallows it while it is imported fails later, elsewhere."""

import signal
import threading
from types import FrameType

_seen = False


def remember() -> None:
    """From now on Ctrl-C raises KeyboardInterrupt, as always, and is remembered."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, _note)


def seen() -> bool:
    """Whether Ctrl-C was pressed: then whatever failed afterwards is no defect."""
    return _seen


def _note(number: int, frame: FrameType | None) -> None:
    global _seen
    _seen = True
    raise KeyboardInterrupt
