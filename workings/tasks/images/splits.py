"""Cutting a labelled set into splits, every class alike."""

from collections.abc import Sequence

import numpy as np

from workings.errors import WorkingsError


def stratified(
    labels_N: np.ndarray, shares: dict[str, float], seed: int, names: Sequence[str]
) -> dict[str, np.ndarray]:
    """The positions of each split's examples, ascending: shares of each class, `train` the rest.

    They are drawn from the seed, class by class; no share of a class is rounded down to nothing.
    """
    draw = np.random.default_rng(seed)
    parts: dict[str, list[np.ndarray]] = {split: [] for split in (*shares, "train")}
    for label, name in enumerate(names):
        positions = draw.permutation(np.flatnonzero(labels_N == label))
        counts = {split: max(1, round(share * len(positions))) for split, share in shares.items()}
        if sum(counts.values()) >= len(positions):
            raise WorkingsError(
                f"class {name!r} has {len(positions)} example(s), too few for train, "
                f"{' and '.join(shares)}; give it more, or the splits as files of their own"
            )
        for split, count in counts.items():
            parts[split].append(positions[:count])
            positions = positions[count:]
        parts["train"].append(positions)
    return {split: np.sort(np.concatenate(part)) for split, part in parts.items()}


def first_of_each(labels_N: np.ndarray, counts: Sequence[int]) -> np.ndarray | None:
    """The positions of the first examples of each class, so many; None where there are fewer."""
    positions = [np.flatnonzero(labels_N == label)[:count] for label, count in enumerate(counts)]
    if any(len(part) < count for part, count in zip(positions, counts, strict=True)):
        return None
    return np.sort(np.concatenate(positions))
