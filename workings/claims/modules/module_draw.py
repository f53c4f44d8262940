"""What a live module was given at one draw, and what it gave there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode

from workings.cost.counts.one_pass import parts
from workings.formula.errors import Undefined
from workings.formula.sizes import parse_sizes


@dataclass(frozen=True)
class Stored:
    """Where the module stores what a formula names: a parameter, or a part of it."""

    path: str
    part: tuple[str, ...] = ()
    """along every axis a position, or from:to, in sizes: the gates of an LSTM are stacked"""
    transposed: bool = False
    """the module stores the transpose of what the formula names"""

    def of(self, stored: Tensor, sizes: Mapping[str, int]) -> Tensor:
        """The named matrix, of the parameter or of its gradient; a vector is a row."""
        if len(self.part) > stored.ndim:
            raise Undefined(f"{self}: {self.path} has {stored.ndim} axes")
        part = stored[tuple(_position(text, sizes) for text in self.part)]
        matrix = part.reshape(1, -1) if part.ndim < 2 else part
        if matrix.ndim > 2:
            raise Undefined(f"{self} has {matrix.ndim} axes; a formula's names have two")
        return matrix.t() if self.transposed else matrix

    def __str__(self) -> str:
        part = f"[{', '.join(self.part)}]" if self.part else ""
        return f"{self.path}{part}{'ᵀ' if self.transposed else ''}"


def _position(text: str, sizes: Mapping[str, int]) -> int | slice:
    """A position along an axis, or some of them."""
    first, several, last = text.partition(":")
    ends = [int(parse_sizes(end)(sizes)) if end.strip() else None for end in (first, last)]
    if several:
        return slice(*ends)
    return ends[0] or 0


@dataclass(frozen=True)
class ModuleDraw:
    """The module at one draw: what it was given, and what it gave."""

    sizes: Mapping[str, int]
    module: nn.Module
    inputs: Mapping[str, Tensor]
    """by the name that a formula has for it; x@2 is a sequence's second step"""
    arguments: Sequence[Tensor]
    """the same as its forward takes them"""
    output: Tensor
    lowest: torch.dtype = torch.float64
    """the lowest precision in which it computed on the way"""

    def is_repeated(self) -> bool:
        """Whether the module gives the same once more."""
        with torch.no_grad():
            again = first_tensor(self.module(*self.arguments))
        return again is not None and torch.allclose(
            again.double(), self.output.detach(), rtol=1e-9, atol=0, equal_nan=True
        )

    def leaves(self, names: Mapping[str, Stored]) -> dict[str, Tensor]:
        """What every name of a formula is worth."""
        stored = stored_in(self.module)
        return {
            **{name: value.detach() for name, value in self.inputs.items()},
            **{n: s.of(stored[s.path].detach(), self.sizes) for n, s in names.items()},
        }

    def named_twice(self, names: Mapping[str, Stored]) -> tuple[str, str] | None:
        """Two names for the same entries of a parameter, if there are any."""
        owners: dict[tuple[str, float], str] = {}
        parameters = stored_in(self.module)
        for name, stored in names.items():
            shape = parameters[stored.path].shape
            entries = torch.arange(shape.numel(), dtype=torch.float64).reshape(shape)
            for entry in stored.of(entries, self.sizes).flatten().tolist():
                owner = owners.setdefault((stored.path, entry), name)
                if owner != name:
                    return owner, name
        return None

    def gradients(self, names: Mapping[str, Stored], direction: Tensor) -> dict[str, Tensor]:
        """By every input and named parameter, of the output's entries times those of direction."""
        parameters = dict(self.module.named_parameters())
        names = {name: stored for name, stored in names.items() if stored.path in parameters}
        inputs = {name: x for name, x in self.inputs.items() if x.requires_grad}
        paths = list(dict.fromkeys(stored.path for stored in names.values()))
        leaves = [*inputs.values(), *(parameters[path] for path in paths)]
        taken: Sequence[Tensor | None] = [None] * len(leaves)
        if self.output.requires_grad:
            taken = torch.autograd.grad(
                self.output, leaves, direction, retain_graph=True, allow_unused=True
            )
        whole = [
            torch.zeros_like(leaf) if gradient is None else gradient
            for leaf, gradient in zip(leaves, taken, strict=True)
        ]
        by_path = dict(zip(paths, whole[len(inputs) :], strict=True))
        return {
            **dict(zip(inputs, whole, strict=False)),
            **{name: s.of(by_path[s.path], self.sizes) for name, s in names.items()},
        }


class Precision(TorchDispatchMode):
    """Sees in which precision a module computes, though all that it was given is of float64."""

    def __init__(self) -> None:
        super().__init__()
        self.lowest = torch.float64

    def see(self, value: object) -> None:
        """A result on the way."""
        if not isinstance(value, Tensor) or not value.is_floating_point() or value.numel() < 2:
            return
        if torch.finfo(value.dtype).eps > torch.finfo(self.lowest).eps:
            self.lowest = value.dtype

    def __torch_dispatch__(
        self,
        func: OpOverload,
        types: object,
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        out = func(*args, **(kwargs or {}))
        self.see(out)
        return out


def stored_in(module: nn.Module) -> dict[str, Tensor]:
    """Its parameters, and the buffers that hold numbers, by name."""
    buffers = {name: b for name, b in module.named_buffers() if b.is_floating_point()}
    return {**buffers, **dict(module.named_parameters())}


def first_tensor(value: object, depth: int = 8) -> Tensor | None:
    """The first one of nested tuples, lists, dicts and objects with attributes."""
    if isinstance(value, Tensor):
        return value
    inner = (first_tensor(part, depth - 1) for part in parts(value) if depth)
    return next((first for first in inner if first is not None), None)
