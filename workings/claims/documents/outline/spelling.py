r"""One spelling for what authors write in several ways, so that the parser reads it in one.

x^{(i)}, where the document adds up over i, is x_i; x_j^{(i)} is its entry x_{i,j}. h_\theta(x), of
an h that never goes without \theta, is h(x).
"""

import re
from collections.abc import Iterable, Sequence

from workings.claims.documents.files.sources import Text
from workings.claims.documents.outline.plain_signs import replaced

_RUNNING = re.compile(
    r"\\(?:sum|prod)(?:\s*\\limits)?(?:\s*\^\s*(?:\{[^{}]*\}|\w))?\s*_\s*\{?\s*([a-zA-Z])(?![A-Za-z(])"
)
_EXAMPLE = re.compile(
    r"(?P<before>_\s*(?:\{(?P<sub>[A-Za-z0-9,]{1,3})\}|(?P<letter>[A-Za-z0-9])))?\s*"
    r"\^\s*(?:\{\s*(?P<layer>\[\s*\w+\s*\])?\s*\(\s*(?P<index>[a-zA-Z])\s*\)"
    r"\s*(?P<transposed>T|\\top|\\intercal)?\s*\}|\(\s*(?P<bare>[a-zA-Z])\s*\))"
    r"(?:\s*_\s*(?:\{(?P<after>[A-Za-z0-9,]{1,3})\}|(?P<next>[A-Za-z0-9])))?"
)
_BASE = re.compile(r"(\\[A-Za-z]+|[A-Za-z])\s*\}*\s*$")
_CALLED = re.compile(
    r"(?<![A-Za-z\\])(?P<name>\\[A-Za-z]+|[A-Za-z])\s*"
    r"_\s*(?P<sub>\{[^{}]*\}|\\[A-Za-z]+|[A-Za-z0-9])\s*(?:\\left|\\[bB]igg?l?)?\s*\("
)
_DENSITIES = frozenset(["p", "q", "P", "Q", "D"])
_EXPECTS = re.compile(r"\\int(?![A-Za-z])|\\mathbb\s*\{?\s*E|KL|∫")
_OPERATORS = frozenset([r"\sum", r"\prod", r"\log", r"\max", r"\min", r"\int", r"\lim", r"\nabla",
                        r"\partial", r"\mathbb", r"\sup", r"\inf"])  # fmt: skip


def running_letters(texts: Sequence[str]) -> frozenset[str]:
    """The letters that sums and products run over, but for steps in time and layers."""
    running = {match[1] for text in texts for match in _RUNNING.finditer(text)}
    return frozenset(running) - {"l", "L", *({"t"} if has_steps(texts) else ())}


def has_steps(texts: Iterable[str]) -> bool:
    """Whether t counts steps in time somewhere: h_{t-1}, h^{(t)}, x_{t+1}."""
    return any(_AT_A_STEP.search(text) for text in texts)


_AT_A_STEP = re.compile(r"(?<![A-Za-z])t\s*[-+]\s*1|\(\s*t\s*\)|<\s*t\s*>|\[\s*t\s*\]")


def example_letters(texts: Sequence[str], layers: frozenset[str]) -> frozenset[str]:
    """The letters that count examples: raised in brackets, and sums run over them."""
    raised = {
        match["index"] or match["bare"] for text in texts for match in _EXAMPLE.finditer(text)
    }
    return (running_letters(texts) & raised) - layers


def with_examples_below(text: Text, letters: frozenset[str]) -> Text:
    """A formula in which x^{(i)} is x_i, and x_j^{(i)} is x_{i,j}."""

    def below(match: "re.Match[str]") -> str | None:
        index = match["index"] or match["bare"]
        base = _BASE.search(text.text, 0, match.start())
        if index not in letters or not base or base[1][-1:].isupper() or base[1] == r"\partial":
            return None
        entry = match["sub"] or match["letter"] or match["after"] or match["next"]
        power = f"^{{{match['layer']}}}" if match["layer"] else ""
        power += "^T" if match["transposed"] else ""
        return f"_{{{index},{entry}}}{power}" if entry else f"_{{{index}}}{power}"

    return replaced(text, _EXAMPLE, below) if letters else text


def function_subscripts(texts: Iterable[str]) -> frozenset[tuple[str, str]]:
    r"""h and \theta of h_\theta(x), where h has no other subscript and never goes without it."""
    whole = "\n".join(texts)
    found: dict[str, set[str]] = {}
    for match in _CALLED.finditer(whole):
        found.setdefault(match["name"], set()).add(match["sub"].strip("{} "))
    pairs = set()
    for name, subs in found.items():
        sub = min(subs)
        plain = len(subs) == 1 and not re.fullmatch(r"[a-z0-9,:]{1,3}|[a-z][-+]\d", sub)
        is_function = re.search(
            rf"(?<![A-Za-z_{{]){re.escape(sub)}\s*\(", whole
        )  # J_F beside F(x, y)
        if (
            plain
            and name not in _OPERATORS
            and not (name in _DENSITIES and _EXPECTS.search(whole))
            and not is_function
            and not _goes_without(name, sub, whole)
        ):
            pairs.add((name, sub))
    return frozenset(pairs)


