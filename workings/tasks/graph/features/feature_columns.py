"""Columns of a table as features: numbers as they are, words as one column a word."""

# N nodes, F features

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from workings.errors import WorkingsError

MISSING = ("", "na", "n/a", "nan", "null", "none")  # in small letters
IS = " = "  # between a column and the word that a feature stands for
MOST_CATEGORIES = 100  # different words of a column; more of them are names or sentences
MOST_CELLS = 50_000_000  # of what words become, N times the words of all columns


class Features(NamedTuple):
    """Features N×F, what there is to say of them, and what each is: a column, or COLUMN = WORD."""

    table_NF: np.ndarray | None
    notes: list[str]
    names: tuple[str, ...]


def from_columns(
    columns: Mapping[str, Sequence[str]], where: Sequence[str], expected: Sequence[str] = ()
) -> Features:
    """Features of the cells of each column.

    A column of words becomes one of zeros and ones for every word (one-hot); where almost every
    node has its own, they are names, and left out. An empty cell is missing: NaN.

    where: of each row, what an error begins with. expected: names of the features of a model that
    there is already, whose categories are categories however few cells there are.
    """
    parts: list[np.ndarray] = []
    notes: list[str] = []
    names: list[str] = []
    categories = {name.partition(IS)[0] for name in expected if IS in name}
    expanded = 0
    for name, cells in columns.items():
        numbers = [_number(cell) for cell in cells]
        words = [row for row, number in enumerate(numbers) if number is None]
        missing = sum(cell.strip().lower() in MISSING for cell in cells)
        if missing == len(cells):
            notes.append(f"column {name} left out: it is empty")
        elif not words:
            parts.append(np.array(numbers, np.float64)[:, None])
            names.append(name)
        elif len(words) + missing < len(cells):
            cell = cells[words[0]][:40]
            raise WorkingsError(f"{where[words[0]]}: {name} is {cell!r}, expected a number")
        else:
            known = sorted({cells[row] for row in words})
            if name not in categories and not _are_few(len(known), len(words)):
                notes.append(f"column {name} left out: {len(known):,} different words")
                continue
            expanded += len(cells) * len(known)
            if expanded > MOST_CELLS:
                raise WorkingsError(
                    f"{where[0]}: the words of {name}, and of the columns before it, would become "
                    f"over {MOST_CELLS:,} zeros and ones; leave some of these columns out"
                )
            parts.append(_one_hot(cells, known))
            names += [f"{name}{IS}{word}" for word in known]
            notes.append(f"column {name} has {len(known)} categories, one feature each")
    return Features(np.hstack(parts) if parts else None, notes, tuple(names))


def is_category(cells: Sequence[str]) -> bool:
    """Whether a column is of words, and of few different ones."""
    filled = [cell for cell in cells if cell.strip().lower() not in MISSING]
    words = all(_number(cell) is None for cell in filled)
    return bool(filled) and words and _are_few(len(set(filled)), len(filled))


def _are_few(different: int, words: int) -> bool:
    return different <= MOST_CATEGORIES and different <= max(2, words / 2)


def _one_hot(cells: Sequence[str], known: Sequence[str]) -> np.ndarray:
    """A row for each cell, with a one for its word; none where the cell is missing."""
    number = {word: column for column, word in enumerate(known)}
    made_NK = np.zeros((len(cells), len(known)))
    for row, cell in enumerate(cells):
        if cell in number:
            made_NK[row, number[cell]] = 1
    return made_NK


def _number(cell: str) -> float | None:
    """The number of a cell, NaN where it is missing, None where it is a word."""
    if cell.strip().lower() in MISSING:
        return float("nan")
    try:
        return float(cell)
    except ValueError:
        return None
