"""Long short-term memory (Hochreiter and Schmidhuber, 1997), through torch.nn.LSTM."""

from typing import Literal

import torch
from torch import nn

from workings.nn.recurrent import RecurrentConfig


def lstm(inputs: int, hidden: int, forget_bias: float) -> nn.LSTM:
    """One layer: i, f, o = σ(·), g = tanh(·), c_t = f ⊙ c_{t-1} + i ⊙ g, h_t = o ⊙ tanh(c_t).

    Shapes: x_TBd and (h_1BD, c_1BD); returns h_TBD and the last (h, c).
    """
    layer = nn.LSTM(inputs, hidden)
    with torch.no_grad():
        for name, weight in layer.named_parameters():
            if "bias" in name:
                weight.zero_()
            # A gate that starts open lets the gradient through from the first step on.
            if name == "bias_ih_l0":
                weight[hidden : 2 * hidden] = forget_bias  # gates stand in the order i f g o
    return layer


class LSTMConfig(RecurrentConfig):
    """LSTM language model."""

    kind: Literal["lstm"] = "lstm"
    forget_bias: float = 1.0
    """the forget gate's bias before training"""

    def layer(self, inputs: int, hidden: int) -> nn.Module:
        return lstm(inputs, hidden, self.forget_bias)
