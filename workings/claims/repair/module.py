"""Repairing a formula to what a live module computes: another name, a bias more, another edit."""

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence

from workings.claims.modules.module_draw import ModuleDraw, Stored
from workings.claims.modules.module_formula import ModuleFormula
from workings.claims.repair.module_edits import Variant, likely_edits, other_edits
from workings.claims.repair.plain import simplified
from workings.claims.repair.search import Search
from workings.claims.result import Repair
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.printing.latex import latex

FRESH = 3  # draws that no search has seen
SECONDS = 4.0  # of this thread's work
NONLINEARITIES = ("sigmoid", "tanh", "relu", "silu", "gelu")
ALSO_CALLED = {"\\sigma": "sigmoid", "ReLU": "relu", "SiLU": "silu", "GELU": "gelu"}

Names = Mapping[str, Stored]


def repair_module_formula(
    formula: ModuleFormula, names: Names, drawn: Sequence[ModuleDraw], seed: int
) -> Repair | None:
    """The nearest formula that the module does compute, read again from its LaTeX."""
    deadline = time.thread_time() + SECONDS
    known = {**names, **formula.spare(names)}
    added = _left_out(formula, names, seed, len(drawn))
    variants = itertools.chain([added] if added else [], _variants(formula, known, drawn))
    for tried, (variant, changes) in enumerate(variants, start=1):
        if time.thread_time() > deadline:
            return None
        if not all(variant.is_right(each, known) for each in drawn):
            continue
        plain = _plain(variant, formula)
        variant = plain if _holds(plain, known, seed) else variant
        if variant is plain or _holds(variant, known, seed):
            used = [name for name in known if name not in names and _uses(variant, name)]
            where = "".join(f"; {name} is {known[name]}" for name in used)
            return Repair(variant.difference(formula), changes + where, tried, FRESH)
    return None


def _plain(variant: ModuleFormula, before: ModuleFormula) -> ModuleFormula:
    """The same with what was changed written more plainly."""
    old = [latex(body) for body in before.parts()]
    return variant.rewritten(lambda body: body if latex(body) in old else simplified(body))


def _holds(variant: ModuleFormula, known: Names, seed: int) -> bool:
    """Whether what is printed, read again, is right at fresh draws."""
    try:
        again = variant.read_again()
    except WorkingsError:
        return False
    fresh = [variant.live.draw(seed + 1000 + number) for number in range(FRESH)]
    if not all(again.is_right(each, known) for each in fresh):
        return False
    return all(pair.excess <= 1 for pair in again.scaled(known, seed))


def _variants(
    formula: ModuleFormula, known: Names, drawn: Sequence[ModuleDraw]
) -> Iterator[Variant]:
    yield from _other_names(formula, known)
    yield from _other_gates(formula)
    yield from _transposes(formula)
    yield from _other_functions(formula)
    yield from likely_edits(formula, known)
    yield from _exchanged(formula, known)
    yield from _wrapped(formula)
    yield from _with_an_input(formula)
    yield from other_edits(formula)
    yield from _edited(formula, known, drawn)


def _other_names(formula: ModuleFormula, known: Names) -> Iterator[Variant]:
    """One name for another: the weights of another gate, √n for √d."""
    sizes: list[f.Node] = [f.Size(name) for name in formula.live.size_names]
    named: list[f.Node] = [formula.reference(name) for name in known]
    for body in formula.parts():
        for part in body.walk():
            if isinstance(part, f.Size | f.Reference):
                for other in sizes if isinstance(part, f.Size) else named:
                    if latex(other) != latex(part):
                        changes = f"{latex(other)} instead of {latex(part)}"
                        yield formula.changed(part, other), changes


def _other_gates(formula: ModuleFormula) -> Iterator[Variant]:
    """What one equation gives for what another does: two gates in each other's place, or one."""
    formula = formula.with_unused()
    given = {equation.name for equation in formula.system.equations}
    gates = [
        [part for part in body.walk() if isinstance(part, f.Reference) and part.name in given]
        for body in formula.parts()
    ]
    every: dict[str, f.Node] = {latex(gate): gate for inside in gates for gate in inside}
    unused = given - {gate.name for inside in gates for gate in inside}
    timed = formula.system.names.timed
    every |= {name: formula.reference(name) for name in unused if name not in timed}
    for body, inside in zip(formula.parts(), gates, strict=True):
        here = {latex(gate): gate for gate in inside}
        for one, two in itertools.combinations(here, 2):
            others = {one: here[two], two: here[one]}
            said = f"{one} and {two} in each other's place"
            yield formula.changed(body, _with_others(body, others)), said
        for gate in inside:
            for shown, other in every.items():
                if shown != latex(gate):
                    yield formula.changed(gate, other), f"{shown} instead of {latex(gate)}"


def _with_others(node: f.Node, others: Mapping[str, f.Node]) -> f.Node:
    if isinstance(node, f.Reference):
        return others.get(latex(node), node)
    return node.rebuilt(lambda child: _with_others(child, others))


def _transposes(formula: ModuleFormula) -> Iterator[Variant]:
    for body in formula.parts():
        for part in body.walk():
            if isinstance(part, f.Transpose):
                yield formula.changed(part, part.body), f"{latex(part.body)} is not transposed"
            elif isinstance(part, f.Reference):
                yield formula.changed(part, f.Transpose(part)), f"{latex(part)} is transposed"


