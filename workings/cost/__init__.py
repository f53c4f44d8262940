"""Costs: what a module takes, as exact formulas in its sizes.

The package can be called: `workings.cost(factory, inputs=...)` counts a module. Reading on: `cost`
→ `tally` (counts at given sizes) → `recover` (the formula behind the counts) → `growth` (orders).
"""

import sys
from types import ModuleType

from workings.cost.check_count import check_count, check_dimension
from workings.cost.cost import Cost
from workings.cost.cost import cost as count_module
from workings.cost.growth import Growth
from workings.cost.measure import Measured
from workings.cost.recovery.count_formula import CountFormula

__all__ = [
    "Cost",
    "CountFormula",
    "Growth",
    "Measured",
    "check_count",
    "check_dimension",
]


class _Callable(ModuleType):
    __call__ = staticmethod(count_module)


sys.modules[__name__].__class__ = _Callable
