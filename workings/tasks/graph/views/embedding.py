"""The states of nodes: what the last layer of a graph network sees of each."""

# N nodes, D width

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.nn.graph import GAT, GCN, GGNN, MLP
from workings.tasks.embedding import before_output


@torch.no_grad()
def node_states(model: nn.Module, inputs: tuple[object, ...]) -> Tensor:
    """N×D: the hidden layer below the output; what the model gives, where there is none."""
    if isinstance(model, GGNN):
        return before_output(model, *inputs)
    if isinstance(model, GCN | GAT) and len(model.layers) > 1:
        below_ND = _without_last(model, "layers")(*inputs)
        return F.elu(below_ND) if isinstance(model, GAT) else below_ND.relu()
    if isinstance(model, MLP) and len(model.W) > 1:
        return _without_last(model, "W", "b")(*inputs).relu()
    return model(*inputs)


def _without_last(model: nn.Module, *lists: str) -> nn.Module:
    """The same network and weights, its last layer left out."""
    below = copy.copy(model)
    below._modules = dict(model._modules)
    for name in lists:
        every = model._modules[name]
        assert isinstance(every, nn.ModuleList | nn.ParameterList)
        below._modules[name] = type(every)(list(every)[:-1])
    return below