def _other_functions(formula: ModuleFormula) -> Iterator[Variant]:
    """One nonlinearity for another."""
    for body in formula.parts():
        for part in body.walk():
            function = getattr(part, "function", "")
            name = ALSO_CALLED.get(function, function)
            if isinstance(part, f.Call) and name in NONLINEARITIES and not part.primes:
                for other in (each for each in NONLINEARITIES if each != name):
                    call = f.Call(other, part.arguments)
                    yield formula.changed(part, call), f"{latex(call)} instead of {latex(part)}"


def _exchanged(formula: ModuleFormula, known: Names) -> Iterator[Variant]:
    """Two names in each other's place wherever they stand, or two such pairs: gates mixed up."""
    used = [name for name in known if _uses(formula, name)]
    pairs = list(itertools.combinations(used, 2))
    for exchange in (*((pair,) for pair in pairs), *itertools.combinations(pairs, 2)):
        names = [name for pair in exchange for name in pair]
        if len(set(names)) == len(names):
            others = {a: b for one, two in exchange for a, b in ((one, two), (two, one))}
            said = ", ".join(f"{one} and {two}" for one, two in exchange)
            yield formula.renamed(others), f"{said} in each other's place"


def _wrapped(formula: ModuleFormula) -> Iterator[Variant]:
    """Scores over the root of a size, and a nonlinearity around the whole."""
    for body in formula.parts():
        for part in body.walk():
            if isinstance(part, f.Call) and part.function.lower() == "softmax":
                (scores,) = part.arguments
                plain = scores.top if isinstance(scores, f.Quotient) else scores
                for name in formula.live.size_names:
                    root = f.Call("sqrt", (f.Size(name),))
                    scaled = f.Quotient(plain, root)
                    yield formula.changed(scores, scaled), f"divided by {latex(root)}"
    for function in NONLINEARITIES:
        call = f.Call(function, (formula.tree,))
        yield formula.changed(formula.tree, call), f"{function} around the whole"


def _with_an_input(formula: ModuleFormula) -> Iterator[Variant]:
    """An input added to the whole, as a residual connection has it, or before a product."""
    inputs: list[f.Node] = [formula.reference(name) for name in formula.live.inputs]
    for given in inputs:
        terms = formula.tree.terms if isinstance(formula.tree, f.Sum) else (formula.tree,)
        whole = f.Sum((given, *terms))
        yield formula.changed(formula.tree, whole), _added(given, formula.tree)
        for body in formula.parts():
            for part in body.walk():
                if isinstance(part, f.Product):
                    product = f.Product((given, *part.factors))
                    yield formula.changed(part, product), f"{latex(given)} before {latex(part)}"


def _edited(formula: ModuleFormula, known: Names, drawn: Sequence[ModuleDraw]) -> Iterator[Variant]:
    """Another formula of the same names, as for any wrong equality."""
    if formula.steps:
        return
    points = [formula.point(each, known) for each in drawn]
    outputs = [each.output.detach() for each in drawn]
    right = [each if each.ndim == 2 else each.reshape(1, -1) for each in outputs]
    pool: list[f.Node] = [formula.reference(name) for name in known]
    proposal = Search(formula.tree, points, right, pool).run()
    if proposal is not None:
        yield formula.changed(formula.tree, proposal.formula), proposal.changes


def _left_out(formula: ModuleFormula, names: Names, seed: int, draws: int) -> Variant | None:
    """The parameters that the formula leaves out, each added where it belongs.

    They are added one after the other, while those that are still to be added are zero.
    """
    known = {**names, **formula.spare(names)}
    spare = {name: stored for name, stored in known.items() if not _uses(formula, name)}
    waiting = [stored.path for stored in spare.values()]
    said = []
    for name, stored in spare.items():
        waiting.remove(stored.path)
        drawn = [formula.live.draw(seed + number, zero=waiting) for number in range(draws)]
        for variant, changes in _with_term(formula, name):
            if all(variant.is_right(each, known) for each in drawn):
                formula = variant
                said.append(changes)
                break
        else:
            return None
    return (formula, "; ".join(said)) if said else None


def _with_term(formula: ModuleFormula, name: str) -> Iterator[Variant]:
    term = formula.reference(name)
    for body in formula.parts():
        for part in body.walk():
            if isinstance(part, f.Sum):
                yield formula.changed(part, f.Sum((*part.terms, term))), _added(term, part)
            if isinstance(part, f.Product):
                for first, last in itertools.combinations(range(len(part.factors) + 1), 2):
                    if last - first > 1:
                        yield _to_product(formula, part, first, last, term)


def _to_product(
    formula: ModuleFormula, part: f.Product, first: int, last: int, term: f.Node
) -> Variant:
    """A term added to a run of factors: (x W_Q + b) (x W_K)^T."""
    run = f.Product(part.factors[first:last])
    whole = (*part.factors[:first], f.Sum((run, term)), *part.factors[last:])
    changed = whole[0] if len(whole) == 1 else f.Product(whole)
    return formula.changed(part, changed), _added(term, run)


def _added(term: f.Node, to: f.Node) -> str:
    return f"{latex(term)} is added to {latex(to)}"


def _uses(formula: ModuleFormula, name: str) -> bool:
    return any(formula.uses(body, name) for body in formula.parts())
