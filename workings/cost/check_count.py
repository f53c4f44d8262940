"""A claimed count, a formula in named sizes, against a live module or a tensor's dimension.

Where they differ, the difference is a formula too, and its owner is looked for among the module's
parameters: one of them, or two or three together, that have exactly the missing count.
"""

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb

from torch import nn

from workings.cost.counts.module import Spec
from workings.cost.counts.samples import Counts, Key, Refused, Samples
from workings.cost.counts.tally import Maker, built, refusal
from workings.cost.format import sizes_text
from workings.cost.recovery.accepted import accepted_grids
from workings.cost.recovery.count_formula import CountFormula
from workings.cost.recovery.grid import Grid, grids
from workings.cost.recovery.own_numbers import as_sizes, own_numbers
from workings.cost.recovery.reach import LADDER, TOGETHER, later
from workings.cost.recovery.recover import recover
from workings.errors import WorkingsError
from workings.formula.polynomial import Polynomial, Sizes

HOLDS, WRONG = "holds", "wrong value"
EXACT = 2**50  # below which a claim's value is exact
MOST_SECONDS = 2.0  # that a module of a larger size may be feared to take

Claimed = Callable[[Sizes], Fraction | int]  # a size formula or a polynomial, for example


@dataclass(frozen=True)
class Count:
    """The verdict on one claim, and what it rests on."""

    verdict: str
    actual: str
    """the count as a formula, or one for each value of a size in which it is no polynomial"""
    difference: Polynomial | None = None
    """what the module has more than the claim says"""
    owner: str = ""
    """whose the difference is: `bias of the output layer (output.bias)`"""
    convention: str = ""
    """a convention that differs, and explains the difference or part of it"""
    example: tuple[Sizes, Fraction, int] | None = None
    """sizes, what is claimed there, and what is there"""

    @property
    def evidence(self) -> str:
        """What the verdict rests on, in words."""
        if self.verdict == HOLDS:
            return f"it is {self.actual}"
        parts = [f"it is {self.actual}"]
        if self.difference is not None:
            more = all(c > 0 for c in self.difference.terms.values())
            less = all(c < 0 for c in self.difference.terms.values())
            if more or less:
                amount = self.difference if more else -self.difference
                has = "the model" if more else "the claim"
                parts.append(f"{has} has {amount} more" + (f": {self.owner}" if self.owner else ""))
            else:
                parts.append(f"that is {self.difference} more than claimed")
        elif self.example is not None:
            sizes, claimed, actual = self.example
            parts.append(f"at {sizes_text(sizes)} claimed {claimed}, counted {actual}")
        return "; ".join([*parts, *([self.convention] if self.convention else [])])


def check_count(claimed: Claimed, of: Spec) -> Count:
    """The claim against the parameters of a module."""
    formulas, samples = _recovered(
        claimed, _parameters(of.make), of.symbols, of.multiples, numbers=_own_numbers(of.make)
    )
    wrong = next((s for s in samples if s[1] != s[2]), None)
    actual = formulas["actual"]
    if wrong is None:
        return Count(HOLDS, str(actual))
    has, says = actual.polynomial, formulas["claimed"].polynomial
    if has is None or says is None:
        return Count(WRONG, str(actual), example=wrong)
    difference = has - says
    if not difference:  # they part at larger sizes
        return Count(WRONG, str(has), example=wrong)
    parts = {
        str(key).removeprefix("parameter "): f.polynomial
        for key, f in formulas.items()
        if str(key).startswith("parameter ") and f.polynomial
    }
    module = _built(of.make, wrong[0])
    owner, convention = _explained(difference, parts, module)
    return Count(WRONG, str(has), difference, owner, convention, wrong)


def check_dimension(
    claimed: Claimed,
    dimension: Callable[[Sizes], int],
    symbols: Sequence[str],
    each: Mapping[str, Sequence[int]] | None = None,
) -> Count:
    """The claim against a whole number that sizes determine, such as the width of a feature map.

    `each` names sizes in which it is no polynomial, with the values to look at one by one.
    """
    each = dict(each or {})
    free = tuple(symbol for symbol in symbols if symbol not in each)
    lines, samples = [], []
    formulas: dict[str, CountFormula] = {}
    for values in product(*each.values()):
        held = dict(zip(each, values, strict=True))
        formulas, taken = _recovered(claimed, _dimension(dimension, held), free, None, held)
        samples += taken
        lines.append((f"{sizes_text(held)}: " if held else "") + str(formulas["actual"]))
    actual = "; ".join(lines)
    if each:
        closed = closed_form(samples, symbols)
        actual = f"{closed} ({actual})" if closed else actual
    wrong = next((s for s in samples if s[1] != s[2]), None)
    if wrong is None:
        return Count(HOLDS, actual)
    has, says = formulas["actual"].polynomial, formulas["claimed"].polynomial
    difference = None if each or has is None or says is None else has - says
    return Count(WRONG, actual, difference, example=wrong)


Sample = tuple[Sizes, Fraction, int]


