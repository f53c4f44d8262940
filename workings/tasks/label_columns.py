"""Features that tell the label by themselves: a column that is the label, or a one-hot of it."""

# N examples, F features, C classes

from dataclasses import dataclass

import numpy as np

FEWEST = 5  # examples of a class, and
FEWEST_IN_ALL = 20  # in all, below which a column may tell a class by chance


@dataclass(frozen=True)
class Telling:
    """Columns that tell classes.

    copies: of each class, a column that has one value in it and another one everywhere else; or one
    column that has a value of its own in every class. ordered: columns whose values are, class by
    class, in ranges of their own.
    """

    copies: dict[int, int]
    ordered: list[int]


def telling_columns(least_CF: np.ndarray, most_CF: np.ndarray, counts_C: np.ndarray) -> Telling:
    """Of the least and the greatest value of each feature in each class, and the classes' sizes."""
    classes = np.flatnonzero(counts_C >= FEWEST)
    if len(classes) < 2 or counts_C.sum() < FEWEST_IN_ALL:
        return Telling({}, [])
    least_CF, most_CF = least_CF[classes], most_CF[classes]
    order_CF = np.argsort(least_CF, axis=0)
    low_CF = np.take_along_axis(least_CF, order_CF, 0)
    high_CF = np.take_along_axis(most_CF, order_CF, 0)
    ordered_F = (high_CF[:-1] < low_CF[1:]).all(0)
    constant_CF = least_CF == most_CF
    copies: dict[int, int] = {}
    for column in np.flatnonzero(ordered_F & constant_CF.all(0))[:1]:
        copies = dict.fromkeys(classes.tolist(), int(column))
    # A one-hot column has one value in its class, and one other value in all other classes.
    for number, label in enumerate(classes.tolist()):
        others = np.delete(np.arange(len(classes)), number)
        alike_F = least_CF[others].min(0) == most_CF[others].max(0)
        apart_F = least_CF[number] != least_CF[others[0]]
        columns = np.flatnonzero(constant_CF[number] & alike_F & apart_F)
        if len(columns):
            copies.setdefault(label, int(columns[0]))
    return Telling(copies, np.flatnonzero(ordered_F).tolist())
