"""Documents as people write them: their displayed formulas, read where they stand and checked.

From the file to the finding: `tex`, `markdown`, `notebook` (`sources`, `macros`: every character
leads back to the author's line) → `document` → `rows` (`sides`, `side_by_side`) → `outline`
(`statements`; `spelling`, `probabilities`, `squares`; `declarations`, `listed`, `hypotheses`;
`roles`, `left_names`, `called`) → `definitions` (`implied`) → `closure` (what a claim rests on;
`freed`: on less) → `readings` (shapes, by `infer`, `claim_symbols`, `kinds`, `shape_rules`,
`unify`, `uses`) → `check` with `decide` (`doubts`, `set_before`, `dependence`, `open_indices`,
`advice`) and `piecewise` (`conditions`) → `finding` → `formats`, `fix`.
"""

from workings.claims.documents.files.document import (
    Directive,
    Display,
    Document,
    Heading,
    Inline,
    Note,
)
from workings.claims.documents.files.markdown import read_markdown
from workings.claims.documents.files.notebook import read_notebook
from workings.claims.documents.files.sources import Position
from workings.claims.documents.files.suffixes import SUFFIXES, is_document, read_document
from workings.claims.documents.files.tex import read_tex
from workings.claims.documents.outline.rows import rows_of
from workings.claims.documents.outline.sides import Row

__all__ = [
    "SUFFIXES",
    "Directive",
    "Display",
    "Document",
    "Heading",
    "Inline",
    "Note",
    "Position",
    "Row",
    "is_document",
    "read_document",
    "read_markdown",
    "read_notebook",
    "read_tex",
    "rows_of",
]
