"""Where one example or exercise ends and the next begins: f may be another function in each."""

import re
from bisect import bisect_right

from workings.claims.documents.files.document import Document, Heading

_WORDS = (
    "example|exercise|problem|question|task|theorem|definition|lemma|remark|quiz"
    "|beispiel|aufgabe|ejemplo|ejercicio|exemple|exercice|例"
)
_BEGINS = re.compile(
    rf"^[ \t>*_#-]*(?:(?:\d+|\.)[ \t.]*)?(?:worked |second |another )?(?:{_WORDS})\b"
    rf"|^[ \t>]*(?:\*\*|__)[ \t]*\(?(?:\d+|[a-h])[.)]"
    rf"|^[ \t>]*(?:\d+|\(?[a-h])[.)][ \t]"
    r"|^[ \t>]*[(（]?(?:\d+|[一二三四五六七八九十]+)[．、）]|^[ \t]*\|"
    r"|\\begin\s*\{\w{0,40}(?:ex|exmp|prob|quest|task|rem|thm|theorem|def|prop|cor|lem|fact)\w*\*?\}"
    r"|\\(?:item|task|paragraph|subparagraph|bigskip)(?![A-Za-z])",
    re.IGNORECASE | re.MULTILINE,
)
Block = tuple[int, int, int]
"""the file, the example in it, and the section"""


class Blocks:
    """Tells whether two places of a document are in one example."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.headings = [item.offset for item in document.items if isinstance(item, Heading)]
        self.begins = {
            id(source): [match.start() for match in _BEGINS.finditer(source.text)]
            for source in document.sources.files
        }

    def of(self, offset: int) -> Block:
        """The block that an offset lies in."""
        source, at = self.document.sources.locate(offset)
        begins = self.begins.get(id(source), [])
        return id(source), bisect_right(begins, at), bisect_right(self.headings, offset)
