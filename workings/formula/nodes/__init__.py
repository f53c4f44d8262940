"""The tree of a formula: what the parser makes, and every visitor (value, LaTeX, …) walks.

Sums and products are flat, so that a formula's depth is that of its brackets. A node is data:
nothing in it can be called, and no attribute of a Python object is reachable from it.
`position` is the offset in the text, for the caret under an error.
"""

from workings.formula.nodes.bound import (
    Cases,
    Chain,
    Condition,
    Expectation,
    Extreme,
    Range,
    Total,
)
from workings.formula.nodes.leaves import (
    Constant,
    Number,
    Reference,
    Size,
    Symbol,
    Unsaid,
    Variable,
    capital,
    is_zero,
)
from workings.formula.nodes.node import (
    Node,
    Statement,
)
from workings.formula.nodes.operations import (
    At,
    Call,
    Derivative,
    Dot,
    Elementwise,
    Floor,
    Hessian,
    Negative,
    Power,
    Product,
    Quotient,
    Sum,
    Transpose,
    TransposeOrPower,
    product_of,
)
from workings.formula.nodes.tables import (
    Entries,
    Identity,
    Index,
    Matrix,
    Ones,
    Row,
    SideOf,
    Space,
    is_bare_ones,
)

__all__ = [
    "At",
    "Call",
    "Cases",
    "Chain",
    "Condition",
    "Constant",
    "Derivative",
    "Dot",
    "Elementwise",
    "Entries",
    "Expectation",
    "Extreme",
    "Floor",
    "Hessian",
    "Identity",
    "Index",
    "Matrix",
    "Negative",
    "Node",
    "Number",
    "Ones",
    "Power",
    "Product",
    "Quotient",
    "Range",
    "Reference",
    "Row",
    "SideOf",
    "Size",
    "Space",
    "Statement",
    "Sum",
    "Symbol",
    "Total",
    "Transpose",
    "TransposeOrPower",
    "Unsaid",
    "Variable",
    "capital",
    "is_bare_ones",
    "is_zero",
    "product_of",
]
