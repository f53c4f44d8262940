"""Whether y_j is a name or an entry of y in a document, and how formulas use their symbols."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from workings.claims.documents.outline.declarations import Declared
from workings.formula import nodes as f
from workings.formula.evaluation.functions import ROUNDS

INDICES = frozenset("ijklmnpqrsuv")
DEEPEST = 4  # functions within functions
INDEX_SIGN = "#"  # before a letter among the known names: it is an index in this document


@dataclass(frozen=True)
class Use:
    """A symbol as a formula uses it: which name it is of, and by how many indices."""

    name: str
    indices: tuple[str, ...] = ()


def letters_of(sub: str) -> tuple[str, ...]:
    """i and j of ij or i,j; a prime belongs to its letter."""
    return tuple(sub.split(",")) if "," in sub else tuple(re.findall(r".'*", sub))


def is_index(letter: str, known: Mapping[str, object]) -> bool:
    """Whether entries are taken by a letter: i, j, k …, or one that the document sums over.

    i of W_i is none where i_t is a gate, which W_i belongs to.
    """
    if f"{letter}_t" in known or f"{letter}^(t)" in known:
        return False
    return letter in INDICES or INDEX_SIGN + letter in known


def rounds_names(sides: Sequence[f.Node]) -> bool:
    """Whether names stand under ⌊…⌋: what holds of whole numbers may fail for the values tried."""
    parts = (part for side in sides for part in side.walk())
    rounded = [each for each in parts if isinstance(each, f.Call) and each.function in ROUNDS]
    return any(isinstance(part, f.Symbol) for each in rounded for part in each.walk())


def use_of(symbol: f.Symbol, known: Mapping[str, object], bound: frozenset[str]) -> Use:
    """Whether y_j is a name of its own or an entry of y: what was declared or defined decides."""
    for label in (symbol.label, "" if symbol.label == "(t)" else symbol.label or "(t)"):
        exact = f.Symbol(symbol.base, symbol.marks, symbol.sub, label)
        if exact.name in known:
            return Use(exact.name)
    if not symbol.sub:
        return Use(symbol.name)
    letters = letters_of(symbol.sub)
    if small := _entry_of_matrix(symbol, letters, known, bound):
        return small
    if _is_numbered(symbol, known):
        return Use(symbol.name)
    for label in (symbol.label, "" if symbol.label == "(t)" else symbol.label or "(t)"):
        whole = f.Symbol(symbol.base, symbol.marks, "", label).name
        if whole in known and all(
            each in bound or is_index(each, known) or each.isdigit() for each in letters
        ):
            return Use(whole, letters)
    if all(each in bound for each in letters):
        return Use(f.Symbol(symbol.base, symbol.marks, "", symbol.label).name, letters)
    return Use(symbol.name)


def _is_numbered(symbol: f.Symbol, known: Mapping[str, object]) -> bool:
    """Whether it is W_1, one of several matrices: no matrix is written by the number of a row."""
    whole = f.Symbol(symbol.base, symbol.marks, "", symbol.label).name
    is_capital = symbol.base.lstrip("\\")[:1].isupper()
    one = symbol.sub.isdigit() and len(symbol.sub) == 1
    return is_capital and one and not isinstance(known.get(whole), Declared)


def _entry_of_matrix(
    symbol: f.Symbol, letters: tuple[str, ...], known: Mapping[str, object], bound: frozenset[str]
) -> Use | None:
    """a_ij as an entry of a declared or defined A, where no a was."""
    whole, matrix = (
        f.Symbol(base, symbol.marks, "", symbol.label).name
        for base in (symbol.base, f.capital(symbol.base))
    )
    indices = all(each in bound or is_index(each, known) or each.isdigit() for each in letters)
    if whole == matrix or len(letters) != 2 or not indices:
        return None
    said = known.get(whole) is None and known.get(matrix) is not None
    return Use(matrix, letters) if said else None


def is_kronecker(symbol: f.Symbol, known: Mapping[str, object]) -> bool:
    """Whether it is δ_{ij}, of no δ and no δ_i that was declared or defined."""
    letters = symbol.sub.replace(",", "")
    return (
        symbol.base == "\\delta"
        and len(letters) == 2
        and letters.isalpha()
        and not {symbol.name, "\\delta", f"\\delta_{letters[0]}"} & {*known}
    )


def symbols_in(
    node: f.Node, bound: frozenset[str] = frozenset()
) -> Iterator[tuple[f.Symbol, frozenset[str]]]:
    """The symbols of a formula, each with the indices that sums around it bind."""
    match node:
        case f.Symbol():
            yield node, bound
            return
        case f.Total(ranges, _):
            bound = bound | {each.variable for each in ranges}
        case f.Chain(each, _):
            bound = bound | {each.variable}
    for child in node.children():
        yield from symbols_in(child, bound)


def names_in(node: f.Node, known: Mapping[str, object]) -> Iterator[str]:
    """The names that a formula uses: those of its symbols, and of its functions."""
    for symbol, bound in symbols_in(node):
        yield use_of(symbol, known, bound).name
    for part in node.walk():
        if isinstance(part, f.Call):
            yield part.function


@dataclass
class Signs:
    """What the way in which symbols are used says about their shapes."""

    vectors: set[str] = field(default_factory=set)
    """transposed, in a norm, or multiplied as vectors are: not a number"""
    numbers: set[str] = field(default_factory=set)
    """below a fraction bar, under a root, a bound of a sum"""
    positive: set[str] = field(default_factory=set)
    """under a logarithm, alone or as a factor"""
    below_one: set[str] = field(default_factory=set)
    """x of a logarithm of 1 - x"""
    counts: set[str] = field(default_factory=set)
    """whole numbers, of which a factorial or binomial is taken"""
    entries: dict[str, int] = field(default_factory=dict)
    """by how many indices their entries are written"""
    whole: set[str] = field(default_factory=set)
    """written without an index somewhere"""
    examples: set[str] = field(default_factory=set)
    """x of x_i that is used as a vector: w^T x_i, x_i x_i^T, ‖x_i‖"""


def signs_of(nodes: Sequence[f.Node], known: Mapping[str, object]) -> Signs:
    """Look at how the formulas use their symbols."""
    signs = Signs()
    for top in nodes:
        for symbol, bound in symbols_in(top):
            use = use_of(symbol, known, bound)
            if use.indices:
                before = signs.entries.get(use.name, 0)
                signs.entries[use.name] = max(before, len(use.indices))
            else:
                signs.whole.add(use.name)
        signs.examples |= _indexed_vectors(top, known)
        for node in top.walk():
            match node:
                case f.Transpose(f.Symbol() as symbol):
                    signs.vectors.add(symbol.name)
                case f.Call("norm" | "softmax" | "Softmax" | "diag" | "Diag", (argument, *_)):
                    signs.vectors |= {each.name for each in _terms(argument)}
                case f.Quotient(_, bottom):
                    signs.numbers |= {each.name for each in _terms(bottom)}
                case f.Call("log" | "ln", (argument, *_)):
                    factors = _factors(argument)
                    signs.positive |= {use_of(each, known, _ANY_INDEX).name for each in factors}
                    signs.below_one.add(_is_from_one(argument))
                case f.Call("factorial" | "binom", arguments):
                    named = [each for each in arguments if isinstance(each, f.Symbol)]
                    signs.counts |= {use_of(each, known, _ANY_INDEX).name for each in named}
                case f.Call("sqrt", (argument,)):
                    signs.numbers |= {each.name for each in _terms(argument)}
                case f.Range(_, low, high):
                    for side in (low, high):
                        if side is not None:
                            signs.numbers |= {each.name for each in _terms(side)}
    return signs


def inlined(
    node: f.Node, functions: Mapping[str, tuple[tuple[str, ...], f.Node]], depth: int = 0
) -> f.Node:
    """A formula with the bodies of functions in the place of their calls."""
    if isinstance(node, f.Call) and node.function in functions and depth < DEEPEST:
        parameters, body = functions[node.function]
        if len(parameters) == len(node.arguments) and not node.primes:
            arguments = [inlined(each, functions, depth) for each in node.arguments]
            given = dict(zip(parameters, arguments, strict=True))
            return inlined(_with(body, given), functions, depth + 1)
    return node.rebuilt(lambda child: inlined(child, functions, depth))


def _with(node: f.Node, given: Mapping[str, f.Node]) -> f.Node:
    """A function's body with its arguments."""
    if isinstance(node, f.Symbol):
        return given.get(node.name, node)
    return node.rebuilt(lambda child: _with(child, given))


