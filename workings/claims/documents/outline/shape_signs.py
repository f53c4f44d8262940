"""What a whole document shows about shapes: which names are vectors or matrices, which losses.

A letter in bold, one that is transposed or normed anywhere, is no number; what is differentiated
and called L, E, J, C or loss is one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from workings.claims.documents.inference.uses import (
    INDEX_SIGN,
    is_index,
    is_kronecker,
    letters_of,
    signs_of,
    symbols_in,
    use_of,
)
from workings.claims.documents.outline.spelling import has_steps
from workings.formula import nodes as f
from workings.formula.evaluation.functions import FUNCTIONS

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


def families_of(nodes: Sequence[f.Node], known: Mapping[str, object]) -> frozenset[str]:
    """Names of which a document writes entries: a sum over y_k, y beside y_i, or y_i, y_j, y_k."""
    summed: set[str] = set()
    bare: set[str] = set()
    letters: dict[str, set[str]] = {}
    for symbol, bound in (each for node in nodes for each in symbols_in(node)):
        if not symbol.sub and symbol.name != "d":  # d of dX is no vector
            bare.add(symbol.name)
        if not symbol.sub or symbol.name in known or is_kronecker(symbol, known):
            continue
        whole = f.Symbol(symbol.base, symbol.marks, "", symbol.label).name
        parts = [part.strip() for part in letters_of(symbol.sub)]
        if len(parts) > 2 or not all(is_index(part, known) or part in bound for part in parts):
            continue
        letters.setdefault(whole, set()).update(parts)
        if any(part in bound for part in parts):
            summed.add(whole)
    several = {name for name, found in letters.items() if len(found) > 2}
    return frozenset(summed | several | (bare & {*letters}))


def matrices_of(nodes: Sequence[f.Node], known: Mapping[str, object]) -> frozenset[str]:
    """The names of which a document writes entries by two indices."""
    uses = (use_of(each, known, bound) for node in nodes for each, bound in symbols_in(node))
    return frozenset(use.name for use in uses if len(use.indices) == 2)


_RUNNING = re.compile(r"\\(?:sum|prod)(?:\s*\\limits)?\s*_\s*\{?\s*([A-Za-z]'*)(?![A-Za-z(])")


def index_letters(texts: Sequence[str]) -> frozenset[str]:
    """The letters that sums and products of a document run over; t may be a step in time."""
    found = {match[1] for text in texts for match in _RUNNING.finditer(text)}
    found |= {each.rstrip("'") for each in found}  # c, too, of a sum over c'
    steps = {"t", "t'"} if has_steps(texts) else set()
    return frozenset(INDEX_SIGN + each for each in found - steps)


_CALLED_LOSS = re.compile(
    r"(?<![A-Za-z\\])(?:\\mathcal\s*\{\s*(?P<font>[A-Z])\s*\}|(?P<name>[LEJC]|\\ell(?![A-Za-z])))"
    r"\s*(?:\\left)?\s*\((?P<arguments>[^()=+]*?)(?:\\right)?\)"
)
_VARIES = re.compile(r"\\(?:partial|nabla(?:\s*_\s*(?:\{[^{}]*\}|\S+))?)\s*\{?\s*$")


def losses_with_arguments(texts: Iterable[str]) -> dict[str, set[str]]:
    """Losses that are differentiated, and have one list of arguments wherever they have one.

    Each with the ways in which it is written with them.
    """
    written: dict[str, set[str]] = {}
    arguments: dict[str, set[str]] = {}
    varied: set[str] = set()
    for text in texts:
        for match in _CALLED_LOSS.finditer(text):
            name = match["font"] or match["name"]
            written.setdefault(name, set()).add(match[0])
            arguments.setdefault(name, set()).add("".join(match["arguments"].split()))
            varied |= {name} if _VARIES.search(text[: match.start()][-60:]) else set()
    return {name: written[name] for name in varied if len(arguments[name]) == 1}


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
    r"(?<![A-Za-z\\])(?:([fg]|\\(?:var)?phi(?![A-Za-z])|\\psi(?![A-Za-z]))"
    r"|\\(?:text|mathrm|operatorname)\s*\{\s*([A-Za-z]+)\s*\})"
    r"\s*(?:'|\^\s*\{?\s*\\prime\s*\}?)*\s*(?:\\left|\\[bB]ig+l?)?\s*\("
)


def function_letters(texts: Iterable[str]) -> set[str]:
    """f, g, φ, ψ and words with an argument in brackets behind them somewhere in a document."""
    found = {match[1] or match[2] for text in texts for match in _FUNCTIONS.finditer(text)}
    return found - set(FUNCTIONS)
