"""A live module, drawn at random sizes, inputs and parameters; it may refuse some."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, permutations

import torch
from torch import Tensor, nn

from workings.claims.modules.module_draw import ModuleDraw, Precision, first_tensor, stored_in
from workings.claims.system.declare import TIME
from workings.claims.system.left_sides import name_of, without_step
from workings.claims.system.symbols import Symbol, side
from workings.cost.counts.samples import Refused
from workings.errors import WorkingsError
from workings.formula.evaluation.evaluate import key
from workings.formula.sizes import parse_sizes

SIDES = (3, 5, 7, 2, 11, 4, 6, 8, 12, 1)  # sizes that are tried
ROTATIONS = 4  # of them, by the seed: every size is odd at some draws and even at others
MOST_TRIES = 300  # choices of sizes that a module may refuse
MOST_RUNS = 60  # of them, with which it is also run
# No gradient is taken by these.
DISCRETE = {"onehot", "adjacency", "integer", "binary", "sign", "permutation"}

Build = Callable[[Mapping[str, int]], nn.Module]


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

    buffers: set[str] = field(default_factory=set)
    """those that a formula names"""

    def __post_init__(self) -> None:
        _, module = next(self._built(0))
        self.parameters = {name: p.ndim for name, p in module.named_parameters()}
        canonical = {id(p): name for name, p in module.named_parameters()}
        shared = module.named_parameters(remove_duplicate=False)
        self.paths = {name: canonical[id(p)] for name, p in shared}
        """of everything that a formula may name: where it is stored, a shared parameter once"""
        self.paths |= {name: name for name in stored_in(module) if name not in self.paths}

    @property
    def size_names(self) -> list[str]:
        """All sizes that the module or its inputs have."""
        sides = (side for symbol in self.inputs.values() for side in symbol.sides)
        named = (name for side in sides for name in parse_sizes(side).names)
        return list(dict.fromkeys([*self.symbols, *named, *self.sizes]))

    def draw(self, seed: int, zero: Sequence[str] = (), scale: float = 1.0) -> ModuleDraw:
        """Random sizes, inputs and parameters, those that are to be `zero` are; so much larger."""
        refusal: WorkingsError | None = None
        for sizes, module in islice(self._built(seed), MOST_RUNS):
            generator = torch.Generator().manual_seed(seed)
            self._draw_stored(module, generator, zero, scale)
            try:
                return self._run(sizes, module, generator, scale)
            except WorkingsError as error:  # it may take other sizes
                refusal = refusal or error
        raise refusal or WorkingsError(f"{self.title}: the module cannot be built")

    def _draw_stored(
        self, module: nn.Module, generator: torch.Generator, zero: Sequence[str], scale: float
    ) -> None:
        with torch.no_grad():
            for name, parameter in module.named_parameters():
                drawn = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
                parameter.copy_(scale * drawn * (name not in zero))
                parameter.requires_grad_()
            for name, buffer in module.named_buffers():
                # Statistics start as zeros or ones, at which a formula cannot be told from others.
                if name in self.buffers and bool((buffer == buffer.reshape(-1)[:1]).all()):
                    drawn = torch.randn(buffer.shape, generator=generator, dtype=torch.float64)
                    buffer.copy_(drawn if not bool(buffer.any()) else 0.1 + drawn.abs())

    def _run(
        self, sizes: Mapping[str, int], module: nn.Module, generator: torch.Generator, scale: float
    ) -> ModuleDraw:
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
                key(plain if timed else name_of(name).name, at): _input(
                    symbol, sizes, generator, scale
                )
                for at in (range(1, self.steps + 1) if timed else [None])
            }
            values |= drawn_inputs
            each = list(drawn_inputs.values())
            given = torch.stack(each) if timed else each[0]
            arguments.append(given.argmax(-1) if "onehot" in symbol.kinds else given)
        with Precision() as precision:
            output = self._output(module, arguments)
        if output.dtype != torch.float64:
            precision.see(output)
            output = output.double()
        return ModuleDraw(sizes, module, values, arguments, output, precision.lowest)

    def _output(self, module: nn.Module, arguments: Sequence[Tensor]) -> Tensor:
        try:
            given = module(*arguments)
        except Exception as error:  # a user's module may raise anything
            line = str(error).strip().partition("\n")[0]
            raise WorkingsError(
                f"{self.title}: the module does not take these inputs "
                f"({type(error).__name__}: {line})"
            ) from error
        output = first_tensor(given)
        if output is None:
            raise WorkingsError(f"{self.title}: the module gives no tensor")
        if output.is_complex():
            raise WorkingsError(f"{self.title}: the module gives complex numbers")
        return output

    def _built(self, seed: int) -> Iterator[tuple[dict[str, int], nn.Module]]:
        """Sizes that the module takes, one choice after the other; it may refuse some."""
        names = [name for name in self.size_names if name not in self.sizes]
        rotation = seed % ROTATIONS
        orders = permutations(SIDES[rotation:] + SIDES[:rotation], len(names))
        refusal, any_built = "", False
        for chosen in islice(orders, MOST_TRIES):
            sizes = dict(zip(names, chosen, strict=True))
            sizes |= {n: int(parse_sizes(str(v))(sizes)) for n, v in self.sizes.items()}
            try:
                module = self.build(sizes)
            except Refused as error:
                refusal = str(error)
                continue
            if not isinstance(module, nn.Module):
                kind = type(module).__name__
                raise WorkingsError(
                    f"{self.title}: gives a {kind}, where a torch.nn.Module is expected"
                )
            for name, parameter in module.named_parameters():
                if parameter.is_complex():
                    raise WorkingsError(f"{self.title}: {name} is complex; formulas are of reals")
            any_built = True
            yield sizes, module.double().eval()
        if not any_built:
            raise WorkingsError(f"{self.title}: the module cannot be built: {refusal}")


def _input(
    symbol: Symbol, sizes: Mapping[str, int], generator: torch.Generator, scale: float
) -> Tensor:
    value = symbol.draw(sizes, generator)
    value = value if symbol.kinds else scale * value
    return value if DISCRETE & set(symbol.kinds) else value.requires_grad_()