def _indexed_vectors(
    node: f.Node, known: Mapping[str, object], bound: frozenset[str] = frozenset()
) -> set[str]:
    """The names x of which x_i is transposed, in a norm, or multiplied by what is transposed."""
    vectors: list[f.Node] = []
    match node:
        case f.Total(ranges, _):
            bound = bound | {each.variable for each in ranges}
        case f.Transpose(body):
            vectors = [body]
        case f.Call("norm", (argument, *_)):
            vectors = [*_terms(argument)]
        case f.Product(factors):
            pairs = itertools.pairwise(factors)
            vectors = [right for left, right in pairs if isinstance(left, f.Transpose)]
    uses = [use_of(each, known, bound) for each in vectors if isinstance(each, f.Symbol)]
    found = {use.name for use in uses if len(use.indices) == 1 and use.indices[0].isalpha()}
    return found.union(*(_indexed_vectors(child, known, bound) for child in node.children()))


_ANY_INDEX = frozenset("ijklmnt")


def _factors(node: f.Node) -> Iterator[f.Symbol]:
    """The symbols that a formula is a product, a quotient or a power of."""
    match node:
        case f.Symbol():
            yield node
        case f.Product(factors):
            for each in factors:
                yield from _factors(each)
        case f.Quotient(top, bottom):
            yield from _factors(top)
            yield from _factors(bottom)
        case f.Power(base):
            yield from _factors(base)


def _is_from_one(node: f.Node) -> str:
    """x of 1 - x, else nothing."""
    match node:
        case f.Sum((f.Number(value), f.Negative(f.Symbol() as symbol))) if value == 1:
            return symbol.name
    return ""


def _terms(node: f.Node) -> Iterator[f.Symbol]:
    """The symbols that are added up, or scaled, in a formula."""
    match node:
        case f.Symbol():
            yield node
        case f.Sum(terms) | f.Product(terms):
            symbols = [each for term in terms for each in _terms(term)]
            if isinstance(node, f.Sum) or len(symbols) == 1:
                yield from symbols
        case f.Negative(body):
            yield from _terms(body)
