r"""Probabilities such as p(y \mid x): each is one name, whatever else the same letter stands for.

p(x, z) = p(x \mid z) p(z) says what p(x, z) is; with it, the logarithm of one is a sum of two.
Nothing is known of a distribution as a whole: where an expectation, an integral or a divergence
stands in a formula, its probabilities stay as they are written, and it is not read.
"""

import re
from collections.abc import Iterable

from workings.claims.documents.files.sources import Builder, Text, constant

PREFIX = "prob"
_WHOLE = re.compile(
    r"\\int(?![A-Za-z])|\\mathbb\s*\{?\s*E|\\operatorname\s*\{E\}|KL|\\Expect|\\mathcal\s*\{?\s*H"
    r"|\\arg|\\max|\\min|\\partial\s*p|\\mathrm\s*\{?\s*E\s*\}?\s*[_\[]|∫"
)
_CALL = re.compile(
    r"(?<![A-Za-z\\])(?P<name>[pqP]|\\Pr|\\pi|\\mathbb\s*\{\s*P\s*\}|\\mathrm\s*\{\s*[pqP]\s*\})(?![A-Za-z])"
    r"\s*(?P<sub>_\s*(?:\{[^{}]*\}|\\[A-Za-z]+|[A-Za-z]))?\s*(?:\\left|\\[bB]igg?l?)?\s*\("
)
_BAR = re.compile(r"\\(?:mid|[lr]?vert|given|giv)(?![A-Za-z])|(?<!\\)\|")
_FORMULA = re.compile(r"\\(?:[dt]?frac|sum|prod|partial|nabla|exp|log)(?![A-Za-z])")  # a bracket
_INDEX = re.compile(r"_\s*(?:\{\s*([ijknm])\s*\}|([ijknm]))(?![A-Za-z])")
_FONT = re.compile(r"\\(?:mathbf|boldsymbol|mathrm|bm|text|mathbb|left|right)(?![A-Za-z])")
_CODES = dict(zip("|,=;\\_~(^+-'0123456789", "gcesbuwortmnABCDEFGHIJ", strict=True))
_CODE = re.compile(rf"z([{''.join(_CODES.values())}])z")
_NAME = re.compile(rf"(?:\\mathrm\s*\{{)?{PREFIX}([A-Za-z]+zoz[A-Za-z]+)\}}?")


def conditionals(texts: Iterable[str]) -> frozenset[str]:
    """The letters that are written with a bar between their arguments somewhere."""
    found: set[str] = set()
    for text in texts:
        for match in _CALL.finditer(text):
            inside = _inside(text, match.end())
            if len(_BAR.findall(inside)) == 1:
                found.add(_letters(match["name"]))
    return frozenset(found)


def with_named_probabilities(text: Text, letters: frozenset[str]) -> Text:
    """A formula in which p(y | x) is a name, and p(y_i | x_i) an entry of one."""
    if not letters or _WHOLE.search(text.text):
        return text
    builder, at = Builder(), 0
    for match in _CALL.finditer(text.text):
        if match.start() < at or _letters(match["name"]) not in letters:
            continue
        inside = _inside(text.text, match.end())
        end = match.end() + len(inside) + 1
        if not inside or len(_BAR.findall(inside)) > 1 or _FORMULA.search(inside):
            continue
        if _is_factor(match, inside):
            continue
        builder.add(text[at : match.start()])
        name = _spelt(match["name"] + (match["sub"] or ""), inside)
        builder.add(constant(name, text.offset_of(match.start()), text.ends[end - 1]))
        at = end
    builder.add(text[at:])
    return builder.build() if at else text


def _is_factor(match: "re.Match[str]", inside: str) -> bool:
    r"""Whether a bracket is a factor: p_i(1 - p_i), \pi_k(\delta_{kj} - \pi_j)."""
    if not match["sub"] or _BAR.search(inside):
        return False
    plain = re.sub(r"\{[^{}]*\}", "", inside)
    return re.search(r"[-+]", plain) is not None and bool(
        re.match(r"\s*(?:1|\\delta)", inside) or match["name"] in inside
    )


def _spelt(name: str, inside: str) -> str:
    """The name of a probability: letters alone; the index that its arguments share is its own."""
    inside = re.sub(r"\\(?:left|right)\s*$", "", inside)
    indices = {first or second for first, second in _INDEX.findall(inside)}
    given = re.search(r"=\s*([jk])(?![A-Za-z])", inside)
    index = indices.pop() if len(indices) == 1 else ""
    if index:
        inside = _INDEX.sub("", inside)
    elif given:
        index = given[1]
        inside = inside.replace(given[0], "")
    words = _coded(_BAR.sub("|", inside))
    below = f"_{{{index}}}" if index else ""
    return rf"\mathrm{{{PREFIX}{_coded(name)}zoz{words}}}{below}"


def _letters(text: str) -> str:
    """The letters of a name without its font."""
    return re.sub(r"[^A-Za-z]", "", _FONT.sub("", text))


def _coded(text: str) -> str:
    """A text in letters alone: a sign is its code between two z."""
    plain = re.sub(r"(\\[A-Za-z]+)\s+(?=[A-Za-z])", r"\1~", _FONT.sub("", text))
    plain = re.sub(r"[\s{}]", "", plain)
    return "".join(sign if sign.isalpha() else f"z{_CODES.get(sign, 'x')}z" for sign in plain)


def as_written(text: str) -> str:
    """A formula, or a reason, with probabilities as the author writes them."""

    def decoded(match: "re.Match[str]") -> str:
        signs = {code: sign for sign, code in _CODES.items()}
        plain = _CODE.sub(lambda code: signs.get(code[1], ""), match[1])
        return plain.replace("~", " ") + ")"

    return _NAME.sub(decoded, text)


def _inside(text: str, at: int) -> str:
    """The text up to the bracket that closes the one before it; none if it is not closed."""
    depth = 1
    for end in range(at, min(len(text), at + 200)):
        depth += (text[end] == "(") - (text[end] == ")")
        if depth == 0:
            return text[at:end]
    return ""
