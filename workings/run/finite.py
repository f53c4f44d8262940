"""Finding where a number stopped being one."""

from typing import Any

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.tasks.task import Task
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
def first_bad(model: nn.Module, task: Task, batch: Any, carry: Any) -> str:
    """The first weight, carried state, or layer output of this batch that is not finite."""
    for name, weight in model.named_parameters():
        if _bad(weight):
            return f"weight {name!r}"
    found: list[str] = []

    def look(value: Any, label: str) -> None:
        def note(tensor: Tensor) -> Tensor:
            if _bad(tensor):
                found.append(label)
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
    return found[0] if found else "the loss itself"
