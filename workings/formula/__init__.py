"""Formulas: one language for equations, claims, sizes and costs.

Text goes one way: `tokens` → `parse` (with `factors`, `atoms`, `commands`) → the tree of `nodes` →
`names` looked up, and what is ambiguous decided (`calls`, `readings`). Visitors of the tree:
`evaluate` (tensors), `exact` (fractions and polynomials), `shapes`, and the writers `latex`,
`mathml` and `text`.
"""

from workings.formula.errors import FormulaError, NotRead, Undefined
from workings.formula.evaluation.evaluate import Scope
from workings.formula.parsing.parse import parse, parse_expression
from workings.formula.polynomial import Polynomial
from workings.formula.printing.latex import latex
from workings.formula.printing.mathml import mathml
from workings.formula.printing.text import text
from workings.formula.resolution.names import Names
from workings.formula.resolution.readings import Reading, readings
from workings.formula.sizes import SizeFormula, parse_sizes

__all__ = [
    "FormulaError",
    "Names",
    "NotRead",
    "Polynomial",
    "Reading",
    "Scope",
    "SizeFormula",
    "Undefined",
    "latex",
    "mathml",
    "parse",
    "parse_expression",
    "parse_sizes",
    "readings",
    "text",
]
