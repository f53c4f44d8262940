"""Documents as people write them: their displayed formulas, read where they stand and checked."""

from workings.claims.documents.document import Directive, Display, Document, Heading, Inline, Note
from workings.claims.documents.markdown import read_markdown
from workings.claims.documents.notebook import read_notebook
from workings.claims.documents.reading import SUFFIXES, is_document, read_document
from workings.claims.documents.rows import Row, rows_of
from workings.claims.documents.sources import Position
from workings.claims.documents.tex import read_tex

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
