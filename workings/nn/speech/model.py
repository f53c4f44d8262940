"""Speech to characters: one encoder, and a recurrent or an attention decoder."""

# B batch, T frames, F bands, L tokens, S encoded frames, V symbols

from typing import Literal

from pydantic import model_validator
from torch import Tensor, nn

from workings.nn.speech.decoders import Kind, SpeechDecoder, Writing
from workings.nn.speech.encoder import SpeechEncoder
from workings.schema import Config, Probability, Size


class SpeechModel(nn.Module):
    """P(token_l | tokens before it, sound) = softmax(decoder(tokens_{<l}, encoder(sound))).

    Shapes: x_BTF features, frames_B of each, tokens_BL; returns logits B×L×V of the token after
    each.
    """

    def __init__(self, encoder: SpeechEncoder, decoder: SpeechDecoder) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(self, x_BTF: Tensor, frames_B: Tensor, tokens_BL: Tensor) -> Tensor:
        return self.decoder(tokens_BL, *self.encoder(x_BTF, frames_B))

    def start(self, x_BTF: Tensor, frames_B: Tensor) -> Writing:
        """Hear the sound once, and write text token by token."""
        return self.decoder.start(*self.encoder(x_BTF, frames_B))

    def alignment(self, x_BTF: Tensor, frames_B: Tensor, tokens_BL: Tensor) -> list[Tensor]:
        """Where each token of a text looks in the sound: a B×H×L×S a layer."""
        return self.decoder.alignment(tokens_BL, *self.encoder(x_BTF, frames_B))


class SpeechConfig(Config):
    """Speech to text: an encoder, and one of two decoders."""

    kind: Literal["speech"] = "speech"
    decoder: Kind = "attention"
    """what reads the text written so far: an LSTM, or causal self-attention"""
    width: Size = 200
    """width of every layer (D)"""
    heads: Size = 2
    """attention heads; they divide the width between them"""
    blocks: Size = 2
    """blocks of self-attention and feed-forward in the encoder"""
    feedforward: Size = 400
    """inner width of the encoder's feed-forward layers"""
    layers: Size = 1
    """layers of the decoder: an LSTM or self-attention, and cross-attention, each"""
    stride: Size = 2
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
        D, H, p = self.width, self.heads, self.dropout
        return SpeechModel(
            SpeechEncoder(bands, D, H, self.blocks, self.feedforward, p, self.stride),
            SpeechDecoder(self.decoder, symbols, D, H, self.layers, p),
        )
