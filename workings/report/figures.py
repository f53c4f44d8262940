"""The charts of a study, from what it has found."""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict, TypeGuard

from workings.charts import study as charts
from workings.report.table import judge, over_seeds
from workings.study.choice import rankings
from workings.study.metric_names import OF_A_RUN, words
from workings.study.statistics import mean_deviation
from workings.study.summary import RowSummary, RunSummary, StudySummary

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart

FEW_EPOCHS = 3  # so few are drawn by step too
MOST_POINTS = 300  # of a line: more than a screen has room for
UNITS = {"loss": "nats", "bits_per_char": "bits", "bits_per_byte": "bits", "seconds": "s"}


class Point(TypedDict, total=False):
    """What a chart draws of a row: where it is, its mean and spread, and what was published."""

    row: str
    x: float
    seeds: int
    mean: float
    low: float
    high: float
    published: float
    verdict: str


@dataclass(frozen=True)
class Figure:
    """A chart, what its file is called, and what it shows."""

    name: str
    caption: str
    chart: "Chart"


def figures(study: StudySummary) -> dict[str, list[Figure]]:
    """Every chart that has something to show, by section of the report."""
    return {name: make(study) for name, make in SECTIONS.items()}


def learning(study: StudySummary) -> list[Figure]:
    """The metrics that the study plots, by epoch or whatever its lines go over."""
    plots = study.file.plot or default_plots(study)
    by_step = _by_step(study)
    fewest = 2 if by_step else 1  # positions: one epoch is no curve
    if len(study.rows) == 1:
        return by_step + _splits_together(study, study.rows[0], plots, fewest)
    made = by_step
    for metric in plots:
        points = [point for row in study.rows for point in curve(row, metric, study.x)]
        made = made + _learning(study, points, [row.name for row in study.rows], metric, fewest)
    return made


def _by_step(study: StudySummary) -> list[Figure]:
    """The training loss by step, where there are too few epochs for a curve over them."""
    if study.file.measure or max(map(_epochs, study.rows), default=0) > FEW_EPOCHS:
        return []
    rows = [
        replace(row, runs=[replace(run, lines=run.steps()) for run in row.runs])
        for row in study.rows
    ]
    points = [point for row in rows for point in curve(row, "train.loss", "step")]
    names = [row.name for row in rows]
    return _learning(replace(study, x="step"), points, names, "train.loss")


def _epochs(row: RowSummary) -> int:
    """How many epochs the longest of its runs has."""
    epochs = (line.get("epoch") for run in row.runs for line in run.lines)
    return max((epoch for epoch in epochs if isinstance(epoch, int)), default=0)


def _splits_together(
    study: StudySummary, row: RowSummary, plots: list[str], fewest: int
) -> list[Figure]:
    """Of one row there is nothing to compare but its splits: a chart a metric, a line a split."""
    made = []
    parted = [metric.rpartition(".") for metric in plots]
    for name in dict.fromkeys(measured for _, _, measured in parted):
        splits = [split for split, _, measured in parted if measured == name]
        points = [
            point | {"row": split or name}
            for split in splits
            for point in curve(row, f"{split}.{name}" if split else name, study.x)
        ]
        made += _learning(study, points, [split or name for split in splits], name, fewest)
    return made


def _learning(
    study: StudySummary, points: list[Point], series: list[str], metric: str, fewest: int = 1
) -> list[Figure]:
    """None where there are fewer positions than that."""
    if len({point["x"] for point in points}) < fewest:
        return []
    seeds = max(point["seeds"] for point in points)
    caption = f"{words(metric).capitalize()} by {words(study.x)}"
    if seeds > 1:
        caption += f": mean of {seeds} seeds, ± their standard deviation"
    chart = charts.learning(points, series, words(study.x), label(metric))
    return [Figure(f"{slug(metric)}-by-{slug(study.x)}", caption, chart)]


def default_plots(study: StudySummary) -> list[str]:
    """Where the study names none: the deciding metric on the validation split."""
    return [f"valid.{study.file.metric.rpartition('.')[2]}"]


def curve(row: RowSummary, metric: str, x: str) -> list[Point]:
    """A row's points: the mean over its seeds, wherever all of those that go on are finite.

    Seeds may stop at different epochs. The mean ends with the first of them, else it would jump
    where one leaves it.
    """
    lines = [line for run in row.runs if (line := points(run, metric, x))]
    if not lines:
        return []
    shared = sorted(set.intersection(*(set(line) for line in lines)))
    made: list[Point] = []
    for at in thinned(shared):
        values = [line[at] for line in lines]
        point: Point = {"row": row.name, "x": at, "seeds": len(lines)}
        made.append(point | spread(*mean_deviation(values), min(values)))
    return made


def points(run: RunSummary, metric: str, x: str) -> dict[float, float]:
    """A run's values by x: of `split.metric`, or of a measurement's own field.

    Of `gap.metric`, the training split's less the validation split's.
    """
    split, _, name = metric.rpartition(".")
    if split == "gap":
        train, valid = (points(run, f"{each}.{name}", x) for each in ("train", "valid"))
        return {at: train[at] - valid[at] for at in train if at in valid}
    values = {}
    for line in run.lines:
        at, value = line.get(x), line.get(name)
        if line.get("split", split) == split and finite(at) and finite(value):
            values[float(at)] = float(value)
    return values


