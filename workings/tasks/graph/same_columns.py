"""The features of another graph in the order that a model was trained with, by their names."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workings.errors import WorkingsError
from workings.tasks.graph.feature_columns import IS
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.sparse_rows import Rows


def arranged(graph: Graph, expected: Sequence[str]) -> Graph:
    """The graph with the expected features; words that no model has seen are not used.

    Where the data does not name its features, their number is all that can be compared.
    """
    if graph.features is None or len(graph.columns) != graph.features.shape[1]:
        return graph
    if graph.columns == tuple(expected):
        return graph
    given = {name.partition(IS)[0] for name in graph.columns}
    for column in dict.fromkeys(name.partition(IS)[0] for name in expected):
        if column not in given:
            raise WorkingsError(
                f"{graph.where}: has no column {column!r}, which the model was trained with; it "
                f"has {', '.join(sorted(given))}"
            )
    position = {name: at for at, name in enumerate(expected)}
    column_K = np.array([position.get(name, -1) for name in graph.columns])[graph.features.columns]
    known_K = column_K >= 0
    features = Rows.of(
        graph.features.row[known_K],
        column_K[known_K],
        graph.features.values[known_K],
        (graph.nodes, len(expected)),
    )
    new = [name for name in graph.columns if name not in position]
    notes = (f"not used, as the model has not seen it: {', '.join(new)}",) if new else ()
    columns = tuple(expected)
    return replace(graph, features=features, columns=columns, notes=graph.notes + notes)
