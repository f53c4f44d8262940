r"""Declared symbols: shapes in named sizes, kinds (orthogonal, positive …), and random draws.

"1 x d", "onehot 1 x V", "symmetric n x n", "positive", "scalar", "positive scalar"; a side is a
name, a whole number, or a small expression in them ("4 D").
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import torch
from torch import Tensor

from workings.errors import WorkingsError, nearest
from workings.formula.evaluation.matrices import check_size
from workings.formula.parsing.tokens import tokenize
from workings.formula.sizes import parse_sizes

KINDS = {
    "onehot": "one entry is 1, the others 0 (in every row)",
    "positive": "greater than zero",
    "symmetric": "equal to its transpose",
    "definite": "symmetric, with positive eigenvalues",
    "adjacency": "a connected graph's: symmetric, 0 and 1, no self-loops",
    "diagonal": "0 off the diagonal",
    "lower": "lower triangular: 0 above the diagonal",
    "upper": "upper triangular: 0 below the diagonal",
    "orthogonal": "its transpose is its inverse",
    "permutation": "one 1 in every row and column, 0 elsewhere",
    "stochastic": "positive, every row (or the one column) adds up to 1",
    "probability": "positive and adds up to 1; of a number, between 0 and 1",
    "binary": "0 or 1",
    "sign": "-1 or 1",
    "integer": "a whole number",
}
SQUARE = frozenset(
    {"symmetric", "definite", "adjacency", "diagonal", "lower", "upper", "orthogonal",
     "permutation"}
)  # fmt: skip
ENTRYWISE = frozenset({"positive", "integer", "binary", "sign"})
"""kinds of the entries, which come before those of the whole: a positive diagonal matrix"""
SIGNED = frozenset({"symmetric", "diagonal", "lower", "upper", "orthogonal", "integer", "sign"})
"""kinds that are kept when every entry changes its sign"""
PLAIN = frozenset({"scalar", "number", "vector", "matrix", "triangular", "row", "column"})
"""words that may stand in a declaration and say nothing that its shape does not"""
PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)


@dataclass(frozen=True)
class Symbol:
    """A declared symbol; no sides: a number."""

    sides: tuple[str, ...]
    kinds: tuple[str, ...] = ()

    @property
    def is_signed(self) -> bool:
        """Whether it may as well be its negative."""
        return all(kind in SIGNED for kind in self.kinds)

    @property
    def is_scalable(self) -> bool:
        """Whether it may as well be a positive multiple of itself."""
        free = {"symmetric", "definite", "diagonal", "lower", "upper", "positive"}
        return all(kind in free for kind in self.kinds)

    def draw(self, sizes: Mapping[str, int], generator: torch.Generator) -> Tensor:
        """Random entries of its kind, float64."""
        shape = [side(text, sizes) for text in self.sides]
        check_size(*shape)
        x = torch.randn(shape, generator=generator, dtype=torch.float64)
        for kind in sorted(self.kinds, key=ENTRYWISE.__contains__, reverse=True):
            x = DRAWN[kind](x, generator)
        return x


def _positive(x: Tensor, generator: torch.Generator) -> Tensor:
    """From 0.01 to 3 or so, near 0 too."""
    return x.abs() + 0.01


def _integer(x: Tensor, generator: torch.Generator) -> Tensor:
    return (3 * x).round()


def _axis(x: Tensor) -> int:
    """The axis that entries of a vector, or of each row, lie along."""
    return 0 if x.ndim == 2 and x.shape[1] == 1 else -1


def _onehot(x: Tensor, generator: torch.Generator) -> Tensor:
    hot = x.argmax(_axis(x), keepdim=True)
    return torch.zeros_like(x).scatter_(_axis(x), hot, 1.0)


def _graph(x: Tensor, generator: torch.Generator) -> Tensor:
    """A path through all nodes, so that none is isolated, and every third edge besides."""
    nodes = len(x)
    edges = torch.rand(nodes, nodes, generator=generator, dtype=torch.float64).triu(1)
    a = (edges > 2 / 3).to(torch.float64)
    a[range(nodes - 1), range(1, nodes)] = 1.0
    return a + a.t()


def _away_from_zero(x: Tensor) -> Tensor:
    """Of both signs, and far enough from 0 to be divided by."""
    return x + torch.sign(x) * 0.2


def _orthogonal(x: Tensor, generator: torch.Generator) -> Tensor:
    """A rotation or, as often, a reflection."""
    q, r = torch.linalg.qr(x)
    q = q * torch.sign(r.diagonal())
    flip = torch.rand((), generator=generator) < 0.5
    return torch.cat([-q[:, :1], q[:, 1:]], 1) if flip else q


def _permutation(x: Tensor, generator: torch.Generator) -> Tensor:
    return torch.eye(len(x), dtype=x.dtype)[torch.randperm(len(x), generator=generator)]


def _probability(x: Tensor, generator: torch.Generator) -> Tensor:
    if x.ndim == 0:
        return torch.sigmoid(x)
    return torch.softmax(x.reshape(-1), 0).reshape(x.shape)


Draws = Callable[[Tensor, torch.Generator], Tensor]
DRAWN: dict[str, Draws] = {
    "onehot": _onehot,
    "positive": _positive,
    "symmetric": lambda x, _: (x + x.t()) / 2,
    "definite": lambda x, _: x @ x.t() / len(x) + 0.1 * torch.eye(len(x), dtype=x.dtype),
    "adjacency": _graph,
    "diagonal": lambda x, _: torch.diag(_away_from_zero(torch.diagonal(x))),
    "lower": lambda x, _: x.tril(),
    "upper": lambda x, _: x.triu(),
    "orthogonal": _orthogonal,
    "permutation": _permutation,
    "stochastic": lambda x, _: torch.softmax(x, _axis(x)) if x.ndim else torch.ones_like(x),
    "probability": _probability,
    "binary": lambda x, _: (x > 0).to(x.dtype),
    "sign": lambda x, _: 2 * (x > 0).to(x.dtype) - 1,
    "integer": _integer,
}


def declare(name: str, text: str) -> Symbol:
    """A symbol from its declaration."""
    words = text.replace("×", " x ").replace("\\times", " x ").replace("-", "").strip()
    kinds = []
    while match := re.match(r"([A-Za-z]{3,})(?:\s+(?!x\b)|$)", words):
        kinds.append(match[1].lower())
        words = words[match.end() :]
    scalar = "scalar" in kinds or "number" in kinds
    kinds = [kind for kind in kinds if kind not in PLAIN]
    if "definite" in kinds and "positive" in kinds:  # of its eigenvalues, not of its entries
        kinds.remove("positive")
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
    square = SQUARE & set(kinds)
    if square and (not sides or sides[0] != sides[1]):
        raise WorkingsError(f"symbols.{name}: {min(square)} needs a square matrix, not {text!r}")
    if "onehot" in kinds and not sides:
        raise WorkingsError(f'symbols.{name}: onehot needs a shape, as in "onehot 1 x V"')
    return Symbol(sides, tuple(kinds))


def side(text: str, sizes: Mapping[str, int]) -> int:
    """How long a side is: a name, a number, or a small expression in them."""
    length = Fraction(sizes[text]) if text in sizes else parse_sizes(text)(sizes)
    if length.denominator != 1 or length < 1:
        raise WorkingsError(f"the side {text} is {length}; a whole number above 0 was expected")
    return int(length)


def canonical(name: str) -> str:
    """The one spelling of a size: N_{hidden} is N_hidden, |V| is V."""
    return "".join(token.text for token in tokenize(name)[:-1] if token.kind not in ("{", "}", "|"))
