"""Columns that tell the label, and such as only seem to."""

import numpy as np

from workings.tasks.label_columns import Telling, telling_columns

LABELS = np.arange(60) % 3


def told(x_NF: np.ndarray, labels_N: np.ndarray = LABELS) -> Telling:
    groups = [x_NF[labels_N == label] for label in range(labels_N.max() + 1)]
    least, most = (np.stack([f(group, 0) for group in groups]) for f in (np.min, np.max))
    return telling_columns(least, most, np.bincount(labels_N))


def columns(*given: np.ndarray) -> np.ndarray:
    noise = np.random.default_rng(0).normal(size=(len(LABELS), 2))
    return np.column_stack([noise, *given])


def test_the_label_as_a_number_in_any_code() -> None:
    assert told(columns(LABELS)).copies == {0: 2, 1: 2, 2: 2}
    assert told(columns(np.array([7.5, -3, 2])[LABELS])).copies == {0: 2, 1: 2, 2: 2}


def test_a_one_hot_of_the_label() -> None:
    one_hot = np.eye(3)[LABELS]
    assert told(columns(one_hot)).copies == {0: 2, 1: 3, 2: 4}
    assert told(columns(one_hot[:, 1])).copies == {1: 2}  # of one class
    assert told(columns(1 - one_hot[:, 1])).copies == {1: 2}


def test_a_column_that_orders_the_classes_is_no_copy() -> None:
    found = told(columns(LABELS + np.random.default_rng(1).uniform(0, 0.9, 60)))
    assert found == Telling({}, [2])


def test_what_does_not_tell() -> None:
    wrong_once = LABELS.copy()
    wrong_once[0] = 1
    constant = np.ones(60)
    rare = np.zeros(60)
    rare[0] = 1  # in one class only, but not in all of it
    assert told(columns(wrong_once, constant, rare, LABELS == 3)) == Telling({}, [])


def test_a_few_examples_may_be_told_by_chance() -> None:
    few = np.array([0, 0, 1, 1, 2, 2])
    assert told(np.column_stack([few]), few) == Telling({}, [])
