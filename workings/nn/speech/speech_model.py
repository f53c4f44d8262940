"""Speech to characters: one encoder, and a recurrent or an attention decoder."""

# B batch, T frames, F bands, L tokens, S encoded frames, H heads, V symbols

from torch import Tensor, nn

from workings.nn.speech.decoders import DecoderKind, SpeechDecoder, Writing
from workings.nn.speech.encoder import SpeechEncoder


class SpeechModel(nn.Module):
    """P(token_l | tokens before it, sound) = softmax(decoder(tokens_{<l}, encoder(sound))).

    symbols, bands: V and F. decoder: what reads the text written so far, an LSTM ("recurrent") or
    causal self-attention ("attention"). width: of every layer, even; heads: they divide it.
    blocks: of self-attention and feed-forward in the encoder; feedforward: their inner width.
    layers: of the decoder. stride: the frames that become one in the encoder's second convolution.
    dropout: the probability of dropping a unit of what a layer adds.

    Shapes: x_BTF features, frames_B of each, tokens_BL; returns logits B×L×V of the token after
    each.
    """

    def __init__(
        self,
        symbols: int,
        bands: int,
        decoder: DecoderKind = "attention",
        width: int = 200,
        heads: int = 2,
        blocks: int = 2,
        feedforward: int = 400,
        layers: int = 1,
        stride: int = 2,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.encoder = SpeechEncoder(bands, width, heads, blocks, feedforward, dropout, stride)
        self.decoder = SpeechDecoder(decoder, symbols, width, heads, layers, dropout)

    def forward(self, x_BTF: Tensor, frames_B: Tensor, tokens_BL: Tensor) -> Tensor:
        return self.decoder(tokens_BL, *self.encoder(x_BTF, frames_B))

    def start(self, x_BTF: Tensor, frames_B: Tensor) -> Writing:
        """Hear the sound once, and write text token by token."""
        return self.decoder.start(*self.encoder(x_BTF, frames_B))

    def alignment(self, x_BTF: Tensor, frames_B: Tensor, tokens_BL: Tensor) -> list[Tensor]:
        """Where each token of a text looks in the sound: a B×H×L×S a layer."""
        return self.decoder.alignment(tokens_BL, *self.encoder(x_BTF, frames_B))
