"""The attention language model: a causal decoder with pre-norm blocks."""

# B batch, T time, D width, H heads, V vocabulary

from collections.abc import Callable
from typing import Any, Literal

import torch
import torch.nn.functional as F
from pydantic import Field, model_validator
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.nn.attention.heads import MultiHead
from workings.nn.attention.softmax import Attention
from workings.nn.attention.taylor.layer import TaylorAttention
from workings.nn.language import LanguageModel
from workings.nn.loss import linear_cross_entropy
from workings.nn.sampled import sampled_cross_entropy
from workings.schema import Config, Count, Probability, Size

State = tuple[int, list[Any]]  # tokens of the block so far, and every layer's cache of them


class Block(nn.Module):
    """x + Attention(LN(x)), then x + W_2 GELU(W_1 LN(x))."""

    def __init__(self, config: "AttentionConfig") -> None:
        super().__init__()
        D, inner = config.width, config.feedforward * config.width
        self.norm_1, self.norm_2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.attention: MultiHead = config.head()
        self.inner, self.outer = nn.Linear(D, inner), nn.Linear(inner, D)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x_BTD: Tensor, cache: Any = None) -> Tensor:
        x_BTD = x_BTD + self.dropout(self.attention(self.norm_1(x_BTD), cache=cache))
        z_BTD = self.outer(F.gelu(self.inner(self.norm_2(x_BTD))))
        return x_BTD + self.dropout(z_BTD)


class Decoder(LanguageModel):
    """Tokens plus positions, blocks of causal attention and feed-forward, LN, tied output.

    Text is read in blocks of `context` tokens: a token sees those before it in its block, and
    its position is its place there. So a value does not depend on how a text is cut into windows.

    Shapes: x_BT token ids; returns logits B×T×V and the state after the last token.
    """

    def __init__(self, vocabulary: int, config: "AttentionConfig") -> None:
        super().__init__()
        self.context = config.context
        self.embedding = nn.Embedding(vocabulary, config.width)
        self.positions = nn.Embedding(config.context, config.width)
        self.dropout = nn.Dropout(config.dropout_embedding)
        self.dropout_output = nn.Dropout(config.dropout_output)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width)
        self.output = nn.Linear(config.width, vocabulary)
        self.kept, self.sampled = config.softmax_kept, config.softmax_sampled
        self.apply(_init)
        for name, weight in self.named_parameters():
            if name.endswith(("attention.output.weight", "outer.weight")):
                # Each block adds twice to the stream: its variance at the top stays that of one.
                nn.init.normal_(weight, std=0.02 * (2 * config.layers) ** -0.5)
        if config.tied:
            self.output.weight = self.embedding.weight

    def features(self, x_BT: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """h_BTD, what the output layer sees, and the state after the last token."""
        start, caches = state or (0, [])
        B, T = x_BT.shape
        first = min(T, self.context - start) if start else 0
        whole = (T - first) // self.context * self.context
        parts: list[Tensor] = []
        if first:  # the rest of the block that was begun before
            if torch.is_grad_enabled():
                raise WorkingsError(
                    f"train.window: must be a multiple of model.context = {self.context}, the "
                    "tokens that are read as a block"
                )
            parts.append(self.block(x_BT[:, :first], start, caches))
        if whole:  # blocks see nothing of each other: all at once, as rows of a batch
            x = x_BT[:, first : first + whole].reshape(-1, self.context)
            parts.append(self.block(x, 0, []).view(B, whole, -1))
        if first + whole < T:
            caches = [] if torch.is_grad_enabled() else self.caches()
            parts.append(self.block(x_BT[:, first + whole :], 0, caches))
        h_BTD = parts[0] if len(parts) == 1 else torch.cat(parts, 1)
        return self.dropout_output(self.norm(h_BTD)), ((start + T) % self.context, caches)

    def block(self, x_BT: Tensor, start: int, caches: list[Any]) -> Tensor:
        """Tokens of one block, from that place in it on; the caches take them in."""
        places = torch.arange(start, start + x_BT.shape[1], device=x_BT.device)
        h_BTD = self.dropout(self.embedding(x_BT) + self.positions(places))
        for depth, layer in enumerate(self.blocks):
            h_BTD = layer(h_BTD, caches[depth] if caches else None)
        return h_BTD

    def caches(self) -> list[Any]:
        return [layer.attention.new_cache() for layer in self.layers()]

    def layers(self) -> list[Block]:
        return [layer for layer in self.blocks if isinstance(layer, Block)]

    def weights(self, x_T: Tensor) -> list[Tensor]:
        """Every layer's attention to the tokens of one block, H×T×T each."""
        h_BTD = self.embedding(x_T[None]) + self.positions(torch.arange(len(x_T)))
        found = []
        for layer in self.layers():
            found.append(layer.attention.weights(layer.norm_1(h_BTD))[0])
            h_BTD = layer(h_BTD)
        return found

    def forward(self, x_BT: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        h_BTD, state = self.features(x_BT, state)
        return self.output(h_BTD), state

    def loss(self, x_BT: Tensor, y_BT: Tensor, state: State | None) -> tuple[Tensor, State]:
        h_BTD, state = self.features(x_BT, state)
        h_ND, y_N = h_BTD.flatten(0, 1), y_BT.flatten()
        U, b = self.output.weight, self.output.bias
        if self.training and self.sampled:
            return sampled_cross_entropy(h_ND, U, b, y_N, self.kept, self.sampled), state
        return linear_cross_entropy(h_ND, U, b, y_N), state

    def stepper(self, tokens: int) -> Callable[[Tensor], Tensor]:
        state: State | None = None

        def step(x_B: Tensor) -> Tensor:
            nonlocal state
            h_BTD, state = self.features(x_B[:, None], state)
            return self.output(h_BTD[:, -1])

        return step


def _init(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)


class AttentionConfig(Config):
    """Attention language model: a causal decoder."""

    kind: Literal["attention"] = "attention"
    attention: Literal["softmax", "taylor"] = "softmax"
    """taylor: the exponential's series to the given order, linear in the length of a block"""
    order: int = Field(default=2, ge=1)
    """highest power of the series"""
    width: Size = 256
    """width of the word vectors and of every layer (D)"""
    heads: Size = 4
    """attention heads; they divide the width between them"""
    layers: Size = 4
    """blocks of attention and feed-forward"""
    feedforward: Size = 4
    """inner width of the feed-forward layers, as a multiple of the width"""
    context: Size = 128
    """tokens in a block: the text is read in blocks, and a token sees those before it in its own"""
    tied: bool = True
    """use the embedding as the output weights"""
    dropout: Probability = 0.0
    """probability of dropping a unit of what a layer adds"""
    dropout_embedding: Probability = 0.0
    """probability of dropping a unit of the embedding"""
    dropout_output: Probability = 0.0
    """probability of dropping a unit of what the output layer sees"""
    softmax_sampled: Count = 0
    """train with this many types drawn at random in the softmax; 0: all. Evaluation is exact"""
    softmax_kept: Count = 1000
    """the most frequent types, always in a sampled softmax"""

    @model_validator(mode="after")
    def _heads(self) -> "AttentionConfig":
        if self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of heads {self.heads}")
        return self

    def head(self) -> MultiHead:
        """The attention of one block."""
        if self.attention == "taylor":
            return TaylorAttention(self.width, self.heads, order=self.order, causal=True)
        return Attention(self.width, self.heads, causal=True)

    def build(self, vocabulary: int) -> nn.Module:
        return Decoder(vocabulary, self)
