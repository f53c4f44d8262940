"""Which graphs of a set are for training, validation and test: as given, by fold, or by seed."""

# G graphs

import numpy as np

from workings.errors import WorkingsError
from workings.tasks.graph.config import GraphConfig
from workings.tasks.graph.graph import SPLITS, UNLABELLED
from workings.tasks.graph.whole.graph_set import GraphSet


def settled_splits(graphs: GraphSet, config: GraphConfig, seed: int) -> dict[str, np.ndarray]:
    """Labelled graphs by split; what the data does not say is drawn by seed, each class alike.

    Of a set with folds one is the test split: `fold`, or the one whose number is the seed.
    """
    draw = np.random.default_rng(seed)
    labelled = np.flatnonzero(graphs.labels_G != UNLABELLED)
    given = {} if config.split == "random" else graphs.splits
    if not len(labelled):
        raise WorkingsError(f"{graphs.where}: no graph has a label to learn")
    if config.fold and not graphs.folds:
        raise WorkingsError(f"data.fold: {graphs.where} has no folds; leave it out")
    if config.split == "given" and graphs.folds:
        test = graphs.folds[_fold(graphs, config.fold, seed)]
    elif len(given.get("test", ())):
        test = given["test"]
    else:
        free = np.setdiff1d(labelled, np.concatenate([labelled[:0], *given.values()]))
        test = _share(free, graphs.labels_G, config.test_share, len(labelled), draw)
    rest = np.setdiff1d(labelled, test)
    if config.valid_from == "test":
        valid = test
    elif len(given.get("valid", ())):
        valid = given["valid"]
    else:
        free = np.setdiff1d(rest, given.get("train", rest[:0]))
        valid = _share(free, graphs.labels_G, config.valid_share, len(labelled), draw)
    train = given["train"] if len(given.get("train", ())) else np.setdiff1d(rest, valid)
    splits = {"train": train, "valid": valid, "test": test}
    for split in SPLITS:
        if not len(splits[split]):
            raise WorkingsError(
                f"{graphs.where}: the {split} split is empty: {len(labelled)} labelled graphs are "
                "too few; label more, or raise data.valid_share and data.test_share"
            )
        if (graphs.labels_G[splits[split]] == UNLABELLED).any():
            raise WorkingsError(f"{graphs.where}: a graph of the {split} split has no label")
    for label, name in enumerate(graphs.classes):
        if not (graphs.labels_G[train] == label).any():
            raise WorkingsError(f"{graphs.where}: class {name!r} has no training graph")
    return splits


def _fold(graphs: GraphSet, fold: int, seed: int) -> int:
    if fold > len(graphs.folds):
        raise WorkingsError(f"data.fold: {graphs.where} has {len(graphs.folds)} folds, not {fold}")
    return fold - 1 if fold else (seed - 1) % len(graphs.folds)


def _share(
    free: np.ndarray, labels_G: np.ndarray, share: float, all_: int, draw: np.random.Generator
) -> np.ndarray:
    """Graphs that are free, each class alike, as many as are that share of all."""
    chosen = [free[:0]]
    for label in np.unique(labels_G[free]):
        members = draw.permutation(free[labels_G[free] == label])
        chosen.append(members[: round(share * all_ / len(free) * len(members))])
    return np.sort(np.concatenate(chosen))
