r"""What sentences say that σ is: a function that is known, any function, or none of these."""

import re
from collections.abc import Iterable

SIGMA = "\\sigma"
OPENS = r"(?:\\left\s*|\\[bB]igg?l?\s*)?\("
PRIMES = r"(?:'|\^\s*(?:\\prime|\{\s*\\prime\s*\}))"
SIGMA_CALL = re.compile(rf"\\sigma(?=\s*{PRIMES}*\s*{OPENS})")
LOGISTIC, SOFTMAX = "\\mathrm{sigmoid}", "\\mathrm{softmax}"
_NAMED = tuple(
    (re.compile(word, re.IGNORECASE), sign)
    for word, sign in (
        (r"\bsigmoid|\blogistic", LOGISTIC),
        (r"\bhyperbolic tangent|\btanh|\\tanh", "\\tanh"),
        (r"\bReLU|\brectifi", "\\mathrm{relu}"),
        (r"\bsoftmax", SOFTMAX),
        (r"\bsoftplus", "\\mathrm{softplus}"),
        (r"\bGELU", "\\mathrm{gelu}"),
    )
)
_SOME_FUNCTION = re.compile(
    r"\b(?:activation|non-?linear\w*|(?:element|entry|point)-?wise function|transfer function"
    r"|squashing|(?:any|some|arbitrary|differentiable|smooth) (?:\w+ )?function)",
    re.IGNORECASE,
)
_NO_ACTIVATION = re.compile(
    r"\b(?:divisors?|permutations?|deviations?|variances?|volatilit\w+|(?:number|sum) of)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n")
_INLINE = re.compile(r"(?<!\$)\$(?!\$)([^$]{1,80})\$(?!\$)")


def sigma_in_words(prose: Iterable[str]) -> tuple[str, bool, bool]:
    """The function that sentences call σ, "" if they name none; whether it is any, or another."""
    said, is_some, is_other, all_named = "", False, False, set[str]()
    for text in prose:
        for sentence in _SENTENCE.split(text):
            if not any(SIGMA in formula for formula in _INLINE.findall(sentence)):
                continue
            named = next((sign for word, sign in _NAMED if word.search(sentence)), "")
            said = LOGISTIC if LOGISTIC in (said, named) else said or named
            all_named |= {named} - {""}
            is_other |= _NO_ACTIVATION.search(sentence) is not None and bool(
                SIGMA_CALL.search(sentence)
            )
            is_some = is_some or _SOME_FUNCTION.search(sentence) is not None
    return ("", True, False) if len(all_named) > 1 else (said, is_some, is_other)


def calls_sigma(text: str) -> bool:
    """Whether σ has an argument in a formula."""
    return SIGMA_CALL.search(text) is not None
