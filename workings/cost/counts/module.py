"""A module and its inputs at given sizes: a named architecture, or anything that is importable."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from torch import nn

from workings.cost.architectures import ARCHITECTURES, Architecture
from workings.cost.arguments import Input, Value, whole
from workings.cost.counts.one_pass import needs_values
from workings.cost.counts.samples import Refused
from workings.cost.counts.tally import Example, Maker
from workings.errors import WorkingsError, first_line, nearest
from workings.formula.polynomial import Polynomial, Sizes
from workings.formula.sizes import SizeFormula, parse_sizes
from workings.own_class import import_class, is_own

Made = TypeVar("Made")


@dataclass(frozen=True)
class Spec:
    """What is counted: how it is made, in which symbols, and what is known about their sizes."""

    name: str
    make: Maker
    symbols: tuple[str, ...]
    multiples: tuple[tuple[str, str], ...] | None = None
    """(d, h): d is a multiple of h; None: to be found out"""
    about: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)
    held: Mapping[str, int] = field(default_factory=dict)
    """symbols that stand at one size"""
    where: Mapping[str, Polynomial] = field(default_factory=dict)
    """names that stand for something in the symbols"""
    usual: Mapping[str, int] = field(default_factory=dict)
    """a usual size of each symbol"""
    units: Mapping[str, int] = field(default_factory=dict)
    """sizes that are multiples of a number"""
    residues: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """sizes that leave a remainder when divided by a number, as (number, remainder)"""


def spec(
    name: str,
    symbols: Sequence[str] | None = None,
    args: Mapping[str, Value] | None = None,
    inputs: Sequence[Input] = (),
    own: Callable[[str], Callable[..., nn.Module]] = import_class,
) -> Spec:
    """What `workings cost NAME` counts: a named architecture, or `package.module:Class`.

    own: what a name that is no architecture's stands for; it raises where it is not to be had.
    """
    args = dict(args or {})
    if name in ARCHITECTURES:
        if inputs:
            raise WorkingsError(f"{name}: has inputs of its own; leave out --input")
        return _named(name, ARCHITECTURES[name], symbols, args)
    if not is_own(name):
        raise WorkingsError(
            f"no architecture {name!r}{nearest(name, ARCHITECTURES)}; there is: "
            f"{', '.join(ARCHITECTURES)}; or your own, package.module:Class"
        )
    return _imported(name, own(name), symbols, args, inputs)


def _named(
    name: str, known: Architecture, symbols: Sequence[str] | None, args: dict[str, Value]
) -> Spec:
    for symbol in symbols or ():
        if symbol not in known.symbols and symbol not in _names(args):
            raise WorkingsError(
                f"{name}: no symbol {symbol!r}{nearest(symbol, known.symbols)}; "
                f"there is: {', '.join(known.symbols)}"
            )
    free = [s for s in known.symbols if s in (symbols or known.shown or known.symbols)]
    chosen = [s for s in free if s not in args]
    chosen += [s for s in dict.fromkeys(_names(args)) if s not in chosen]
    held = {s: size for s, (_, size) in known.symbols.items() if s not in chosen and s not in args}
    if symbols is not None:
        _check_names(name, args, symbols)

    def make(sizes: Sizes) -> Example:
        given: dict[str, object] = {**held, **{s: sizes[s] for s in chosen if s in known.symbols}}
        return _call(known.build, given | _bound(args, sizes))

    held |= {s: v for s, v in args.items() if s in known.symbols and isinstance(v, int)}
    values_of = {s: Polynomial.constant(v) for s, v in held.items()}
    values_of |= {s: v.polynomial() for s, v in args.items() if isinstance(v, SizeFormula)}
    kept = [s for s in chosen if s in known.symbols]
    return Spec(
        name,
        make,
        tuple(chosen),
        known.multiples if all(s in chosen for pair in known.multiples for s in pair) else None,
        known.about,
        {s: known.symbols[s][0] for s in kept},
        held,
        {n: parse_sizes(text).polynomial(values_of) for n, text in known.where.items()},
        {s: known.symbols[s][1] for s in kept},
    )


def _imported(
    name: str,
    target: Callable[..., nn.Module],
    symbols: Sequence[str] | None,
    args: dict[str, Value],
    inputs: Sequence[Input],
) -> Spec:
    shaped = [n for i in inputs for d in i.shape for n in d.names]
    args = _words(target, args, [*shaped, *(symbols or ())])
    named = dict.fromkeys([*_names(args), *shaped])
    chosen = tuple(symbols or named)
    _check_names(name, args, chosen)
    for dimension in (d for i in inputs for d in i.shape):
        _check_names(name, {"--input": dimension}, chosen)

    def make(sizes: Sizes) -> Example:
        module = _call(target, _bound(args, sizes))
        if not isinstance(module, nn.Module):
            kind = type(module).__name__
            raise WorkingsError(f"gives a {kind}, where a torch.nn.Module is expected")
        return Example(module, tuple(i.tensor(sizes) for i in inputs) if inputs else None)

    shown = ", ".join(f"{key}={value}" for key, value in args.items())
    return Spec(f"{name}({shown})", make, chosen)


def spec_of(
    factory: Callable[..., nn.Module],
    sizes: Iterable[str] | None,
    inputs: Callable[..., object] | Sequence[Input] | None,
    input_grad: bool = True,
) -> Spec:
    """A user's own functions of sizes, each called with those that it names."""
    named = [*_required(factory), *(_required(inputs) if callable(inputs) else ())]
    if inputs is not None and not callable(inputs):
        named += [n for i in inputs for d in i.shape for n in d.names]
    symbols = tuple(dict.fromkeys(sizes if sizes is not None else named))
    for name in named:
        if name not in symbols:
            raise WorkingsError(
                f"sizes: {name} is needed{nearest(name, symbols)}; given: {', '.join(symbols)}"
            )
    name = getattr(factory, "__name__", type(factory).__name__)
    name = "module" if name == "<lambda>" else name

    def make(at: Sizes) -> Example:
        module = _call(factory, _accepted(factory, at))
        if not isinstance(module, nn.Module):
            kind = type(module).__name__
            raise WorkingsError(f"gives a {kind}, where a torch.nn.Module is expected")
        if inputs is None:
            return Example(module, None)
        if callable(inputs):
            given = _call(inputs, _accepted(inputs, at))
            if isinstance(given, dict):
                return Example(module, given, input_grad)
            given = given if isinstance(given, (tuple, list)) else (given,)
        else:
            given = [i.tensor(at) for i in inputs]
        return Example(module, tuple(given), input_grad)

    return Spec(name, make, symbols)


