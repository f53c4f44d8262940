"""A claim with less said: what holds whatever a name is holds for what it is.

Where a definition that a claim rests on is not read, or leaves its shapes open, its name is taken
as free. Only "holds" can be said then. What depends on what a derivative is taken by stays defined.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workings.claims.documents.deciding.closure import Closure, NotDefined, closure_of
from workings.claims.documents.deciding.rests import rested_on
from workings.claims.documents.inference.uses import names_in, symbols_in, use_of
from workings.claims.documents.outline.definitions import Definitions
from workings.claims.documents.outline.statements import Role, Statement
from workings.errors import WorkingsError
from workings.formula import nodes as f

MOST_FREED = 12  # definitions that are not read, for one claim


def weaker_closures(
    definitions: Definitions, sides: Sequence[f.Node], number: int, section: int
) -> Iterator[Closure]:
    """What a claim may rest on instead: fewer and fewer definitions, the other names free."""
    freeing = _Freeing(definitions, sides, number)
    seen: set[frozenset[str]] = set()
    for names in (frozenset[str](), freeing.of_other_sections(section), freeing.all()):
        freed = freeing.with_unread(names)
        if freed is None or freed in seen:
            continue
        seen.add(freed)
        yield rested_on(definitions, list(sides), number, freed)


@dataclass
class _Freeing:
    """Which definitions may be left out for one claim."""

    definitions: Definitions
    sides: Sequence[f.Node]
    number: int

    def __post_init__(self) -> None:
        self.varied = {
            use_of(symbol, self.definitions.known, bound).name
            for side in self.sides
            for node in side.walk()
            if isinstance(node, f.Derivative | f.Hessian)
            for wrt in ([node.wrt] if isinstance(node, f.Derivative) else [node.first, node.second])
            for symbol, bound in symbols_in(wrt)
        }

    def all(self) -> frozenset[str]:
        """All names that may be free."""
        names = {**self.definitions.by_name, **self.definitions.mentions}
        return frozenset(name for name in names if self._may_be_free(name))

    def of_other_sections(self, section: int) -> frozenset[str]:
        """Those that another section defines, or a sentence."""
        statements = {name: self.definitions.in_force(name, self.number) for name in self.all()}
        return frozenset(
            name
            for name, statement in statements.items()
            if statement and (statement.section != section or statement.role is Role.MENTION)
        )

    def with_unread(self, names: frozenset[str]) -> frozenset[str] | None:
        """These names, and those whose definitions are not read; None where one must be read."""
        for _ in range(MOST_FREED):
            try:
                closure_of(self.definitions, list(self.sides), self.number, names)
                return names
            except NotDefined as error:
                if not error.name or not self._may_be_free(error.name):
                    return None
                names |= {error.name}
        return None

    def _may_be_free(self, name: str) -> bool:
        """Whether its definition does not lead to what a derivative is taken by."""
        statement = self.definitions.in_force(name, self.number)
        names = self._names_of(statement) if statement else set()
        return not any(self._leads_to_varied(each, {name}) for each in names - {name})

    def _leads_to_varied(self, name: str, seen: set[str]) -> bool:
        if name in self.varied:
            return True
        statement = self.definitions.in_force(name, self.number)
        if statement is None or name in seen:
            return False
        seen.add(name)
        return any(self._leads_to_varied(each, seen) for each in self._names_of(statement))

    def _names_of(self, statement: Statement) -> set[str]:
        try:
            return set(names_in(self.definitions.body(statement), self.definitions.known))
        except WorkingsError:  # not read: whatever has a letter that it has
            letters = set(re.findall(r"\\[A-Za-z]+|[A-Za-z]", statement.text))
            return {name for name in self.varied if letters & set(_letters(name))}


def _letters(name: str) -> list[str]:
    """The letter of a name, without marks, index and label."""
    return re.findall(r"\\[A-Za-z]+|[A-Za-z]", name.split(" ")[-1])[:1]
