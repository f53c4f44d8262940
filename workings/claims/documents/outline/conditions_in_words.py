r"""What sentences ask of the names in a claim: "if $A$ and $B$ commute", "with $U^\top U = I$".

A claim that is wrong for all A and B may be right for those that are meant, and one that holds of
numbers may fail for what the text says they are: "let $a$ and $b$ be matrices". What the words ask
is not worked out: such a claim is not read, and the words are shown.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workings.claims.documents.files.document import Document, Heading
from workings.claims.documents.outline.declarations import Declared
from workings.claims.documents.outline.prose import words_before, words_behind
from workings.claims.documents.outline.signs_in_words import other_meaning
from workings.claims.documents.outline.statements import Outline, Role, Statement

REACH = 6_000  # characters before a claim that are looked at
BEHIND = 300  # and behind it
LONGEST_QUOTE = 60

_OF_NAMES = re.compile(
    r"\b(?:commut\w+|ortho(?:gonal|normal)\w*|unitary|rotation|reflection|project(?:ion|or)s?"
    r"|idempotent|nilpotent|involut\w+|triangular|permutation|rank[- ](?:one|1)|normal matri\w+"
    r"|perpendicular|parallel|collinear|proportional|non-?negative|positive|negative|stochastic"
    r"|Hermitian|skew\w*|antisymmetric|symmetric|diagonal|circulant|unit (?:vector|norm|length)s?"
    r"|normali[sz]ed|cent(?:er|re)d|zero[- ]mean|mean zero|whitened|standardi[sz]ed"
    r"|pseudo-?inverse|inverse of|own inverse|square root of|adjoint|eigen\w+|decomposition"
    r"|uncorrelated|complex|integers?|whole numbers?|small|special case|adds? up to|sums? to)\b",
    re.IGNORECASE,
)
_WISE = r"(?:element|entry|component|coordinate)-?\s?wise"
_OF_SIGNS = re.compile(
    r"\b(?:modulo|mod\s+\$?\d|finite field|boolean|in binary|hexadecimal|integer division"
    rf"|(?:products?|multiplications?|powers?|squares?|operations?)\b[^.]{{0,40}}\b{_WISE}"
    rf"|{_WISE} (?:square|product|power|multiplication)|(?:numerator|denominator)[- ]layout"
    r"|column-?\s?wise|(?:over|along|of) (?:the |each |every )?columns?|complex numbers?)\b"
    r"|\\bmod|\\mathbb\s*\{?F",
    re.IGNORECASE,
)
_OF_TERMS = re.compile(
    r"\bup to (?:an? |some |the )?(?:\w+ )?(?:constants?|factors?|scal\w+|signs?|terms?|order)\b"
    r"|\b(?:ignor|dropp|neglect|omitt|discard)ing\b|\b(?:ignore|drop|neglect|omit|discard)\b"
    r"|\bto (?:first|second|leading|lowest) order\b|\bhigher[- ]order\b|\bin the limit\b"
    r"|\b(?:positive|negative) (?:examples?|class|samples?|pairs?)\b|\bapproximat\w+|\basymptot\w+"
    r"|\bwithout loss\b|\bby symmetry\b|\b(?:in|over|for|on) (?:\w+ ){0,2}(?:dimensions?|scalars?"
    r"|case|numbers?|characteristic|ring|semiring|field|circle|sphere|simplex|space)\b|\bGF\b"
    r"|\bround(?:ed|ing)\b|\brounds? (?:up|down|off|to)\b|\btruncat\w+"
    r"|\b(?:next|nearest) (?:whole|integer|multiple)"
    r"|\b(?:in)?active\b|\bsaturat\w+|\btied\b|\bat (?:the )?(?:optimum|minimum|maximum|origin)\b",
    re.IGNORECASE,
)
_IF = re.compile(
    r"\b(?:if|unless|suppos(?:e|ing)|assum(?:e|ing)|provided|whenever|in case|imagine|would"
    r"|under the (?:assumption|condition|constraint)|hypothe\w+)\b|\bwhen \$",
    re.IGNORECASE,
)
_THROUGHOUT = re.compile(
    r"\b(?:throughout|always|everywhere|in (?:this|these) (?:notes?|document|chapter|paper))\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\\$(*])|\n\s*\n")
_INLINE = re.compile(r"(?<![\\$])\$(?!\$)([^$]{1,200})\$(?!\$)|\\\(((?:[^\\]|\\[^)]){1,200})\\\)")
_DISPLAY = re.compile(
    r"\$\$.*?\$\$|\\\[.*?\\\]|\\begin\s*\{(?P<env>[a-z]+\*?)\}.*?\\end\s*\{(?P=env)\}"
    r"|```math.*?```",
    re.DOTALL,
)
_RELATION = re.compile(r"\\(?:perp|geq?|leq?|neq?|lt|gt|parallel|succ\w*|in)(?![A-Za-z])|[<>≤≥≠=]")
_NEW_NAME = re.compile(
    r"\s*(?:\\(?:mathbf|bm|boldsymbol|hat|bar|tilde)\s*\{[^{}]*\}|\\?[A-Za-z]|\\[A-Za-z]+)"
    r"(?:\s*_\s*(?:\{[^{}]*\}|\\?\w)|\s*\^\s*(?:\{\(?[^{}0-9-]*\)?\}|\*))*\s*(?:\([^()]*\))?\s*:?="
)
_READ_MEMBER = re.compile(
    r"\\in\s*(?:\\mathbb|\\R|\\\{\s*(?:0\s*,\s*1|-1\s*,\s*\+?1)\s*\\\}|\[\s*0)"
)
_LETTER = re.compile(r"\\[A-Za-z]+|[A-Za-z]")
_SHAPED_ANEW = re.compile(  # let $A$ be an $n \times n$ matrix, which was of another shape before
    r"\$\s*(?P<name>\\?[A-Za-z]+)\s*\$\s+(?:be|is|are|denotes?|as)\s+(?:an?\s+)?(?:[\w-]+\s+){0,3}"
    r"\$[^$]{0,40}\\times[^$]{0,40}\$"
)
_OF_FEW_VALUES = re.compile(  # the label $y$ is either $0$ or $1$; $s$ takes the values $\pm 1$
    r"\$\s*(?P<name>\\?[A-Za-z]+)\s*\$\s+(?:is|be|are|can be|takes?(?: on)?|equals?|has)\s+"
    r"(?:(?:the|either|only|values?|one|of|always)\s+)*\$\s*(?:[-+]|\\pm)?\s*\d[-+\d.,\s]{0,12}\$"
    r"\s*(?:,|or\b|and\b|\.|depending)"
)
_NO_NAMES = re.compile(
    r"\\mathbb\s*(?:\{[A-Z]\}|[A-Z])|\\R(?![A-Za-z])|\^\s*\{?\s*T\b|\\(?:math\w+|bm|boldsymbol|text\w*"
    r"|operatorname|[dt]?frac|left|right|top|cdot|times|sum|prod|in|geq?|leq?|neq?|perp|partial|nabla"
    r"|log|ln|exp|det|tr|q?quad|odot|hat|bar|tilde|sqrt|infty|[lc]?dots|forall|[lr]?[Vv]ert|mid|ell)"
    r"(?![A-Za-z])"
)
_WIDE = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r"\n ?(?:\n ?)+")
_INDICES = frozenset("ijklmnt")
_POSITIVE_NUMBER = re.compile(r"\s*\\[a-z]+\s*(?:>|\\gt|\\geq?)\s*0\s*")  # \lambda > 0
_NO_SHAPE = Declared("", ())
_MATRICES = re.compile(
    r"\b(?:matri(?:x|ces)|operators?|linear maps?|tensors?|quaternion\w*|permutations?|strings?"
    r"|group elements?|a group|elements of an?|non-?commut\w+|random variables?|events)\b",
    re.IGNORECASE,
)
_VECTORS = re.compile(r"\bvectors?\b", re.IGNORECASE)
_COMPLEX = re.compile(r"\bcomplex\b|\\sqrt\s*\{-1\}|i\^2\s*=\s*-1|\\mathbb\s*\{?C|\\C(?![A-Za-z])")
_FROM_ZERO = re.compile(
    r"\b(?:indexed|counted|numbered|start\w*) (?:from|at) (?:zero|\$?0)|\b0-based"
)
_ROOT = re.compile(r"\\(?:log|ln|sqrt)(?![A-Za-z])")
_NOT_ONLY_POSITIVE = re.compile(r"\breal\b|\\neq?(?![A-Za-z])|≠")
_ONE = r"\\?[A-Za-z]+(?:_\w|_\{\w+\})?"
_LISTED = re.compile(rf"\s*{_ONE}(?:\s*,\s*{_ONE})*\s*(?:\\in(?![A-Za-z])|$)|\s*i\^2")


@dataclass(frozen=True)
class _Sentence:
    text: str
    leads: bool
    """whether the claim is a part of it"""
    near: bool = False
    """whether it leads to the display before the claim, and no word is between them"""


def condition_in_words(document: Document, outline: Outline, statement: Statement) -> str:
    """The words that a wrong claim may rest on; "" if there are none."""
    names, formulas = _rests_on(outline, statement)
    for sentence in _sentences(document, statement):
        if found := other_meaning(sentence.text, formulas, sentence.leads):
            return _quoted(sentence.text, found)
        if words := _condition(sentence, names, {*outline.declared}):
            return words
    return ""


def kind_in_words(document: Document, outline: Outline, statement: Statement) -> str:
    """The words by which a claim that holds as it is read may be of something else; "" if none.

    As it is read, a small letter that nothing declares is a number, and every number is real.
    """
    letters = _letters(statement.text)
    numbers = {name for name in letters if not (outline.declared.get(name) or _NO_SHAPE).sides}
    small = {name for name in numbers if not name[:1].isupper()}
    formulas = _rests_on(outline, statement)[1]
    for sentence in _sentences(document, statement):
        for pattern, names, least in (
            (_COMPLEX, letters, 1),
            (_MATRICES, small, 1),
            (_VECTORS, small, 2),  # one alone may stand for its entries: \\sigma'(x)
        ):
            found = pattern.search(sentence.text)
            if found and len(names & _alone(sentence.text)) >= least:
                return _quoted(sentence.text, found)
        if found := other_meaning(sentence.text, formulas, sentence.leads):
            return _quoted(sentence.text, found)
        if (found := _FROM_ZERO.search(sentence.text)) and "\\sum" in statement.text:
            return _quoted(sentence.text, found)
        found = _NOT_ONLY_POSITIVE.search(sentence.text) if sentence.leads else None
        if found and _ROOT.search(statement.text):
            return _quoted(sentence.text, found)
    return ""


def _alone(text: str) -> set[str]:
    """The names that stand in a sentence by themselves, or in a list: $a$, $a, b$, $x \\in S$."""
    formulas = (first or second for first, second in _INLINE.findall(text))
    return {
        name for each in formulas if (match := _LISTED.match(each)) for name in _letters(match[0])
    }


def _condition(sentence: _Sentence, names: set[str], declared: set[str]) -> str:
    formulas = [first or second for first, second in _INLINE.findall(sentence.text)]
    words = _INLINE.sub(" ", sentence.text)
    if sentence.leads and (found := _IF.search(sentence.text)):
        return _quoted(sentence.text, found)
    if (sentence.leads or sentence.near) and (found := _OF_TERMS.search(words)):
        return _quoted(words, found)
    if found := _OF_SIGNS.search(sentence.text):
        return _quoted(sentence.text, found)
    for found in _SHAPED_ANEW.finditer(sentence.text):
        if found["name"] in names & declared:
            return _quoted(sentence.text, found)
    for found in _OF_FEW_VALUES.finditer(sentence.text):
        if found["name"] in names:
            return _quoted(sentence.text, found)
    said = set[str]().union(*map(_letters, formulas)) if formulas else set()
    if (found := _OF_NAMES.search(words)) and (said & names or (not said and sentence.leads)):
        return _quoted(words, found)
    for formula in formulas:
        if _is_condition(formula, declared) and _letters(formula) & names:
            return " ".join(formula.split())[:LONGEST_QUOTE]
    return ""


def _is_condition(formula: str, declared: set[str]) -> bool:
    """Whether a formula in a sentence relates what is known, and gives no name a meaning."""
    found = _RELATION.search(formula)
    left, _, right = formula.partition("=")
    is_known = left.strip() in declared and bool(_letters(right) & declared)
    if found is None or (_NEW_NAME.match(formula) and not is_known):
        return False
    named = not _letters(left) & _letters(right) or r"\partial" in right
    if left.strip().isalpha() and named:
        return False  # lr = …, dO = ∂L/∂O: a name of several letters
    if found[0] == r"\in":
        return not _READ_MEMBER.search(formula)
    return not (_letters(formula) <= _INDICES or _POSITIVE_NUMBER.fullmatch(formula))


def _quoted(text: str, found: "re.Match[str]") -> str:
    """The words around what was found."""
    start = max(text.rfind(" ", 0, max(0, found.start() - 12)) + 1, 0)
    return " ".join(text[start : found.end() + 24].split())[:LONGEST_QUOTE]


def _sentences(document: Document, statement: Statement) -> Iterator[_Sentence]:
    """The sentence that leads to a claim, the one behind it, then those before in its section."""
    begin, before = words_before(document, statement, REACH)
    here = max(0, _section_start(document, statement.row.text.offset) - begin)
    behind = words_behind(document, statement, BEHIND)
    parts = _plain_sentences(before[here:])
    ends = [match.end() for match in _DISPLAY.finditer(before)]
    words = before[max([here, *ends[-1:]]) :].strip()  # since the display before it, if any
    if parts and words and not words.endswith((".", "!", "?")):
        yield _Sentence(parts.pop(), True)
    elif parts and not words:
        yield _Sentence(parts.pop(), False, near=True)
    follows = re.split(r"(?<=[.!?])\s|\n\s*\n", behind.lstrip(" ,;"), maxsplit=1)[0]
    if follows[:1].islower() or behind[:1] in ",;":
        yield _Sentence(follows, True)
    yield from (_Sentence(each, False) for each in reversed(parts))
    for each in _plain_sentences(before[:here]):
        if _THROUGHOUT.search(each):
            yield _Sentence(each, False)


def _plain_sentences(text: str) -> list[str]:
    """Sentences without the displays between them."""
    narrow = _BLANK_LINES.sub("\n\n", _WIDE.sub(" ", text))
    return [each for each in _SENTENCE.split(_DISPLAY.sub(" ", narrow)) if each.strip()]


def _section_start(document: Document, offset: int) -> int:
    """Where the section of an offset begins in its file; -1 if no heading is before it."""
    source, _ = document.sources.locate(offset)
    starts = (item.offset for item in document.items if isinstance(item, Heading))
    places = [document.sources.locate(start) for start in starts if start <= offset]
    return max((at for file, at in places if file is source), default=-1)


def _rests_on(outline: Outline, statement: Statement) -> tuple[set[str], list[str]]:
    """The letters of a claim and of what the document defines them by; and all these formulas."""
    names, rest, formulas = set[str](), _letters(statement.text), [statement.text]
    defined: dict[str, list[str]] = {}
    for each in outline.statements:
        if each.role in (Role.DEFINITION, Role.MENTION) and len(each.row.sides) > 1:
            for letter in _letters(each.row.sides[0].text.text):
                defined.setdefault(letter, []).append(each.row.sides[1].text.text)
    while rest:
        names |= rest
        bodies = [body for name in rest for body in defined.get(name, ())]
        formulas += bodies
        rest = set[str]().union(*map(_letters, bodies)) - names
    return names, formulas


def _letters(text: str) -> set[str]:
    """The letters that stand for something in a formula."""
    plain = re.sub(r"\\(?:text|mathrm|operatorname)\s*\{[^{}]*\}", " ", text)
    return {*_LETTER.findall(_NO_NAMES.sub(" ", plain))}
