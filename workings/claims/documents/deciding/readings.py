"""The ways to read a claim of a document: what it rests on, and the shapes its symbols may have."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from workings.claims.documents.deciding.closure import Closure
from workings.claims.documents.inference.claim_symbols import IDENTITY, PI
from workings.claims.documents.inference.infer import Inference
from workings.claims.documents.inference.kinds import is_capital
from workings.claims.documents.inference.uses import (
    is_kronecker,
    letters_of,
    symbols_in,
    use_of,
)
from workings.claims.documents.outline import class_labels
from workings.claims.documents.outline.declarations import size_word
from workings.claims.documents.outline.probabilities import PREFIX
from workings.claims.documents.outline.statements import Outline, Statement
from workings.claims.sets import ClaimSet, from_values
from workings.formula import nodes as f
from workings.formula.printing.latex import plain_latex
from workings.formula.sizes import parse_sizes

_FIRST = r"\^\(0\)$|_0$"  # the value before the first step
Shapes = dict[str, tuple[str, ...]]


class Readings:
    """A claim with the definitions that it rests on."""

    def __init__(
        self, outline: Outline, statement: Statement, text: str, sides: list[f.Node],
        closure: Closure,
    ) -> None:  # fmt: skip
        self.outline, self.statement, self.text = outline, statement, text
        self.declared = outline.declared_in(statement.section)
        self.families = _families(
            outline.families, [*sides, *(each.body for each in closure.equations)]
        )
        names = [*self.families, *(each.name for each in closure.equations)]
        self.known = {**dict.fromkeys(names), **self.declared}
        self.sides = [self._with_identities(side) for side in sides]
        equations = [
            replace(each, body=self._with_identities(each.body)) for each in closure.equations
        ]
        self.closure = replace(closure, equations=equations)
        self.bodies = [each.body for each in equations]
        self.indices = {
            letter
            for side in sides
            for symbol, bound in symbols_in(side)
            for letter in use_of(symbol, self.known, bound).indices
            if not letter.isdigit()
        }
        self.steps = {"t", "T"} if outline.steps else set()

    def _with_identities(self, node: f.Node) -> f.Node:
        """I_n of a declared size n as the identity matrix, where no I was declared or defined."""
        if isinstance(node, f.Symbol) and node.base == "I" and node.sub in self.sizes:
            return node if {"I", node.name} & {*self.known} else f.Identity(f.Symbol(node.sub))
        return node.rebuilt(self._with_identities)

    @cached_property
    def sizes(self) -> set[str]:
        """The names of sizes that the document declares."""
        sides = [side for each in self.declared.values() for side in each.sides]
        return {name for side in sides for name in parse_sizes(side).names} | {*self.outline.sizes}

    @cached_property
    def bounds(self) -> set[str]:
        """Names that bound a sum, or give the side of an identity matrix, and are nothing else."""
        inside = [body for _, body in self.closure.functions.values()]
        found: set[str] = set()
        running: set[str] = set()
        for node in (part for body in [*self.bodies, *inside, *self.sides] for part in body.walk()):
            if isinstance(node, f.Range):
                running.add(node.variable)
            if isinstance(node, f.Range | f.Ones | f.Identity):
                inner = [symbol for part in node.children() for symbol in part.walk()]
                found |= {each.name for each in inner if isinstance(each, f.Symbol)}
        return found - {*self.known, *self.indices, *running, *self.steps}

    @cached_property
    def inference(self) -> Inference:
        """The shapes of this reading: those that were declared, and what follows from them."""
        declared = self.declared
        if self.outline.steps:  # what has a value before the first step has its shape at each
            before = {name: each for name, each in declared.items() if re.search(_FIRST, name)}
            now = {re.sub(_FIRST, _at_t, name): each for name, each in before.items()}
            declared = {**now, **declared}
        return Inference(
            declared, self.closure.equations, self.sides, self.closure.functions,
            frozenset(self.sizes | self.bounds | self.steps),
            frozenset(self.indices - set(self.known)),
            self.outline.losses - set(self.declared), self.outline.vectors, self.families,
            self.outline.matrices, frozenset(self.bounds - self.sizes),
        )  # fmt: skip

    def unknown(self, nodes: list[f.Node]) -> list[str]:
        """The symbols of formulas that were neither declared nor defined."""
        known = {*self.declared, *(each.name for each in self.closure.equations), IDENTITY, PI}
        other = {*known, *self.sizes, *self.bounds, *self.indices, *self.steps}
        found: dict[str, None] = {}
        for body in nodes:
            for symbol, bound in symbols_in(body):
                if is_kronecker(symbol, self.known):
                    continue
                name = use_of(symbol, self.known, bound).name
                if name not in other and name not in bound:
                    found[name] = None
        return list(found)

    def kinds(self, name: str) -> tuple[str, ...]:
        """What a symbol was declared to be besides its shape."""
        declared = self.declared.get(name)
        return declared.kinds if declared else ()

    def shapes(self) -> Iterator[Shapes]:
        """The readings that differ in more than the names of their sizes, the likeliest first."""
        seen: set[tuple[tuple[str, tuple[bool, ...]], ...]] = set()
        for shapes in self.inference.solutions():
            key = tuple((name, tuple(size == "1" for size in shapes[name])) for name in shapes)
            if key not in seen:
                seen.add(key)
                yield shapes

    def declared_shapes(self) -> Shapes:
        """The shapes as they were declared, where these do not fit together."""
        found: Shapes = {}
        for body in [*self.bodies, *self.sides]:
            for symbol, bound in symbols_in(body):
                use = use_of(symbol, self.declared, bound)
                if declared := self.declared.get(use.name):
                    sizes = declared.sides
                    found[use.name] = (sizes[0], "1") if len(sizes) == 1 else sizes
        return found

    @cached_property
    def targets(self) -> set[str]:
        """What stands before a logarithm in a definition, as y in a cross-entropy does."""
        found: set[str] = set()
        for node in (part for body in self.bodies for part in body.walk()):
            if isinstance(node, f.Product | f.Elementwise | f.Dot):
                factors = list(node.children())
                logs = [each for each in factors if _is_logarithm(each)]
                for factor in factors if logs else []:
                    inner = factor.body if isinstance(factor, f.Transpose) else factor
                    if isinstance(inner, f.Symbol):
                        found.add(use_of(inner, self.known, frozenset("ijklmn")).name)
        said = {name for name, each in self.declared.items() if {*each.kinds} - {"binary", "sign"}}
        return found - {each.name for each in self.closure.equations} - said

    def claim_set(
        self, shapes: Shapes, with_targets: bool = False, kinds_of: Mapping[str, str] | None = None
    ) -> ClaimSet:
        """The claim with its definitions as a set of claims, in one reading.

        with_targets: what stands before a logarithm adds up to 1, every row of it.
        kinds_of: what else is known of matrices.
        """
        taken = {*shapes, *(each.name for each in self.closure.equations)}
        rename = {name: f"{name}0" for name in self.sizes if name in taken}
        words = {name: size_word(name) for name in self.bounds if not name.isidentifier()}
        rename |= words
        symbols: dict[str, str] = {}
        equal = {name: sizes[0] for name, sizes in shapes.items() if len(sizes) == 1}
        for name, sizes in shapes.items():
            if name in equal:
                continue
            declared = self.declared.get(name)
            sides = [_renamed(size, rename) for size in sizes]
            kinds = " ".join(declared.kinds) if declared else ""
            kinds = kinds or self.outline.choices.get(name, "")
            if not sides and name in self.inference.signs.numbers and not declared:
                kinds = "positive"
            signs = self.inference.signs
            if not sides and not declared and name in signs.positive & signs.below_one:
                kinds = "probability"
            if not kinds and (name.startswith(PREFIX) or name in signs.positive):
                kinds = "positive"
            if not kinds and name in signs.counts:
                kinds = "positive integer"
            if with_targets and sides and name in self.targets:
                kinds = _target_kind(kinds, sides)
            if name.startswith(class_labels.PREFIX):
                kinds = "onehot"
            if kinds_of and name in kinds_of:
                kinds = kinds_of[name]
            latex = declared.latex if declared else plain_latex(name)
            symbols[latex] = f"{kinds} {' x '.join(sides) or 'scalar'}".strip()
        for name, declared in self.declared.items():
            if self.outline.steps and re.search(_FIRST, name):
                symbols[declared.latex] = declared.text(*declared.sides)
        for name in sorted(self.bounds - self.sizes - {*equal}):
            word = words.get(name, name)
            symbols[rf"\mathrm{{length}}_{{{word}}}"] = f"{word} x 1"
        values = {
            "symbols": symbols,
            "sizes": {
                **{plain_latex(name): word for name, word in words.items()},
                **{plain_latex(name): _renamed(value, rename) for name, value in equal.items()},
                **{rename.get(name, name): value for name, value in self.outline.sizes.items()},
            },
            "equations": self.closure.texts,
            "steps": self.outline.steps,
            "claims": [{"claim": self.text}],
        }
        return from_values(values, "document")


def _families(names: frozenset[str], nodes: Sequence[f.Node]) -> frozenset[str]:
    """Those of which entries may be written: of W only where W_i is not all that formulas have.

    W_i beside W_f is one of several matrices, though another section has a W.
    """
    whole = {
        replace(symbol, sub="").name
        for node in nodes
        for symbol, bound in symbols_in(node)
        if not symbol.sub or bound & {*symbol.sub} or len(letters_of(symbol.sub)) == 2
    }
    ranges = [part for node in nodes for part in node.walk() if isinstance(part, f.Range)]
    lengths = {each.high.name for each in ranges if isinstance(each.high, f.Symbol)}
    with_entries = {
        replace(each, sub="").name for n in nodes for each, _ in symbols_in(n) if each.sub
    }
    below: dict[str, set[str]] = {}
    for symbol in (symbol for node in nodes for symbol, _ in symbols_in(node)):
        below.setdefault(replace(symbol, sub="").name, set()).add(symbol.sub)
    numbered = {name for name, subs in below.items() if all(map(_is_number, subs))}
    names = names - numbered  # w_{41} and w_0 of a claim that has them by number alone
    names = names - (lengths - with_entries)  # K of a sum up to K, though a sentence has a matrix K
    return frozenset(name for name in names if name in whole or not is_capital(name))


def _is_number(sub: str) -> bool:
    return sub.replace(",", "").isdigit()


def _target_kind(declared: str, sides: Sequence[str]) -> str:
    """A distribution in a vector, or in every row of a matrix; of zeros and ones, one-hot."""
    if declared == "binary":
        return "onehot"
    return "probability" if "1" in sides else "stochastic"


def _is_logarithm(node: f.Node) -> bool:
    inner = node.body if isinstance(node, f.Negative | f.Transpose) else node
    return isinstance(inner, f.Call) and inner.function in ("log", "ln")


def square(shapes: Shapes) -> Shapes:
    """The same with all sizes that were not said equal."""
    return {
        name: tuple("n1" if re.fullmatch(r"n\d+", size) else size for size in sizes)
        for name, sizes in shapes.items()
    }


def with_square(shapes: Shapes, names: Collection[str]) -> Shapes | None:
    """The same with these matrices square; None where what is declared forbids it."""
    same: dict[str, str] = {}
    for name in names:
        rows, columns = (same.get(size, size) for size in shapes[name])
        if rows != columns and not re.fullmatch(r"n\d+", columns):
            rows, columns = columns, rows
        if rows != columns and not re.fullmatch(r"n\d+", columns):
            return None
        same = {old: rows if new == columns else new for old, new in same.items()}
        same[columns] = rows
    return {name: tuple(same.get(size, size) for size in sizes) for name, sizes in shapes.items()}


def _renamed(size: str, rename: dict[str, str]) -> str:
    if size in rename:
        return rename[size]
    if not rename:
        return size
    return re.sub(r"[A-Za-z]\w*", lambda match: rename.get(match[0], match[0]), size)


def _at_t(match: "re.Match[str]") -> str:
    """(t) in place of (0)."""
    return match[0].replace("0", "t")
