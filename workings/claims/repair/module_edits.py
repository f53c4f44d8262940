"""What else a module may do than its formula says: other brackets, 1 - u for u, a norm elsewhere.

Every edit is of the formula, or of one of its equations; what stands in it several times is changed
everywhere at once.
"""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from workings.claims.modules.module_draw import Stored
from workings.claims.modules.module_formula import ModuleFormula
from workings.claims.repair.edits import edits
from workings.formula import nodes as f
from workings.formula.printing.latex import is_value, is_written, latex

Variant = tuple[ModuleFormula, str]  # a formula, and what was changed, in words

ONE = f.Number(Fraction(1))
EPSILONS = (5, 6, 8, 12, 3)  # powers of 1/10
SLOPES = tuple(Fraction(slope, 100) for slope in (1, 20, 10, 5, 30))
LEAKY = "leakyrelu"


def likely_edits(formula: ModuleFormula, known: Mapping[str, Stored]) -> Iterator[Variant]:
    """The slips that are made of modules, the likeliest first."""
    yield from _complements(formula)
    yield from _without_scale(formula)
    yield from _epsilons(formula)
    yield from _slopes(formula)
    yield from _labels(formula, known)
    yield from _norm_elsewhere(formula)
    yield from _of_graphs(formula)
    yield from _gates(formula)


def other_edits(formula: ModuleFormula) -> Iterator[Variant]:
    """One edit of one equation, or in all places, as for any wrong formula."""
    yield from _in_equations(formula)
    yield from _everywhere(formula)


def _parts(formula: ModuleFormula) -> Iterator[f.Node]:
    """Every part of the formula and its equations, each of those that look alike once."""
    seen = set()
    for body in formula.parts():
        for part in body.walk():
            if is_value(part) and (text := latex(part)) not in seen:
                seen.add(text)
                yield part


def _opposite(node: f.Node) -> f.Node | None:
    """u of 1 - u."""
    match node:
        case f.Sum((f.Number(Fraction(numerator=1, denominator=1)), f.Negative(body))):
            return body
    return None


def _complements(formula: ModuleFormula) -> Iterator[Variant]:
    """u and 1 - u exchanged, or one for the other at one place: a gate's two sides."""
    for part in _parts(formula):
        match part:
            case f.Sum((f.Elementwise((one, *first)), f.Elementwise((two, *second)))) if any(
                other is not None and latex(other) == latex(gate)
                for other, gate in ((_opposite(one), two), (_opposite(two), one))
            ):
                terms = f.Elementwise((two, *first)), f.Elementwise((one, *second))
                said = f"{latex(one)} and {latex(two)} in each other's place"
                yield formula.changed_everywhere(part, f.Sum(terms)), said
        opposite = _opposite(part)
        if isinstance(opposite, f.Reference):

            def exchanged(node: f.Node, one: f.Node = part, two: f.Node = opposite) -> f.Node:
                if is_written(node, latex(one)):
                    return two
                return one if is_written(node, latex(two)) else node.rebuilt(exchanged)

            said = f"{latex(part)} and {latex(opposite)} in each other's place"
            yield formula.rewritten(exchanged), said
    for body in formula.parts():
        for part in body.walk():
            other = _opposite(part)
            if isinstance(part, f.Reference):
                other = f.Sum((ONE, f.Negative(part)))
            if other is not None:
                yield formula.changed(part, other), f"{latex(other)} instead of {latex(part)}"


def _without_scale(formula: ModuleFormula) -> Iterator[Variant]:
    """Scores that are not divided."""
    for part in _parts(formula):
        if isinstance(part, f.Quotient):
            changed = formula.changed_everywhere(part, part.top)
            yield changed, f"{latex(part.top)} is not divided by {latex(part.bottom)}"


def _epsilons(formula: ModuleFormula) -> Iterator[Variant]:
    """A small number under a root, or in a denominator; or another one."""
    smalls = [f.Power(f.Number(Fraction(10)), f.Number(Fraction(-power))) for power in EPSILONS]
    for part in _parts(formula):
        if _is_small(part):
            for small in smalls:
                said = f"{latex(small)} instead of {latex(part)}"
                yield formula.changed_everywhere(part, small), said
        bodies: tuple[f.Node, ...] = ()
        if isinstance(part, f.Call) and part.function == "sqrt":
            bodies = part.arguments
        elif isinstance(part, f.Quotient):
            bodies = (part.bottom,)
        for body in bodies:
            terms = body.terms if isinstance(body, f.Sum) else (body,)
            for small in smalls:
                said = f"{latex(small)} is added to {latex(body)}"
                yield formula.changed_everywhere(body, f.Sum((*terms, small))), said


def _is_small(node: f.Node) -> bool:
    """10^{-6}, or 0.000001."""
    match node:
        case f.Power(f.Number(Fraction(numerator=10)), f.Number(value)):
            return value < 0
        case f.Number(value):
            return 0 < value < Fraction(1, 100)
    return False


def _slopes(formula: ModuleFormula) -> Iterator[Variant]:
    for part in _parts(formula):
        if isinstance(part, f.Call) and part.function.lower() == LEAKY:
            for slope in SLOPES:
                call = f.Call(part.function, (part.arguments[0], f.Number(slope)))
                yield formula.changed_everywhere(part, call), f"with the slope {float(slope)}"


