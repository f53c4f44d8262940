"""Finding where a number stopped being one."""

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.tasks.task import Carry, Learns
from workings.tree import map_tensors


def _bad(tensor: Tensor) -> bool:
    return tensor.is_floating_point() and not bool(torch.isfinite(tensor).all())


def require_finite(tensors: dict[str, Tensor], step: int) -> None:
    """A checkpoint never holds a NaN or an infinity."""
    for name, tensor in tensors.items():
        if _bad(tensor):
            raise WorkingsError(
                f"step {step}: weight {name!r} is no longer finite; lower train.lr or set "
                "train.clip; the last good checkpoint stays"
            )


@torch.no_grad()
def first_bad(model: nn.Module, task: Learns, batch: object, carry: Carry) -> str:
    """The first weight, carried state, or layer output of this batch that is not finite."""
    for name, weight in model.named_parameters():
        if _bad(weight):
            return f"weight {name!r}"
    bad: list[str] = []

    def look(value: object, label: str) -> None:
        def note(tensor: Tensor) -> Tensor:
            if _bad(tensor):
                bad.append(label)
            return tensor

        map_tensors(note, value)

    look(carry, "the carried state")
    hooks = [
        module.register_forward_hook(
            lambda _module, _inputs, output, name=name: look(output, f"output of {name!r}")
        )
        for name, module in model.named_modules()
        if name
    ]
    try:
        task.loss(model, batch, carry)
    finally:
        for hook in hooks:
            hook.remove()
    return bad[0] if bad else "the loss itself"
