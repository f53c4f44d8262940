"""The layers of a `ModuleList` as what they are: torch itself knows them only as modules."""

from collections.abc import Iterable
from typing import TypeVar

from torch import nn

Layer = TypeVar("Layer", bound=nn.Module)


def layers_of(kind: type[Layer], layers: Iterable[nn.Module]) -> list[Layer]:
    """The layers, all of which are of that class; TypeError names one that is not."""
    checked = []
    for layer in layers:
        if not isinstance(layer, kind):
            raise TypeError(f"a {type(layer).__name__} among layers that are all {kind.__name__}")
        checked.append(layer)
    return checked
