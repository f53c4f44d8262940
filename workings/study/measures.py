"""Measurements that a study can take instead of training: each gives figures, and curves."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from workings.errors import WorkingsError, nearest


@dataclass(frozen=True)
class Measured:
    """What a measurement found."""

    metrics: dict[str, float]
    lines: list[dict[str, Any]]  # points of its curves
    parameters: int = 0


@dataclass(frozen=True)
class Measure:
    """A measurement: its settings with their defaults, its metrics, what its curves go over."""

    about: str
    take: Callable[[dict[str, Any], int], Measured]  # with all settings, and a seed
    settings: dict[str, Any]
    metrics: dict[str, bool]  # name: whether lower is better
    x: str = ""
    lines: tuple[str, ...] = field(default=())

    def check(self, given: dict[str, Any]) -> None:
        for key, value in given.items():
            if key not in self.settings:
                raise WorkingsError(f"set: {key}: unknown{nearest(key, self.settings)}")
            wanted = type(self.settings[key])
            if not isinstance(value, wanted) and not (wanted is float and isinstance(value, int)):
                raise WorkingsError(f"set: {key}: must be a {wanted.__name__} (got {value!r})")


MEASURES: dict[str, Measure] = {}
