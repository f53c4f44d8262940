"""A summariser of one's own: a GRU writes, and sees the source as the mean of its tokens.

    workings train summary --data code --set model.kind=summary_own:MeanReader \
        --set model.args.width=32

The task builds `MeanReader(types=…, outputs=…, kinds=…, width=32)`. It reads no edges and copies
nothing: something to improve on.
"""

# B snippets, S tokens, L words, D width, V words that can be written, X with those to be copied

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class MeanReader(nn.Module):
    """Called with the source and the words so far B×L; gives log P of the next word, B×L×X."""

    def __init__(self, types: int, outputs: int, kinds: int, width: int = 32) -> None:
        super().__init__()
        self.embedding = nn.Embedding(types, width)
        self.write = nn.GRU(width, width, batch_first=True)
        self.output = nn.Linear(width, outputs)

    def forward(self, source, words_BL: Tensor) -> Tensor:
        # A short snippet is padded: what lies beyond its tokens must not be read.
        tokens_BSD = self.embedding(source.tokens_BS) * source.inside_BS[..., None]
        mean_BD = tokens_BSD.sum(1) / source.lengths_B[:, None]
        hidden_BLD, _ = self.write(self.embedding(words_BL), mean_BD[None].contiguous())
        log_BLV = self.output(hidden_BLD).log_softmax(2)
        # A word that can only be copied is never written.
        return F.pad(log_BLV, (0, source.extended - log_BLV.shape[2]), value=-torch.inf)
