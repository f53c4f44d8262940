"""Vectors that a model has learned: of words, nodes, pictures, sentences or clips, by name."""

# N vectors, D width

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from workings.errors import WorkingsError, nearest


@dataclass(frozen=True)
class Embedding:
    """Vectors N×D and what each is of; labels: its known class, where there is one."""

    unit: str  # what a vector is of: word, character, node, picture, sentence, clip
    names: list[str]
    vectors: np.ndarray
    labels: list[str] = field(default_factory=list)

    def near(self, name: object, count: int = 10) -> list[tuple[str, float]]:
        """The others whose vectors point most nearly the same way, with the cosine of the angle.

        name: as in `names`, or what is written so, as the node 33 of a networkx graph.
        """
        name = str(name)
        if name not in self.names:
            raise WorkingsError(f"no {self.unit} {name!r}{nearest(name, self.names)}")
        length_N = np.linalg.norm(self.vectors, axis=1)
        unit_ND = self.vectors / np.maximum(length_N, 1e-30)[:, None]
        cosine_N = unit_ND @ unit_ND[self.names.index(name)]
        order = np.argsort(-cosine_N, kind="stable")
        neighbours = [(self.names[i], float(cosine_N[i])) for i in order if self.names[i] != name]
        return neighbours[:count]


@torch.no_grad()
def before_output(model: nn.Module, *inputs: object) -> Tensor:
    """What the output layer of a model sees; of a user's own class without one, what it gives."""
    layer = getattr(model, "output", None)
    if not isinstance(layer, nn.Linear):
        given = model(*inputs)
        return given[0] if isinstance(given, tuple) else given
    seen: list[Tensor] = []
    hook = layer.register_forward_pre_hook(lambda module, given: seen.append(given[0]))
    try:
        model(*inputs)
    finally:
        hook.remove()
    return seen[-1]
