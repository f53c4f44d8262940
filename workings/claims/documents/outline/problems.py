r"""Problems that a document states: an optimum that is looked for, and what it is subject to.

w^* = \arg\min_w L(w) says what is looked for, and "subject to y_i (w^T x_i + b) \ge 1" what is
required of it: neither claims anything. f' = -f may be an equation that is solved for f.
"""

import re

from workings.claims.documents.files.document import Display, Document
from workings.claims.documents.files.sources import Text

OPTIMUM = "it says which optimum is looked for"
CONSTRAINT = "it is a constraint of a problem that is to be solved"
_OPTIMUM = re.compile(
    r"\\arg(?:max|min)?(?![A-Za-z])"
    r"|(?<![A-Za-z])arg(?:\s|\\[,;:! ]|~)*\\?(?:max|min)(?![A-Za-z])"
)
_SUBJECT_TO = re.compile(
    r"(?<![A-Za-z.])s\s*\.\s*(?:\\[,;: ]\s*)?t\s*(?:\.|,|\\quad|\\ )"
    r"|(?<![A-Za-z])subject\s*(?:~|\\)?\s*to(?![A-Za-z])"
    r"|\\(?:text|mathrm|operatorname|textrm|mbox)\s*\{\s*s\s*+\.?\s*t\s*+\.?\s*+:?\s*\}",
    re.IGNORECASE,
)
_ASKED_BEFORE = re.compile(
    r"(?:subject\s+to|(?<![A-Za-z])s\s*\.\s*t\s*\.)(?:\s+the)?(?:\s+(?:following|linear))?"
    r"(?:\s+(?:constraints?|conditions?))?[\s:*]*$"
    r"|(?:constraints?|KKT\s+conditions?)(?:\s+(?:are|is|as\s+follows|below))?[\s:*]*$",
    re.IGNORECASE,
)
_SOLVES = re.compile(
    r"differential\s+equation|\bODEs?\b|\binitial\s+(?:value|condition)|\bsolv", re.IGNORECASE
)


def solves_equations(document: Document, formula: Text) -> bool:
    """Whether the file of a formula solves equations for functions, such as f' = -f."""
    source, _ = document.sources.locate(formula.offset)
    return _SOLVES.search(source.text) is not None


def is_optimum(right: str) -> bool:
    r"""Whether a right side is the place of an optimum, \arg\max or \mathrm{argmin}."""
    return _OPTIMUM.search(right) is not None


def constrained_from(display: Display) -> int | None:
    """The offset from which the statements of a display are constraints; None if none is."""
    if _ASKED_BEFORE.search(display.lead.rstrip()):
        return display.text.offset
    if asked := _SUBJECT_TO.search(display.text.text):
        return display.text.offset_of(asked.start())
    return None
