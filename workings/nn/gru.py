"""Gated recurrent unit (Cho et al., 2014), through torch.nn.GRU."""

from typing import Literal

from torch import nn

from workings.nn.recurrent import RecurrentConfig


class GRUConfig(RecurrentConfig):
    """GRU language model: h_t = (1-z) ⊙ n + z ⊙ h_{t-1}, with update gate z and candidate n."""

    kind: Literal["gru"] = "gru"

    def layer(self, inputs: int, hidden: int) -> nn.Module:
        return nn.GRU(inputs, hidden)
