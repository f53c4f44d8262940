r"""What stands behind a slash and a product: x^2/2\sigma^2 is x^2 over 2\sigma^2 for most authors.

By the rules of programs it is (x^2/2)\sigma^2, and so it is read. A claim that is wrong by one
reading alone is not called wrong.
"""

import re

from workings.claims.documents.files.sources import Text
from workings.claims.documents.outline.plain_signs import replaced

BELOW = "whether all that stands behind the / is below it is not said; write brackets, or \\frac"
_GREEK = (
    "alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|pi|rho|sigma"
    "|tau|phi|varphi|chi|psi|omega|ell|Delta|Gamma|Lambda|Sigma|Omega"
)
_RAISED = r"(?:\s*[\^_]\s*(?:\{[^{}]*\}|\w|\\[a-z]+))*"
_ATOM = rf"(?:\d+(?:\.\d+)?|\\(?:{_GREEK})(?![A-Za-z])|[A-Za-z](?![a-z]*\())"
_TEN = r"\\(?:times|cdot)\s*10\s*\^\s*(?:\{\s*[-+]?\d+\s*\}|\d)"
_BEHIND = re.compile(
    rf"/\s*(?P<run>\d+(?:\.\d+)?\s*{_TEN}|\{{\s*\d[\d.]*\s*{_TEN}\s*\}}"
    rf"|{_ATOM}{_RAISED}(?:\s*{_ATOM}{_RAISED}|\s*\\(?:sqrt|bar|hat)\s*\{{[^{{}}]*\}})+)"
)


def has_open_slash(text: str) -> bool:
    """Whether a product without a sign stands behind a slash."""
    return _BEHIND.search(text) is not None


def all_below(text: Text) -> Text:
    """A formula in which all of such a product is below."""
    return replaced(text, _BEHIND, lambda match: f"/({match['run']})")
