"""The summariser: sequence → graph → sequence.

- `summary_model`: the whole model, and the batch that it reads
- `encoder`: an LSTM over the tokens both ways
- `typed_edges`: gated steps along edges of several kinds
- `decoder`: an LSTM with attention, which writes words or copies tokens
"""

from workings.nn.summary.decoder import SummaryDecoder
from workings.nn.summary.encoder import SummaryEncoder
from workings.nn.summary.summary_model import Source, SummaryModel, Writing
from workings.nn.summary.typed_edges import GatedSteps, TypedEdges

__all__ = [
    "GatedSteps",
    "Source",
    "SummaryDecoder",
    "SummaryEncoder",
    "SummaryModel",
    "TypedEdges",
    "Writing",
]
