"""Progress of a long preparation of data: a bar in a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

from rich.console import Console
from rich.errors import LiveError
from rich.progress import track

T = TypeVar("T")
INTERVAL = 5.0  # seconds between two lines


def following(items: Sequence[T], what: str) -> Iterator[T]:
    """The items, one after the other, while standard error shows how many are done."""
    console = Console(stderr=True)
    if console.is_terminal:
        with suppress(LiveError):  # something else is being shown already: plain lines then
            yield from track(items, what, console=console, transient=True)
            return
    shown = time.monotonic()
    for done, item in enumerate(items):
        if time.monotonic() - shown > INTERVAL:
            shown = time.monotonic()
            print(f"{what}: {done:,} of {len(items):,}", file=sys.stderr, flush=True)
        yield item
