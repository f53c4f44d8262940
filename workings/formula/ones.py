r"""Bold ones without their size: A\mathbf{1}, \mathbf{1}^T x, x - \mathbf{1}, X - \mathbf{1}m^T."""

from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.calls import Calls
from workings.formula.errors import NotRead


class OnesThatFit(Calls):
    """Gives bold ones the size of what stands beside them."""

    def with_ones(self, node: f.Node, bound: frozenset[str]) -> f.Node:
        r"""A sum or a product with \mathbf{1} of the size that fits in it."""
        parts = list(node.children())
        known = {
            number: self.visit(part, bound)
            for number, part in enumerate(parts)
            if not f.is_bare_ones(part) and not self.is_outer_with_ones(part)
        }
        shaped = {number: part for number, part in known.items() if self.shape(part) != ()}

        def fitted(number: int, part: f.Node) -> f.Node:
            if number in known:
                return known[number]
            if not isinstance(node, f.Product):
                if not shaped:
                    raise self.unknown_size()
                like = tuple(shaped.values())
                return self.outer_with_ones(part, like, bound)
            is_row = not isinstance(part, f.Ones)
            beside = [each for each in shaped if (each > number) == is_row]
            nearest_first = sorted(beside, key=lambda each: abs(each - number))
            if not beside:
                raise self.unknown_size()
            return _ones(tuple(shaped[each] for each in nearest_first), is_row, 0 if is_row else 1)

        changed = iter([fitted(number, part) for number, part in enumerate(parts)])
        return node.rebuilt(lambda _: next(changed))

    def is_outer_with_ones(self, node: f.Node) -> bool:
        r"""Whether it is m\mathbf{1}^T or \mathbf{1}m^T, as long as what it is added to."""
        while isinstance(node, f.Negative):
            node = node.body
        if f.is_bare_ones(node):
            return True
        if not isinstance(node, f.Product):
            return False
        first, last = node.factors[0], node.factors[-1]
        leads = isinstance(first, f.Ones) and f.is_bare_ones(first)
        return leads or (f.is_bare_ones(last) and not isinstance(last, f.Ones))

    def outer_with_ones(
        self, node: f.Node, like: tuple[f.Node, ...], bound: frozenset[str]
    ) -> f.Node:
        """A term with ones of the size of the other terms; ones alone shift as a number does."""
        if isinstance(node, f.Negative):
            return f.Negative(self.outer_with_ones(node.body, like, bound))
        if f.is_bare_ones(node):
            return f.Number(Fraction(1))
        assert isinstance(node, f.Product)
        *before, last = node.factors
        if f.is_bare_ones(last):
            return f.Product((self.visit(f.product_of(before), bound), _ones(like, True, 1)))
        rest = f.product_of(node.factors[1:])
        return f.Product((_ones(like, False, 0), self.visit(rest, bound)))

    def unknown_size(self) -> NotRead:
        """The error for ones beside which nothing says how long they are."""
        message = "the size of a vector of ones is not known"
        return NotRead(self.text, max(0, self.text.find("1")), message, "write \\mathbf{1}_n")


def _ones(bodies: tuple[f.Node, ...], is_row: bool, axis: int) -> f.Node:
    """A column or a row of ones, as long as a side of the first of these that is no number."""
    ones = f.Ones(f.SideOf(bodies, axis), f.Number(Fraction(1)))
    return f.Transpose(ones) if is_row else ones
