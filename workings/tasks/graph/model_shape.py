"""What a graph model was made for: how many features and outputs, which classes; graph.json."""

import json
from dataclasses import asdict, dataclass
from typing import NotRequired, TypedDict

from workings.errors import WorkingsError
from workings.json_files import Count, WrongJson, conform, parse
from workings.tasks.graph.features.feature_scale import ColumnScale
from workings.tasks.graph.features.texts import Words
from workings.tasks.graph.graph import Graph


class _ShapeRecord(TypedDict):
    features: Count
    outputs: Count
    classes: list[str]
    mean: NotRequired[list[float]]
    deviation: NotRequired[list[float]]
    relations: NotRequired[int]
    words: NotRequired[list[str]]
    idf: NotRequired[list[float]]
    columns: NotRequired[list[str]]


@dataclass(frozen=True)
class ModelShape:
    """The widths of a model's input and output, and its classes in the order of the outputs.

    scale: of the columns of its features, where they were standardised. relations: of its edges;
    0 where they have none. words: of its nodes' texts. columns: what each feature is, if known.
    """

    features: int
    outputs: int
    classes: tuple[str, ...]
    scale: ColumnScale | None = None
    relations: int = 0
    words: Words | None = None
    columns: tuple[str, ...] = ()

    def require(self, graph: Graph, features: int, predicts_nodes: bool) -> None:
        """Say how a graph with so many features differs from those that the model was made for."""
        if self.features and self.features != features:
            raise WorkingsError(
                f"{graph.where}: has {features:,} features, the model was trained with "
                f"{self.features:,}"
            )
        if predicts_nodes and self.outputs < len(graph.classes):
            raise WorkingsError(
                f"{graph.where}: has {len(graph.classes)} classes, the model was trained with "
                f"{self.outputs}"
            )

    def to_json(self) -> bytes:
        """The file of the run folder."""
        values = asdict(self)
        scale = values.pop("scale") or {}
        if not self.relations:
            del values["relations"]  # as in folders of older versions
        if not self.columns:
            del values["columns"]
        words = values.pop("words") or {}
        return json.dumps(values | scale | words).encode()

    @classmethod
    def from_json(cls, content: bytes) -> "ModelShape":
        """From the file of the run folder."""
        try:
            about = conform(parse(content), _ShapeRecord)
        except WrongJson as error:
            raise WorkingsError(f"graph.json: is damaged ({error}); train the run again") from None
        scale = None
        if "mean" in about and "deviation" in about:
            # Features that say which node it is come after those that are scaled.
            if not len(about["mean"]) == len(about["deviation"]) <= about["features"]:
                raise WorkingsError("graph.json: is damaged (its scale has another width)")
            scale = ColumnScale(tuple(about["mean"]), tuple(about["deviation"]))
        sizes, classes = (about["features"], about["outputs"]), tuple(about["classes"])
        words = None
        if "words" in about and "idf" in about:
            words = Words(tuple(about["words"]), tuple(about["idf"]))
        columns = tuple(about.get("columns", ()))
        return cls(*sizes, classes, scale, about.get("relations", 0), words, columns)
