"""Costs: what a module takes, as exact formulas in its sizes.

The package can be called: `workings.cost(factory, inputs=...)` counts a module.
"""

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Any:
        """The arguments are those of `cost.cost`."""
        from workings.cost.cost import cost

        return cost(*args, **options)


sys.modules[__name__].__class__ = _Callable
