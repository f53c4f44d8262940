"""The parts of a formula about distributions: densities, means, integrals, divergences."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from workings.errors import WorkingsError
from workings.formula import nodes as f


class NotOfDistributions(WorkingsError):
    """A formula that is not one of distributions over finitely many values."""


@dataclass(frozen=True)
class Density:
    r"""p(x, z \mid y, \theta): its letter, what it is of, and what is given."""

    letter: str
    variables: tuple[str, ...]
    given: tuple[str, ...] = ()
    after_semicolon: tuple[str, ...] = ()
    indices: tuple[str, ...] = ()
    """of its arguments, as i of p(x_i)"""

    @property
    def names(self) -> tuple[str, ...]:
        """All that stands between the brackets."""
        return (*self.variables, *self.given)


@dataclass(frozen=True)
class Mean:
    """The expectation of a formula under densities, the first outermost."""

    densities: tuple[Density, ...]
    body: "Formula"


@dataclass(frozen=True)
class Moment:
    """E, Var or Cov of random variables whose distribution has no name."""

    kind: str
    bodies: tuple["Formula", ...]


@dataclass(frozen=True)
class Integral:
    """The sum of a formula over all values of a variable."""

    variable: str
    body: "Formula"


@dataclass(frozen=True)
class Divergence:
    """Kullback and Leibler's divergence of the second density from the first."""

    first: Density
    second: Density


@dataclass(frozen=True)
class Function:
    """A function of variables that nothing defines: any table of numbers."""

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Defined:
    """A name that an equation of the document defines."""

    body: "Formula"


Part = Density | Mean | Moment | Integral | Divergence | Function | Defined


@dataclass(frozen=True)
class Formula:
    """A tree in which some symbols stand for parts."""

    node: f.Node
    parts: Mapping[str, Part] = field(default_factory=dict)

    def densities(self) -> list[Density]:
        """All densities in it, and in its parts."""
        found: list[Density] = []
        for part in self.parts.values():
            match part:
                case Density():
                    found.append(part)
                case Mean(densities, body):
                    found += [*densities, *body.densities()]
                case Divergence(first, second):
                    found += [first, second]
                case Integral(_, body) | Defined(body):
                    found += body.densities()
                case Moment(_, bodies):
                    found += [each for body in bodies for each in body.densities()]
        return found

    def moments(self) -> list[Moment]:
        """The moments in it, and in the definitions that it uses."""
        found: list[Moment] = []
        for part in self.parts.values():
            if isinstance(part, Moment):
                found += [part, *(each for body in part.bodies for each in body.moments())]
            elif isinstance(part, Defined | Integral | Mean):
                found += part.body.moments()
        return found

    def variables(self) -> set[str]:
        """What integrals go over."""
        found: set[str] = set()
        for part in self.parts.values():
            if isinstance(part, Integral):
                found |= {part.variable, *part.body.variables()}
            elif isinstance(part, Mean | Defined):
                found |= part.body.variables()
            elif isinstance(part, Moment):
                found |= {each for body in part.bodies for each in body.variables()}
        return found

    def symbols(self) -> set[str]:
        """The names that stand in it outside of its parts."""
        nodes = (node for node in self.node.walk() if isinstance(node, f.Symbol))
        return {node.name for node in nodes} - {*self.parts}
