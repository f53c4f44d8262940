"""A graph whose nodes go by names: names become numbers, labels classes, split names splits."""

# N nodes, E edges, F features

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from workings.errors import WorkingsError
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.graph import SPLITS, UNLABELLED, Graph, build
from workings.tasks.graph.types import build_types, empty_relations

SPLIT_NAMES = {"": "", "train": "train", "valid": "valid", "val": "valid", "test": "test"}


class NamedEdge(NamedTuple):
    """An edge by the names of its ends, and the line it stands on (0: not known)."""

    line: int
    source: str
    target: str


def build_named(
    where: str,
    edges: Sequence[NamedEdge],
    weights: list[float] | None,
    directed: bool,
    names: list[str] | None = None,
    labels: list[str] | None = None,
    splits: list[str] | None = None,
    features_NF: np.ndarray | None = None,
    notes: Sequence[str] = (),
    types: Sequence[str] | None = None,
    relations: Sequence[str] | None = None,
    declared: Sequence[str] = (),
    texts: Sequence[str] | None = None,
) -> Graph:
    """A checked graph; without `names` its nodes are those that the edges name.

    types, relations: of each node and each edge; declared: relations that may have no edges.
    texts: of each node.
    """
    if names is None:
        names = sorted({end for edge in edges for end in edge[1:]}, key=_by_number)
    number = {name: node for node, name in enumerate(names)}
    if len(number) < len(names):
        twice = next(name for node, name in enumerate(names) if number[name] != node)
        raise WorkingsError(f"{where}: node {twice!r} is there twice")
    for line, source, target in edges:
        for end in (source, target):
            if end not in number:
                raise WorkingsError(
                    f"{where}: edge {source} to {target} (line {line}): there is no node {end!r}"
                )
    classes = sorted({label for label in labels or () if label}, key=_by_number)
    class_number = {name: label for label, name in enumerate(classes)} | {"": UNLABELLED}
    pairs_E2 = np.array([[number[source], number[target]] for _, source, target in edges], np.int64)
    typed = None
    if types is not None or relations is not None:
        lines, pairs_2E = [edge.line for edge in edges], pairs_E2.reshape(-1, 2).T
        typed = build_types(
            where, types, relations, pairs_2E, len(names), names, lines if any(lines) else None,
            declared,
        )  # fmt: skip
    return build(
        where,
        len(names),
        pairs_E2.reshape(-1, 2).T,
        directed,
        None if weights is None else np.array(weights, np.float64),
        None if features_NF is None else Rows.dense(features_NF),
        [class_number[label] for label in labels] if labels else None,
        classes,
        split_indexes(where, splits),
        names,
        [*notes, *empty_relations(typed)],
        typed,
        texts,
    )


def _by_number(name: str) -> tuple[float, str]:
    """Numbers in their order, before all other names."""
    return (float(name), "") if name.isdecimal() else (float("inf"), name)


def split_indexes(where: str, given: list[str] | None) -> dict[str, np.ndarray]:
    """Which nodes, or graphs, each split names; none where no split is named."""
    if not given or not any(given):
        return {}
    for name in given:
        if name not in SPLIT_NAMES:
            raise WorkingsError(f"{where}: no split {name!r}; one of train, valid, test, or empty")
    settled = np.array([SPLIT_NAMES[name] for name in given])
    return {split: np.nonzero(settled == split)[0] for split in SPLITS}
