r"""What is said under a condition on indices: "for i = j", "if i ≠ j" beside a claim.

For i = j the claim is one about i alone. For i ≠ j both sides are multiplied by 1 - \delta_{ij}, so
that nothing is said of equal indices.
"""

import re
from dataclasses import dataclass, replace

from workings.claims.documents.files.sources import Text, constant, join
from workings.claims.documents.outline.plain_signs import replaced
from workings.claims.documents.outline.sides import Row, relation_of

_INDEX = r"([a-z]'?)"
_RELATION = re.compile(
    rf"(?:(?:if|when|where|case|for|the|with|in|and|which|we|have|is|are|let|consider|that|all)\b"
    rf"|[\s$,.;:()]|\\(?:text|mbox)\s*\{{[^{{}}]*\}})*"
    rf"{_INDEX}\s*(==?|\\neq?(?![A-Za-z])|≠|!=)\s*{_INDEX}[\s$,.;:)]*",
    re.IGNORECASE,
)
_SUBSCRIPT = re.compile(r"_\s*(?:\{([^{}]*)\}|([A-Za-z]))")
_BOUND = r"\\(?:sum|prod|max|min)(?:\s*\\limits)?\s*_\s*\{{?\s*{letter}(?![A-Za-z])"


@dataclass(frozen=True)
class Indices:
    """Two indices, and whether they are said to be equal or different."""

    first: str
    second: str
    equal: bool

    @property
    def words(self) -> str:
        """As in "for i ≠ j"."""
        return f"for {self.first} {'=' if self.equal else '≠'} {self.second}"


def read_condition(text: str) -> Indices | None:
    """The condition on two indices that words before or behind a claim say; None if another."""
    match = _RELATION.fullmatch(text.strip())
    if match is None or match[1] == match[3]:
        return None
    return Indices(match[1], match[3], match[2] in ("=", "=="))


def under(row: Row, indices: Indices) -> Row | None:
    """A claim in which the condition is written out; None where a sum runs over these indices."""
    below = {letter for match in _SUBSCRIPT.finditer(row.text.text) for letter in match[0]}
    if not {*_letters(indices)} <= below:
        return None  # no indices of it: sizes, perhaps
    bound = [re.search(_BOUND.format(letter=each), row.text.text) for each in _letters(indices)]
    if indices.equal:
        if any(bound):
            return None
        text = replaced(row.text, _SUBSCRIPT, lambda match: _same(match, indices))
        return replace(row, text=text, condition="", mode="claim")
    factor = rf"(1 - \delta_{{{indices.first}{indices.second}}})"
    parts: list[Text] = []
    for side in row.sides:
        at = side.text.offset
        parts += [relation_of(side)] if side.relation else []
        parts += [constant(f"{factor} (", at, at), side.text, constant(")", at, at)]
    return replace(row, text=join(parts, " "), condition="", mode="claim")


def _letters(indices: Indices) -> tuple[str, str]:
    return indices.first, indices.second


def _same(match: "re.Match[str]", indices: Indices) -> str | None:
    """A subscript with the first index in the place of the second."""
    inside = match[1] or match[2]
    if not re.search(rf"(?<![A-Za-z\\]){indices.second}|^[a-z]{{1,2}}$", inside):
        return None
    if indices.second not in inside or "\\" in inside or len(inside) > 8:
        return None
    return f"_{{{inside.replace(indices.second, indices.first)}}}"
