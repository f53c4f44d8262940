"""Cutting a labelled set into splits, every class alike."""

from collections.abc import Sequence

import numpy as np

from workings.errors import WorkingsError


def stratified(
    labels_N: np.ndarray, shares: dict[str, float], seed: int, names: Sequence[str]
) -> dict[str, np.ndarray]:
    """Places in the set by split, ascending: of each class those shares, and `train` the rest.

    Drawn anew from the seed, class by class; no share of a class is rounded down to nothing.
    """
    draw = np.random.default_rng(seed)
    parts: dict[str, list[np.ndarray]] = {split: [] for split in (*shares, "train")}
    for label, name in enumerate(names):
        places = draw.permutation(np.flatnonzero(labels_N == label))
        counts = {split: max(1, round(share * len(places))) for split, share in shares.items()}
        if sum(counts.values()) >= len(places):
            raise WorkingsError(
                f"class {name!r} has {len(places)} example(s), too few for train, "
                f"{' and '.join(shares)}; give it more, or the splits as files of their own"
            )
        for split, count in counts.items():
            parts[split].append(places[:count])
            places = places[count:]
        parts["train"].append(places)
    return {split: np.sort(np.concatenate(some)) for split, some in parts.items()}


def first_of_each(labels_N: np.ndarray, counts: Sequence[int]) -> np.ndarray | None:
    """Places of the first so many examples of each class; None where there are not so many."""
    places = [np.flatnonzero(labels_N == label)[:count] for label, count in enumerate(counts)]
    if any(len(some) < count for some, count in zip(places, counts, strict=True)):
        return None
    return np.sort(np.concatenate(places))
