"""What a repair changed, in words."""

from collections.abc import Callable

from workings.claims.repair.recombine import factors_of
from workings.formula import nodes as f
from workings.formula.printing.latex import latex


def describe(wrong: f.Node, right: f.Node, is_scalar: Callable[[f.Node], bool]) -> str:
    """What differs between two products: factors, kinds of product, transposes, order."""
    before = [latex(part) for part in factors_of(wrong, is_scalar)]
    after = [latex(part) for part in factors_of(right, is_scalar)]
    said = [f"without {_brackets(part)}" for part in before if part not in after]
    said += [f"with the factor {_brackets(part)}" for part in after if part not in before]
    new = [part for part in _entrywise(right) if part not in _entrywise(wrong) and part in before]
    ordered = [part for part in before if part in new]
    if ordered:
        names = " and ".join(_brackets(part) for part in ordered[-2:]) if len(ordered) > 1 else ""
        said.append(
            f"the products with {names} are elementwise"
            if names
            else f"the product with {_brackets(ordered[0])} is elementwise"
        )
    matrix = [part for part in _entrywise(wrong) if part not in _entrywise(right) and part in after]
    if matrix:
        said.append(f"the product with {_brackets(matrix[0])} is a matrix product")
    transposed = [
        part
        for part in dict.fromkeys(after)
        if part in before and part not in _entrywise(right)
        and (part in _transposed(wrong)) != (part in _transposed(right))
    ]  # fmt: skip
    if transposed:
        said.append(" and ".join(_brackets(part) for part in transposed) + " transposed")
    if "diag" in latex(right) and "diag" not in latex(wrong):
        said.append("on a diagonal")
    if not said and before != after:
        said.append("in another order")
    return "; ".join(said)


def _brackets(part: str) -> str:
    plain = not any(sign in part for sign in (" + ", " - ", " "))
    return part if plain or part.startswith("\\frac") else f"({part})"


def _entrywise(node: f.Node) -> list[str]:
    """Factors that stand in an elementwise product by themselves."""
    products = [part for part in node.walk() if isinstance(part, f.Elementwise)]
    factors = [factor for each in products for factor in each.factors]
    bodies = [each.body if isinstance(each, f.Transpose) else each for each in factors]
    return [latex(body) for body in bodies if not isinstance(body, f.Product)]


def _transposed(node: f.Node) -> set[str]:
    """Factors that stand transposed."""
    return {latex(part.body) for part in node.walk() if isinstance(part, f.Transpose)}
