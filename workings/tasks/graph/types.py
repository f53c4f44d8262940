"""Types of nodes and relations of edges: what a knowledge graph has besides nodes and edges."""

# N nodes, E edges, R relations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workings.errors import WorkingsError, nearest

PLAIN = "node"  # the type of nodes that are given none


@dataclass(frozen=True)
class Types:
    """Of every node its type, of every edge its relation, which joins one type to one type.

    triples_3E: rows source, relation, target, sorted by relation, target, source, none twice.
    """

    types: tuple[str, ...]
    type_N: np.ndarray
    relations: tuple[str, ...]
    triples_3E: np.ndarray

    @cached_property
    def ends(self) -> list[tuple[int, int]]:
        """The types that each relation goes from and to; those of a relation without edges: 0."""
        ends = [(0, 0)] * len(self.relations)
        for relation in range(len(self.relations)):
            of_it = self.triples_3E[:, self.triples_3E[1] == relation]
            if of_it.shape[1]:
                ends[relation] = int(self.type_N[of_it[0, 0]]), int(self.type_N[of_it[2, 0]])
        return ends

    def nodes_of(self, kind: int) -> np.ndarray:
        """The nodes of a type."""
        return np.flatnonzero(self.type_N == kind)

    def relation(self, name: str, where: str) -> int:
        """The number of a relation, or an error that offers the nearest name."""
        if name not in self.relations:
            raise WorkingsError(
                f"{where}: no relation {name!r}{nearest(name, self.relations)}; there is "
                f"{', '.join(self.relations)}"
            )
        return self.relations.index(name)

    def words(self) -> list[str]:
        """A line for each type and each relation."""
        counts = np.bincount(self.type_N, minlength=len(self.types))
        lines = [f"{counts[k]:,} nodes of type {name}" for k, name in enumerate(self.types)]
        edges = np.bincount(self.triples_3E[1], minlength=len(self.relations))
        for r, name in enumerate(self.relations):
            source, target = (self.types[kind] for kind in self.ends[r])
            joined = f", {source} to {target}" if edges[r] else ""
            lines.append(f"{edges[r]:,} edges of relation {name}{joined}")
        return lines


def build_types(
    where: str,
    types: Sequence[str] | None,
    relations: Sequence[str] | None,
    pairs_2E: np.ndarray,
    nodes: int,
    names: Sequence[str] | None = None,
    lines: Sequence[int] | None = None,
    declared: Sequence[str] = (),
) -> Types:
    """Checked types: every node has one, and a relation goes from one type to one type.

    types, relations: of each node and each edge. Edges without a relation are of one that is named
    after the types it joins. declared: relations that may have no edges. lines: of the edges, for
    errors.
    """
    given = list(types) if types is not None else [PLAIN] * nodes
    for node, kind in enumerate(given):
        if not kind:
            name = names[node] if names else str(node)
            raise WorkingsError(f"{where}: node {name!r} has no type; give every node one")
    known = tuple(dict.fromkeys(given))
    type_N = _numbers(given, known)
    source_E, target_E = pairs_2E
    if relations is None:
        both_E = list(zip(type_N[source_E].tolist(), type_N[target_E].tolist(), strict=True))
        relations = [f"{known[s]}-{known[t]}" for s, t in both_E]
    for edge, relation in enumerate(relations):
        if not relation:
            at = f" (line {lines[edge]})" if lines else f" {edge:,}"
            raise WorkingsError(f"{where}: edge{at} has no relation; give every edge one")
    all_relations = tuple(dict.fromkeys([*declared, *relations]))
    relation_E = _numbers(relations, all_relations)
    made = Types(known, type_N, all_relations, _canonical(source_E, relation_E, target_E, nodes))
    _check_ends(where, made, relation_E, pairs_2E, names, lines)
    return made


def empty_relations(types: Types | None) -> list[str]:
    """A note for each relation that has a name and no edges."""
    if types is None:
        return []
    edges = np.bincount(types.triples_3E[1], minlength=len(types.relations))
    return [f"relation {types.relations[r]} has no edges" for r in np.flatnonzero(edges == 0)]


def _numbers(words: Sequence[str], known: Sequence[str]) -> np.ndarray:
    number = {word: at for at, word in enumerate(known)}
    return np.array([number[word] for word in words], np.int64)


def _canonical(
    source_E: np.ndarray, relation_E: np.ndarray, target_E: np.ndarray, nodes: int
) -> np.ndarray:
    key = np.unique((relation_E * nodes + target_E) * nodes + source_E)
    rest, source = np.divmod(key, nodes)
    relation, target = np.divmod(rest, nodes)
    return np.stack([source, relation, target])


def _check_ends(
    where: str,
    made: Types,
    relation_E: np.ndarray,
    pairs_2E: np.ndarray,
    names: Sequence[str] | None,
    lines: Sequence[int] | None,
) -> None:
    """Every edge joins the types that the first edge of its relation joins."""
    first = {int(r): int(np.flatnonzero(relation_E == r)[0]) for r in np.unique(relation_E)}
    types_2E = made.type_N[pairs_2E]
    for relation, one in first.items():
        of_it = np.flatnonzero(relation_E == relation)
        wrong = of_it[(types_2E[:, of_it] != types_2E[:, [one]]).any(0)]
        if not len(wrong):
            continue
        edge = int(wrong[0])
        source, target = (names[end] if names else str(end) for end in pairs_2E[:, edge])
        at = f" (line {lines[edge]})" if lines else ""
        wanted, given = (
            " to ".join(made.types[kind] for kind in types_2E[:, e]) for e in (one, edge)
        )
        raise WorkingsError(
            f"{where}: {made.relations[relation]} goes from {wanted}, but the edge {source} to "
            f"{target}{at} goes from {given}; give that a relation of its own"
        )
