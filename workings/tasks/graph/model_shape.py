"""What a graph model was made for: how many features and outputs, which classes; graph.json."""

import json
from dataclasses import asdict, dataclass

from workings.errors import WorkingsError
from workings.tasks.graph.graph import Graph


@dataclass(frozen=True)
class ModelShape:
    """The widths of a model's input and output, and its classes in the order of the outputs."""

    features: int
    outputs: int
    classes: tuple[str, ...]

    def require(self, graph: Graph, predicts_nodes: bool) -> None:
        """Say how a graph differs from those that the model was made for."""
        if self.features != graph.x().shape[1]:
            raise WorkingsError(
                f"{graph.where}: has {graph.x().shape[1]:,} features, the model was trained with "
                f"{self.features:,}"
            )
        if predicts_nodes and self.outputs < len(graph.classes):
            raise WorkingsError(
                f"{graph.where}: has {len(graph.classes)} classes, the model was trained with "
                f"{self.outputs}"
            )

    def to_json(self) -> bytes:
        """The file of the run folder."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_json(cls, content: bytes) -> "ModelShape":
        """From the file of the run folder."""
        try:
            about = json.loads(content)
            classes = tuple(str(name) for name in about["classes"])
            return cls(int(about["features"]), int(about["outputs"]), classes)
        except (ValueError, KeyError, TypeError):
            raise WorkingsError(
                "graph.json of the run folder is damaged; train the run again"
            ) from None
