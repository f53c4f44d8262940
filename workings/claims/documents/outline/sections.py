"""A section of a document as one of its own: elsewhere its letters may be something else."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from workings.claims.documents.files.document import (
    Directive,
    Display,
    Document,
    Heading,
    Inline,
    Item,
)
from workings.claims.documents.outline.blocks import Block, Blocks
from workings.claims.documents.outline.declarations import names_of_member


class Sections:
    """The sections of a document, and their examples, each as a document of its own."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.blocks = Blocks(document)
        self._alone: dict[Block, Document] = {}

    @cached_property
    def _places(self) -> list[Block]:
        """The block of every item."""
        return [self.blocks.of(_offset(item)) for item in self.document.items]

    @cached_property
    def _names(self) -> list[list[str]]:
        """The names that every item declares, as they are written."""
        return [
            names_of_member(item.text.text) if isinstance(item, Inline) else []
            for item in self.document.items
        ]

    def around(self, offset: int) -> Iterator[tuple[Block, Document]]:
        """The section and the example that a place is in, where they are not all there is."""
        file, example, section = self.blocks.of(offset)
        before = len(self.document.items)
        for block in ((0, 0, section), (file, example, section)):
            if block not in self._alone:
                self._alone[block] = self._of(block)
            items = len(self._alone[block].items)
            if items < before:
                yield block, self._alone[block]
            before = items

    def _of(self, block: Block) -> Document:
        """A part with all headings and comments for the checker, and its letters' declarations."""
        whole = block[:2] == (0, 0)
        inside = [place == block or (whole and place[2] == block[2]) for place in self._places]
        numbered = list(enumerate(self.document.items))
        formulas = "".join("".join(_formula(item).split()) for at, item in numbered if inside[at])
        first = inside.index(True) if any(inside) else 0
        items = [
            item
            for at, item in numbered
            if inside[at]
            or isinstance(item, Directive | Heading)
            or (at < first and any(_stands_in(name, formulas) for name in self._names[at]))
        ]
        return replace(self.document, items=items, notes=[])


def _offset(item: Item) -> int:
    return item.text.offset if isinstance(item, Display | Inline) else item.offset


def _formula(item: Item) -> str:
    return item.text.text if isinstance(item, Display | Inline) else ""


def _stands_in(name: str, formulas: str) -> bool:
    r"""Whether a name is used as it was declared: \mathbf{x} \in \mathbb{R}^n is not of x."""
    bare = re.escape("".join(name.split()))
    return re.search(rf"(?<![A-Za-z\\{{]){bare}(?![A-Za-z])", formulas) is not None
