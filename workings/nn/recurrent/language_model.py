"""The recurrent language model: embedding, recurrent layers, output layer."""

# B batch, T time, d embedding, D hidden, V vocabulary

from itertools import pairwise
from typing import Any

import torch
from pydantic import model_validator
from torch import Tensor, nn

from workings.nn.dropout import Dropout
from workings.nn.language import LanguageModel
from workings.nn.loss import linear_cross_entropy
from workings.nn.sampled import sampled_cross_entropy
from workings.schema import Config, Count, NonNegative, Probability, Size

State = list[Any]  # one entry a layer: h for the simple RNN and the GRU, (h, c) for the LSTM


class RecurrentLanguageModel(LanguageModel):
    """e_t = x_t L, h_t = layers(e_t, h_{t-1}), ŷ_t = softmax(h_t U + b2).

    Dropout on e (input), between layers, and on the last h (output). Tied: U = Lᵀ.

    Shapes: x_BT token ids; returns logits B×T×V and the state after the last token.
    """

    def __init__(self, vocabulary: int, config: "RecurrentConfig") -> None:
        super().__init__()
        sizes = config.sizes()
        self.embedding = nn.Embedding(vocabulary, config.embed)
        self.layers = nn.ModuleList(config.layer(i, o) for i, o in pairwise(sizes))
        self.output = nn.Linear(sizes[-1], vocabulary)
        for weight in (self.embedding.weight, self.output.weight):
            if config.init:
                nn.init.uniform_(weight, -config.init, config.init)
            else:
                nn.init.xavier_uniform_(weight)
        nn.init.zeros_(self.output.bias)
        if config.tied:
            self.output.weight = self.embedding.weight
        locked = config.dropout_locked
        self.dropout_input = Dropout(config.dropout_input, locked)
        self.dropout_between = Dropout(config.dropout_between, locked)
        self.dropout_output = Dropout(config.dropout_output, locked)
        self.kept, self.sampled = config.softmax_kept, config.softmax_sampled

    def features(self, x_BT: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """h_TBD, what the output layer sees, and the state after the last token."""
        h_TBD = self.dropout_input(self.embedding(x_BT.t()))
        after: State = []
        for depth, layer in enumerate(self.layers):
            if depth:
                h_TBD = self.dropout_between(h_TBD)
            h_TBD, last = layer(h_TBD, state[depth] if state else None)
            after.append(last)
        return self.dropout_output(h_TBD), after

    def forward(self, x_BT: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        h_TBD, state = self.features(x_BT, state)
        return self.output(h_TBD).transpose(0, 1), state

    def stepper(self, tokens: int) -> "Stepper":
        return Stepper(self, tokens)

    def loss(self, x_BT: Tensor, y_BT: Tensor, state: State | None) -> tuple[Tensor, State]:
        h_TBD, state = self.features(x_BT, state)
        h_ND, y_N = h_TBD.flatten(0, 1), y_BT.t().flatten()
        U, b2 = self.output.weight, self.output.bias
        if self.training and self.sampled:
            return sampled_cross_entropy(h_ND, U, b2, y_N, self.kept, self.sampled), state
        return linear_cross_entropy(h_ND, U, b2, y_N), state


class Stepper:
    """The model one token at a time, for generation: token ids in, logits out, the state inside.

    What can be made beforehand is: the output weights transposed, and, when enough tokens are to
    come, every type's embedding projected by the first layer.
    """

    def __init__(self, model: RecurrentLanguageModel, tokens: int) -> None:
        self.layers: list[Any] = list(model.layers)
        self.first = self.layers[0].project
        self.embedding = model.embedding.weight.detach()
        worth_it = tokens > len(self.embedding) // 10  # one large product is ten times as fast
        self.table = self.first(self.embedding) if worth_it else None
        self.U = model.output.weight.detach().t().contiguous()
        self.b2 = model.output.bias.detach()
        self.state: State = [None] * len(self.layers)

    def __call__(self, x_B: Tensor) -> Tensor:
        """Logits of the next token, B×V."""
        z = self.first(self.embedding[x_B]) if self.table is None else self.table[x_B]
        for depth, layer in enumerate(self.layers):
            h_BD, self.state[depth] = layer.step(z, self.state[depth])
            if depth + 1 < len(self.layers):
                z = self.layers[depth + 1].project(h_BD)
        return torch.addmm(self.b2, h_BD, self.U)


class RecurrentConfig(Config):
    """What the recurrent language models share."""

    embed: Size = 200
    """width of the word vectors (d)"""
    hidden: Size = 200
    """units in a recurrent layer (D)"""
    layers: Size = 1
    """recurrent layers"""
    tied: bool = False
    """use the embedding as the output weights; the last layer then has `embed` units"""
    dropout_input: Probability = 0.0
    """probability of dropping a unit of the embedding"""
    dropout_between: Probability = 0.0
    """probability of dropping a unit between layers"""
    dropout_output: Probability = 0.0
    """probability of dropping a unit of the last hidden layer"""
    dropout_locked: bool = False
    """one dropout mask for the whole window, instead of a fresh one at every step"""
    init: NonNegative = 0.0
    """bound of the uniform embedding and output weights before training; 0: Glorot's"""
    softmax_sampled: Count = 0
    """train with this many types drawn at random in the softmax; 0: all. Evaluation is exact"""
    softmax_kept: Count = 1000
    """the most frequent types, always in a sampled softmax"""

    @model_validator(mode="after")
    def _tied_sizes(self) -> "RecurrentConfig":
        if self.tied and self.layers == 1 and self.embed != self.hidden:
            raise ValueError(
                f"tied weights with one layer need embed = hidden (got {self.embed} and "
                f"{self.hidden}); set both alike, or layers = 2"
            )
        return self

    def sizes(self) -> list[int]:
        """Widths from the embedding to the last layer."""
        last = self.embed if self.tied else self.hidden
        return [self.embed] + [self.hidden] * (self.layers - 1) + [last]

    def layer(self, inputs: int, hidden: int) -> nn.Module:
        """One recurrent layer: called with x_TBd and a state or None, gives h_TBD and the state.

        For generation it has `project(x_Nd)` and `step(z, state)`, which together are one step.
        """
        raise NotImplementedError

    def build(self, vocabulary: int) -> nn.Module:
        return RecurrentLanguageModel(vocabulary, self)
