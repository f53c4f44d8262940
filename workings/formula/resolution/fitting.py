r"""Ones and identities without their size: A\mathbf{1}, x - \mathbf{1}, A + \lambda I, P = I.

They have the size that fits: of what they stand beside in a product, of the other terms of a sum,
of the other sides of a statement.
"""

from collections.abc import Sequence
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.errors import NotRead
from workings.formula.resolution.gradients import Gradients

_ONE = f.Number(Fraction(1))


class SizesThatFit(Gradients):
    """Gives ones and identities the size of what stands beside them."""

    def is_identity(self, node: f.Node, bound: frozenset[str]) -> bool:
        """Whether it is I, or that transposed, where no I was declared."""
        if isinstance(node, f.Transpose | f.TransposeOrPower):
            return self.is_identity(node.body, bound)
        return isinstance(node, f.Symbol) and node.name == "I" and self.lookup(node, bound) is None

    def is_bare(self, node: f.Node, bound: frozenset[str]) -> bool:
        """Whether it is a 1 or an I whose size is not said."""
        return f.is_bare_ones(node) or self.is_identity(node, bound)

    def is_unsized(self, node: f.Node, bound: frozenset[str]) -> bool:
        r"""Whether nothing in it says its size: I, -I, 2I, \lambda\mathbf{1}, \mathbf{1}m^T."""
        if isinstance(node, f.Negative):
            return self.is_unsized(node.body, bound)
        if isinstance(node, f.Quotient):
            return self.is_unsized(node.top, bound)
        if not isinstance(node, f.Product):
            return self.is_bare(node, bound)
        bare = [factor for factor in node.factors if self.is_bare(factor, bound)]
        if not bare:
            return False
        others = [factor for factor in node.factors if not self.is_bare(factor, bound)]
        if all(self._is_number(factor, bound) for factor in others):
            return True
        first, last = node.factors[0], node.factors[-1]
        leads = isinstance(first, f.Ones) and f.is_bare_ones(first)
        return leads or (f.is_bare_ones(last) and not isinstance(last, f.Ones))

    def _is_number(self, node: f.Node, bound: frozenset[str]) -> bool:
        if any(self.is_bare(part, bound) for part in node.walk()):
            return False
        return self.shape(self.visit(node, bound)) == ()

    # Blocks, sums, products, statements

    def matrix(self, node: f.Matrix, bound: frozenset[str]) -> f.Node:
        """Blocks, of which an I is as high as those beside it; or a commutator [A, B]."""
        known = [
            [None if self.is_unsized(entry, bound) else self.visit(entry, bound) for entry in row]
            for row in (row.entries for row in node.rows)
        ]
        if node.listed and (commutator := self.commutator(known)) is not None:
            return commutator

        def sized(row: int, column: int, entry: f.Node) -> f.Node:
            visited = known[row][column]
            if visited is not None:
                return visited
            beside = tuple(each for each in known[row] if each is not None)
            below = [line[column] for line in known if column < len(line)]
            widths = tuple(f.Transpose(each) for each in below if each is not None)
            return self.sized(entry, (*beside, *widths), bound)

        rows = (
            f.Row(tuple(sized(row, column, entry) for column, entry in enumerate(line.entries)))
            for row, line in enumerate(node.rows)
        )
        return f.Matrix(tuple(rows))

    def commutator(self, rows: Sequence[Sequence[f.Node | None]]) -> f.Node | None:
        """AB - BA of [A, B], where both are square and of one shape and it is read so."""
        if len(rows) != 1 or len(rows[0]) != 2:
            return None
        a, b = rows[0]
        shape = None if a is None else self.shape(a)
        if a is None or b is None or not shape or shape != self.shape(b) or shape[0] != shape[-1]:
            return None
        ways = "[A, B] as blocks side by side", "[A, B] as the commutator AB - BA"
        if not self.choose("commutator", *ways):
            return None
        return f.Sum((f.Product((a, b)), f.Negative(f.Product((b, a)))))

    # Sums

    def fitted(self, node: f.Node, bound: frozenset[str]) -> f.Node:
        """A sum or a product in which ones and identities have their size."""
        parts = list(node.children())
        known = {
            number: self.visit(part, bound)
            for number, part in enumerate(parts)
            if not self.is_unsized(part, bound)
        }
        shaped = {number: part for number, part in known.items() if self.shape(part) != ()}
        if not shaped:
            raise self.unknown_size(node, bound)

        def sized(number: int, part: f.Node) -> f.Node:
            if number in known:
                return known[number]
            if not isinstance(node, f.Product):
                return self.sized(part, tuple(shaped.values()), bound, as_term=True)
            return self._beside(number, part, shaped, bound)

        changed = iter([sized(number, part) for number, part in enumerate(parts)])
        return node.rebuilt(lambda _: next(changed))

    def _beside(
        self, number: int, part: f.Node, shaped: dict[int, f.Node], bound: frozenset[str]
    ) -> f.Node:
        """A factor of a product, as long as the nearest factor on the side where it meets one."""
        before = tuple(shaped[each] for each in sorted(shaped, reverse=True) if each < number)
        after = tuple(shaped[each] for each in sorted(shaped) if each > number)
        if not self.is_bare(part, bound):  # (2I)x
            like = after or tuple(f.Transpose(each) for each in before)
            return self.sized(part, like, bound)
        if self.is_identity(part, bound):
            return f.Identity(f.SideOf(before, 1) if before else f.SideOf(after, 0))
        if isinstance(part, f.Ones) and before:
            return f.Ones(f.SideOf(before, 1), _ONE)
        if f.is_bare_ones(part) and not isinstance(part, f.Ones) and after:
            return f.Transpose(f.Ones(f.SideOf(after, 0), _ONE))
        raise self.unknown_size(part, bound)

    def sized(
        self, node: f.Node, like: tuple[f.Node, ...], bound: frozenset[str], as_term: bool = False
    ) -> f.Node:
        """What has no size, as large as these; ones alone shift a sum as a number does."""
        if isinstance(node, f.Negative):
            return f.Negative(self.sized(node.body, like, bound, as_term))
        if isinstance(node, f.Quotient):
            top = self.sized(node.top, like, bound, as_term)
            return f.Quotient(top, self.visit(node.bottom, bound))
        if self.is_identity(node, bound):
            return f.Identity(f.SideOf(like, 0))
        if f.is_bare_ones(node):
            if as_term:
                return _ONE
            if isinstance(node, f.Ones):  # of the shape of the other side
                return f.Ones(f.SideOf(like, 0), f.SideOf(like, 1))
            return f.Transpose(f.Ones(f.SideOf(like, 1), _ONE))
        assert isinstance(node, f.Product)
        return f.Product(tuple(self._factors(node.factors, like, bound, as_term)))

    def _factors(
        self,
        factors: Sequence[f.Node],
        like: tuple[f.Node, ...],
        bound: frozenset[str],
        as_term: bool,
    ) -> list[f.Node]:
        """λI, λ1, m1ᵀ, 1mᵀ and 11ᵀ as large as these."""
        bare = [factor for factor in factors if self.is_bare(factor, bound)]
        ones = [factor for factor in bare if f.is_bare_ones(factor)]
        others = [factor for factor in factors if not self.is_bare(factor, bound)]
        outer = len(ones) == 2 or any(not self._is_number(factor, bound) for factor in others)
        sized: list[f.Node] = []
        for position, factor in enumerate(factors):
            if not self.is_bare(factor, bound):
                sized.append(self.visit(factor, bound))
            elif self.is_identity(factor, bound) or not outer:
                sized.append(self.sized(factor, like, bound, as_term))
            elif isinstance(factor, f.Ones):
                before = tuple(each for each in reversed(sized) if self.shape(each) != ())
                side = f.SideOf(before, 1) if before else f.SideOf(like, 0)
                sized.append(f.Ones(side, _ONE))
            elif position == len(factors) - 1:
                sized.append(f.Transpose(f.Ones(f.SideOf(like, 1), _ONE)))
            else:
                raise self.unknown_size(factor, bound)
        return sized

    def sides(self, sides: Sequence[f.Node], bound: frozenset[str]) -> tuple[f.Node, ...]:
        """The sides of a statement with their names looked up; P1 = 1 and QQᵀ = I fit each other.

        What could be read but not computed, as an ellipsis, is kept as it is.
        """
        read: dict[int, f.Node] = {}
        for number, side in enumerate(sides):
            if isinstance(side, f.Unsaid):
                read[number] = side
            elif not self.is_unsized(side, bound):
                read[number] = self.visit(side, bound)
        like = tuple(side for side in read.values() if not isinstance(side, f.Unsaid))
        shaped = tuple(side for side in like if self.shape(side) != ())
        for number, side in enumerate(sides):
            if number not in read:
                if not shaped:
                    raise self.unknown_size(side, bound)
                read[number] = self.sized(side, shaped, bound)
        return tuple(read[number] for number in range(len(sides)))

    def unknown_size(self, node: f.Node, bound: frozenset[str]) -> NotRead:
        """The error for ones or an identity beside which nothing says how large they are."""
        bare = next((part for part in node.walk() if self.is_bare(part, bound)), node)
        if isinstance(bare, f.Symbol):
            message = "the size of the identity I is not known"
            return NotRead(self.text, bare.position, message, "write I_n")
        message = "the size of a vector of ones is not known"
        return NotRead(self.text, max(0, self.text.find("1")), message, "write \\mathbf{1}_n")
