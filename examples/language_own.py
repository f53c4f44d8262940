"""A language model of one's own: a fading memory, h_t = a h_{t-1} + (1 - a) e_t with a learned a.

    workings train language --data book.txt --set model.kind=language_own:FadingMemory \
        --set model.args.width=64

The task builds `FadingMemory(vocabulary=…, width=64)` and carries the state from window to window.
"""

# B batch, T time, D width, V vocabulary

import torch
from torch import Tensor, nn


class FadingMemory(nn.Module):
    """Called with tokens B×T and a state or None; gives logits B×T×V and the state after."""

    def __init__(self, vocabulary: int, width: int = 64) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.fade = nn.Parameter(torch.zeros(width))
        self.output = nn.Linear(width, vocabulary)

    def forward(self, tokens_BT: Tensor, state_BD: Tensor | None) -> tuple[Tensor, Tensor]:
        e_BTD = self.embedding(tokens_BT)
        h_BD = torch.zeros_like(e_BTD[:, 0]) if state_BD is None else state_BD
        a_D = self.fade.sigmoid()
        hidden = []
        for e_BD in e_BTD.unbind(1):
            h_BD = a_D * h_BD + (1 - a_D) * e_BD
            hidden.append(h_BD)
        return self.output(torch.stack(hidden, 1)), h_BD
