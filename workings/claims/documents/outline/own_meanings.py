r"""Names of known functions that a document gives a meaning of its own: its σ may be the softmax.

\sigma(z)_i = e^{z_i} / \sum_j e^{z_j} says that σ is the softmax; \sigma(x) = \tanh(x), or a GELU
by its approximation, that a name is not the function which the checker knows by it. Such a function
gets a name that nothing else has, so that the document's own equation says what it is.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import torch

from workings.claims.documents.files.sources import Text
from workings.claims.documents.outline.plain_signs import replaced
from workings.claims.documents.outline.sigma_in_words import (
    LOGISTIC,
    OPENS,
    PRIMES,
    SIGMA,
    SIGMA_CALL,
    SOFTMAX,
    sigma_in_words,
)
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.evaluation.evaluate import Scope
from workings.formula.parsing.parse import parse_expression

OWN = "OwnMeaning"
OWN_SIGMA = rf"\mathrm{{sigma{OWN}}}"
SEVERAL_MEANINGS = frozenset([
    SIGMA, "gelu", "GELU", "leakyrelu", "LeakyReLU", "LeakyRelu", "elu", "ELU", "selu", "SELU",
    "swish", "Swish", "silu", "SiLU", "softplus", "Softplus", "hardsigmoid", "Hardsigmoid",
    "hardtanh", "HardTanh", "Hardtanh", "hardswish", "HardSwish", "Hardswish", "mish", "Mish",
    "Heaviside", "heaviside", "sign", "Sign", "sgn", "clip", "clamp", "softsign", "Softsign",
])  # fmt: skip
"""names that authors use for several functions, or for one with other constants"""
_POINTS = (Fraction(-23, 10), Fraction(-7, 10), Fraction(3, 8), Fraction(19, 10))
_BY_ITSELF = (f.Number, f.Constant, f.Symbol, f.Negative, f.Power, f.Product, f.Quotient, f.Sum)

_SUB = r"_\s*(?:\{\s*[a-z]\s*\}|[a-z])"
_SOFTMAX = re.compile(
    rf"\s*\\sigma\s*(?:{_SUB}\s*{OPENS}[^()]*\)|{OPENS}[^()]*\)\s*{_SUB}"
    rf"|{OPENS}[^()]*{_SUB}\s*(?:\\right\s*)?\))\s*"
)
_OF_AN_ENTRY = re.compile(
    rf"\\sigma\s*{OPENS}\s*(?P<of>\\?[A-Za-z]+)\s*(?P<sub>{_SUB})\s*(?:\\right\s*)?\)"
)
_ENTRY = re.compile(rf"\\sigma\s*(?P<sub>{_SUB})\s*{OPENS}(?P<of>[^()]*)\)")
_WORD_CALL = re.compile(rf"(?<![A-Za-z])(?P<name>[A-Z]?[A-Za-z]+)(?=\s*\}}?\s*{PRIMES}*\s*{OPENS})")
_OF_SIGMA = re.compile(rf"\s*\\sigma\s*{OPENS}\s*[A-Za-z]\s*(?:\\right\s*)?\)\s*")
_RAISED = re.compile(
    r"(?<![A-Za-z\\])(?P<name>[A-Za-z])\s*\^\s*(?:\{\s*(?P<inner>\d)\s*\}|(?P<plain>\d))(?!\d)"
)
_MATRIX = r"(?:\\(?:mathbf|bm|boldsymbol)\s*\{\s*[A-Za-z]\s*\}|(?<![A-Za-z\\])[A-Z])"
_TRANSPOSED = re.compile(rf"(?P<matrix>{_MATRIX})\s*'\s*(?P=matrix)(?![A-Za-z'])")
_QUADRATIC = re.compile(
    rf"(?<![A-Za-z\\])(?P<vector>[A-Za-z])\s*'\s*{_MATRIX}\s*(?P=vector)(?![A-Za-z'])"
)
_PRIME_SAID = re.compile(
    r"\bprimes?\b[^.]{0,40}\btranspos|\btranspos\w*[^.]{0,40}\bprime"
    r"|\$\s*[A-Za-z]'\s*\$[^.$]{0,30}\btranspos",
    re.IGNORECASE,
)
_PRIME = re.compile(r"(?<=[A-Za-z})])\s*'(?!')(?!\s*(?:\\left\s*)?\(\s*[a-z]\s*\))")
_LETTER = r"(?:\\(?:phi|varphi|psi|Phi|Psi)|(?<![A-Za-z\\])[A-Za-z])(?![A-Za-z_^])"
_CALLED = re.compile(rf"^\s*(?P<name>{_LETTER})\s*{OPENS}")
_COMPOSED = re.compile(
    rf"\(\s*(?P<outer>{_LETTER})\s*\\circ\s*(?P<inner>{_LETTER})\s*\)\s*(?P<prime>{PRIMES}?)\s*"
    rf"{OPENS}\s*(?P<at>[A-Za-z])\s*(?:\\right\s*)?\)"
)
_WRITTEN_OUT = re.compile(
    rf"\s*(?P<name>{_LETTER})\s*{OPENS}\s*[A-Za-z]\s*(?:,\s*[A-Za-z]\s*)*(?:\\right\s*)?\)\s*"
)
_RAISED_CALL = re.compile(
    r"(?P<name>(?<![A-Za-z\\])[A-Za-z]|\\[A-Za-z]+)\s*\^\s*(?P<power>\{\s*-?\d\s*\}|\d)\s*"
    r"(?=(?:\\left\s*|\\[bB]igg?l?\s*)?\()"
)
_AFTER = re.compile(rf"(?P<outer>{_LETTER})\s*\\circ\s*(?P<inner>{_LETTER})")
_IS_OWN_SIGMA = re.compile(rf"\\(?:mathrm|operatorname)\s*\{{sigma{OWN}\}}|sigma{OWN}")


@dataclass(frozen=True)
class OwnMeanings:
    """Which known names mean something else in a document."""

    softmax: bool = False
    """whether σ is the softmax"""
    sigma: str = ""
    """the function that σ is by a sentence, as it is written: \\tanh"""
    any_sigma: bool = False
    """whether σ is any function: an activation, of which no word says which"""
    other_sigma: bool = False
    """whether σ(n) is none of the functions that are known here: the sum of the divisors of n"""
    functions: frozenset[str] = frozenset()
    """names of functions that its equations define otherwise"""
    primed: bool = False
    """whether a prime is the transpose: X'X, x'Ax"""
    numbered: frozenset[str] = frozenset()
    """letters whose superscripts are numbers and no powers, as there is a w^1"""
    called: frozenset[str] = frozenset()
    r"""letters that are functions, so that f \circ g is f after g"""
    written_out: frozenset[str] = frozenset()
    """letters of functions that are written out, so that f^2(x) may be f(x)^2 or f(f(x))"""


def own_meanings(
    sides: Iterable[tuple[str, str]], texts: Iterable[str] = (), prose: Iterable[str] = ()
) -> OwnMeanings:
    """What a document says of known names: its equations, by their first two sides, and sentences.

    texts: all its formulas; prose: all its text.
    """
    softmax, functions, called, written_out = False, set[str](), set[str](), set[str]()
    logistic = False
    for left, right in sides:
        called |= {match["name"] for match in _CALLED.finditer(left)}
        if match := _WRITTEN_OUT.fullmatch(left):
            written_out.add(match["name"])
        if "\\sum" in right and _SOFTMAX.fullmatch(left):
            softmax = True
        elif (name := _defined_otherwise(left, right)) is not None:
            functions.add(name)
        elif _OF_SIGMA.fullmatch(left):
            logistic = True
    prose = list(prose)
    said, any_sigma, other_sigma = sigma_in_words(prose)
    functions -= {SIGMA} if softmax or logistic else set()
    texts = list(texts)
    primed = any(_TRANSPOSED.search(text) or _QUADRATIC.search(text) for text in texts)
    primed = primed or any(map(_PRIME_SAID.search, prose))
    raised = {_letter_and_power(match) for text in texts for match in _RAISED.finditer(text)}
    numbered = {name for name, power in raised if power == "1" and (name, "0") not in raised}
    by_equation = softmax or logistic or SIGMA in functions
    return OwnMeanings(
        softmax or (said == SOFTMAX and not by_equation),
        "" if by_equation or said in (LOGISTIC, SOFTMAX) else said,
        any_sigma and not said and not by_equation,
        other_sigma and not any_sigma and not said and not by_equation,
        frozenset(functions),
        primed,
        frozenset(numbered),
        frozenset(called),
        frozenset(written_out),
    )


def _defined_otherwise(left: str, right: str) -> str | None:
    """The known name that an equation F(x) = … gives another meaning; None if it gives none."""
    if "(" not in left:
        return None
    try:
        call, body = parse_expression(left), parse_expression(right.strip(" \t\r\n.,;"))
    except WorkingsError:
        return None
    if not isinstance(call, f.Call) or call.function not in SEVERAL_MEANINGS or call.primes:
        return None
    names = [part.name for part in call.arguments if isinstance(part, f.Symbol)]
    if len(names) < len(call.arguments) or len({*names}) < len(names):
        return None
    inside = {part.name for part in body.walk() if isinstance(part, f.Symbol)} - {"e", "\\pi"}
    if not {*names} & inside or call.function in inside:
        return None
    if inside - {*names}:
        return call.function  # Swish with a β, ELU with an α
    if call.function == SIGMA and all(
        isinstance(part, _BY_ITSELF) or _is_exp(part) for part in body.walk()
    ):
        return None  # of e^x alone: it is meant to be the logistic function
    return None if _is_same(call, body, names) else call.function


def _is_exp(node: f.Node) -> bool:
    return isinstance(node, f.Call) and node.function == "exp"


def _is_same(call: f.Call, body: f.Node, names: list[str]) -> bool:
    """Whether both have the same values; also where one has none that can be computed here."""
    for point in _POINTS:
        values = {name: point + Fraction(at, 7) for at, name in enumerate(names)}
        try:
            pair = [Scope({}, {}).value(_at(side, values)) for side in (call, body)]
        except (WorkingsError, Undefined):
            return True
        if not torch.allclose(pair[0], pair[1], rtol=1e-9, atol=1e-12):
            return False
    return True


def _at(node: f.Node, values: Mapping[str, Fraction]) -> f.Node:
    """A formula with numbers for its names."""
    if isinstance(node, f.Symbol):
        return f.Number(values[node.name]) if node.name in values else f.Constant(node.name)
    return node.rebuilt(lambda part: _at(part, values))


def with_own_meanings(text: Text, meanings: OwnMeanings) -> Text:
    """A formula in which such functions have names that are not known."""
    if meanings.numbered:
        text = replaced(text, _RAISED, lambda m: _numbered(m, meanings.numbered))
    if meanings.primed:
        text = replaced(text, _PRIME, lambda _: "^T")
    if meanings.called and "\\circ" in text.text:
        text = replaced(text, _COMPOSED, lambda m: _composed(m, meanings.called))
        text = replaced(text, _AFTER, lambda m: _not_elementwise(m, meanings.called))
    if meanings.written_out:
        text = replaced(text, _RAISED_CALL, lambda m: _of_several(m, meanings.written_out))
    if meanings.softmax:
        softmax = r"\mathrm{softmax}"
        text = replaced(text, _OF_AN_ENTRY, lambda m: f"{softmax}({m['of']}){m['sub']}")
        text = replaced(text, _ENTRY, lambda m: f"{softmax}({m['of']}){m['sub']}")
        text = replaced(text, SIGMA_CALL, lambda _: softmax)
    if meanings.sigma:
        text = replaced(text, SIGMA_CALL, lambda _: meanings.sigma)
    if SIGMA in meanings.functions:
        text = replaced(text, SIGMA_CALL, lambda _: OWN_SIGMA)
    if meanings.functions - {SIGMA}:
        text = replaced(text, _WORD_CALL, lambda m: _own(m["name"], meanings))
    return text


def _own(name: str, meanings: OwnMeanings) -> str | None:
    return name + OWN if name in meanings.functions else None


def _letter_and_power(match: "re.Match[str]") -> tuple[str, str]:
    return match["name"], match["inner"] or match["plain"]


def _numbered(match: "re.Match[str]", letters: frozenset[str]) -> str | None:
    name, power = _letter_and_power(match)
    return f"{name}^{{({power})}}" if name in letters else None


def _composed(match: "re.Match[str]", called: frozenset[str]) -> str | None:
    r"""f(g(x)) of (f \circ g)(x)."""
    if not {match["outer"], match["inner"]} <= called:
        return None
    whole = f"{match['outer']}({match['inner']}({match['at']}))"
    return rf"\frac{{d}}{{d{match['at']}}}({whole})" if match["prime"] else whole


def _not_elementwise(match: "re.Match[str]", called: frozenset[str]) -> str | None:
    r"""f \circ g of two functions, in a sign that is not read: it is no product of entries."""
    both = {match["outer"], match["inner"]} <= called
    return rf"{match['outer']} \composed {match['inner']}" if both else None


def _of_several(match: "re.Match[str]", written_out: frozenset[str]) -> str | None:
    """f^2(x), with a sign that is not read: a power of f(x), f of f(x), or of -1 the inverse."""
    name, power = match["name"], match["power"].strip("{ }")
    return rf"{name}^{{{power}}}\iterated " if name in written_out else None


_NOT_SAID = "whether f^2(x) is f(x)^2 or f(f(x)), and f^{-1}(x) the inverse, is not said"


def as_written(text: str) -> str:
    """A formula, or a reason, with the names that the author wrote."""
    text = _IS_OWN_SIGMA.sub(r"\\sigma", text).replace(OWN, "").replace(r"\composed", r"\circ")
    text = text.replace(r"\iterated is not known here", _NOT_SAID)
    return text.replace(r"\iterated ", "")
