"""Edges of a function's syntax and data flow, between the tokens that stand for its nodes.

A node of the syntax tree is represented by the first token that is its own, not one of its
children's: `+` of `a + b`, `if` of a condition, the opening bracket of a call; an attribute by its
name. So the tree becomes edges between tokens.
"""

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence

Position = tuple[int, int]  # line, and column in bytes of UTF-8, as `ast` counts them
Edge = tuple[int, int]

_ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr)


class TokenTree:
    """A function's syntax tree over the numbers of its tokens; nodes beyond `most` are left out."""

    def __init__(self, root: ast.AST, starts: Sequence[Position], offset: int, most: int) -> None:
        """starts: of all the file's tokens, in order; offset: of the function's first one."""
        self.root, self.starts, self.offset, self.most = root, starts, offset, most
        self.below: dict[ast.AST, list[ast.AST]] = {}
        self.spans: dict[ast.AST, tuple[int, int] | None] = {}
        waiting = [root]
        while waiting:
            node = waiting.pop()
            self.spans[node] = self._span(node)
            self.below[node] = list(placed_children(node))
            waiting += self.below[node]
        self.tokens = {node: self._token(node) for node in self.below}

    def _span(self, node: ast.AST) -> tuple[int, int] | None:
        """The numbers of a node's first token and of the one after its last; None: it has none."""
        first = bisect_left(self.starts, (node.lineno, node.col_offset))  # type: ignore[attr-defined]
        end = bisect_left(self.starts, (node.end_lineno, node.end_col_offset))  # type: ignore[attr-defined]
        return (first - self.offset, end - self.offset) if end > first else None

    def _token(self, node: ast.AST) -> int | None:
        """The number of the token that stands for a node."""
        span = self.spans[node]
        if span is None:
            return None
        position, end = span
        if isinstance(node, ast.Attribute):
            position = end - 1
        else:
            for first, after in sorted(part for x in self.below[node] if (part := self.spans[x])):
                if first > position:
                    break
                position = max(position, after)
            position = position if position < end else span[0]
        return position if position < self.most else None

    def children(self) -> Iterator[Edge]:
        """From each node to its children."""
        for node, children in self.below.items():
            here = self.tokens[node]
            for child in children:
                below = self.tokens[child]
                if here is not None and below is not None and here != below:
                    yield here, below

    def variables(self, node: ast.AST) -> list[tuple[int, str]]:
        """The variables below a node in the order of their tokens: x, and the attribute y of x."""
        named = []
        waiting = [node]
        while waiting:
            each = waiting.pop()
            position = self.tokens[each]
            if position is not None and (name := _variable(each)):
                named.append((position, name))
            waiting += self.below[each]
        return sorted(named)

    def last_uses(self) -> Iterator[Edge]:
        """From each use of a variable to the one before it in the text."""
        last: dict[str, int] = {}
        for position, name in self.variables(self.root):
            if name in last:
                yield position, last[name]
            last[name] = position

    def computed_from(self) -> Iterator[Edge]:
        """From what is assigned to the variables that it is computed from."""
        for node in self.below:
            for targets, value in _assigned(node):
                sources = [position for position, _ in self.variables(value)]
                for target in targets:
                    for position, _ in self.variables(target):
                        yield from ((position, source) for source in sources if source != position)


def placed_children(node: ast.AST) -> Iterator[ast.AST]:
    """The nearest nodes below that have a place in the text; an f-string is one token."""
    if isinstance(node, ast.JoinedStr):
        return
    for child in ast.iter_child_nodes(node):
        if getattr(child, "end_lineno", None) is not None:
            yield child
        else:  # arguments, comprehensions: their parts belong to what they are part of
            yield from placed_children(child)


def _variable(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def _assigned(node: ast.AST) -> Iterator[tuple[Sequence[ast.expr], ast.expr]]:
    """What a node gives values to, and the expressions they come from."""
    if isinstance(node, _ASSIGNMENTS):
        targets: Sequence[ast.expr] = (
            node.targets if isinstance(node, ast.Assign) else [node.target]
        )
        if node.value is not None:
            yield targets, node.value
    elif isinstance(node, ast.For | ast.AsyncFor):
        yield [node.target], node.iter
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        for loop in node.generators:
            yield [loop.target], loop.iter
    elif isinstance(node, ast.With | ast.AsyncWith):
        for item in node.items:
            if item.optional_vars is not None:
                yield [item.optional_vars], item.context_expr
