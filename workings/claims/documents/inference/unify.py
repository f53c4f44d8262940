"""Sizes that are not known yet, and making two of them equal: unification, as a type checker does.

A size is a number, a name (`d`, or an expression such as `4 D`), or an Unknown that stands for one
of these. A shape is () for a number, (rows, columns) for the rest, None where nothing is known.
"""

from dataclasses import dataclass


@dataclass(eq=False)
class Unknown:
    """A size that is looked for; `value` once it is found."""

    value: "Size | None" = None


Size = int | str | Unknown
Shape = tuple[Size, ...] | None


class Mismatch(Exception):
    """Two sizes that cannot be equal."""


class Unifier:
    """Makes sizes equal, and takes it back where a way turns out wrong."""

    def __init__(self) -> None:
        self.bound: list[Unknown] = []

    def find(self, size: Size) -> Size:
        """What a size stands for, as far as it is known."""
        while isinstance(size, Unknown) and size.value is not None:
            size = size.value
        return size

    def unify(self, a: Size, b: Size) -> None:
        """Make two sizes equal, or raise Mismatch."""
        a, b = self.find(a), self.find(b)
        if a is b or (not isinstance(a, Unknown) and a == b):
            return
        if isinstance(a, Unknown):
            self._bind(a, b)
        elif isinstance(b, Unknown):
            self._bind(b, a)
        else:
            raise Mismatch(f"{a} and {b}")

    def _bind(self, unknown: Unknown, size: Size) -> None:
        unknown.value = size
        self.bound.append(unknown)

    def mark(self) -> int:
        """A point to come back to."""
        return len(self.bound)

    def undo(self, mark: int) -> None:
        """Forget all that was found since the mark."""
        while len(self.bound) > mark:
            self.bound.pop().value = None

    def same(self, a: Shape, b: Shape) -> Shape:
        """Make two shapes equal; a number may be written as a 1×1 matrix."""
        if a is None or b is None:
            return b if a is None else a
        if not a or not b:
            for size in (*a, *b):
                self.unify(size, 1)
            return ()
        for left, right in zip(a, b, strict=True):
            self.unify(left, right)
        return a

    def added(self, a: Shape, b: Shape) -> Shape:
        """The shape of a sum: numbers shift, and a row (column) is added to every row (column)."""
        if a is None or b is None:
            return b if a is None else a
        if not a or not b:
            return a or b
        mark = self.mark()
        try:
            return self.same(a, b)
        except Mismatch:
            self.undo(mark)
        for left, right in ((a, b), (b, a)):
            for side in (0, 1):
                if self.find(right[side]) == 1:
                    self.unify(left[1 - side], right[1 - side])
                    return left
        raise Mismatch(self.text(a) + " and " + self.text(b))

    def multiplied(self, a: Shape, b: Shape) -> Shape:
        """The shape of a matrix product; a number scales."""
        if a is None or b is None:
            return None
        if not a or not b:
            return a or b
        self.unify(a[1], b[0])
        return self.plain((a[0], b[1]))

    def plain(self, shape: Shape) -> Shape:
        """A 1×1 matrix counts as a number where it meets others."""
        if shape and all(self.find(size) == 1 for size in shape):
            return ()
        return shape

    def text(self, shape: Shape) -> str:
        """A shape as people write it."""
        if shape is None:
            return "unknown"
        sizes = [self.find(size) for size in shape]
        return " x ".join("?" if isinstance(s, Unknown) else str(s) for s in sizes) or "scalar"
