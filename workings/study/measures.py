"""Measurements that a study can take instead of training: each gives figures, and curves."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from workings.errors import WorkingsError, nearest
from workings.json_files import WrongJson, conform
from workings.run.config import Values
from workings.run.folder.records import MetricsLine
from workings.study import attention_cost, series_error, vanishing
from workings.study.file import StudyFile
from workings.study.metric_names import lower_is_better, parts

Kind = TypeVar("Kind")


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
    settings: Mapping[str, object]
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


def direction(file: StudyFile) -> bool | None:
    """Whether lower is better, as the measurement or the metric's name knows it; else as given."""
    if file.measure in MEASURES:
        return MEASURES[file.measure].metrics.get(parts(file.metric).name, file.lower_is_better)
    known = lower_is_better(file.metric)
    return file.lower_is_better if known is None else known


def _settings(values: Values, kind: type[Kind]) -> Kind:
    """The settings as the measurement reads them; one that it cannot take is named."""
    try:
        return conform(values, kind)
    except WrongJson as error:
        raise WorkingsError(f"set: {error}") from None


def _vanishing(values: Values) -> Measured:
    cell, x_TBd = vanishing.prepared(_settings(values, vanishing.Settings))
    shares = vanishing.shares(cell, x_TBd)
    by_step = vanishing.contributions(cell, x_TBd)
    lines: list[MetricsLine] = [
        {"split": "test", "distance": distance, "share": share, "recurrent_weights": recurrent}
        for distance, (share, recurrent) in enumerate(zip(shares, by_step, strict=True), start=1)
    ]
    metrics = {
        "half_life": vanishing.half_life(shares),
        "share_left": shares[-1],
        "factor_per_step": vanishing.factor_per_step(shares),
        "largest_singular_value": vanishing.largest_singular_value(cell),
        "steps_of_90_percent": vanishing.reach(by_step),
    }
    return Measured(metrics, lines, sum(p.numel() for p in cell.parameters()))


def _series_error(values: Values) -> Measured:
    settings = _settings(values, series_error.Settings)
    if settings["orders"] < 1 or settings["length"] < 2:
        key, least = ("orders", 1) if settings["orders"] < 1 else ("length", 2)
        raise WorkingsError(f"set: {key}: must be at least {least} (got {values[key]})")
    errors = series_error.errors(settings)
    lines: list[MetricsLine] = [
        {"split": "test", "order": order, "error": output, "weights_elsewhere": weights}
        for order, (output, weights) in enumerate(
            zip(errors.output, errors.weights, strict=True), start=1
        )
    ]
    metrics = {
        "error_at_order_2": errors.output[min(1, len(errors.output) - 1)],
        "error_at_highest": errors.output[-1],
        "orders_for_1_percent": float(series_error.orders_needed(errors.output)),
        "largest_score": errors.largest_score,
    }
    return Measured(metrics, lines, 0)


def _attention_cost(values: Values) -> Measured:
    settings = _settings(values, attention_cost.Settings)
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
        _vanishing,
        vanishing.SETTINGS,
        {
            **dict.fromkeys(("half_life", "share_left", "steps_of_90_percent"), False),
            **dict.fromkeys(("factor_per_step", "largest_singular_value"), True),
        },
        "distance",
    ),
    "series-error": Measure(
        _series_error,
        series_error.SETTINGS,
        dict.fromkeys(
            ("error_at_order_2", "error_at_highest", "orders_for_1_percent", "largest_score"), True
        ),
        "order",
    ),
    "attention-cost": Measure(
        _attention_cost,
        attention_cost.SETTINGS,
        {"milliseconds_at_longest": True, "exponent": True},
        "length",
    ),
}
