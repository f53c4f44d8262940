"""Ctrl-C is remembered: a library that swallows it while it is imported fails later, elsewhere."""

import _thread
import signal
import sys
import threading
import time
from types import FrameType

_seen = False


def remember() -> None:
    """From now on Ctrl-C raises KeyboardInterrupt, as always, and is remembered.

    Where it is ignored, as it is for a job in the background, it stays so. What a finalizer or the
    callback of a weak reference raises, Python prints and forgets: there Ctrl-C is raised again.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _note)
        sys.unraisablehook = _raise_again


def seen() -> bool:
    """Whether Ctrl-C was pressed: then whatever failed afterwards is no defect."""
    return _seen


def _note(number: int, frame: FrameType | None) -> None:
    global _seen
    _seen = True
    raise KeyboardInterrupt


def _raise_again(unraisable: "sys.UnraisableHookArgs") -> None:
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
    elif not sys.is_finalizing():
        _thread.start_new_thread(_interrupt_soon, ())  # at once, it would be raised in this hook


def _interrupt_soon() -> None:
    time.sleep(0.01)
    _thread.interrupt_main()