def _goes_without(name: str, sub: str, texts: str) -> bool:
    """Whether a letter stands anywhere without this subscript."""
    rest = _with_subscript(name, sub).sub(" ", texts)
    return re.search(rf"(?<![A-Za-z\\{{]){re.escape(name)}(?![A-Za-z])", rest) is not None


def _with_subscript(name: str, sub: str) -> "re.Pattern[str]":
    inside = re.escape(sub)
    return re.compile(
        rf"(?<![A-Za-z\\]){re.escape(name)}\s*(_\s*(?:\{{\s*{inside}\s*\}}|{inside}(?![A-Za-z])))"
    )


def without_subscripts(text: Text, pairs: frozenset[tuple[str, str]]) -> Text:
    r"""A formula in which h_\theta is h."""
    for name, sub in sorted(pairs):
        text = replaced(text, _with_subscript(name, sub), lambda match: match[0][: -len(match[1])])
    return text


_FROM_ZERO = re.compile(  # \sum_{j=0}^{d} \theta_j x_j of vectors that are counted from 0
    r"\\sum(?:\s*\\(?:no)?limits)?\s*_\s*\{\s*(?P<index>[a-su-z])\s*=\s*0\s*\}\s*"
    r"\^\s*(?:\{(?P<last>[^{}]*)\}|[A-Za-z])"
)
_BELOW = re.compile(r"_\s*(?:\{[A-Za-z0-9, ]*\}|[A-Za-z0-9])")


def over_all_entries(text: Text) -> Text:
    r"""A formula in which a sum from 0 over entries goes over all of them: \sum_{j} \theta_j x_j.

    So it does where its index is nothing but an index (j of x^j or x_{i-j} is a number, too), and
    its last one is none: \sum_{j=0}^{n} a_j beside S_n is a part of the sum.
    """
    if not _FROM_ZERO.search(text.text):
        return text
    below = "".join(_BELOW.findall(_FROM_ZERO.sub(" ", text.text)))
    rest = _BELOW.sub(" ", _FROM_ZERO.sub(" ", text.text))

    def unbounded(match: "re.Match[str]") -> str | None:
        index, last = match["index"], re.findall("[A-Za-z]", match["last"] or match[0][-1])
        is_number = re.search(rf"(?<![A-Za-z\\]){index}(?![A-Za-z])", rest)
        counts = index in below and not is_number and not {*last} & {*below}
        return rf"\sum_{{{index}}}" if counts else None

    return replaced(text, _FROM_ZERO, unbounded)


def arrow_letters(texts: Iterable[str]) -> frozenset[str]:
    r"""The letters that are vectors by an arrow, \vec{w}, and never stand whole without it."""
    whole = "\n".join(texts)
    found = {match[1] for match in re.finditer(r"\\vec\s*\{?\s*(\\[A-Za-z]+|[A-Za-z])", whole)}
    return frozenset(each for each in found - {*"ijk"} if not _stands_whole(each, whole))


def _stands_whole(letter: str, texts: str) -> bool:
    """Whether a letter stands anywhere without an arrow and without an index."""
    rest = _under_arrow([letter]).sub(" ", texts)
    rest = re.sub(rf"(?:\\partial|\\nabla\s*_\s*\{{?|d)\s*{re.escape(letter)}", " ", rest)
    alone = rf"(?<![A-Za-z\\]){re.escape(letter)}(?![A-Za-z])(?!\s*_)"
    return re.search(alone, rest) is not None


def _under_arrow(letters: Iterable[str]) -> "re.Pattern[str]":
    either = "|".join(map(re.escape, sorted(letters)))
    return re.compile(
        rf"\\vec\s*(?:\{{\s*(?P<inside>{either})\s*\}}|(?P<letter>{either})(?![A-Za-z]))"
    )


def without_arrows(text: Text, letters: frozenset[str]) -> Text:
    r"""A formula in which \vec{w} is w in bold, so that w_j is its entry."""
    if not letters or r"\vec" not in text.text:
        return text
    return replaced(
        text,
        _under_arrow(letters),
        lambda match: rf"\boldsymbol{{{match['inside'] or match['letter']}}}",
    )


def over_named_sets(text: Text) -> Text:
    r"""A formula in which \sum_{w \in V} goes over all entries, where sums go over V alone."""
    sets = {"".join(match["set"].split()) for match in _OVER_A_SET.finditer(text.text)}
    if len(sets) != 1 or len(re.findall(r"\\in(?![A-Za-z])", text.text)) != len(
        _OVER_A_SET.findall(text.text)
    ):
        return text
    return replaced(text, _OVER_A_SET, lambda match: rf"\sum_{{{match['index']}}}")


_OVER_A_SET = re.compile(
    r"\\sum(?:\s*\\limits)?\s*_\s*\{\s*(?P<index>[a-z])\s*\\in\s*(?P<set>"
    r"\\(?:mathcal|mathbb|text|mathrm|textrm)\s*\{\s*[A-Za-z]+\s*\}|\{\s*[A-Za-z]+\s*\}|[A-Z][A-Za-z]*)"
    r"\s*\}"
)
