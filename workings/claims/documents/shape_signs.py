"""What a whole document shows about shapes: which names are vectors or matrices, which losses.

A letter in bold, one that is transposed or normed anywhere, is no number; what is differentiated
and called L, E, J, C or loss is one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from workings.claims.documents.uses import signs_of, symbols_in, use_of
from workings.formula import nodes as f

_BOLD = re.compile(
    r"\\(?:mathbf|boldsymbol|bm|vec|vb|pmb|mathbfit)\s*(?:\{\s*)?(\\[A-Za-z]+|[A-Za-z])(?![A-Za-z])"
)
LOSSES = frozenset(["L", "E", "J", "C", "\\ell", "loss", "Loss", "cost", "Cost", "Err", "error"])


def bold_letters(texts: Iterable[str]) -> frozenset[str]:
    """The letters that are written in bold, or with an arrow, anywhere in a document."""
    return frozenset(match[1] for text in texts for match in _BOLD.finditer(text))


def vectors_of(
    nodes: Sequence[f.Node], known: Mapping[str, object], bold: frozenset[str]
) -> frozenset[str]:
    """The names that a document uses as vectors or matrices anywhere."""
    found = set(signs_of(nodes, known).vectors)
    for node in nodes:
        for symbol, bound in symbols_in(node):
            use = use_of(symbol, known, bound)
            if symbol.base in bold and not use.indices:
                found.add(use.name)
    return frozenset(found)


def losses_of(nodes: Sequence[f.Node], known: Mapping[str, object]) -> frozenset[str]:
    """Names of losses that are differentiated, and that nothing is differentiated by."""
    of: set[str] = set()
    other: set[str] = set(signs_of(nodes, known).vectors)
    for node in (part for top in nodes for part in top.walk()):
        if isinstance(node, f.Derivative):
            if isinstance(node.of, f.Symbol) and node.of.base in LOSSES:
                of.add(node.of.name)
            if isinstance(node.wrt, f.Symbol):
                other.add(use_of(node.wrt, known, frozenset()).name)
    return frozenset(of - other)


_FUNCTIONS = re.compile(
    r"(?<![A-Za-z\\])([fg]|\\(?:var)?phi(?![A-Za-z])|\\psi(?![A-Za-z]))\s*(?:'|\^\s*\{?\s*\\prime\s*\}?)*"
    r"\s*(?:\\left|\\[bB]ig+l?)?\s*\("
)


def function_letters(texts: Iterable[str]) -> set[str]:
    """f, g, φ and ψ with an argument in brackets behind them somewhere in a document."""
    return {match[1] for text in texts for match in _FUNCTIONS.finditer(text)}
