"""Formulas that the text itself calls wrong: "a common mistake is to write …", "… is not true".

Such a formula is quoted and not claimed. What counts is the sentence that leads to it, and the one
that goes on behind it.
"""

import re

from workings.claims.documents.files.document import Document
from workings.claims.documents.outline.prose import words_before, words_behind
from workings.claims.documents.outline.statements import Statement

WHY = "the text itself says that it is not so"
SHORT = 4  # words that only number what follows
REACH = 400  # characters of text before and behind a formula
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n")
_HERE = re.compile(r"\b(?:following|below)\b", re.IGNORECASE)
_NOT_SO = r"not (?:true|the case|correct|right|valid|equal|so|in general|generally|hold|have)"
_OF_DATA = r"(?! (?:positive|negative|alarm|discover|class|label|predict|answer|Bayes|decision))"
_DENIED_BEFORE = re.compile(
    rf"\b(?:mistake[ns]?|mistakenly|(?:wrong|incorrect|erroneous|false|naive)(?:ly)?\b{_OF_DATA}"
    r"|fallacy|misconception|tempt(?:ed|ing)|common error|contradiction|absurd|counter-?example"
    rf"|disprove|refute|{_NOT_SO}|not (?:simply|just|get|obtain|write)|cannot (?:write|have)"
    r"|(?:one|you|we|students?|beginners?|people) (?:often |might |may |could |sometimes )*"
    r"(?:think|believe|expect|guess|claim)|find the (?:error|mistake|flaw|bug)|is it true|whether"
    r"|which of (?:the following|these)|prove or disprove|true or)\b"
    r"|\b(?:instead of|rather than|in place of)(?: writing| using)?:?$",
    re.IGNORECASE,
)
_WHICH = (
    r"(?:which|this|that|it|these|both|the (?:former|first|above|last))?"
    r"(?: ?(?:equation|formula|identity|claim|equality|statement))?"
)
_DENIED_BEHIND = re.compile(
    rf"[ .,;:$]*(?:\(?(?:but|and|yet|however),? )?{_WHICH} ?"
    r"(?:(?:is|was|are|would be|does|do|can) (?:clearly |obviously |of course |however |just )?"
    rf"(?:wrong|false|incorrect|{_NOT_SO}|never true|impossible|absurd|erroneous|invalid"
    r"|a contradiction|a (?:common )?(?:mistake|fallacy))"
    r"|(?:isn't (?:true|right|correct)|doesn't hold|cannot be|fails|contradicts|has the wrong)"
    r"|\(?(?:wrong|false|incorrect)[.!)])",
    re.IGNORECASE,
)


def is_disowned(document: Document, statement: Statement) -> bool:
    """Whether the sentence around a statement says that it is wrong."""
    _, before = words_before(document, statement, REACH)
    goes_on = " ".join(words_behind(document, statement, REACH).split())
    return _leads_to(before) or _DENIED_BEHIND.match(goes_on) is not None


def _leads_to(before: str) -> bool:
    """Whether the last sentence before a formula, which goes on in it, denies it."""
    sentences = [" ".join(each.split()) for each in _SENTENCE.split(before)]
    *earlier, last = [each for each in sentences if each] or [""]
    if len(last.split()) < SHORT and earlier and earlier[-1].endswith("?"):
        last = f"{earlier[-1]} {last}"  # Which of these holds? (a)
    if last.endswith((".", "!", "?")) and not _HERE.search(last):
        return False
    return _DENIED_BEFORE.search(last) is not None
