"""What formulas of one set may use: its symbols, sizes, functions and indices."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from workings.formula import nodes as f
from workings.formula.resolution.shapes import Shape


@dataclass(frozen=True)
class Function:
    """A function that an equation defines: f(x, y) = body."""

    parameters: tuple[str, ...]
    body: f.Node


@dataclass(frozen=True)
class Declared:
    """All that formulas of one set may use."""

    symbols: Collection[str] = ()
    """declared symbols and left sides of equations; those that live in time without their step"""
    timed: Collection[str] = ()
    """of these, the ones that have a value at every step"""
    totals: Collection[str] = ()
    """of these, the ones that have another value without a step: L = Σ L^{(t)}"""
    sizes: Collection[str] = ()
    functions: Mapping[str, Function] = field(default_factory=dict)
    indices: Collection[str] = ()
    """free indices: a claim with them is checked at every value"""
    time: str = ""
    """the index of steps, where there are several"""
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    """the sides of symbols as far as they are known, () of a number: they decide what |A| means"""
    defined: Collection[str] = ()
    """left sides of equations: L(w) is the value of such an L"""
    leaves: Mapping[str, Collection[str]] = field(default_factory=dict)
    """the declared symbols that each of these is computed from"""
    spelt: Mapping[str, str] = field(default_factory=dict)
    """names as they were declared, with their fonts"""
    flipped: frozenset[str] = frozenset()
    """ambiguities that are read in the less likely way (`readings`)"""
