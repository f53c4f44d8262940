"""Formulas in named sizes, such as `4*d`, `d//h`, `n^2(d + h) + nd^2` or `O(n^2 d)`.

They are read by the parser of all formulas, with names of sizes for its names, and have exact
values.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from workings.errors import WorkingsError, nearest
from workings.formula import nodes as f
from workings.formula.errors import FormulaError
from workings.formula.exact import Exact, NotExact, check_power, exact
from workings.formula.parsing.parse import Parser
from workings.formula.parsing.tokens import Token, tokenize
from workings.formula.polynomial import Polynomial

LONGEST = 400  # characters
LONGEST_NUMBER = 30  # digits
MOST_KEPT = 2_000  # formulas: a document has the same few sizes in every claim


@dataclass(frozen=True)
class SizeFormula:
    """A formula in named sizes: `parse_sizes("4*d")({"d": 3})` is 12."""

    text: str
    tree: f.Node
    names: tuple[str, ...]
    """in the order of their first occurrence"""

    def __call__(self, sizes: Mapping[str, int | Fraction]) -> Fraction:
        """The value at these sizes."""
        value = self._value({name: Fraction(value) for name, value in sizes.items()})
        assert isinstance(value, Fraction)
        return value

    def polynomial(self, where: Mapping[str, Polynomial] | None = None) -> Polynomial:
        """Multiplied out; `where` gives names that stand for a polynomial in others."""
        symbols = {name: Polynomial.symbol(name) for name in self.names}
        return Polynomial({}, self.names) + self._value({**symbols, **(where or {})})

    def _value(self, known: Mapping[str, Exact]) -> Exact:
        for name in self.names:
            if name not in known:
                raise WorkingsError(
                    f"{self.text!r}: {name} is not a size here{nearest(name, known)}; "
                    f"there is: {', '.join(known) or 'none'}"
                )
        try:
            return exact(self.tree, known)
        except ZeroDivisionError:
            raise WorkingsError(f"{self.text!r}: divides by zero") from None
        except NotExact as error:
            raise WorkingsError(f"{self.text!r}: {error}") from None

    def __str__(self) -> str:
        return self.text


def parse_sizes(text: str, symbols: Iterable[str] = ()) -> SizeFormula:
    """Read + - * / // ^, parentheses, sums and binomials of numbers and names of sizes.

    Side by side means a product. Where `symbols` are given, `nd^2` is n·d² if n and d are among
    them and nd is not. `O(…)` is what stands inside it.
    """
    return _parsed(text, frozenset(symbols))


@lru_cache(MOST_KEPT)
def _parsed(text: str, known: frozenset[str]) -> SizeFormula:
    shown = text if len(text) <= 60 else text[:60] + "…"
    if len(text) > LONGEST:
        raise WorkingsError(f"{shown!r}: is longer than {LONGEST} characters")
    functions = () if "O" in known else ("O",)
    try:
        parser = _SizeParser(text, functions=functions, tokens=_with_names(text, known))
        (tree,) = parser.statement().sides
    except (FormulaError, RecursionError) as error:
        at = f" at character {error.position + 1}" if isinstance(error, FormulaError) else ""
        why = error.message if isinstance(error, FormulaError) else "is nested too deep"
        raise WorkingsError(f"{shown!r}: {why}{at}") from None
    except ValueError:
        raise WorkingsError(f"{shown!r}: a formula without a relation was expected") from None
    if isinstance(tree, f.Call) and tree.function == "O" and len(tree.arguments) == 1:
        tree = tree.arguments[0]
    for node in tree.walk():
        if isinstance(node, f.Power) and isinstance(node.exponent, f.Number):
            try:
                check_power(node.exponent.value)
            except NotExact as error:
                raise WorkingsError(f"{shown!r}: {error}") from None
    used = sorted(_free(tree), key=lambda symbol: symbol.position)
    names = dict.fromkeys(symbol.name for symbol in used)
    return SizeFormula(text.strip(), tree, tuple(names))


def _free(node: f.Node, bound: frozenset[str] = frozenset()) -> Iterator[f.Symbol]:
    """The symbols that no sum around them binds: i of i Σ_{i=1}^n i is free before the sum."""
    if isinstance(node, f.Symbol):
        if node.name not in bound:
            yield node
        return
    ranges = [child for child in node.children() if isinstance(child, f.Range)]
    inside = bound | {each.variable for each in ranges}
    for child in node.children():
        yield from _free(child, bound if isinstance(child, f.Range) else inside)


class _SizeParser(Parser):
    in_sizes = True


def _with_names(text: str, symbols: frozenset[str]) -> list[Token]:
    """The tokens, with those that make up the name of a size as one: N_{hidden}, d_k, b1."""
    tokens: list[Token] = []
    waiting = tokenize(text)
    for token in waiting:
        if token.kind == "number" and len(token.text) > LONGEST_NUMBER:
            raise FormulaError(text, token.position, f"has more than {LONGEST_NUMBER} digits")
    index = 0
    while index < len(waiting):
        token = waiting[index]
        index += 1
        if token.kind != "word":
            tokens.append(token)
            continue
        name = _as_written(text, token)
        while (end := _name_goes_on(waiting, index, "_" in name)) > index:
            name += "".join(_as_written(text, t) for t in waiting[index:end] if t.kind not in "{}")
            index = end
        position = token.position
        for part in _taken_apart(name, symbols):
            tokens.append(Token("name", part, position, token.spaced))
            position += len(part)
    return tokens


def _as_written(text: str, token: Token) -> str:
    """A Greek letter is a name as it stands, however it is spelt."""
    letter = text[token.position]
    return letter if token.text.startswith("\\") and letter != "\\" else token.text


def _name_goes_on(tokens: Sequence[Token], index: int, in_index: bool) -> int:
    """Where a name that has been read up to here ends: behind digits, letters, or an index."""
    token = tokens[index]
    if token.spaced:
        return index
    if token.kind == "number" and token.text.isdigit():
        return index + 1
    if token.kind == "word" and in_index:
        return index + 1
    if token.kind != "_":
        return index
    if tokens[index + 1].kind in ("word", "number"):
        return index + 2
    if tokens[index + 1].kind == "{":
        end = index + 2
        while tokens[end].kind in ("word", "number", "_"):
            end += 1
        return end + 1 if tokens[end].kind == "}" and end > index + 2 else index
    return index


def _taken_apart(name: str, symbols: frozenset[str]) -> list[str]:
    """`nd` into n and d when these are symbols and nd is not; else the name itself."""
    ways: list[list[str] | None] = [[]] + [None] * len(name)
    for end in range(1, len(name) + 1):
        for start in range(end):
            before = ways[start]
            if before is not None and name[start:end] in symbols:
                ways[end] = [*before, name[start:end]]
                break  # the longest last part first
    return ways[-1] or [name]