def thinned(values: Sequence[float]) -> list[float]:
    """At most MOST_POINTS of them, evenly, the first and the last among them."""
    if len(values) <= MOST_POINTS:
        return list(values)
    step = (len(values) - 1) / (MOST_POINTS - 1)
    return [values[round(number * step)] for number in range(MOST_POINTS)]


def shifted(study: StudySummary) -> list[Figure]:
    """The accuracy on test images that were moved, by how many pixels, where it was measured."""
    metrics = {0: "test.accuracy"} | {n: f"test.accuracy_shifted_{n}" for n in range(1, 9)}
    made: list[Point] = [
        {
            "row": row.name,
            "x": pixels,
            "seeds": figure.runs,
            **spread(figure.mean, figure.deviation, 0.0),
        }
        for row in study.rows
        if over_seeds(row, metrics[1])
        for pixels, metric in metrics.items()
        if (figure := over_seeds(row, metric))
    ]
    if not made:
        return []
    names = [row.name for row in study.rows]
    chart = charts.learning(made, names, "shift, in pixels", "test accuracy")
    caption = "Test accuracy of images moved by some pixels: the mean over four directions"
    return [Figure("test-accuracy-by-shift", caption, chart)]


def published(study: StudySummary) -> list[Figure]:
    """Measured against published, a chart for each metric that has published figures."""
    names = dict.fromkeys(metric for row in study.rows for metric in row.published)
    made = []
    metrics = [name for name in names if name not in OF_A_RUN]
    for metric in sorted(metrics, key=lambda name: name != study.file.metric):
        shown: list[Point] = []
        for row in study.rows:
            figure, figures = over_seeds(row, metric), row.published.get(metric)
            if figure is None:
                continue
            point: Point = {"row": row.name, **spread(figure.mean, figure.deviation)}
            if figures is not None and math.isfinite(figures):
                judged = judge(study, row.name, metric, figure, figures)
                point |= {"published": figures, "verdict": judged.verdict}
            shown.append(point)
        if any("published" in point for point in shown):
            rows = [str(point["row"]) for point in shown]
            chart = charts.against(shown, rows, label(metric), study.file.tolerance)
            caption = f"{words(metric).capitalize()}, measured and published"
            made.append(Figure(f"{slug(metric)}-published", caption, chart))
    return made


def cost(study: StudySummary) -> list[Figure]:
    """Parameters, and seconds, against the metric that decides; not where there is no choice."""
    made = []
    if len(rankings(study)) > 1:
        return []  # figures of different test examples or units are not better or worse
    costs = {"parameters": "parameters", "seconds": "time to train"}
    if study.file.measure:
        del costs["seconds"]  # of the measuring, not of what is measured
    for field, title in costs.items():
        shown: list[Point] = []
        for row in study.rows:
            quality, price = over_seeds(row, study.file.metric), over_seeds(row, field)
            if quality is not None and price is not None and price.mean > 0:
                point: Point = {"row": row.name, "x": price.mean, "seeds": quality.runs}
                least = min(row.values(study.file.metric).values())
                shown.append(point | spread(quality.mean, quality.deviation, least))
        if len({point["x"] for point in shown}) < 2 or study.file.metric == field:
            continue
        if field == "seconds":
            title = f"{title} ({in_unit(shown)})"
        rows = [row.name for row in study.rows]
        chart = charts.quality(shown, rows, title, label(study.file.metric))
        what = title.partition(" (")[0].capitalize()
        caption = f"{what} against {words(study.file.metric)}"
        made.append(Figure(f"{slug(study.file.metric)}-by-{field}", caption, chart))
    return made


def in_unit(points: list[Point]) -> str:
    """Seconds as minutes or hours where that is what most of them are; the unit's name."""
    middle = statistics.median(point["x"] for point in points)
    unit, seconds = ("h", 3600) if middle >= 7200 else ("min", 60) if middle >= 120 else ("s", 1)
    for point in points:
        point["x"] = significant(point["x"] / seconds)
    return unit


def spread(mean: float, deviation: float | None, least: float = 0.0) -> Point:
    """The mean, and ± a deviation; of what is above zero not below the least value.

    A logarithmic axis has no place for zero, and what is a probability or a norm none below it.
    """
    point: Point = {"mean": significant(mean)}
    if deviation is not None:
        low = mean - deviation
        low = max(low, least) if least > 0 else low
        point |= {"low": significant(low), "high": significant(mean + deviation)}
    return point


def label(metric: str) -> str:
    """A metric as an axis has it: in words, with its unit."""
    unit = UNITS.get(metric.rpartition(".")[2])
    return words(metric) + (f" ({unit})" if unit else "")


def slug(text: str) -> str:
    """A text as a part of a file's name."""
    return "".join(c if c.isalnum() else "-" for c in text.lower()).strip("-")


def finite(value: object) -> TypeGuard[float]:
    """Whether it is a number; NaN is null in a run's lines, or NaN in a measurement's."""
    return isinstance(value, (int, float)) and math.isfinite(value)


def significant(value: float) -> float:
    """Six digits are more than a chart shows, and a third of the page's size."""
    return float(f"{value:.6g}")


SECTIONS: dict[str, Callable[[StudySummary], list[Figure]]] = {
    "learning": lambda study: [*learning(study), *shifted(study)],
    "published": published,
    "cost": cost,
}
