"""The formula of a `computes` claim: its names as a module's inputs and parameters."""

import copy
import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import torch
from torch import Tensor

from workings.claims.compare import TOLERANCE, Pair, equal
from workings.claims.modules.live_module import LiveModule
from workings.claims.modules.module_draw import ModuleDraw, Stored
from workings.claims.sets import Claim, ClaimSet
from workings.claims.system.declare import TIME, Reader
from workings.claims.system.equations import Draw, Trace
from workings.claims.system.gradient import Point
from workings.claims.system.left_sides import name_of, without_step
from workings.claims.system.noise import Rounding
from workings.errors import WorkingsError, first_line, nearest
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.evaluation.evaluate import Scope, key
from workings.formula.printing.latex import is_written, latex, plain_latex

SCALES = ((30.0, 4.0), (1 / 30,))  # of inputs and parameters; the next one where one overflows
NOISY = 2  # evaluations with noise, to see how far rounding may go
ANY_SHAPE = "1 x 1"  # the values come from the module, with their shapes
_STORED = re.compile(r"\s*([\w.]+)\s*(?:\[([^\]]+)\])?\s*")
_FUNCTION = re.compile(r"\s*\\?[A-Za-z]+\s*\(([^()]*)\)\s*")
_TRANSPOSE = re.compile(r"\^\s*(\\top|T|\{\s*(T|\\top|\\mathrm\{T\})\s*\})\s*$")


