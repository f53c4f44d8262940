"""Measurements that a study can take instead of training: each gives figures, and curves."""

from collections.abc import Callable
from dataclasses import dataclass

from workings.errors import WorkingsError, nearest
from workings.run.config import Values
from workings.run.records import MetricsLine
from workings.study import attention_cost, vanishing


@dataclass(frozen=True)
class Measured:
    """The result of a measurement."""

    metrics: dict[str, float]
    lines: list[MetricsLine]  # points of its curves
    parameters: int


@dataclass(frozen=True)
class Measure:
    """A measurement: its settings with their defaults, its metrics, what its curves go over."""

    take: Callable[[Values], Measured]  # with all settings; the generator is seeded
    settings: Values
    metrics: dict[str, bool]  # name: whether lower is better
    x: str  # the field of the lines that is the curves' horizontal axis

    def check(self, given: Values) -> None:
        """Refuse settings that the measurement does not have, or of another type."""
        for key, value in given.items():
            if key not in self.settings:
                raise WorkingsError(f"set: {key}: unknown key{nearest(key, self.settings)}")
            wanted = type(self.settings[key])
            if not isinstance(value, wanted) and not (wanted is float and isinstance(value, int)):
                raise WorkingsError(f"set: {key}: must be a {wanted.__name__} (got {value!r})")


def _vanishing(settings: Values) -> Measured:
    shares, parameters = vanishing.shares(settings)
    lines: list[MetricsLine] = [
        {"split": "test", "distance": distance, "share": share}
        for distance, share in enumerate(shares, start=1)
    ]
    metrics = {"half_life": vanishing.half_life(shares), "share_left": shares[-1]}
    return Measured(metrics, lines, parameters)


def _attention_cost(settings: Values) -> Measured:
    by_length, parameters = attention_cost.seconds(settings)
    lines: list[MetricsLine] = [
        {"split": "test", "length": length, "milliseconds": 1000 * seconds}
        for length, seconds in by_length
    ]
    metrics = {
        "milliseconds_at_longest": 1000 * by_length[-1][1],
        "exponent": attention_cost.exponent(by_length),
    }
    return Measured(metrics, lines, parameters)


MEASURES: dict[str, Measure] = {
    "vanishing": Measure(
        _vanishing, vanishing.SETTINGS, {"half_life": False, "share_left": False}, "distance"
    ),
    "attention-cost": Measure(
        _attention_cost,
        attention_cost.SETTINGS,
        {"milliseconds_at_longest": True, "exponent": True},
        "length",
    ),
}
