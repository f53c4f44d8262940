"""What the page's processes are forked with: torch and the checker, imported once."""

from collections.abc import Iterator

import workings.claims.check
import workings.claims.documents.check
import workings.claims.documents.fix

__all__ = ["nothing", "workings"]


def nothing() -> Iterator[None]:
    """A request that only waits until a process is there."""
    yield from ()
