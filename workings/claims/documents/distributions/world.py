"""Random distributions over finitely many values, in which formulas have a value.

Every variable has an axis of its own and every letter a joint distribution over all that it is
written of; a conditional density is the quotient of two sums of it, and an integral is a sum.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from workings.claims.documents.distributions.parts import (
    Defined,
    Density,
    Divergence,
    Formula,
    Function,
    Integral,
    Mean,
    Moment,
    NotOfDistributions,
    Part,
)
from workings.formula import nodes as f

VALUES = 3  # of a variable
OUTCOMES = 5  # of random variables whose distribution has no name
MOST_AXES = 7
STEP = 1e-5  # of a difference by a parameter
_FUNCTIONS = {"log": torch.log, "ln": torch.log, "exp": torch.exp, "sqrt": torch.sqrt,
              "tanh": torch.tanh, "\\sigma": torch.sigmoid}  # fmt: skip
_CONSTANT = re.compile(r"\\(?!epsilon|varepsilon|xi|zeta)[a-z]+|[a-dkmnN](?![a-z])")
CHANCE = "#chance"


@dataclass
class World:
    """One draw of all distributions that formulas speak of."""

    sides: Sequence[Formula]
    seed: int
    shifts: dict[str, float] = field(default_factory=dict)
    """by how much parameters are moved, for derivatives by them"""
    cell: float = 1.0
    """how wide each value's cell is: a density is the share of a cell over its width"""
    axes: dict[str, int] = field(init=False)
    """the place of the axis of every variable, and of every index"""

    def __post_init__(self) -> None:
        densities = [each for side in self.sides for each in side.densities()]
        moments = [each for side in self.sides for each in side.moments()]
        self.of_letter: dict[str, list[Density]] = {}
        for each in densities:
            self.of_letter.setdefault(each.letter, []).append(each)
        free = {name for each in densities for name in each.variables}
        behind = {name for each in densities for name in each.after_semicolon}
        greek = {n for each in densities for n in each.given if n.startswith("\\")}
        self.parameters = (behind | greek) - free
        names = free | {name for each in densities for name in each.given}
        names |= {name for side in self.sides for name in side.variables()}
        indices = {index for each in densities for index in each.indices}
        ordered = [*sorted(names - self.parameters), *sorted(indices)]
        if moments and ordered:
            raise NotOfDistributions("random variables with and without named distributions")
        ordered += [CHANCE] if moments else []
        if len(ordered) > MOST_AXES or not ordered:
            raise NotOfDistributions(f"{len(ordered)} variables")
        self.axes = {name: place for place, name in enumerate(ordered)}
        self.indices = indices
        outside = {name for side in self.sides for name in side.symbols()}
        self.random = {
            name
            for each in moments
            for body in each.bodies
            for name in body.symbols()
            if name not in outside and not _CONSTANT.match(name)
        }
        self.tables: dict[str, Tensor] = {}

    def value(self, formula: Formula) -> Tensor:
        """The value of a formula, along the axes of the variables that it leaves open."""
        return self._node(formula.node, formula)

    def _node(self, node: f.Node, formula: Formula) -> Tensor:
        match node:
            case f.Number(value):
                return self._full(float(value))
            case f.Symbol():
                part = formula.parts.get(node.name)
                return self._part(part) if part else self._symbol(node)
            case f.Sum(terms):
                return self._joined([self._node(each, formula) for each in terms], "+")
            case f.Product(factors) | f.Elementwise(factors):
                return self._joined([self._node(each, formula) for each in factors], "*")
            case f.Dot(left, right):
                return self._node(left, formula) * self._node(right, formula)
            case f.Negative(body):
                return -self._node(body, formula)
            case f.Quotient(top, bottom):
                return self._node(top, formula) / self._node(bottom, formula)
            case f.Power(f.Symbol("e"), exponent):
                return torch.exp(self._node(exponent, formula))
            case f.Power(base, f.Number(value)):
                return self._node(base, formula) ** float(value)
            case f.Call(name, (argument,), 0) if name in _FUNCTIONS:
                return _FUNCTIONS[name](self._node(argument, formula))
            case f.Total((each,), body) if each.variable in self.axes:
                return (
                    self._node(body, formula)
                    .expand(self._sizes())
                    .sum(self.axes[each.variable], keepdim=True)
                )
            case f.Derivative(of, f.Symbol() as by) if by.name in self.parameters:
                return self._slope(Formula(of, formula.parts), by.name)
        raise NotOfDistributions(f"{type(node).__name__} in a formula of distributions")

    def _slope(self, formula: Formula, name: str) -> Tensor:
        if self.shifts:
            raise NotOfDistributions("a derivative of a derivative")
        above, below = (replace(self, shifts={name: step}) for step in (STEP, -STEP))
        return (above.value(formula) - below.value(formula)) / (2 * STEP)

    def _joined(self, values: list[Tensor], sign: str) -> Tensor:
        result = values[0]
        for each in values[1:]:
            result = result + each if sign == "+" else result * each
        return result

    def _part(self, part: Part) -> Tensor:
        match part:
            case Density():
                return self._density(part) / self.cell ** len(part.variables)
            case Mean(densities, body):
                result = self.value(body)
                for density in reversed(densities):
                    result = self._summed(self._density(density) * result, density.variables)
                return result
            case Integral(variable, body):
                inside = self.value(body).expand(self._sizes())
                return self._summed(inside, (variable,)) * self.cell
            case Divergence(first, second):
                p, q = self._density(first), self._density(second)
                return self._summed(p * torch.log(p / q), first.variables)
            case Function(name, arguments):
                return self._function(name, arguments)
            case Defined(body):
                return self.value(body)
            case Moment(kind, bodies):
                return self._moment(kind, [self.value(body) for body in bodies])

    def _moment(self, kind: str, values: list[Tensor]) -> Tensor:
        weights = self._table("chance", (CHANCE,), ()).softmax(self.axes[CHANCE])

        def mean(value: Tensor) -> Tensor:
            return (weights * value).sum(self.axes[CHANCE], keepdim=True)

        if len(values) != (2 if kind == "Cov" else 1):
            raise NotOfDistributions(f"{kind} of {len(values)} formulas")
        if kind == "E":
            return mean(values[0])
        return mean(values[0] * values[-1]) - mean(values[0]) * mean(values[-1])

    def _density(self, density: Density) -> Tensor:
        if not density.variables:
            raise NotOfDistributions("a density of nothing")
        joint = self._joint(density)
        given = [name for name in density.given if name not in self.parameters]
        both = self._marginal(joint, [*density.variables, *given])
        return both / self._marginal(joint, given) if given else both

    def _marginal(self, joint: Tensor, kept: Sequence[str]) -> Tensor:
        others = [name for name in self.axes if name not in {*kept, *self.indices}]
        return self._summed(joint, [name for name in others if joint.shape[self.axes[name]] > 1])

    def _joint(self, density: Density) -> Tensor:
        """The joint distribution of all that a letter is written of."""
        same = self.of_letter[density.letter]
        sets = {self._parameters_of(each) for each in same} - {()}
        mine = self._parameters_of(density) if len(sets) > 1 else next(iter(sets), ())
        names = sorted({n for each in same for n in each.names if n not in self.parameters})
        indices = sorted({index for each in same for index in each.indices})
        key = f"{density.letter} {mine}"
        scores = self._table(key, (*names, *indices), mine)
        places = [self.axes[name] for name in names]
        return scores.exp() / scores.exp().sum(places, keepdim=True)

    def _parameters_of(self, density: Density) -> tuple[str, ...]:
        names = {*density.after_semicolon, *density.given} & self.parameters
        return tuple(sorted(names))

    def _function(self, name: str, arguments: Sequence[str]) -> Tensor:
        axes = [each for each in arguments if each in self.axes]
        moved = tuple(each for each in arguments if each in self.parameters)
        return self._table(f"function {name}", axes, moved)

    def _symbol(self, symbol: f.Symbol) -> Tensor:
        name = symbol.name
        if name in self.parameters:
            return self._table(f"value {name}", (), ()) + self.shifts.get(name, 0.0)
        if name in self.axes:
            return self._table(f"value {name}", (name,), ())
        if name in self.random:
            return self._table(f"value {name}", (CHANCE,), ())
        if symbol.sub and {*symbol.sub} <= self.indices:
            return self._table(f"value {name}", tuple(sorted({*symbol.sub})), ())
        return self._table(f"value {name}", (), ()).abs() + 0.5

    def _table(self, key: str, axes: Sequence[str], moved: Sequence[str]) -> Tensor:
        """Random numbers along axes, the same for one key; they change with the parameters."""
        kept = f"{key} {tuple(axes)}"
        if kept not in self.tables:
            generator = torch.Generator().manual_seed(_number(kept, self.seed))
            places = {self.axes[name] for name in axes}
            shape = [size if at in places else 1 for at, size in enumerate(self._sizes())]
            draws = torch.randn(2, *shape, generator=generator, dtype=torch.float64)
            change = sum(self.shifts.get(name, 0.0) for name in moved)
            self.tables[kept] = draws[0] + change * draws[1]
        return self.tables[kept]

    def _sizes(self) -> list[int]:
        return [OUTCOMES if name == CHANCE else VALUES for name in self.axes]

    def _full(self, value: float) -> Tensor:
        return torch.full([1] * len(self.axes), value, dtype=torch.float64)

    def _summed(self, value: Tensor, names: Sequence[str]) -> Tensor:
        missing = [name for name in names if name not in self.axes]
        if missing:
            raise NotOfDistributions(f"{missing[0]} is no variable")
        places = [self.axes[name] for name in names]
        if any(value.shape[place] == 1 for place in places):
            value = value.expand(self._sizes())
        return value.sum(places, keepdim=True) if places else value


def _number(text: str, seed: int) -> int:
    """A seed for a text, the same in every run."""
    return sum(ord(char) * 31 ** (at % 11) for at, char in enumerate(text)) + 7919 * seed
