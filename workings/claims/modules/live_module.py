"""A live module at random sizes, inputs and parameters, and what it gives there."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, permutations

import torch
from torch import Tensor, nn

from workings.claims.system.declare import TIME
from workings.claims.system.left_sides import name_of, without_step
from workings.claims.system.symbols import Symbol, side
from workings.cost.counts.samples import Refused
from workings.errors import WorkingsError
from workings.formula.errors import Undefined
from workings.formula.evaluation.evaluate import key
from workings.formula.sizes import parse_sizes

SIDES = (3, 5, 7, 2, 11, 4, 6, 8, 12, 1)  # sizes that are tried
MOST_TRIES = 300  # choices of sizes that a module may refuse
DISCRETE = {"onehot", "adjacency", "integer", "binary", "permutation"}  # no gradient is taken by it

Build = Callable[[Mapping[str, int]], nn.Module]


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
    output: Tensor

    def leaves(self, names: Mapping[str, Stored]) -> dict[str, Tensor]:
        """What every name of a formula is worth."""
        stored = dict(self.module.named_parameters())
        return {
            **{name: value.detach() for name, value in self.inputs.items()},
            **{n: s.of(stored[s.path].detach(), self.sizes) for n, s in names.items()},
        }

    def named_twice(self, names: Mapping[str, Stored]) -> tuple[str, str] | None:
        """Two names for the same entries of a parameter, if there are any."""
        owners: dict[tuple[str, float], str] = {}
        parameters = dict(self.module.named_parameters())
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
        inputs = {name: x for name, x in self.inputs.items() if x.requires_grad}
        paths = list(dict.fromkeys(stored.path for stored in names.values()))
        leaves = [*inputs.values(), *(parameters[path] for path in paths)]
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


@dataclass
class LiveModule:
    """How a module is built at given sizes, and what its inputs are called."""

    title: str
    build: Build
    symbols: Sequence[str]
    """the sizes that it is built from"""
    inputs: Mapping[str, Symbol]
    """in the order of its forward; one with the label (t) is a sequence, its steps first; one with
    the label (0) is where a state starts: zeros, which the module is not given"""
    sizes: Mapping[str, int | str]
    """those that are given; the others are chosen"""
    steps: int = 0

    def __post_init__(self) -> None:
        module = self._built(0)[1]
        self.parameters = {name: p.ndim for name, p in module.named_parameters()}

    @property
    def size_names(self) -> list[str]:
        """All sizes that the module or its inputs have."""
        sides = (side for symbol in self.inputs.values() for side in symbol.sides)
        named = (name for side in sides for name in parse_sizes(side).names)
        return list(dict.fromkeys([*self.symbols, *named, *self.sizes]))

    def draw(self, seed: int, zero: Sequence[str] = ()) -> ModuleDraw:
        """Random sizes, inputs and parameters; those that are to be `zero` are."""
        generator = torch.Generator().manual_seed(seed)
        sizes, module = self._built(seed)
        with torch.no_grad():
            for name, parameter in module.named_parameters():
                drawn = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
                parameter.copy_(drawn * (name not in zero))
        values: dict[str, Tensor] = {}
        arguments = []
        for name, symbol in self.inputs.items():
            plain, step = without_step(name_of(name))
            if step == "0" and self.steps > 0:
                shape = [side(text, sizes) for text in symbol.sides]
                values[key(plain, 0)] = torch.zeros(shape, dtype=torch.float64)
                continue
            timed = step == TIME and self.steps > 0
            drawn_inputs = {
                key(plain if timed else name_of(name).name, at): _input(symbol, sizes, generator)
                for at in (range(1, self.steps + 1) if timed else [None])
            }
            values |= drawn_inputs
            each = list(drawn_inputs.values())
            given = torch.stack(each) if timed else each[0]
            arguments.append(given.argmax(-1) if "onehot" in symbol.kinds else given)
        return ModuleDraw(sizes, module, values, self._output(module, arguments))

    def _output(self, module: nn.Module, arguments: Sequence[Tensor]) -> Tensor:
        try:
            given = module(*arguments)
        except Exception as error:  # a user's module may raise anything
            line = str(error).strip().partition("\n")[0]
            raise WorkingsError(
                f"{self.title}: the module does not take these inputs "
                f"({type(error).__name__}: {line})"
            ) from error
        output = next(_tensors(given), None)
        if output is None:
            raise WorkingsError(f"{self.title}: the module gives no tensor")
        return output

    def _built(self, seed: int) -> tuple[dict[str, int], nn.Module]:
        """Sizes that the module takes; others are tried where it refuses some."""
        names = [name for name in self.size_names if name not in self.sizes]
        orders = permutations(SIDES[seed % 4 :] + SIDES[: seed % 4], len(names))
        refusal = ""
        for chosen in islice(orders, MOST_TRIES):
            sizes = dict(zip(names, chosen, strict=True))
            sizes |= {n: int(parse_sizes(str(v))(sizes)) for n, v in self.sizes.items()}
            try:
                return sizes, self.build(sizes).double().eval()
            except Refused as error:
                refusal = str(error)
        raise WorkingsError(f"{self.title}: the module cannot be built: {refusal}")


def _input(symbol: Symbol, sizes: Mapping[str, int], generator: torch.Generator) -> Tensor:
    value = symbol.draw(sizes, generator)
    return value if DISCRETE & set(symbol.kinds) else value.requires_grad_()


def _tensors(value: object) -> Iterator[Tensor]:
    """The tensors of nested tuples and lists, the first one first."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _tensors(each)
