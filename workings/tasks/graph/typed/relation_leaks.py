"""Leaks of a typed graph: held-out edges that stand in training under another relation."""

from collections.abc import Iterator, Mapping

import numpy as np

from workings.tasks.graph.types import Types
from workings.tasks.leak import FEWEST, GRAVE, Leak

LEAST = 0.2  # the share of a relation's test edges that is worth a word


def relation_leaks(where: str, types: Types, triples: Mapping[str, np.ndarray]) -> Iterator[Leak]:
    """Relations that repeat another one, or are its inverse, as liked_by is of likes."""
    nodes = len(types.type_N)
    source, relation, target = triples["train"]
    for asked in np.unique(triples["test"][1]).tolist():
        s, _, t = triples["test"][:, triples["test"][1] == asked]
        for other in range(len(types.relations)):
            of_it = relation == other
            pairs = source[of_it] * nodes + target[of_it]
            ways = {"turned round ": t * nodes + s}
            if other != asked:
                ways[""] = s * nodes + t
            for how, keys in ways.items():
                same = int((np.isin(keys, pairs) & (s != t)).sum())
                if same < max(FEWEST, LEAST * len(s)):
                    continue
                yield Leak(
                    f"{where}: {same / len(s):.0%} of the test edges of {types.relations[asked]} "
                    f"stand in training {how}as {types.relations[other]}",
                    f"leave {types.relations[other]} out of the graph, or hold out both together",
                    "data.allow_overlap",
                    grave=same >= GRAVE * len(s),
                )
