"""A model's weights by name, each once; loading them, and finding a run's best ones."""

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.run.folder.checkpoint import Checkpoints
from workings.run.folder.run_folder import RunFolder
from workings.run.progress import Progress


def weights(model: nn.Module) -> dict[str, Tensor]:
    """Parameters and buffers by name; a tied one only under its first name."""
    seen: set[int] = set()
    by_name = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        if id(tensor) not in seen:
            seen.add(id(tensor))
            by_name[name] = tensor.detach().contiguous()
    return by_name


@torch.no_grad()
def load_weights(model: nn.Module, tensors: dict[str, Tensor]) -> None:
    """Copy tensors into the model; what does not fit is named."""
    own = weights(model)
    for name in sorted(own.keys() ^ tensors.keys()):
        side = "the model" if name in own else "the checkpoint"
        raise WorkingsError(f"the checkpoint does not fit the model: only {side} has {name!r}")
    for name, tensor in tensors.items():
        if (own[name].shape, own[name].dtype) != (tensor.shape, tensor.dtype):
            raise WorkingsError(
                f"the checkpoint does not fit the model: {name!r} is {_kind(tensor)} in the "
                f"checkpoint and {_kind(own[name])} in the model"
            )
    state = model.state_dict(keep_vars=True)
    for name, tensor in tensors.items():
        state[name].copy_(tensor)


def _kind(tensor: Tensor) -> str:
    """`(3, 4)`, and the type of its numbers where that is not the usual one."""
    usual = tensor.dtype == torch.float32
    return f"{tuple(tensor.shape)}" + ("" if usual else f" of {tensor.dtype}")


def best_weights(where: RunFolder, progress: Progress) -> dict[str, Tensor]:
    """The best weights that a run has so far."""
    checkpoints = Checkpoints(where.path / "checkpoint", progress.warn)
    best = checkpoints.load_best()
    if best is not None:
        return best[0]
    if checkpoints.has_best():
        raise WorkingsError(
            f"{where.path}: its best weights are damaged (see above); train it again from "
            f"{where.path}/config.toml"
        )
    raise WorkingsError(
        f"{where.path}: has no evaluated weights yet; `{where.command('resume')}` first"
    )
