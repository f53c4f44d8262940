"""A speech model of one's own: a GRU writes, and sees the sound as the mean of its frames.

    workings train speech --data recordings --set model.kind=speech_own:MeanListener \
        --set model.args.width=32

The task builds `MeanListener(symbols=…, bands=…, width=32)`. With one mean for a whole clip it can
tell which sounds there are, and not their order: something to improve on.
"""

# B clips, T frames, F bands, L tokens, D width, V symbols

import torch
from torch import Tensor, nn


class MeanListener(nn.Module):
    """Called with features B×T×F, their lengths B and the tokens so far B×L; gives logits B×L×V."""

    def __init__(self, symbols: int, bands: int, width: int = 32) -> None:
        super().__init__()
        self.listen = nn.Linear(bands, width)
        self.embedding = nn.Embedding(symbols, width)
        self.write = nn.GRU(width, width, batch_first=True)
        self.output = nn.Linear(width, symbols)

    def forward(self, x_BTF: Tensor, frames_B: Tensor, tokens_BL: Tensor) -> Tensor:
        # A short clip is padded: what lies beyond its frames must not be heard.
        real_BT = torch.arange(x_BTF.shape[1], device=x_BTF.device) < frames_B[:, None]
        heard_BTD = self.listen(x_BTF).relu() * real_BT[..., None]
        mean_BD = heard_BTD.sum(1) / frames_B[:, None]
        hidden_BLD, _ = self.write(self.embedding(tokens_BL), mean_BD[None])
        return self.output(hidden_BLD)
