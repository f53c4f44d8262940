"""Formulas that are one edit away: what a slip of the pen changes, undone.

A transpose, a matrix product for an elementwise one, an order, a factor too many or too few, a
sign, a constant, the range of a sum.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from workings.claims.repair.function_edits import Edit, of_functions, parts, root_or_square, within
from workings.claims.repair.plain import base_and_power, elementwise, product
from workings.formula import nodes as f
from workings.formula.evaluation.functions import POINTWISE
from workings.formula.printing.latex import latex


def edits(node: f.Node, pool: Sequence[f.Node] = ()) -> Iterator[Edit]:
    """Every formula one edit away, with what was changed: the smallest edits first."""
    first = (_bounds, _transposes, _signs, of_functions, _products, parts, _numbers)
    for local in (*first, _matrices, _left_out):
        yield from everywhere(node, local)
    yield from root_or_square(node)
    used = {part.function for part in node.walk() if isinstance(part, f.Call)}
    yield from everywhere(node, lambda part: within(part, sorted(used & POINTWISE)))
    yield from everywhere(node, lambda part: _with_factor(part, pool))


def structural_edits(node: f.Node) -> Iterator[Edit]:
    """The edits that change what is computed and not by how much: no signs, numbers or factors."""
    for local in (_bounds, _transposes, _products, parts):
        yield from everywhere(node, local)


def less(node: f.Node) -> Iterator[Edit]:
    """The formulas with a factor, a term or a number less."""
    yield from everywhere(node, _left_out)
    yield from everywhere(node, _numbers)


def everywhere(node: f.Node, local: Callable[[f.Node], Iterator[Edit]]) -> Iterator[Edit]:
    """The edits of this node and of each below, put back in its place."""
    yield from local(node)
    for child in node.children():
        if isinstance(child, f.SideOf):
            continue  # a size that fits
        if isinstance(node, f.Derivative) or (isinstance(node, f.Index) and child is not node.body):
            continue  # what a derivative is of, and which entry is meant, is not in question
        for changed, what in everywhere(child, local):
            yield _replaced(node, child, changed), what


def _replaced(node: f.Node, child: f.Node, changed: f.Node) -> f.Node:
    return node.rebuilt(lambda each: changed if each is child else each)


def _bounds(node: f.Node) -> Iterator[Edit]:
    """Where a sum or product goes, and in which order."""
    match node:
        case f.Total(ranges, body):
            yield from _split_sum(node)
            yield from _ranges(ranges, lambda new: f.Total(new, body))
        case f.Chain(steps, body):
            if steps.low is not None and steps.high is not None:
                reversed_ = f.Range(
                    steps.variable, steps.high, steps.low, steps.without, not steps.descending
                )
                order = "ascending" if steps.descending else "descending"
                yield f.Chain(reversed_, body), f"the product in {order} order of {steps.variable}"
            yield from _ranges((steps,), lambda new: f.Chain(new[0], body))


def _signs(node: f.Node) -> Iterator[Edit]:
    if isinstance(node, f.Negative):
        yield node.body, f"the sign of {latex(node.body)}"
    elif isinstance(node, f.Sum):
        for position, term in enumerate(node.terms):
            body = term.body if isinstance(term, f.Negative) else term
            flipped = body if isinstance(term, f.Negative) else f.Negative(term)
            terms = (*node.terms[:position], flipped, *node.terms[position + 1 :])
            yield f.Sum(terms), f"the sign of {latex(body)}"
        every = [t.body if isinstance(t, f.Negative) else f.Negative(t) for t in node.terms]
        yield f.Sum(tuple(every)), f"the sign of {latex(node)}"
    elif not isinstance(node, f.Number | f.Range | f.Row):
        yield f.Negative(node), f"the sign of {latex(node)}"


def _products(node: f.Node) -> Iterator[Edit]:
    """Matrix products for elementwise ones and back, brackets, orders."""
    if isinstance(node, f.Product):
        yield from _product(node.factors)
    elif isinstance(node, f.Elementwise):
        yield from _elementwise(node.factors)


def _numbers(node: f.Node) -> Iterator[Edit]:
    if isinstance(node, f.Number):
        for other in _near(node.value):
            yield f.Number(other), f"{other} in place of {node.value}"
    elif isinstance(node, f.Power):
        yield node.base, f"{latex(node.base)} without its power"
        exponent = _fraction(node.exponent)
        for other in () if exponent is None else (*_near(exponent), -exponent):
            yield f.Power(node.base, f.Number(other)), f"the power {other} of {latex(node.base)}"


def _matrices(node: f.Node) -> Iterator[Edit]:
    """The inverse for a matrix; A + A^T for 2 A, which is the same of a symmetric one only."""
    if isinstance(node, f.Reference):
        inverse = f.Power(node, f.Number(Fraction(-1)))
        yield inverse, f"{latex(inverse)} in place of {latex(node)}"
    factors = node.factors if isinstance(node, f.Product) else ()
    twice = [at for at, factor in enumerate(factors) if _fraction(factor) == 2]
    for at, factor in enumerate(factors):
        if twice and isinstance(factor, f.Reference):
            both = f.Sum((factor, f.Transpose(factor)))
            parts = [both if n == at else each for n, each in enumerate(factors) if n != twice[0]]
            yield product(parts), f"{latex(both)} in place of 2 {latex(factor)}"


def _left_out(node: f.Node) -> Iterator[Edit]:
    """A factor or a term too many."""
    match node:
        case f.Product(parts) | f.Elementwise(parts) | f.Sum(parts):
            build, word = _REBUILD[type(node)]
            for position, part in enumerate(parts):
                body = part.body if isinstance(part, f.Negative) else part
                rest = parts[:position] + parts[position + 1 :]
                yield build(rest), f"without the {word} {latex(body)}"


def total(terms: Sequence[f.Node]) -> f.Node:
    """The sum of these terms; one alone is itself."""
    return terms[0] if len(terms) == 1 else f.Sum(tuple(terms))


_REBUILD: dict[type[f.Node], tuple[Callable[[Sequence[f.Node]], f.Node], str]] = {
    f.Product: (product, "factor"),
    f.Elementwise: (elementwise, "factor"),
    f.Sum: (total, "term"),
}
"""what is made of the parts that are left, and what such a part is called"""


def _near(value: Fraction) -> list[Fraction]:
    return [each for each in (value * 2, value / 2, value + 1, value - 1) if each != value and each]


def _transposes(node: f.Node) -> Iterator[Edit]:
    if isinstance(node, f.Transpose):
        yield node.body, f"{latex(node.body)} not transposed"
    elif isinstance(node, f.Power) and base_and_power(node)[1] == -1:
        yield f.Transpose(node.base), f"{latex(node.base)} transposed, not inverted"
    elif not isinstance(node, f.Number | f.Range | f.Row | f.Variable | f.Size):
        yield f.Transpose(node), f"{latex(node)} transposed"


def _product(factors: tuple[f.Node, ...]) -> Iterator[Edit]:
    for cut in range(1, len(factors)):
        left, right = product(factors[:cut]), product(factors[cut:])
        before, after = latex(factors[cut - 1]), latex(factors[cut])
        what = f"the product of {before} with {after} is elementwise"
        yield elementwise((left, right)), what
        if len(factors) > 2:
            pair = elementwise((factors[cut - 1], factors[cut]))
            yield product((*factors[: cut - 1], pair, *factors[cut + 1 :])), what
    for position, factor in enumerate(factors):
        if isinstance(factor, f.Elementwise):  # A (B ⊙ C) or (A B) ⊙ C
            ahead, behind = factors[:position], factors[position + 1 :]
            first, *others = factor.factors
            moved = elementwise((product((*ahead, first)), *others))
            yield product((moved, *behind)), "the brackets around the elementwise product"
            *others, last = factor.factors
            moved = elementwise((*others, product((last, *behind))))
            yield product((*ahead, moved)), "the brackets around the elementwise product"
    for a in range(len(factors)):
        for b in range(a + 1, len(factors)):
            order = list(factors)
            order[a], order[b] = order[b], order[a]
            yield product(order), f"{latex(factors[a])} and {latex(factors[b])} in the other order"


def _elementwise(factors: tuple[f.Node, ...]) -> Iterator[Edit]:
    for position, factor in enumerate(factors):
        rest = factors[:position] + factors[position + 1 :]
        other = elementwise(rest)
        what = f"the product with {latex(factor)} is a matrix product"
        yield product((other, factor)), what
        yield product((factor, other)), what
        yield product((other, f.Transpose(factor))), what + " with its transpose"
        yield product((f.Transpose(factor), other)), what + " with its transpose"
    for cut in range(1, len(factors)):
        before, after = elementwise(factors[:cut]), elementwise(factors[cut:])
        yield product((before, after)), f"the product of {latex(before)} with {latex(after)}"
    if isinstance(factors[0], f.Product):  # (A B) ⊙ C or A (B ⊙ C)
        *ahead, last = factors[0].factors
        moved = elementwise((last, *factors[1:]))
        yield product((*ahead, moved)), "the brackets around the elementwise product"


def _ranges(
    ranges: tuple[f.Range, ...], build: Callable[[tuple[f.Range, ...]], f.Node]
) -> Iterator[Edit]:
    for position, each in enumerate(ranges):
        variable = each.variable
        changed: list[tuple[f.Range, str]] = []
        if each.without:
            every = f.Range(variable, each.low, each.high, (), each.descending)
            changed.append((every, f"the sum is over all {variable}"))
        for step in (1, -1):
            if each.low is not None and not isinstance(each.low, f.Unsaid):
                low = _shifted(each.low, step)
                moved = f.Range(variable, low, each.high, each.without, each.descending)
                changed.append((moved, f"{variable} from {latex(low)}"))
            if each.high is not None and not isinstance(each.high, f.Unsaid):
                high = _shifted(each.high, step)
                moved = f.Range(variable, each.low, high, each.without, each.descending)
                changed.append((moved, f"{variable} to {latex(high)}"))
        for new, what in changed:
            yield build((*ranges[:position], new, *ranges[position + 1 :])), what


def _shifted(bound: f.Node, step: int) -> f.Node:
    if isinstance(bound, f.Number):
        return f.Number(bound.value + step)
    terms = list(bound.terms) if isinstance(bound, f.Sum) else [bound]
    number = Fraction(step)  # (t - 1) + 1 is t
    while terms and (last := _fraction(terms[-1])) is not None:
        number += last
        terms.pop()
    constant = f.Number(abs(number))
    terms += [f.Negative(constant) if number < 0 else constant] if number or not terms else []
    return total(terms)


def _fraction(node: f.Node) -> Fraction | None:
    """The value of -3/2, however it is made up."""
    if isinstance(node, f.Negative):
        inner = _fraction(node.body)
        return None if inner is None else -inner
    if isinstance(node, f.Quotient):
        top, bottom = _fraction(node.top), _fraction(node.bottom)
        return top / bottom if top is not None and bottom else None
    return node.value if isinstance(node, f.Number) else None


def _split_sum(node: f.Total) -> Iterator[Edit]:
    """Σ (a b) or Σ (a b)² as a product of two sums: what Cauchy and Schwarz say of it."""
    body = node.body
    power: f.Node | None = None
    if isinstance(body, f.Power):
        power, body = body.exponent, body.base
    if isinstance(body, f.Product) and len(body.factors) == 2:
        parts = [f.Power(part, power) if power is not None else part for part in body.factors]
        sums = tuple(f.Total(node.ranges, part) for part in parts)
        yield f.Product(sums), "a product of two sums, not the sum of the products"


def _with_factor(node: f.Node, pool: Sequence[f.Node]) -> Iterator[Edit]:
    if isinstance(node, f.Number | f.Range | f.Row | f.Variable | f.Size | f.Space):
        return
    for extra in pool:
        what = f"with the factor {latex(extra)}"
        yield elementwise((node, extra)), what + ", elementwise"
        for side in (extra, f.Transpose(extra)):
            yield product((node, side)), what
            yield product((side, node)), what
    if isinstance(node, f.Reference):
        for other in pool:
            if isinstance(other, f.Reference) and latex(other) != latex(node):
                yield other, f"{latex(other)} in place of {latex(node)}"
