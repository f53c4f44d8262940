"""The summariser by the name and fields of a config."""

from typing import Literal

from pydantic import Field, model_validator

from workings.nn.summary import SummaryModel
from workings.schema import Config, Probability, Size


class SummaryConfig(Config):
    """Sequence → graph → sequence: an LSTM both ways, gated graph steps, an LSTM that copies."""

    kind: Literal["summary"] = "summary"
    graph: bool = True
    """whether the tokens' states go along the edges; false: sequence → sequence"""
    steps: int = Field(default=2, ge=1, le=1_000)
    """gated steps along the edges"""
    width: Size = 128
    """width of every layer (D), half for each way of the encoder's LSTM"""
    copy_tokens: bool = True
    """whether a word may be copied from the tokens (pointer-generator)"""
    dropout: Probability = 0.2
    """probability of dropping a unit before and after every layer"""

    @model_validator(mode="after")
    def _even(self) -> "SummaryConfig":
        if self.width % 2:
            raise ValueError(f"width {self.width} is odd: each way of the encoder has half of it")
        return self

    def build(self, types: int, outputs: int, kinds: int) -> SummaryModel:
        """The summariser for so many types to read, words to write, and kinds of edges."""
        return SummaryModel(
            *(types, outputs, kinds, self.width, self.graph, self.steps),
            *(self.copy_tokens, self.dropout),
        )


MODELS: dict[str, type[Config]] = {"summary": SummaryConfig}
