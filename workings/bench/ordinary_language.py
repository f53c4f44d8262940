"""The language model and its loop as PyTorch tutorials write them: what ours is set against."""

# B batch, T time, V vocabulary

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.nn.layer_list import layers_of
from workings.nn.recurrent.language_model import RecurrentLanguageModel
from workings.nn.recurrent.rnn import RNN


class OrdinaryRNN(nn.Module):
    """nn.Embedding, a plain loop over the steps, nn.Linear."""

    def __init__(self, vocabulary: int, embed: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embed)
        self.input = nn.Linear(embed, hidden)
        self.recurrent = nn.Linear(hidden, hidden, bias=False)
        self.output = nn.Linear(hidden, vocabulary)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x_BT: Tensor, h_BD: Tensor | None = None) -> tuple[Tensor, Tensor]:
        e_BTd = self.dropout(self.embedding(x_BT))
        if h_BD is None:
            h_BD = e_BTd.new_zeros(len(x_BT), self.recurrent.in_features)
        states = []
        for e_Bd in e_BTd.unbind(1):
            h_BD = torch.sigmoid(self.recurrent(h_BD) + self.input(e_Bd))
            states.append(h_BD)
        return self.output(self.dropout(torch.stack(states, 1))), h_BD

    def copy(self, ours: RecurrentLanguageModel) -> None:
        """Take our model's weights, so that both sides compute the same."""
        (layer,) = layers_of(RNN, ours.layers)
        _copy(self.embedding.weight, ours.embedding.weight)
        _copy(self.input.weight, layer.I.t())
        _copy(self.input.bias, layer.b)
        _copy(self.recurrent.weight, layer.H.t())
        _copy(self.output.weight, ours.output.weight)
        _copy(self.output.bias, ours.output.bias)

    def named_as_ours(self) -> dict[str, Tensor]:
        """Gradients under the names, and in the shapes, of our model."""
        g = {name: p.grad for name, p in self.named_parameters() if p.grad is not None}
        return {
            "embedding.weight": g["embedding.weight"],
            "layers.0.H": g["recurrent.weight"].t(),
            "layers.0.I": g["input.weight"].t(),
            "layers.0.b": g["input.bias"],
            "output.weight": g["output.weight"],
            "output.bias": g["output.bias"],
        }


class OrdinaryLSTM(nn.Module):
    """nn.Embedding, nn.LSTM, nn.Linear."""

    def __init__(
        self, vocabulary: int, embed: int, hidden: int, dropout: float, layers: int
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embed)
        self.lstm = nn.LSTM(embed, hidden, layers, batch_first=True, dropout=dropout)
        self.output = nn.Linear(hidden, vocabulary)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x_BT: Tensor, state: object = None) -> tuple[Tensor, object]:
        h_BTD, state = self.lstm(self.dropout(self.embedding(x_BT)), state)
        return self.output(self.dropout(h_BTD)), state

    def copy(self, ours: RecurrentLanguageModel) -> None:
        """Take our model's weights, layer by layer, so that both sides compute the same."""
        _copy(self.embedding.weight, ours.embedding.weight)
        _copy(self.output.weight, ours.output.weight)
        _copy(self.output.bias, ours.output.bias)
        own = dict(self.lstm.named_parameters())
        for depth, layer in enumerate(ours.layers):
            for name, weight in layer.named_parameters():
                _copy(own[name.replace("_l0", f"_l{depth}")], weight)

    def named_as_ours(self) -> dict[str, Tensor]:
        """Gradients under the names of our model."""
        named = {}
        for name, parameter in self.named_parameters():
            if name.startswith("lstm."):
                weight, _, depth = name.removeprefix("lstm.").rpartition("_l")
                name = f"layers.{depth}.{weight}_l0"
            assert parameter.grad is not None
            named[name] = parameter.grad
        return named


@torch.no_grad()
def _copy(into: Tensor, source: Tensor) -> None:
    into.copy_(source)


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    batches: list[Tensor],
    autocast: bool = False,
) -> Callable[[], float]:
    """The ordinary loop, one step a call, the state carried and detached."""
    state: Tensor | tuple[Tensor, ...] | None = None
    number = 0

    def step() -> float:
        nonlocal state, number
        x_BT, y_BT = batches[number % (len(batches) - 1)], batches[number % (len(batches) - 1) + 1]
        number += 1
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            logits_BTV, state = model(x_BT, state)
            loss = F.cross_entropy(logits_BTV.flatten(0, 1), y_BT.flatten())
        assert state is not None
        state = tuple(s.detach() for s in state) if isinstance(state, tuple) else state.detach()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step
