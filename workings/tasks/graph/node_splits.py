"""Which labelled nodes are for training, validation and test."""

# N nodes

import shlex

import numpy as np

from workings.errors import WorkingsError
from workings.tasks.graph.graph import SPLITS, UNLABELLED, Graph


def settled_splits(
    graph: Graph, seed: int, train: int, valid: int, ignore_given: bool = False
) -> dict[str, np.ndarray]:
    """The splits that the data gives, and by seed those that it does not.

    Where only train is given, the other labelled nodes are valid and test, half and half. Where
    none is: so many nodes of each class for train and valid (0: as many as there are), the others
    for test; of a class with few nodes at most half are train, and at most half of the rest valid.
    """
    draw = np.random.default_rng(seed)
    given = {} if ignore_given else {s: nodes for s, nodes in graph.splits.items() if len(nodes)}
    labelled = np.nonzero(graph.labels_N != UNLABELLED)[0]
    if not len(labelled):
        column, *others = graph.categories or ("COLUMN",)
        or_others = f" (or {', '.join(others)})" if others else ""
        raise WorkingsError(
            f"{graph.where}: no node has a label; name the column that is the class, --set "
            f"data.label={shlex.quote(column)}{or_others}, or predict edges, --set "
            "data.predict=edges"
        )
    if "train" in given:
        rest = draw.permutation(np.setdiff1d(labelled, np.concatenate(list(given.values()))))
        absent = [split for split in SPLITS if split not in given]
        parts = np.array_split(rest, max(1, len(absent)))
        splits = given | {split: np.sort(part) for split, part in zip(absent, parts, strict=False)}
    else:
        splits = _by_class(graph.labels_N, draw, train, valid)
    for split in SPLITS:
        if not len(splits[split]):
            raise WorkingsError(
                f"{graph.where}: the {split} split is empty: {len(labelled)} labelled nodes are "
                "too few; label more, or name the splits in the data"
            )
    return splits


def _by_class(
    labels_N: np.ndarray, draw: np.random.Generator, train: int, valid: int
) -> dict[str, np.ndarray]:
    chosen: dict[str, list[np.ndarray]] = {split: [] for split in SPLITS}
    for label in range(int(labels_N.max()) + 1):
        members = draw.permutation(np.nonzero(labels_N == label)[0])
        half = (len(members) + 1) // 2
        train_end = min(train or half, half)
        half = (len(members) - train_end) // 2
        valid_end = train_end + min(valid or half, half)
        for split, part in zip(SPLITS, np.split(members, [train_end, valid_end]), strict=True):
            chosen[split].append(part)
    return {split: np.sort(np.concatenate(parts)) for split, parts in chosen.items()}
