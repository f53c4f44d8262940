"""Small modules that statements of the book are about."""

import torch
from torch import Tensor, nn


class Concatenate(nn.Module):
    """The outputs of h heads side by side: n × d/h each, n × d together."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.heads = heads

    def forward(self, x_nd: Tensor) -> Tensor:
        return torch.cat(x_nd.chunk(self.heads, 1), 1)


# The names by which claims call them: a file may name these without being trusted.
MODULES: dict[str, type[nn.Module]] = {"book:concatenate": Concatenate}
