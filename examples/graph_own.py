"""A graph network of one's own: each node adds the mean of its neighbours to itself (GraphSAGE).

    workings train graph --data karate --set model.kind=graph_own:MeanOfNeighbours \
        --set model.args.hidden=16 --set train.decay_on=all

The task builds `MeanOfNeighbours(features=…, classes=…, hidden=16)`.
"""

# N nodes, E edges in both directions, F features

import torch
from torch import Tensor, nn


class MeanOfNeighbours(nn.Module):
    """Called with features N×F, edges 2×E (from, to) and any weights E; gives logits N×classes."""

    def __init__(self, features: int, classes: int, hidden: int = 16) -> None:
        super().__init__()
        self.own = nn.Linear(features, hidden)
        self.neighbours = nn.Linear(features, hidden, bias=False)
        self.output = nn.Linear(hidden, classes)

    def forward(self, x_NF: Tensor, edges_2E: Tensor, weight_E: Tensor | None = None) -> Tensor:
        source_E, target_E = edges_2E
        weight_E1 = torch.ones_like(x_NF[source_E, :1]) if weight_E is None else weight_E[:, None]
        sum_NF = torch.zeros_like(x_NF).index_add(0, target_E, x_NF[source_E] * weight_E1)
        total_N1 = torch.zeros_like(x_NF[:, :1]).index_add(0, target_E, weight_E1)
        mean_NF = sum_NF / total_N1.clamp(min=1e-9)
        return self.output((self.own(x_NF) + self.neighbours(mean_NF)).relu())
