"""Studies: runs side by side, published figures beside the measured ones.

The package can be called: `workings.study("vanishing")` runs a study to the end.
"""

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, what: str, **options: Any) -> Any:
        """A shipped study or a file, to the end; the options are those of `study.study`."""
        from workings.study.study import study

        return study(what, **options)


sys.modules[__name__].__class__ = _Callable