def _required(function: Callable[..., object]) -> list[str]:
    """Its parameters without a default."""
    return [
        p.name
        for p in inspect.signature(function).parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]


def _accepted(function: Callable[..., object], sizes: Sizes) -> dict[str, int]:
    if getattr(function, "__init__", None) is nn.Module.__init__:
        return {}  # its *args and **kwargs take nothing
    parameters = inspect.signature(function).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return dict(sizes)
    return {name: size for name, size in sizes.items() if name in parameters}


def _call(target: Callable[..., Made], args: Mapping[str, object]) -> Made:
    try:
        return target(**args)
    except Refused:
        raise
    except WorkingsError as error:  # ours say themselves why they refuse these sizes
        raise Refused(str(error)) from error
    except (Exception, SystemExit) as error:  # what a user's module may raise
        if needs_values(error):
            raise  # it is made again with values
        raise Refused(f"{type(error).__name__}: {first_line(error)}") from error


def _words(
    target: Callable[..., nn.Module], args: Mapping[str, Value], sizes: Iterable[str]
) -> dict[str, Value]:
    """A bare name is a word where the parameter takes words, as padding=same does."""
    parameters = inspect.signature(target).parameters
    takes_words = {
        name
        for name, parameter in parameters.items()
        if isinstance(parameter.default, str)
        or re.search(r"\bstr\b|\bLiteral\b", str(parameter.annotation))
    }
    known = set(sizes)
    return {
        key: str(value)
        if isinstance(value, SizeFormula)
        and key in takes_words
        and str(value).isidentifier()
        and str(value) not in known
        else value
        for key, value in args.items()
    }


def _bound(args: Mapping[str, Value], sizes: Sizes) -> dict[str, object]:
    return {k: whole(v, sizes) if isinstance(v, SizeFormula) else v for k, v in args.items()}


def _names(args: Mapping[str, Value]) -> list[str]:
    return [n for value in args.values() if isinstance(value, SizeFormula) for n in value.names]


def _check_names(name: str, args: Mapping[str, Value], symbols: Sequence[str]) -> None:
    for key, value in args.items():
        for used in value.names if isinstance(value, SizeFormula) else ():
            if used not in symbols:
                raise WorkingsError(
                    f"{name}: {key}: {used} is not among the symbols{nearest(used, symbols)}; "
                    f"there is: {', '.join(symbols) or 'none'}"
                )
