"""What sentences say of matrices: "let A be a symmetric matrix", "U is orthogonal".

A claim that is true for a symmetric A is not called wrong in a document that speaks of symmetric
matrices: it holds where the sentence names A, and is not decided where it does not.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from workings.claims.system.left_sides import name_of
from workings.errors import WorkingsError

WORDS = {
    "symmetric": r"symmetric|undirected|Hessian|covariance",
    "orthogonal": r"orthogonal|orthonormal|unitary|eigenvectors?",
    "diagonal": r"diagonal|eigenvalues?",
    "definite": r"positive[- ](?:semi[- ]?)?definite|PSD",
}
# Spaces are taken whole (*+): a stranger's page may have thousands of them in a row.
_NAME = r"\$\s*+(?P<{}>[^\s$=<>][^$=<>]{{0,29}}?)\s*+(?:\\in[^$]*|=[^$]*)?\$"
_SAYS = r"(?:(?:is|are|be|being|was|a|an|the|any|all|real|square|matrix|matrices|also)\s++){0,4}"
_OF = r"\s++(?:(?:real|square|matrix|matrices|and|invertible|positive|definite)\s++){0,3}"

_LETTER = r"((?:\\(?:mathbf|bm|boldsymbol)\s*\{\s*)?(?:\\[A-Z][a-z]+|[A-Z])(?:\s*\})?)"
_SIGNS = (
    ("definite", re.compile(rf"{_LETTER}\s*\\succ(?:eq|curlyeq)?\s*\{{?0\}}?")),
    ("symmetric", re.compile(rf"{_LETTER}\s*=\s*\1\s*\^\s*\{{?\s*(?:\\top|T|\\intercal)\b")),
)
_FREED = re.compile(
    r"\$\s*+(?P<name>\\?[A-Za-z]+)\s*+(?:\\in[^$]{0,60})?\$[^.$]{0,40}\b(?:any|arbitrary|general)\b"
)


@dataclass
class Hypotheses:
    """The kinds of matrices that a document's sentences speak of."""

    mentioned: frozenset[str] = frozenset()
    """kinds that are spoken of anywhere"""
    said: dict[str, str] = field(default_factory=dict)
    """names with the kind that a sentence says they are"""
    places: dict[str, set[int]] = field(default_factory=dict)
    """names with the offsets of the sentences that say so"""
    freed: dict[str, set[int]] = field(default_factory=dict)
    """names with the offsets of sentences that call them any, arbitrary or general"""


def read_hypotheses(texts: Iterable[tuple[int, str]]) -> Hypotheses:
    """Look for the words for kinds of matrices, and for the names that stand beside them.

    texts: each with its offset in the document.
    """
    mentioned: set[str] = set()
    said: dict[str, str] = {}
    places: dict[str, set[int]] = {}
    freed: dict[str, set[int]] = {}
    for base, text in texts:
        for match in _FREED.finditer(text):
            if name := _name(match["name"]):
                freed.setdefault(name, set()).add(base + match.start())
        for kind, sign in _SIGNS:
            for match in sign.finditer(text):
                if name := _name(match[1]):
                    said.setdefault(name, kind)
                    mentioned.add(kind)
                    places.setdefault(name, set()).add(base + match.start())
        for kind, words in WORDS.items():
            if not re.search(words, text, re.IGNORECASE):
                continue
            mentioned.add(kind)
            word = rf"(?P<word>{kind})"
            after = rf"{_NAME.format('before')}\s*+,?\s*+{_SAYS}{word}\b"
            before = rf"\b{word}{_OF}{_NAME.format('after')}"
            for match in re.finditer(f"{after}|{before.replace('word', 'word2')}", text):
                if name := _name(match["before"] or match["after"]):
                    said.setdefault(name, kind)
                    places.setdefault(name, set()).add(base + match.start())
    return Hypotheses(frozenset(mentioned), said, places, freed)


def read_scalars(texts: Iterable[str]) -> Iterator[str]:
    """The names of what sentences call a scalar: "$b$ is a scalar", "the scalars $a$ and $b$"."""
    after = rf"{_NAME.format('before')}\s*+,?\s*+{_SAYS}scalars?\b(?!\s+(?:function|field|product))"
    before = rf"\bscalars?\s++{_NAME.format('after')}"
    for text in texts:
        for match in re.finditer(f"{after}|{before}", text):
            for part in (match["before"] or match["after"]).split(","):
                if name := _name(part.strip()):
                    yield name


def _name(text: str) -> str:
    try:
        return name_of(text).name
    except WorkingsError:
        return ""
