"""Stratified splits: every class alike, nothing twice, the same for a seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workings.errors import WorkingsError
from workings.tasks.images.splits import first_of_each, stratified


@given(
    st.lists(st.integers(6, 40), min_size=2, max_size=5),
    st.floats(0.05, 0.3),
    st.floats(0.05, 0.3),
    st.integers(0, 1000),
)
def test_every_example_is_in_one_split_and_every_class_in_all(
    counts: list[int], valid: float, test: float, seed: int
) -> None:
    labels = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    names = list(map(str, range(len(counts))))
    parts = stratified(labels, {"valid": valid, "test": test}, seed, names)
    assert np.array_equal(np.sort(np.concatenate(list(parts.values()))), np.arange(len(labels)))
    for label, count in enumerate(counts):
        for split, share in (("valid", valid), ("test", test)):
            found = (labels[parts[split]] == label).sum()
            assert found == max(1, round(share * count))
    assert all(np.all(np.diff(places) > 0) for places in parts.values())


def test_a_seed_gives_one_split_and_another_seed_another() -> None:
    labels = np.repeat([0, 1], 20)
    one, again, other = (
        stratified(labels, {"test": 0.5}, seed, "ab")["test"].tolist() for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


def test_a_class_too_small_to_be_split_is_named() -> None:
    labels = np.array([0] * 10 + [1] * 2)
    with pytest.raises(WorkingsError, match="class 'rare' has 2 example"):
        stratified(labels, {"valid": 0.1, "test": 0.1}, 1, ("often", "rare"))


def test_the_first_of_each_class() -> None:
    labels = np.array([1, 0, 1, 0, 1, 0])
    found = first_of_each(labels, (1, 2))
    assert found is not None
    assert found.tolist() == [0, 1, 2]
    assert first_of_each(labels, (1, 4)) is None
