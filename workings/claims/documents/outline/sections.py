"""A section of a document as one of its own: elsewhere its letters may be something else."""

import re
from collections.abc import Iterator
from dataclasses import replace

from workings.claims.documents.files.document import (
    Directive,
    Display,
    Document,
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
        """A part with all comments for the checker, and with declarations of its letters."""
        inside = {id(item) for item in self.document.items if self._is_in(item, block)}
        formulas = " ".join(_formula(item) for item in self.document.items if id(item) in inside)
        items: list[Item] = []
        is_before = True
        for item in self.document.items:
            is_before = is_before and id(item) not in inside
            declares = is_before and _declares(item, formulas)
            if id(item) in inside or declares or isinstance(item, Directive):
                items.append(item)
        return replace(self.document, items=items, notes=[])

    def _is_in(self, item: Item, block: Block) -> bool:
        place = self.blocks.of(_offset(item))
        return place == block or (block[:2] == (0, 0) and place[2] == block[2])


def _offset(item: Item) -> int:
    return item.text.offset if isinstance(item, Display | Inline) else item.offset


def _formula(item: Item) -> str:
    return item.text.text if isinstance(item, Display | Inline) else ""


def _declares(item: Item, formulas: str) -> bool:
    r"""Whether a sentence says of a letter what it is: \mathbf{x} \in \mathbb{R}^n is not of x."""
    return isinstance(item, Inline) and any(
        _stands_in(name, formulas) for name in names_of_member(item.text.text)
    )


def _stands_in(name: str, formulas: str) -> bool:
    bare = re.escape("".join(name.split()))
    return re.search(rf"(?<![A-Za-z\\{{]){bare}(?![A-Za-z])", "".join(formulas.split())) is not None
