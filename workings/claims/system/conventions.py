"""The shapes that a document's derivatives have: several conventions are in use, one at a time."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from workings.claims.sets import Claim
from workings.claims.system.gradient import Layout
from workings.formula import nodes as f

GIVEN = {"numerator": (Layout.ROWS,), "denominator": (Layout.COLUMNS,)}
_SAID = re.compile(r"\b(numerator|denominator)[- ]layout", re.IGNORECASE)


def layouts_said(texts: Iterable[str]) -> frozenset[Layout]:
    """The layouts that a text speaks of; all if it speaks of none, or of both."""
    said = {match[1].lower() for text in texts for match in _SAID.finditer(text)}
    return frozenset(GIVEN[said.pop()]) if len(said) == 1 else frozenset(Layout)


@dataclass
class Conventions:
    """What the claims of a document have shown so far."""

    used: Counter[Layout] = field(default_factory=Counter)
    """the layouts of derivatives inside formulas, by how many claims needed them"""
    possible: frozenset[Layout] = frozenset(Layout)
    """those in which every claim so far is right that was right in one at all"""

    def accept(self, layouts: Collection[Layout]) -> bool:
        """Whether a claim that is right in these is right together with those before it."""
        common = self.possible & frozenset(layouts)
        if common:
            self.possible = common
            self.used.update(common)
        return bool(common)

    def to_try(self, claim: Claim, sides: list[f.Node], left_is_jacobian: bool) -> list[Layout]:
        """The layouts that a claim may be written in, what the document has used first."""
        if claim.layout:
            return list(GIVEN[claim.layout])
        inside = [node for side in sides[1:] for node in side.walk()]
        inside += [node for node in sides[0].walk() if node is not sides[0]]
        if not left_is_jacobian and not any(isinstance(node, f.Derivative) for node in inside):
            return [Layout.ROWS]  # no shape is in question
        return sorted(Layout, key=lambda each: (each not in self.possible, -self.used[each]))
