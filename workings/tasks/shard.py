"""Which part of every batch a process takes, where several train one model together."""

from collections.abc import Sized
from typing import Protocol, Self, TypeVar


class Rows(Sized, Protocol):
    """What can be cut: a list, an array, a tensor."""

    def __getitem__(self, rows: slice, /) -> Self: ...


RowsT = TypeVar("RowsT", bound=Rows)


class Shard:
    """The part of a batch that one of several processes takes: neighbouring rows.

    The parts differ by one row at most. A batch with fewer rows than there are processes leaves
    some of these without any: such a process takes the last row, so that it has something to
    compute, and is `idle`: what it computes counts for nothing.
    """

    def __init__(self, rank: int = 0, of: int = 1) -> None:
        self.rank, self.of = rank, of
        self.idle = False  # in the batch that was cut last

    def take(self, rows: RowsT) -> RowsT:
        """This process's rows of a batch."""
        self.idle = self.rank >= len(rows)
        if self.idle:
            return rows[-1:]
        size, larger = divmod(len(rows), self.of)  # the first `larger` parts have a row more
        start = size * self.rank + min(self.rank, larger)
        return rows[start : start + size + (self.rank < larger)]