def _recovered(
    claimed: Claimed,
    counts: Callable[[Sizes], dict[Key, int]],
    symbols: Sequence[str],
    multiples: tuple[tuple[str, str], ...] | None,
    held: Sizes | None = None,
    numbers: Callable[[Sizes], Sequence[int]] | None = None,
) -> tuple[dict[str, CountFormula], list[Sample]]:
    """Formulas of the claim and of what is there, and every size at which they were compared.

    numbers: those that the module's code names at given sizes; then it is compared at these and at
    large sizes too.
    """
    samples: list[Sample] = []
    tried = Samples(lambda sizes: both(sizes), symbols)

    def both(sizes: Sizes) -> Counts:
        actual = counts(sizes)
        everywhere = {**sizes, **(held or {})}
        says = Fraction(claimed(everywhere))
        samples.append((everywhere, says, actual["actual"]))
        return {**actual, "claimed": says}

    accepted = accepted_grids(tried, ())
    formulas, grid = recover(both, grids(tuple(symbols), multiples=multiples, others=accepted))
    for climb in _large(grid, numbers(grid.base)) if numbers is not None else ():
        before, seconds = 0, 0.0
        for size, sizes in climb:
            if before and later(seconds, size / before) > MOST_SECONDS:
                break
            before, began = size, time.thread_time()
            with suppress(WorkingsError):  # a claim that has no value there
                tried(sizes)
            seconds = time.thread_time() - began
    exact = [sample for sample in samples if abs(sample[1]) < EXACT and sample[2] < EXACT]
    return {str(key): formula for key, formula in formulas.items()}, exact


def _large(grid: Grid, numbers: Sequence[int]) -> list[list[tuple[int, dict[str, int]]]]:
    """Each symbol at large sizes, at the module's own numbers and beside them; then all at once."""
    along = sorted({*LADDER, *(n + step for n in as_sizes(numbers) for step in (0, 1))})
    free = [s for s in grid.symbols if s not in grid.divisors]

    def at(symbols: Sequence[str], size: int) -> dict[str, int]:
        units = {s: size * grid.units.get(s, 1) + grid.offsets.get(s, 0) for s in symbols}
        return grid.fitted({**grid.base, **units})

    climbs = [[(size, at([s], size)) for size in along] for s in free]
    return [*climbs, [(size, at(free, size)) for size in TOGETHER]]


def _own_numbers(make: Maker) -> Callable[[Sizes], Sequence[int]]:
    return lambda sizes: own_numbers(_built(make, sizes))


def _parameters(make: Maker) -> Callable[[Sizes], dict[Key, int]]:
    def counts(sizes: Sizes) -> dict[Key, int]:
        named = dict(_built(make, sizes).named_parameters())
        each: dict[Key, int] = {f"parameter {n}": value.numel() for n, value in named.items()}
        return each | {"actual": sum(each.values())}

    return counts


def _built(make: Maker, sizes: Sizes) -> nn.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of empty layers, at a size of one
            return built(make, sizes)
    except (WorkingsError, Refused):
        raise
    except (Exception, SystemExit) as error:  # what a user's module may raise
        raise refusal(error) from error


def _dimension(dimension: Callable[[Sizes], int], held: Sizes) -> Callable[[Sizes], dict[Key, int]]:
    return lambda sizes: {"actual": dimension({**sizes, **held})}


def _explained(
    difference: Polynomial, parts: Mapping[str, Polynomial], module: nn.Module
) -> tuple[str, str]:
    """Owner and convention of a difference."""
    second = [name for name in parts if _is_second_bias(name, module)]
    if second:
        rest = difference - sum((parts[name] for name in second), Polynomial({}))
        others = {name: p for name, p in parts.items() if name not in second}
        names = _owners(rest, others) if rest else ()
        if names is not None:
            left = f"the model has {rest} more" if rest else "the claim holds"
            convention = (
                "PyTorch keeps two biases where the equations have one: without "
                f"{_list(second)}, {left}"
            )
            return _list(_described(name, module) for name in [*second, *names]), convention
    names = _owners(difference, parts)
    if names:
        return _list(_described(name, module) for name in names), ""
    twice = _owners(-difference, parts)
    if twice:
        return f"as much as {_list(twice)}, which it may count twice", ""
    return "", ""


def _owners(difference: Polynomial, parts: Mapping[str, Polynomial]) -> tuple[str, ...] | None:
    """At most three parameters whose counts add up to the difference; later ones first."""
    names = list(parts)[::-1]
    for many in (1, 2, 3):
        for chosen in combinations(names, many):
            if sum((parts[name] for name in chosen), Polynomial({})) == difference:
                return chosen[::-1]
    return None


def _is_second_bias(name: str, module: nn.Module) -> bool:
    path, _, leaf = name.rpartition(".")
    owner = module.get_submodule(path)
    return isinstance(owner, (nn.RNNBase, nn.RNNCellBase)) and leaf.startswith("bias_hh")


def _described(name: str, module: nn.Module) -> str:
    """`bias of the output layer (output.bias)`."""
    path, _, leaf = name.rpartition(".")
    if not path:
        return name
    layers = [p for p, m in module.named_modules() if list(m.parameters(recurse=False))]
    is_last = len(layers) > 1 and path == layers[-1]
    if is_last and isinstance(module.get_submodule(path), nn.Linear):
        return f"{leaf} of the output layer ({name})"
    return f"{leaf} of {path}"


def _list(names: Iterable[str]) -> str:
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def closed_form(samples: Sequence[Sample], symbols: Sequence[str]) -> str | None:
    """`C(D + K, K)`, if a binomial of two of the symbols fits all counts."""
    for first, second in permutations(symbols, 2):
        for more, less in product((0, -1, 1, -2, 2), (0, -1, 1)):
            if all(
                s[first] + s[second] + more >= 0
                and s[second] + less >= 0
                and comb(s[first] + s[second] + more, s[second] + less) == actual
                for s, _, actual in samples
            ):
                shift = [f" {'-' if n < 0 else '+'} {abs(n)}" if n else "" for n in (more, less)]
                return f"C({first} + {second}{shift[0]}, {second}{shift[1]})"
    return None
