"""Graphs whose neighbours mostly differ in class, as published with ten splits each.

An archive has node_features N×F, node_labels N, edges E×2, and masks 10×N of train, val and test.
"""

from pathlib import Path

import numpy as np

from workings.data.readers import npz
from workings.errors import WorkingsError
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.graph import Graph, build

NAMES = ("actor", "texas", "cornell", "wisconsin", "chameleon", "squirrel", "minesweeper")
_MASKS = {"train": "train_masks", "valid": "val_masks", "test": "test_masks"}


def read(path: Path, fold: int, seed: int) -> Graph:
    """The graph with one of its splits: `fold`, from 1, or with 0 the one that the seed counts."""
    held = npz.read(path, ["node_features", "node_labels", "edges", *_MASKS.values()])
    masks = {split: held[key].astype(bool) for split, key in _MASKS.items()}
    count = len(masks["train"])
    if fold > count:
        raise WorkingsError(f"data.fold: {path} has {count} splits, not {fold}")
    chosen = fold - 1 if fold else (seed - 1) % count
    splits = {split: np.flatnonzero(mask[chosen]) for split, mask in masks.items()}
    labels_N = held["node_labels"].astype(np.int64)
    features = Rows.dense(held["node_features"])
    edges_2E = held["edges"].T.astype(np.int64)
    return build(str(path), len(labels_N), edges_2E, False, None, features, labels_N, splits=splits)
