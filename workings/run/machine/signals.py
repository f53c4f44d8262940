"""SIGINT and SIGTERM ask a run to stop after its step; a second one stops at once."""

import signal
import threading
from types import FrameType, TracebackType


class Stop:
    """Within it, `signal` is the number of the signal that came, or 0."""

    def __init__(self) -> None:
        self.signal = 0

    def __enter__(self) -> "Stop":
        self.previous = {}
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self.previous[number] = signal.signal(number, self._note)
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.signal:
            raise KeyboardInterrupt
        self.signal = number

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self.previous.items():
            signal.signal(number, handler)


def signal_name(number: int) -> str:
    """As it is called; only some of them have names."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