class ModuleFormula:
    """A formula, and what its names are in the module."""

    def __init__(self, claim: Claim, given: ClaimSet, live: LiveModule) -> None:
        self.claim, self.live = claim, live
        self.given = given.model_copy(update={"equations": (*given.equations, *claim.where)})
        self.text = claim.computes
        self.names = dict(self._stored(path, name) for path, name in claim.parameters.items())
        self.spares = self._spares()
        declared = [*self.given.symbols, *live.inputs, *self.names, *self.spares]
        self.unknown = self._undeclared(declared)
        reader = self._reader([*declared, *self.unknown])
        system = reader.system()
        self.tree = system.names.resolve(reader.statement(self.text).sides[-1], self.text)
        # A module gives its output at every step, so that nothing is for the last step alone.
        self.system = replace(system.for_formulas([self.tree]), last=frozenset())
        self._given = replace(system, last=frozenset())
        self.steps = self.system.steps if system.names.time else 0

    def read_again(self) -> "ModuleFormula":
        """The formula and its equations from their LaTeX."""
        claim = self.claim.model_copy(update={"computes": latex(self.tree), "where": ()})
        equations = tuple(self._written(text) for text in self.given.equations)
        given = self.given.model_copy(update={"equations": equations})
        return ModuleFormula(claim, given, self.live)

    def _written(self, text: str) -> str:
        bodies = {equation.text: equation.body for equation in self.system.equations}
        left = text.partition("=")[0]
        return f"{left.strip()} = {latex(bodies[text])}" if text in bodies else text

    def with_unused(self) -> "ModuleFormula":
        """The same with the equations, too, that the formula does not use."""
        whole = copy.copy(self)
        whole.system = self._given
        return whole

    def parts(self) -> list[f.Node]:
        """The formula, and the right sides of its equations."""
        return [self.tree, *(equation.body for equation in self.system.equations)]

    def changed(self, part: f.Node, other: f.Node) -> "ModuleFormula":
        """The same with one part of the formula, or of one equation, replaced."""

        def in_place(node: f.Node) -> f.Node:
            return other if node is part else node.rebuilt(in_place)

        return self.rewritten(in_place)

    def changed_everywhere(self, part: f.Node, other: f.Node) -> "ModuleFormula":
        """The same with all that looks like this part replaced."""
        text = latex(part)

        def in_places(node: f.Node) -> f.Node:
            return other if is_written(node, text) else node.rebuilt(in_places)

        return self.rewritten(in_places)

    def renamed(self, others: Mapping[str, str]) -> "ModuleFormula":
        """The same with other names, all at once."""

        def in_names(node: f.Node) -> f.Node:
            if isinstance(node, f.Reference) and node.name in others and node.step is None:
                return self.reference(others[node.name])
            return node.rebuilt(in_names)

        return self.rewritten(in_names)

    def rewritten(self, rewrite: Callable[[f.Node], f.Node]) -> "ModuleFormula":
        """The same with its formula and the right sides of its equations rewritten."""
        changed = copy.copy(self)
        changed.tree = rewrite(self.tree)
        equations = (replace(each, body=rewrite(each.body)) for each in self.system.equations)
        changed.system = replace(self.system, equations=tuple(equations))
        return changed

    def difference(self, before: "ModuleFormula") -> str:
        """What is changed, as LaTeX: the formula, or the equations that differ."""
        old = {each.name: latex(each.body) for each in before.system.equations}
        new = [e for e in self.system.equations if old.get(e.name) not in (None, latex(e.body))]
        return "; ".join(self._written(each.text) for each in new) or latex(self.tree)

    def _stored(self, text: str, name: str) -> tuple[str, Stored]:
        match = _STORED.fullmatch(text)
        if match is None or match[1] not in self.live.paths:
            path, known = match[1] if match else text, self.live.paths
            raise WorkingsError(
                f"parameters: the module has no {path!r}{nearest(path, known)}; it has "
                f"{', '.join(known) or 'none'}"
            )
        plain = _TRANSPOSE.sub("", name)
        part = tuple(each.strip() for each in match[2].split(",")) if match[2] else ()
        stored = Stored(self.live.paths[match[1]], part, plain != name)
        if stored.path not in self.live.parameters:
            self.live.buffers.add(stored.path)
        return name_of(plain).name, stored

    def _spares(self) -> dict[str, Stored]:
        """Names for the parameters that the claim does not name, for a repair to use."""
        named = {stored.path for stored in self.names.values()}
        spares: dict[str, Stored] = {}
        for path, axes in self.live.parameters.items():
            if path in named or axes > 2:  # a formula's names have two axes
                continue
            matrix = axes > 1
            letters = re.sub(r"weight|bias|[^A-Za-z]", "", path)
            name = ("W" if matrix else "b") + (f"_{letters}" if letters else "")
            while name in self.names or name in spares or name in self.given.symbols:
                name += "x" if "_" in name else "_x"
            spares[name] = Stored(path, transposed=matrix)
        return spares

    def spare(self, names: Mapping[str, Stored]) -> dict[str, Stored]:
        """Of these, the parameters that are not matched with a name."""
        named = {stored.path for stored in names.values()}
        return {name: stored for name, stored in self.spares.items() if stored.path not in named}

    def _reader(self, declared: list[str]) -> Reader:
        sizes = dict.fromkeys(self.live.size_names, 1)
        symbols = dict.fromkeys(declared, ANY_SHAPE)
        for name, symbol in self.live.inputs.items():
            symbols[name] = " x ".join(symbol.sides) or "scalar"
        shapeless = [name for name in declared if name not in self.live.inputs]
        update = {"symbols": symbols, "sizes": sizes, "claims": ()}
        return Reader(self.given.model_copy(update=update), shapeless)

    def _undeclared(self, declared: list[str]) -> list[str]:
        """Names that stand in the formula or the equations and are nothing yet."""
        reader = self._reader(declared)
        sides = [reader.statement(self.text).sides[-1]]  # y = x W + b says the same as x W + b
        sides += [reader.statement(text).sides[-1] for text in self.given.equations]
        lefts: list[str] = []
        for text in self.given.equations:
            left = text.partition("=")[0]
            function = _FUNCTION.fullmatch(left)
            lefts += function[1].split(",") if function else [left]
        symbols = list(map(name_of, [*declared, *lefts]))
        timed = {plain for plain, step in map(without_step, symbols) if step == TIME}
        parts = [part for side in sides for part in side.walk()]
        bound = {part.variable for part in parts if isinstance(part, f.Range)}
        sizes = self.live.size_names
        known = {*sizes, *bound, TIME, "T", "e", "\\pi", *(s.name for s in symbols)}
        known |= {f.Symbol("I", sub=size).name for size in sizes}  # identity matrices
        nodes = [part for part in parts if isinstance(part, f.Symbol)]
        return list(
            dict.fromkeys(
                node.name
                for node in nodes
                if node.name not in known
                and without_step(node)[0] not in timed
                and f.Symbol(node.base, node.marks).name not in known  # an entry of it
            )
        )

    def reference(self, name: str) -> f.Reference:
        """A node for a name of the module's."""
        return f.Reference(name, plain_latex(name))

    @staticmethod
    def uses(tree: f.Node, name: str) -> bool:
        """Whether a formula has that name in it."""
        return any(isinstance(node, f.Reference) and node.name == name for node in tree.walk())

    def pair(self, drawn: ModuleDraw, names: Mapping[str, Stored]) -> Pair:
        """The formula's value, and what the module gave."""
        claimed, output = self.value(drawn, names), drawn.output.detach()
        same = output.squeeze().shape == claimed.squeeze().shape  # (k) and 1 × k are alike
        right = output.reshape(claimed.shape) if same else output

        rounding = Rounding(claimed, functools.partial(self.value, drawn, names), NOISY)

        def moved(thoroughly: bool) -> tuple[Tensor, Tensor]:
            return TOLERANCE * claimed.abs(), rounding.moved(thoroughly)

        return Pair(claimed, right, drawn.sizes, moved)

    def scaled(self, names: Mapping[str, Stored], seed: int) -> list[Pair]:
        """The same at much larger and much smaller numbers, where both sides are finite there."""
        pairs = []
        for scales in SCALES:
            for scale in scales:
                try:
                    pair = self.pair(self.live.draw(seed, scale=scale), names)
                except (Undefined, WorkingsError):  # what it divides by is lost there
                    continue
                if all(bool(torch.isfinite(each).all()) for each in (pair.claimed, pair.right)):
                    pairs.append(pair)
                    break
        return pairs

    def is_right(self, drawn: ModuleDraw, names: Mapping[str, Stored]) -> bool:
        """Whether the module gave the formula's value."""
        try:
            pair = self.pair(drawn, names)
        except (Undefined, WorkingsError):  # an equation without a value is an error of its set
            return False
        return equal(pair.claimed, pair.right) and pair.excess <= 1

    # Its value

    def point(self, drawn: ModuleDraw, names: Mapping[str, Stored]) -> Point:
        """The equations at what the module has and was given."""
        time_index = self.system.names.time
        indices = {time_index: self.steps} if time_index else {}
        return Point(self.system, self._draw(drawn, names), indices=indices)

    def _draw(self, drawn: ModuleDraw, names: Mapping[str, Stored]) -> Draw:
        first = {  # a module starts from zeros, in the shape of one step of its output
            key(equation.name, 0): torch.zeros(drawn.output.shape[-2:], dtype=torch.float64)
            for equation in self.system.equations
            if equation.name in self.system.names.timed
        }
        leaves = {**first, **drawn.leaves({**self.spares, **names})}
        return Draw(drawn.sizes, leaves)

    def value(
        self, drawn: ModuleDraw, names: Mapping[str, Stored], trace: Trace | None = None
    ) -> Tensor:
        """The formula's value; of a sequence, at every step."""
        with torch.no_grad():
            try:
                return self._value(self.system.run(self._draw(drawn, names), trace=trace))
            except RuntimeError as error:  # as torch.linalg raises of a singular matrix
                raise Undefined(first_line(error)) from error

    def _value(self, scope: Scope) -> Tensor:
        if not self.steps:
            return scope.value(self.tree)
        values = []
        for step in range(1, self.steps + 1):
            scope.indices[self.system.names.time] = step
            values.append(scope.value(self.tree))
        return torch.stack(values)

    def gradients(
        self, drawn: ModuleDraw, names: Mapping[str, Stored], direction: Tensor
    ) -> dict[str, Tensor]:
        """By every input and parameter, of the value's entries times those of direction."""
        draw = self._draw(drawn, names)
        leaves = {name: value.clone().requires_grad_() for name, value in draw.leaves.items()}
        with torch.enable_grad():
            value = self._value(self.system.run(Draw(draw.sizes, leaves)))
        taken = torch.autograd.grad(
            value, list(leaves.values()), direction.reshape(value.shape), allow_unused=True
        )
        return {
            name: torch.zeros_like(leaf) if gradient is None else gradient
            for (name, leaf), gradient in zip(leaves.items(), taken, strict=True)
        }
