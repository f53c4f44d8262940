"""The recurrent language model: embedding, recurrent layers, output layer."""

# B batch, T time, d embedding, D hidden, V vocabulary

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn

from workings.nn.dropout import Dropout, dropout_mask
from workings.nn.language import LanguageModel
from workings.nn.recurrent.cell import recurrent_layers
from workings.nn.recurrent.lstm import LSTM

State = list[object]  # one entry a layer: h for the simple RNN and the GRU, (h, c) for the LSTM


class RecurrentLanguageModel(LanguageModel[State]):
    """e_t = x_t L, h_t = layers(e_t, h_{t-1}), ŷ_t = softmax(h_t U + b2).

    vocabulary: the number of types V; embed: the width d of their vectors; hidden: the units D of
    a recurrent layer; layers: how many there are; cell: what makes one, `cell(inputs, hidden)`: a
    class such as `LSTM`, or any other `RecurrentLayer`.
    tied: U = Lᵀ, and the last layer has `embed` units.
    dropout_input, dropout_between, dropout_output: probabilities of dropping a unit of e, between
    two layers, and of the last h; dropout_locked: one mask for the whole window;
    dropout_types: probability of dropping a type, a row of L, wherever it is read in a window.
    init: the bound of the uniform L and U before training; 0: Glorot's.
    softmax_sampled, softmax_kept: as in `LanguageModel`.

    Shapes: x_BT token ids; returns logits B×T×V and the state after the last token.
    """

    def __init__(
        self,
        vocabulary: int,
        embed: int = 200,
        hidden: int = 200,
        layers: int = 1,
        cell: Callable[[int, int], nn.Module] = LSTM,
        *,
        tied: bool = False,
        dropout_input: float = 0.0,
        dropout_between: float = 0.0,
        dropout_output: float = 0.0,
        dropout_locked: bool = False,
        dropout_types: float = 0.0,
        init: float = 0.0,
        softmax_sampled: int = 0,
        softmax_kept: int = 1000,
    ) -> None:
        super().__init__(softmax_sampled, softmax_kept)
        widths = [embed] + [hidden] * (layers - 1) + [embed if tied else hidden]
        self.embedding = nn.Embedding(vocabulary, embed)
        self.layers = nn.ModuleList(cell(inputs, outputs) for inputs, outputs in pairwise(widths))
        self.output = nn.Linear(widths[-1], vocabulary)
        for weight in (self.embedding.weight, self.output.weight):
            if init:
                nn.init.uniform_(weight, -init, init)
            else:
                nn.init.xavier_uniform_(weight)
        nn.init.zeros_(self.output.bias)
        if tied:
            self.output.weight = self.embedding.weight
        self.dropout_types = dropout_types
        self.dropout_input = Dropout(dropout_input, dropout_locked)
        self.dropout_between = Dropout(dropout_between, dropout_locked)
        self.dropout_output = Dropout(dropout_output, dropout_locked)

    def features(self, x_BT: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """h_TBD, what the output layer sees, and the state after the last token."""
        h_TBD = self.dropout_input(self._embedded(x_BT.t()))
        after: State = []
        for depth, layer in enumerate(self.layers):
            if depth:
                h_TBD = self.dropout_between(h_TBD)
            h_TBD, last = layer(h_TBD, state[depth] if state else None)
            after.append(last)
        return self.dropout_output(h_TBD), after

    def _embedded(self, x_TB: Tensor) -> Tensor:
        e_TBd: Tensor = self.embedding(x_TB)
        if not self.training or self.dropout_types == 0:
            return e_TBd
        mask_V = dropout_mask((self.embedding.num_embeddings,), self.dropout_types, e_TBd)
        return e_TBd * mask_V[x_TB, None]

    def forward(self, x_BT: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        h_TBD, state = self.features(x_BT, state)
        return self.output(h_TBD).transpose(0, 1), state

    def loss(self, x_BT: Tensor, y_BT: Tensor, state: State | None) -> tuple[Tensor, State]:
        h_TBD, state = self.features(x_BT, state)
        return self.cross_entropy(h_TBD.flatten(0, 1), y_BT.t().flatten()), state

    def losses(self, x_BT: Tensor, y_BT: Tensor, state: State | None) -> tuple[Tensor, State]:
        h_TBD, state = self.features(x_BT, state)
        losses_N = self.cross_entropies(h_TBD.flatten(0, 1), y_BT.t().flatten())
        return losses_N.view(y_BT.t().shape).t(), state

    def stepper(self, tokens: int) -> "Stepper":
        return Stepper(self, tokens)


class Stepper:
    """The model one token at a time, for generation: token ids in, logits out, the state inside.

    What does not change is made beforehand: the output weights transposed and, when enough tokens
    are to come, every type's embedding projected by the first layer.
    """

    def __init__(self, model: RecurrentLanguageModel, tokens: int) -> None:
        self.layers = recurrent_layers(model.layers)
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
