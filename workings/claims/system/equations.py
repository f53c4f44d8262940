"""Equations as a live model: random values in, every intermediate out.

With several steps, a symbol with the label (t) has a value at every step, and an equation for
h^{(t)} is computed at each in turn; claims are about the last one.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import torch
from torch import Tensor

from workings.claims.system.symbols import PRIMES, Symbol
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import NotRead, Undefined
from workings.formula.evaluation.evaluate import Scope, key
from workings.formula.resolution.names import Names
from workings.formula.resolution.scopes import LAST
from workings.formula.sizes import parse_sizes

Trace = Callable[[f.Node, Tensor, Scope], Tensor]


@dataclass(frozen=True)
class Equation:
    """A name, the formula it stands for, and the equation as it was written."""

    name: str
    body: f.Node
    text: str
    alternatives: frozenset[str] = frozenset()
    """what in it can be read in another way"""
    not_read: str = ""
    """why, if it was not understood; what uses it is not understood then either"""


EVEN = (2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26)
FROM_ONE = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
LARGE = (29, 16, 37, 24, 31, 18, 41, 20, 43, 22, 47, 26, 28)


@dataclass(frozen=True)
class Style:
    """What a draw is like: from which numbers its sizes are, and how large its values."""

    sizes: tuple[int, ...] = PRIMES
    scale: float = 1.0
    decades: float = 0.0
    """the scale of every symbol is this many powers of ten up or down, at random"""
    flip: bool = False
    """every sign is the other one, so that a draw and its twin have both signs of every entry"""

    @property
    def is_plain(self) -> bool:
        """Whether nothing of it is out of the ordinary: no size of 1, no very large values."""
        return self.scale == 1 and not self.decades and self.sizes is not FROM_ONE


@dataclass(frozen=True)
class Draw:
    """Sizes, and a random value of every declared symbol."""

    sizes: Mapping[str, int]
    leaves: Mapping[str, Tensor]
    style: Style = field(default_factory=Style)


@dataclass(frozen=True)
class System:
    """The declared symbols and the equations of one set."""

    names: Names = field(default_factory=Names)
    symbols: Mapping[str, Symbol] = field(default_factory=dict)
    """declared; h^{(0)} of a symbol that lives in time is h@0"""
    equations: tuple[Equation, ...] = ()
    sizes: Mapping[str, str] = field(default_factory=dict)
    """sizes that were given: a number or an expression in the others"""
    steps: int = 0
    last: frozenset[str] = frozenset()
    """what is needed at the last step only"""

    def for_formulas(self, nodes: Sequence[f.Node]) -> "System":
        """The part of the system that these formulas use."""
        bodies = {each.name: each.body for each in self.equations}
        used: set[str] = set()
        waiting = list(nodes)
        while waiting:
            for node in waiting.pop().walk():
                if isinstance(node, f.Reference) and node.name not in used:
                    used.add(node.name)
                    waiting += [bodies[node.name]] if node.name in bodies else []
                elif isinstance(node, f.Call) and node.function in self.names.functions:
                    waiting.append(self.names.functions[node.function].body)
        equations = tuple(each for each in self.equations if each.name in used)
        symbols = {
            name: symbol for name, symbol in self.symbols.items() if name.partition("@")[0] in used
        }
        early = self._early([*nodes, *(each.body for each in equations)], bodies)
        last = frozenset(each.name for each in equations if each.name not in early)
        return replace(self, equations=equations, symbols=symbols, last=last)

    def _early(self, nodes: Sequence[f.Node], bodies: Mapping[str, f.Node]) -> set[str]:
        """What is used at another step than the last, and what that is made of."""
        early: set[str] = set()
        waiting = [
            node.name
            for top in nodes
            for node, summed in _with_sums(top, self.names.time)
            if isinstance(node, f.Reference)
            and node.step
            and (summed or not self._is_now(node.step))
        ]
        while waiting:
            name = waiting.pop()
            if name in bodies and name not in early:
                early.add(name)
                inside = bodies[name].walk()
                waiting += [node.name for node in inside if isinstance(node, f.Reference)]
        return early

    def _is_now(self, step: f.Node) -> bool:
        return isinstance(step, f.Variable) and step.name in (self.names.time, LAST)

    def draw(self, seed: int, style: Style | None = None) -> Draw:
        """Random values; distinct numbers for the sizes that are free, others each time."""
        style = style or Style()
        generator = torch.Generator().manual_seed(seed)
        sizes = self.choose_sizes(seed, style.sizes)
        leaves: dict[str, Tensor] = {}
        for name, symbol in self.symbols.items():
            timed = name in self.names.timed
            decades = torch.rand((), generator=generator, dtype=torch.float64) * 2 - 1
            scale = style.scale * 10 ** (style.decades * float(decades))
            for step in range(1, self.steps + 1) if timed else [None]:
                x = symbol.draw(sizes, generator)
                x = x * scale if symbol.is_scalable else x
                leaves[key(name, step)] = -x if style.flip and symbol.is_signed else x
        return Draw(sizes, leaves, style)

    def choose_sizes(self, seed: int, among: Sequence[int] = PRIMES) -> dict[str, int]:
        """Distinct numbers for the free sizes; the given ones as they follow from these."""
        free = [name for name in self.names.sizes if name not in self.sizes]
        if len(free) > len(among):
            raise WorkingsError(f"{len(free)} sizes; at most {len(among)} can be chosen")
        count = len(free) if among is FROM_ONE else max(3, len(free) + 1)  # one of them is 1
        few = among[: max(1, count)]
        chosen = {name: few[(at + seed) % len(few)] for at, name in enumerate(free)}
        for name, text in self.sizes.items():
            value = parse_sizes(text)(chosen)
            if value.denominator != 1 or not 1 <= value <= 4096:
                raise WorkingsError(
                    f"sizes.{name} = {text}: is {value}, not a whole number 1..4096"
                )
            chosen[name] = int(value)
        return chosen

    def run(
        self, draw: Draw, given: Mapping[str, Tensor] | None = None, trace: Trace | None = None
    ) -> Scope:
        """Every value. `given` stands in place of a leaf, or of what an equation says."""
        values = {**draw.leaves, **(given or {})}
        scope = Scope(draw.sizes, values, self.names.functions, trace=trace)
        if self.names.time:
            scope.indices[LAST] = self.steps
        timed = [each for each in self.equations if each.name in self.names.timed]
        after = self._after_the_steps
        for equation in self.equations:
            if equation not in timed and equation.name not in after:
                self._set(scope, equation, None, given or {})
        for step in range(1, self.steps + 1):
            scope.indices[self.names.time] = step
            for equation in timed:
                if step == self.steps or equation.name not in self.last:
                    self._set(scope, equation, step, given or {})
        for equation in self.equations:
            if equation.name in after:
                self._set(scope, equation, None, given or {})
        return scope

    @cached_property
    def _after_the_steps(self) -> set[str]:
        """Equations without a step that use what has one."""
        late: set[str] = set()
        for equation in self.equations:
            uses_steps = needs(equation.body, {*self.names.timed, *late})
            if uses_steps and equation.name not in self.names.timed:
                late.add(equation.name)
        return late

    def _set(
        self, scope: Scope, equation: Equation, step: int | None, given: Mapping[str, Tensor]
    ) -> None:
        at = key(equation.name, step)
        if at in given:
            return
        try:
            scope.values[at] = scope.value(equation.body)
        except Undefined as error:
            raise NotRead(equation.text, 0, f"equation {equation.text!r}: {error}") from None


def _with_sums(node: f.Node, time: str, summed: bool = False) -> Iterator[tuple[f.Node, bool]]:
    """Every node, and whether it stands under a sum over the steps."""
    ranges = [each.variable for each in node.children() if isinstance(each, f.Range)]
    summed = summed or (bool(time) and time in ranges)
    yield node, summed
    for child in node.children():
        yield from _with_sums(child, time, summed)


def needs(body: f.Node, names: Collection[str]) -> bool:
    """Whether a formula uses one of these names."""
    return any(isinstance(node, f.Reference) and node.name in names for node in body.walk())
