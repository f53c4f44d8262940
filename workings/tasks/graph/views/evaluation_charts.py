"""Charts of a trained node classifier, from what it makes of the graph."""

from typing import TYPE_CHECKING

from torch import Tensor

from workings.tasks.graph.node_classification import NodeClassification
from workings.tasks.graph.views import layout

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart


def charts(problem: NodeClassification, outputs_NC: Tensor) -> "dict[str, Chart]":
    """By name: the confusion matrix of the test nodes, and a small graph drawn whole."""
    from workings.charts import graphs as drawing
    from workings.charts.images import confusion

    problem.metrics(outputs_NC, "test")
    table = problem.tables()["confusion"]
    drawn: dict[str, Chart] = {
        "confusion": confusion(table["names"], table["counts"], "Test nodes")
    }
    if layout.fits(problem.graph):
        classes = [row["prediction"] for row in problem.predict(outputs_NC, [])]
        dots = layout.node_rows(problem.graph, predicted=classes)
        lines = layout.edge_rows(problem.graph)
        drawn["classes"] = drawing.drawn(dots, lines, "Predicted classes", "predicted")
    return drawn
