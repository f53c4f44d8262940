"""The two decoders of the speech model: what is between them and the sound is the same."""

# B batch, L tokens, S encoded frames, D width, V symbols, H heads

from typing import Literal

import torch
from torch import Tensor, nn

from workings.nn.attention.heads import KeyValueCache
from workings.nn.attention.softmax import Attention
from workings.nn.dropout import Dropout
from workings.nn.recurrent.lstm import LSTM, State
from workings.nn.speech.encoder import inside
from workings.nn.speech.positions import sinusoids
from workings.nn.speech.residual import Residual

DecoderKind = Literal["recurrent", "attention"]


class Memory:
    """What one layer remembers while text is written: of its tokens, and of the sound."""

    def __init__(self) -> None:
        self.state: State | None = None  # of a recurrent layer: (h, c)
        self.tokens: KeyValueCache | None = None  # of an attention layer
        self.sound = KeyValueCache(1)

    def pick(self, rows: Tensor) -> None:
        """Go on with these rows of the batch, in this order; a row may come more than once."""
        if self.state is not None:
            h_BD, c_BD = self.state
            self.state = (h_BD[rows], c_BD[rows])
        if self.tokens is not None:
            self.tokens.memory = [x[rows] for x in self.tokens.memory]
        self.sound.memory = [x[rows] for x in self.sound.memory]


class DecoderLayer(nn.Module):
    """What has been written, then what is heard.

    recurrent: y = LSTM(x);  attention: y = LN(x + SelfAttention(LN(x))), causal;
    both: LN(y + CrossAttention(LN(y), sound)).

    Shapes: x_BLD, sound_BSD; returns B×L×D.
    """

    def __init__(self, kind: DecoderKind, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        if kind == "recurrent":
            self.lstm = LSTM(width, width)
        else:
            self.attention = Attention(width, heads, bias=True, causal=True)
            self.around_attention = Residual(width, dropout)
        self.recurrent = kind == "recurrent"
        self.cross = Attention(width, heads, bias=True, context_width=width)
        self.around_cross = Residual(width, dropout)

    def written(self, x_BLD: Tensor, memory: Memory | None = None) -> Tensor:
        """The part that sees the tokens alone."""
        if self.recurrent and memory:  # one token: its own step costs less than torch's LSTM
            h_BD, memory.state = self.lstm.step(self.lstm.project(x_BLD[:, 0]), memory.state)
            return h_BD[:, None]
        if self.recurrent:
            return self.lstm(x_BLD.transpose(0, 1))[0].transpose(0, 1)
        if memory and memory.tokens is None:
            memory.tokens = self.attention.new_cache()
        cache = memory.tokens if memory else None
        return self.around_attention(x_BLD, lambda x: self.attention(x, cache=cache))

    def forward(
        self, x_BLD: Tensor, sound_BSD: Tensor, mask: Tensor | None, memory: Memory | None = None
    ) -> Tensor:
        cache = memory.sound if memory else None
        return self.around_cross(
            self.written(x_BLD, memory),
            lambda x: self.cross(x, sound_BSD, mask=mask, cache=cache),
        )

    def alignment(self, x_BLD: Tensor, sound_BSD: Tensor, mask: Tensor | None) -> Tensor:
        """The weights of the cross-attention, B×H×L×S."""
        x_BLD = self.around_cross.before(self.written(x_BLD))
        return self.cross.weights(x_BLD, sound_BSD, mask=mask)


class SpeechDecoder(nn.Module):
    """The text so far and the sound, to the logits of the next token.

    recurrent: x = LN(L[tokens]);  attention: x = L[tokens] + positions;
    both: LN(layers(x, sound)) U + b.

    Shapes: tokens_BL, sound_BSD and S of each row; returns logits B×L×V.
    """

    def __init__(
        self, kind: DecoderKind, symbols: int, width: int, heads: int, layers: int, dropout: float
    ) -> None:
        super().__init__()
        self.kind, self.width = kind, width
        self.embedding = nn.Embedding(symbols, width)
        if kind == "recurrent":
            self.norm_embedding = nn.LayerNorm(width)
        else:
            nn.init.normal_(self.embedding.weight, std=0.5)  # about as large as the positions
        self.layers = nn.ModuleList(
            DecoderLayer(kind, width, heads, dropout) for _ in range(layers)
        )
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, symbols)
        self.dropout = Dropout(dropout)

    def embed(self, tokens_BL: Tensor, start: int = 0) -> Tensor:
        """What the first layer sees, B×L×D, of tokens of which the first is number `start`."""
        x_BLD = self.embedding(tokens_BL)
        if self.kind == "recurrent":
            return self.dropout(self.norm_embedding(x_BLD))
        return self.dropout(x_BLD + sinusoids(start, x_BLD.shape[1], self.width, x_BLD))

    def forward(self, tokens_BL: Tensor, sound_BSD: Tensor, lengths_B: Tensor) -> Tensor:
        mask = sound_mask(sound_BSD, lengths_B)
        x_BLD = self.embed(tokens_BL)
        for layer in self.layers:
            x_BLD = layer(x_BLD, sound_BSD, mask)
        return self.output(self.norm(x_BLD))

    def start(self, sound_BSD: Tensor, lengths_B: Tensor) -> "Writing":
        """Begin to write, token by token."""
        return Writing(self, sound_BSD, lengths_B)

    @torch.no_grad()
    def alignment(self, tokens_BL: Tensor, sound_BSD: Tensor, lengths_B: Tensor) -> list[Tensor]:
        """Every layer's cross-attention, B×H×L×S each."""
        mask = sound_mask(sound_BSD, lengths_B)
        x_BLD, weights = self.embed(tokens_BL), []
        for layer in self.layers:
            assert isinstance(layer, DecoderLayer)
            weights.append(layer.alignment(x_BLD, sound_BSD, mask))
            x_BLD = layer(x_BLD, sound_BSD, mask)
        return weights


def sound_mask(sound_BSD: Tensor, lengths_B: Tensor) -> Tensor | None:
    """Where the cross-attention may look; None: everywhere."""
    S = sound_BSD.shape[1]
    return None if bool((lengths_B == S).all()) else inside(S, lengths_B)[:, None, None]


class Writing:
    """A text being written: one call a token; what came before is remembered, not recomputed."""

    def __init__(self, decoder: SpeechDecoder, sound_BSD: Tensor, lengths_B: Tensor) -> None:
        self.decoder, self.sound = decoder, sound_BSD
        self.mask = sound_mask(sound_BSD, lengths_B)
        self.memories = [Memory() for _ in decoder.layers]
        self.length = 0

    @torch.no_grad()
    def step(self, tokens_B: Tensor) -> Tensor:
        """Logits of the token after these, B×V."""
        x_B1D = self.decoder.embed(tokens_B[:, None], self.length)
        self.length += 1
        for layer, memory in zip(self.decoder.layers, self.memories, strict=True):
            x_B1D = layer(x_B1D, self.sound, self.mask, memory)
        return self.decoder.output(self.decoder.norm(x_B1D))[:, 0]

    def pick(self, rows: Tensor) -> None:
        """Go on with these rows of the batch, which a beam search keeps."""
        for memory in self.memories:
            memory.pick(rows)
        self.sound = self.sound[rows]
        self.mask = None if self.mask is None else self.mask[rows]
