"""A model's weights by name, each once, and loading them."""

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError


def weights(model: nn.Module) -> dict[str, Tensor]:
    """Parameters and buffers by name; a tied one only under its first name."""
    seen: set[int] = set()
    found = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        if id(tensor) not in seen:
            seen.add(id(tensor))
            found[name] = tensor.detach().contiguous()
    return found


@torch.no_grad()
def load_weights(model: nn.Module, tensors: dict[str, Tensor]) -> None:
    """Copy tensors into the model; what does not fit is named."""
    own = weights(model)
    for name in sorted(own.keys() ^ tensors.keys()):
        side = "the model" if name in own else "the checkpoint"
        raise WorkingsError(f"the checkpoint does not fit the model: only {side} has {name!r}")
    for name, tensor in tensors.items():
        if own[name].shape != tensor.shape:
            raise WorkingsError(
                f"the checkpoint does not fit the model: {name!r} is {tuple(tensor.shape)} there "
                f"and {tuple(own[name].shape)} here"
            )
    state = model.state_dict(keep_vars=True)
    for name, tensor in tensors.items():
        state[name].copy_(tensor)
