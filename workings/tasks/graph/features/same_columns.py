"""The features of another graph in the order that a model was trained with, by their names."""

from collections.abc import Sequence

import numpy as np

from workings.errors import WorkingsError
from workings.tasks.graph.features.feature_columns import IS
from workings.tasks.graph.features.sparse_rows import Rows


def arranged(
    where: str, rows: Rows | None, columns: Sequence[str], expected: Sequence[str]
) -> tuple[Rows | None, tuple[str, ...]]:
    """The expected features of those with the names `columns`, and a note of what is not used.

    A word that the model has not seen is no feature of it. Where features have no names, their
    number is all that can be compared.
    """
    named = rows is not None and len(columns) == rows.shape[1]
    if rows is None or not expected or not named or tuple(columns) == tuple(expected):
        return rows, ()
    given = dict.fromkeys(name.partition(IS)[0] for name in columns)
    for column in dict.fromkeys(name.partition(IS)[0] for name in expected):
        if column not in given:
            raise WorkingsError(
                f"{where}: has no column {column!r}, which the model was trained with; it has "
                f"{', '.join(given)}"
            )
    position = {name: at for at, name in enumerate(expected)}
    column_K = np.array([position.get(name, -1) for name in columns])[rows.columns]
    known_K = column_K >= 0
    shape = (rows.shape[0], len(expected))
    kept = Rows.of(rows.row[known_K], column_K[known_K], rows.values[known_K], shape)
    new = [name for name in columns if name not in position]
    return kept, (f"not used, as the model has not seen it: {', '.join(new)}",) if new else ()
