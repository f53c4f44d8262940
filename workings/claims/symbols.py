r"""Declared symbols: a shape in named sizes, and what kind of numbers stand in it.

"1 x d", "onehot 1 x V", "symmetric n x n", "positive", "scalar", "positive scalar"; a side is a
name, a whole number, or a small expression in them ("4 D").
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from workings.errors import WorkingsError, nearest
from workings.formula.functions import check_size
from workings.formula.sizes import parse_sizes
from workings.formula.tokens import tokenize

KINDS = {
    "onehot": "one entry is 1, the others 0 (in every row)",
    "positive": "greater than zero",
    "symmetric": "equal to its transpose",
    "adjacency": "a connected graph's: symmetric, 0 and 1, no self-loops",
    "diagonal": "positive on the diagonal, 0 elsewhere",
    "orthogonal": "its transpose is its inverse",
    "stochastic": "positive, every row adds up to 1",
    "integer": "a whole number",
}
PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)


@dataclass(frozen=True)
class Symbol:
    """A declared symbol; no sides: a number."""

    sides: tuple[str, ...]
    kinds: tuple[str, ...] = ()

    def draw(self, sizes: Mapping[str, int], generator: torch.Generator) -> Tensor:
        """Random entries of its kind, float64."""
        shape = [side(text, sizes) for text in self.sides]
        check_size(*shape)
        x = torch.randn(shape, generator=generator, dtype=torch.float64)
        if "positive" in self.kinds:
            x = x.abs() + 0.1
        if "integer" in self.kinds:
            x = (3 * x).round()
        if "onehot" in self.kinds:
            axis = 0 if shape[1] == 1 else 1
            hot = x.argmax(axis, keepdim=True)
            x = torch.zeros_like(x).scatter_(axis, hot, 1.0)
        if "symmetric" in self.kinds:
            x = (x + x.t()) / 2
        if "adjacency" in self.kinds:
            x = _graph(len(x), generator)
        if "diagonal" in self.kinds:
            x = torch.diag(torch.diagonal(x).abs() + 0.5)
        if "orthogonal" in self.kinds:
            x = torch.linalg.qr(x)[0]
        if "stochastic" in self.kinds:
            x = torch.softmax(x, -1)
        return x


def _graph(nodes: int, generator: torch.Generator) -> Tensor:
    """A path through all nodes, so that none is isolated, and every third edge besides."""
    edges = torch.rand(nodes, nodes, generator=generator, dtype=torch.float64).triu(1)
    a = (edges > 2 / 3).to(torch.float64)
    a[range(nodes - 1), range(1, nodes)] = 1.0
    return a + a.t()


def declare(name: str, text: str) -> Symbol:
    """A symbol from its declaration."""
    words = text.replace("×", " x ").replace("\\times", " x ").replace("-", "").strip()
    kinds = []
    while match := re.match(r"([A-Za-z]{3,})(?:\s+(?!x\b)|$)", words):
        kinds.append(match[1].lower())
        words = words[match.end() :]
    scalar = "scalar" in kinds or "number" in kinds
    kinds = [kind for kind in kinds if kind not in ("scalar", "number", "vector", "matrix")]
    for kind in kinds:
        if kind not in KINDS:
            hint = nearest(kind, KINDS) or f" (known: {', '.join(KINDS)})"
            raise WorkingsError(f"symbols.{name}: unknown kind {kind!r}{hint}")
    sides = tuple(re.sub(r"[|{}]", "", side).strip() for side in re.split(r"\bx\b", words))
    if not words and (scalar or kinds):
        sides = ()
    elif len(sides) != 2 or not all(sides) or scalar:
        raise WorkingsError(
            f'symbols.{name}: {text!r} is no shape; write "ROWS x COLUMNS", as in "1 x d"'
        )
    square = {"symmetric", "adjacency", "diagonal", "orthogonal"} & set(kinds)
    if square and (not sides or sides[0] != sides[1]):
        raise WorkingsError(f"symbols.{name}: {square.pop()} needs a square matrix, not {text!r}")
    if "onehot" in kinds and not sides:
        raise WorkingsError(f'symbols.{name}: onehot needs a shape, as in "onehot 1 x V"')
    return Symbol(sides, tuple(kinds))


def side(text: str, sizes: Mapping[str, int]) -> int:
    """How long a side is: a name, a number, or a small expression in them."""
    if text in sizes:
        return sizes[text]
    length = parse_sizes(text)(sizes)
    if length.denominator != 1 or length < 1:
        raise WorkingsError(f"the side {text} is {length}; a whole number above 0 was expected")
    return int(length)


def canonical(name: str) -> str:
    """The one spelling of a size: N_{hidden} is N_hidden, |V| is V."""
    return "".join(token.text for token in tokenize(name)[:-1] if token.kind not in ("{", "}", "|"))
