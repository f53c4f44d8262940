"""An attention language model: tokens and those before to logits; torch alone.

Text is read in blocks of `context` tokens, which see nothing of each other. A full block's state
is begun anew here; where the model is ONNX, give it empty states after so many tokens.
"""

# B batch, T new tokens, P tokens before them, W width, H heads, D = W/H, V vocabulary

import math
from typing import TypedDict

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Attention(nn.Module):
    """softmax(Q Kᵀ/√D) V with heads, or with the exponential's series to an order.

    Shapes: x_BTW, keys and values B×H×P×D; returns B×T×W, and both with those of x, B×H×(P+T)×D.
    """

    def __init__(self, width: int, heads: int, order: int) -> None:
        super().__init__()
        self.heads, self.order = heads, order
        self.query = nn.Linear(width, width, bias=False)
        self.key_value = nn.Linear(width, 2 * width, bias=False)
        self.output = nn.Linear(width, width, bias=False)

    def forward(self, x_BTW: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        made = (self.query(x_BTW), *self.key_value(x_BTW).chunk(2, -1))
        q, k, v = (each.unflatten(-1, (self.heads, -1)).transpose(1, 2) for each in made)
        k, v = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        s = q @ k.mT * q.shape[-1] ** -0.5
        here = torch.arange(k.shape[2])
        seen = here[None, :] <= here[keys.shape[2] :, None]  # none looks ahead
        if self.order:
            terms = [s**n / math.factorial(n) for n in range(self.order + 1)]
            weights = torch.stack(terms).sum(0) * seen
            weights = weights / weights.sum(-1, keepdim=True)
        else:
            weights = s.masked_fill(~seen, -torch.inf).softmax(-1)
        return self.output((weights @ v).transpose(1, 2).flatten(-2)), k, v


class Block(nn.Module):
    """y = x + Attention(LN(x)), then y + W_2 GELU(W_1 LN(y)).

    Shapes: as of `Attention`.
    """

    def __init__(self, width: int, heads: int, order: int, inner: int) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, order)
        self.inner, self.outer = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x_BTW: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        y_BTW, keys, values = self.attention(self.norm_1(x_BTW), keys, values)
        x_BTW = x_BTW + y_BTW
        return x_BTW + self.outer(F.gelu(self.inner(self.norm_2(x_BTW)))), keys, values


class Config(TypedDict):
    """The sizes of the model, as config.json has them."""

    kind: str
    vocabulary: int
    width: int
    heads: int
    layers: int
    context: int
    inner: int
    order: int


class Model(nn.Module):
    """Logits of the next token after each token, and the keys and values to go on with.

    config: vocabulary V, width W, heads H, layers, context (the tokens of a block), inner (width of
    the feed-forward layers), order (of the exponential's series; 0: softmax).

    Shapes: tokens_BT, P + T ≤ context; states B×H×P×D, keys and values layer by layer; returns
    logits B×T×V and the states after, B×H×(P+T)×D.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        width, heads = config["width"], config["heads"]
        self.shape, self.context = (heads, width // heads), config["context"]
        self.embedding = nn.Embedding(config["vocabulary"], width)
        self.positions = nn.Embedding(config["context"], width)
        self.blocks = nn.ModuleList(
            Block(width, heads, config["order"], config["inner"]) for _ in range(config["layers"])
        )
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, config["vocabulary"])

    def start(self, batch: int = 1) -> tuple[Tensor, ...]:
        """The state before a block: nothing read yet."""
        heads, width = self.shape
        return tuple(torch.zeros(batch, heads, 0, width) for _ in range(2 * len(self.blocks)))

    def forward(self, tokens_BT: Tensor, *states: Tensor) -> tuple[Tensor, ...]:
        P = states[0].shape[2]
        if self.context == P:
            P, states = 0, self.start(len(tokens_BT))
        here = torch.arange(P, P + tokens_BT.shape[1])
        h_BTW, after = self.embedding(tokens_BT) + self.positions(here), []
        for depth, block in enumerate(self.blocks):
            h_BTW, *read = block(h_BTW, states[2 * depth], states[2 * depth + 1])
            after += read
        return self.output(self.norm(h_BTW)), *after