def _labels(formula: ModuleFormula, known: Mapping[str, Stored]) -> Iterator[Variant]:
    """All names with one subscript for those with another: two heads in each other's place."""
    by_label: dict[str, dict[str, str]] = {}
    for name in known:
        if match := re.fullmatch(r"(.+)_\{?(\w+)\}?", name):
            by_label.setdefault(match[2], {})[match[1]] = name
    labels = list(by_label)
    for position, one in enumerate(labels):
        for two in labels[position + 1 :]:
            both = [base for base in by_label[one] if base in by_label[two]]
            pairs = [(by_label[one][base], by_label[two][base]) for base in both]
            if len(pairs) > 1:
                others = {a: b for x, y in pairs for a, b in ((x, y), (y, x))}
                said = (
                    f"{', '.join(others[b] for _, b in pairs)} exchanged with their like of {two}"
                )
                yield formula.renamed(others), said


def _norm_elsewhere(formula: ModuleFormula) -> Iterator[Variant]:
    """ν(x + F(x)) for x + F(ν(x)), and back: a norm after or before a residual block."""
    tree = formula.tree
    inputs = [formula.reference(name) for name in formula.live.inputs]
    if isinstance(tree, f.Call) and len(tree.arguments) == 1:
        (body,) = tree.arguments
        for x in inputs if isinstance(body, f.Sum) else ():
            assert isinstance(body, f.Sum)
            call = f.Call(tree.function, (x,))
            for kept in ([t for t in body.terms if latex(t) == latex(x)], []):
                terms = [t if t in kept else _put(t, x, call) for t in body.terms]
                before = f"{latex(call)} inside, and {latex(tree)} without it"
                yield formula.changed(tree, f.Sum(tuple(terms))), before
    if isinstance(tree, f.Sum):
        for part in tree.walk():
            of = latex(part.arguments[0]) if isinstance(part, f.Call) else ""
            if isinstance(part, f.Call) and of in map(latex, inputs):
                plain = _put(tree, part, part.arguments[0])
                around = f.Call(part.function, (plain,))
                yield formula.changed(tree, around), f"{latex(part)} is around the whole instead"


def _put(node: f.Node, part: f.Node, other: f.Node) -> f.Node:
    if is_written(node, latex(part)):
        return other
    return node.rebuilt(lambda child: _put(child, part, other))


def _of_graphs(formula: ModuleFormula) -> Iterator[Variant]:
    """A + I for the adjacency A, and both sides' root of D for one side's inverse."""
    for name, symbol in formula.live.inputs.items():
        if "adjacency" in symbol.kinds:
            matrix = formula.reference(name)
            looped = f.Sum((matrix, f.Identity(f.Size(symbol.sides[0]))))
            said = f"{latex(looped)} instead of {latex(matrix)}"
            yield formula.changed_everywhere(matrix, looped), said
    half = f.Number(Fraction(-1, 2))
    for part in _parts(formula):
        match part:
            case f.Product((f.Power(degrees, exponent), a, *rest)) if latex(exponent) == "-1":
                root = f.Power(degrees, half)
                changed = f.Product((root, a, root, *rest))
                yield formula.changed_everywhere(part, changed), f"{latex(root)} on both sides"


def _gates(formula: ModuleFormula) -> Iterator[Variant]:
    """A gate before a product or after it, too many or too few: r ⊙ (h U) for (r ⊙ h) U."""
    gates = {
        latex(part): part
        for body in formula.parts()
        for part in body.walk()
        if isinstance(part, f.Reference) and part.name in _equations(formula)
    }
    for part in _parts(formula):
        for changed in _regated(part, list(gates.values())):
            yield formula.changed_everywhere(part, changed), f"{latex(changed)} for {latex(part)}"


def _regated(part: f.Node, gates: list[f.Reference]) -> Iterator[f.Node]:
    match part:
        case f.Elementwise((gate, f.Product((first, *rest)))):
            yield f.Product((f.Elementwise((gate, first)), *rest))
        case f.Product((f.Elementwise((gate, first)), *rest)):
            yield f.Elementwise((gate, f.Product((first, *rest))))
            yield f.Product((first, *rest))
        case f.Product((first, *rest)):
            for gate in gates if isinstance(first, f.Reference) else ():
                yield f.Product((f.Elementwise((gate, first)), *rest))
                yield f.Elementwise((gate, part))


def _equations(formula: ModuleFormula) -> set[str]:
    return {equation.name for equation in formula.system.equations}


def _in_equations(formula: ModuleFormula) -> Iterator[Variant]:
    """One edit of one equation, as for any wrong formula."""
    for equation in formula.system.equations:
        for changed, said in edits(equation.body):
            yield formula.changed(equation.body, changed), said


def _everywhere(formula: ModuleFormula) -> Iterator[Variant]:
    """One edit of what stands in several places, in all of them."""
    texts = [latex(part) for body in formula.parts() for part in body.walk() if is_value(part)]
    for part in _parts(formula):
        if texts.count(latex(part)) > 1 and isinstance(part, f.Product | f.Quotient | f.Call):
            for changed, said in edits(part):
                yield formula.changed_everywhere(part, changed), f"{said}, everywhere"
