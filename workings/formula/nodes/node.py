"""What every node of a formula's tree can do, and a statement of such trees."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """Two nodes are equal only if they are one object: trees share their unchanged parts."""

    def children(self) -> Iterator["Node"]:
        """The nodes right below this one, from left to right."""
        for name in _parts(self.__class__):
            value = getattr(self, name)
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, Node):
                    yield part

    def walk(self) -> Iterator["Node"]:
        """This node and all below it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(node.children())

    def depth(self) -> int:
        """How many nodes stand below each other, counted without recursion."""
        deepest, level = 0, [self]
        while level:
            deepest += 1
            level = [child for node in level for child in node.children()]
        return deepest

    def rebuilt(self, change: Callable[["Node"], "Node"]) -> "Node":
        """The same node over changed children; itself if none changed."""
        changed: dict[str, object] = {}
        for name in _parts(self.__class__):
            value = getattr(self, name)
            if isinstance(value, Node):
                after: object = change(value)
                same = after is value
            elif isinstance(value, tuple):
                after = tuple(change(part) if isinstance(part, Node) else part for part in value)
                same = all(new is old for new, old in zip(after, value, strict=True))
            else:
                continue
            if not same:
                changed[name] = after
        return replace(self, **changed) if changed else self


_PARTS: dict[type, tuple[str, ...]] = {}


def _parts(kind: type[Node]) -> tuple[str, ...]:
    """The names of a node's fields."""
    if kind not in _PARTS:
        _PARTS[kind] = tuple(each.name for each in fields(kind))
    return _PARTS[kind]


@dataclass(frozen=True, eq=False, slots=True)
class Statement:
    """Formulas with relations between them: a = b ≤ c has three sides and two relations."""

    sides: tuple[Node, ...]
    relations: tuple[str, ...]
