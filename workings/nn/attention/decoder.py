"""The attention language model: a causal decoder with pre-norm blocks."""

# B batch, T time, D width, H heads, V vocabulary

from collections.abc import Callable
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.nn.attention.heads import Cache, MultiHead
from workings.nn.attention.softmax import Attention
from workings.nn.attention.taylor.layer import TaylorAttention
from workings.nn.language import LanguageModel

State = tuple[int, list[Cache]]  # tokens of the block so far, and every layer's cache of them


class Block(nn.Module):
    """y = x + Attention(LN(x)), then y + W_2 GELU(W_1 LN(y)), the W with biases.

    attention: of width D; inner: the units between W_1 and W_2; dropout: the probability of
    dropping a unit of what is added to x.

    Shapes: x_BTD, returns B×T×D.
    """

    def __init__(self, attention: MultiHead, inner: int, dropout: float = 0.0) -> None:
        super().__init__()
        D = attention.width
        self.norm_1, self.norm_2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.attention = attention
        self.inner, self.outer = nn.Linear(D, inner), nn.Linear(inner, D)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x_BTD: Tensor, cache: Cache | None = None) -> Tensor:
        x_BTD = x_BTD + self.dropout(self.attention(self.norm_1(x_BTD), cache=cache))
        z_BTD = self.outer(F.gelu(self.inner(self.norm_2(x_BTD))))
        return x_BTD + self.dropout(z_BTD)


class AttentionLanguageModel(LanguageModel[State]):
    """h = L[x] + P, then blocks of causal attention and feed-forward, ŷ = softmax(LN(h) U + b).

    Text is read in blocks of `context` tokens: a token sees those before it in its block, and its
    position is counted from the block's start. So a value does not depend on how a text is cut
    into windows.

    vocabulary: the number of types V; width: of the word vectors and of every layer (D); heads:
    they divide the width between them; layers: blocks of attention and feed-forward; context:
    the tokens of a block.
    attention: "softmax", or "taylor" with the exponential's series to `order`.
    feedforward: the inner width, as a multiple of the width. tied: U = Lᵀ.
    dropout, dropout_embedding, dropout_output: probabilities of dropping a unit of what a layer
    adds, of the embedding, and of what the output layer sees.
    softmax_sampled, softmax_kept: as in `LanguageModel`.

    Shapes: x_BT token ids; returns logits B×T×V and the state after the last token.
    """

    def __init__(
        self,
        vocabulary: int,
        width: int = 256,
        heads: int = 4,
        layers: int = 4,
        context: int = 128,
        attention: Literal["softmax", "taylor"] = "softmax",
        order: int = 2,
        *,
        feedforward: int = 4,
        tied: bool = True,
        dropout: float = 0.0,
        dropout_embedding: float = 0.0,
        dropout_output: float = 0.0,
        softmax_sampled: int = 0,
        softmax_kept: int = 1000,
    ) -> None:
        super().__init__(softmax_sampled, softmax_kept)

        def causal() -> MultiHead:
            if attention == "taylor":
                return TaylorAttention(width, heads, causal=True, order=order)
            return Attention(width, heads, causal=True)

        self.context = context
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(context, width)
        self.dropout = nn.Dropout(dropout_embedding)
        self.dropout_output = nn.Dropout(dropout_output)
        self.blocks = nn.ModuleList(
            Block(causal(), feedforward * width, dropout) for _ in range(layers)
        )
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, vocabulary)
        self.apply(_init)
        for name, weight in self.named_parameters():
            if name.endswith(("attention.output.weight", "outer.weight")):
                # Each block adds twice to the stream: its variance at the top stays that of one.
                nn.init.normal_(weight, std=0.02 * (2 * layers) ** -0.5)
        if tied:
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

    def block(self, x_BT: Tensor, start: int, caches: list[Cache]) -> Tensor:
        """h_BTD of tokens of one block, the first of them at `start`; the caches take them in."""
        positions_T = torch.arange(start, start + x_BT.shape[1], device=x_BT.device)
        h_BTD = self.dropout(self.embedding(x_BT) + self.positions(positions_T))
        for depth, layer in enumerate(self.blocks):
            h_BTD = layer(h_BTD, caches[depth] if caches else None)
        return h_BTD

    def caches(self) -> list[Cache]:
        """An empty cache for every layer."""
        return [layer.attention.new_cache() for layer in self.layers()]

    def layers(self) -> list[Block]:
        """The blocks, the lowest first."""
        return [layer for layer in self.blocks if isinstance(layer, Block)]

    def weights(self, x_T: Tensor) -> list[Tensor]:
        """Every layer's attention to the tokens of one block, H×T×T each."""
        h_BTD = self.embedding(x_T[None]) + self.positions(torch.arange(len(x_T)))
        weights = []
        for layer in self.layers():
            weights.append(layer.attention.weights(layer.norm_1(h_BTD))[0])
            h_BTD = layer(h_BTD)
        return weights

    def forward(self, x_BT: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        h_BTD, state = self.features(x_BT, state)
        return self.output(h_BTD), state

    def loss(self, x_BT: Tensor, y_BT: Tensor, state: State | None) -> tuple[Tensor, State]:
        h_BTD, state = self.features(x_BT, state)
        return self.cross_entropy(h_BTD.flatten(0, 1), y_BT.flatten()), state

    def losses(self, x_BT: Tensor, y_BT: Tensor, state: State | None) -> tuple[Tensor, State]:
        h_BTD, state = self.features(x_BT, state)
        return self.cross_entropies(h_BTD.flatten(0, 1), y_BT.flatten()).view(y_BT.shape), state

    def stepper(self, tokens: int) -> Callable[[Tensor], Tensor]:
        state: State | None = None

        def step(x_B: Tensor) -> Tensor:
            nonlocal state
            h_BTD, state = self.features(x_B[:, None], state)
            return self.output(h_BTD[:, -1])

        return step


def _init(module: nn.Module) -> None:
    """Normal weights of deviation 0.02, zero biases."""
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)
