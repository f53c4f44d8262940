"""The speech model by the name and fields of a config."""

from typing import Literal

from pydantic import Field, model_validator

from workings.nn.speech import SpeechModel
from workings.nn.speech.decoders import DecoderKind
from workings.schema import Config, Depth, Probability, Size


class SpeechConfig(Config):
    """Speech to text: an encoder, and one of two decoders."""

    kind: Literal["speech"] = "speech"
    decoder: DecoderKind = "attention"
    """what reads the text written so far: an LSTM, or causal self-attention"""
    width: Size = 200
    """width of every layer (D)"""
    heads: Size = 2
    """attention heads; they divide the width between them"""
    blocks: Depth = 2
    """blocks of self-attention and feed-forward in the encoder"""
    feedforward: Size = 400
    """inner width of the encoder's feed-forward layers"""
    layers: Depth = 1
    """layers of the decoder: an LSTM or self-attention, and cross-attention, each"""
    stride: int = Field(default=2, ge=1, le=1_000)
    """frames that become one in the encoder's second convolution"""
    dropout: Probability = 0.0
    """probability of dropping a unit of what a layer adds"""

    @model_validator(mode="after")
    def _sizes(self) -> "SpeechConfig":
        if self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of heads {self.heads}")
        if self.width % 2:
            raise ValueError(f"width {self.width} is odd: positions are pairs of sine and cosine")
        return self

    def build(self, symbols: int, bands: int) -> SpeechModel:
        """Encoder and decoder for sound of so many bands and texts of so many symbols."""
        return SpeechModel(symbols, bands, **self.model_dump(exclude={"kind"}))


MODELS: dict[str, type[Config]] = {"speech": SpeechConfig}
