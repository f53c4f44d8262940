r"""Functions with a number above them: f^{(2)}(x) is f''(x) of a known f, or a function of its own.

An activation g^{[2]}(z^{[2]}) is g, as its argument says which layer it is (see `layers`). Where
the argument does not say it, the number tells two functions apart.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from workings.claims.documents.files.sources import Text
from workings.claims.documents.outline.plain_signs import replaced

MOST_PRIMES = 3  # that are read
_NAME = r"(?<![A-Za-z\\])(?P<name>[fg]|\\(?:sigma|phi|varphi|psi)(?![A-Za-z]))\s*"
_OPENS = r"(?:\\left|\\[bB]igg?l?)?\s*\("
_PLAIN = rf"{_OPENS}\s*(?:(?P<at>[A-Za-z])|\d)\s*(?:\\right|\\[bB]igg?r?)?\s*\)"
_NUMBERED = re.compile(
    rf"{_NAME}\^\s*\{{\s*[\[(]\s*(?P<number>\d)\s*[\])]\s*\}}\s*(?P<primes>'*)\s*"
    rf"(?=(?P<plain>{_PLAIN})|{_OPENS})"
)
_KNOWN = re.compile(rf"\s*{_NAME}{_PLAIN}\s*")


@dataclass(frozen=True)
class NumberedFunctions:
    """What numbers above the names of functions are in a document."""

    known: frozenset[str] = frozenset()
    """functions that are written out, f(x) = …, so that f^{(2)}(x) is a derivative"""
    apart: frozenset[str] = frozenset()
    """names that are another function with every number"""


def numbered_functions(
    sides: Collection[tuple[str, str]], texts: Iterable[str]
) -> NumberedFunctions:
    """What they are, by the first two sides of a document's equations and by all its formulas."""
    known, apart = set[str](), set[str]()
    for left, right in sides:
        if match := _KNOWN.fullmatch(left):
            known.add(match["name"])
            if match["name"] in {each["name"] for each in _NUMBERED.finditer(right)}:
                apart.add(match["name"])  # f(x) = f^{(2)}(f^{(1)}(x))
    known -= apart
    numbers = {
        (match["name"], match["number"])
        for text in texts
        for match in _NUMBERED.finditer(text)
        if match["plain"]
    }
    names = [name for name, _ in numbers]
    apart |= {name for name in names if names.count(name) > 1}
    for left, _ in sides:
        if (match := _NUMBERED.match(left.strip())) and match["plain"]:
            apart.add(match["name"])
    return NumberedFunctions(frozenset(known), frozenset(apart - known))


def with_numbered_functions(text: Text, functions: NumberedFunctions) -> Text:
    """A formula in which f^{(2)}(x) is f''(x) of a known f, and g^{(2)}(x) of others g_2(x)."""
    if not functions.known | functions.apart:
        return text

    def spelt(match: "re.Match[str]") -> str | None:
        name, number, primes = match["name"], match["number"], match["primes"]
        if name in functions.known and match["plain"]:
            if match["at"] and int(number) > MOST_PRIMES:
                return rf"\frac{{d^{{{number}}}}}{{d{match['at']}^{{{number}}}}} {name}{primes}"
            return name + "'" * int(number) + primes
        return f"{name}_{{{number}}}{primes}" if name in functions.apart else None

    return replaced(text, _NUMBERED, spelt)
