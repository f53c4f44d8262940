"""Sums over entries as the sum of all entries of a formula: the chain rule goes through those."""

from typing import TYPE_CHECKING

from workings.claims.repair.plain import elementwise, product
from workings.claims.repair.slope_algebra import NotDerived
from workings.formula import nodes as f
from workings.formula.printing.latex import latex

if TYPE_CHECKING:
    from workings.claims.repair.derive import Derivation


def without_index(chain: "Derivation", node: f.Node, over: f.Range) -> f.Node:
    """A sum over i of entries x_i as the sum of all entries of a formula in x."""
    if over.without or over.members:
        raise NotDerived("a sum over some")
    lengths: set[int] = set()

    def whole(part: f.Node) -> f.Node:
        if not _varies(part, over.variable):
            return part
        match part:
            case f.Index(f.Reference() as vector, (f.Variable(name),)) if name == over.variable:
                if 1 not in chain.shape(vector):
                    raise NotDerived("a sum over rows")
                lengths.add(max(chain.shape(vector)))
                return vector
            case f.Index() | f.Variable() | f.Total() | f.Chain():
                raise NotDerived(latex(part))
            case f.Product(factors):
                return elementwise(products(list(factors)))
        return part.rebuilt(whole)

    def products(factors: list[f.Node]) -> list[f.Node]:
        """The factors; a row x_i times a column w, which is a number, is an entry of X w."""
        parts: list[f.Node] = []
        while factors:
            first = factors.pop(0)
            second = factors[0] if factors else None
            matrix = _row(first, over.variable)
            if matrix is not None and second is not None and not _varies(second, over.variable):
                parts.append(product((matrix, factors.pop(0))))
            elif second is not None and (matrix := _column(second, over.variable)) is not None:
                factors.pop(0)
                parts.append(product((matrix, chain.transposed(first))))
            else:
                parts.append(whole(first))
                continue
            lengths.add(chain.shape(matrix)[0])
        return parts

    body = whole(node)
    if len(lengths) != 1:
        raise NotDerived("a sum over rows")
    _check_range(chain, over, lengths.pop())
    return body


def _varies(node: f.Node, variable: str) -> bool:
    """Whether it has another value at another value of the index."""
    return any(isinstance(part, f.Variable) and part.name == variable for part in node.walk())


def _row(node: f.Node, variable: str) -> f.Node | None:
    """X of X_i, or of X_{i,:}."""
    match node:
        case f.Index(f.Reference() as matrix, (f.Variable(name), *rest)) if name == variable:
            whole = all(isinstance(index, f.Unsaid) for index in rest)
            return matrix if whole else None
    return None


def _column(node: f.Node, variable: str) -> f.Node | None:
    """X of a row of it that is written as a column."""
    return _row(node.body, variable) if isinstance(node, f.Transpose) else None


def _check_range(chain: "Derivation", over: f.Range, length: int) -> None:
    """Refuse a sum that is not from 1 to the length of what it adds up."""
    for bound, expected in ((over.low, 1), (over.high, length)):
        if bound is not None and (chain.moves(bound) or chain.point.value(bound) != expected):
            raise NotDerived("a sum over some")


def without_indices(chain: "Derivation", node: f.Node, rows: f.Range, columns: f.Range) -> f.Node:
    """A sum over i and j of entries A_{ij} B_{ji} as the sum of all entries of A ⊙ Bᵀ."""
    if rows.without or rows.members or columns.without or columns.members:
        raise NotDerived("a sum over some")
    both = (rows.variable, columns.variable)
    shapes: set[tuple[int, ...]] = set()

    def whole(part: f.Node) -> f.Node:
        match part:
            case f.Index(matrix, (f.Variable(i), f.Variable(j))):
                if {i, j} != set(both):
                    raise NotDerived(latex(part))
                shape = chain.shape(matrix)
                shapes.add(shape if (i, j) == both else shape[::-1])
                return matrix if (i, j) == both else chain.transposed(matrix)
            case f.Index() | f.Variable() | f.Total() | f.Chain():
                raise NotDerived(latex(part))
            case f.Product(factors):
                return elementwise([whole(each) for each in factors])
        return part.rebuilt(whole)

    body = whole(node)
    if len(shapes) != 1 or len(next(iter(shapes))) != 2:
        raise NotDerived("a sum over some")
    for over, length in zip((rows, columns), next(iter(shapes)), strict=True):
        _check_range(chain, over, length)
    return body
