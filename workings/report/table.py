"""The table of a study: measured beside published figures, the best row, p-values against it."""

from dataclasses import dataclass, field

from workings.study.choice import choose
from workings.study.statistics import PairedTest, mean_deviation, paired, verdict
from workings.study.summary import RowSummary, StudySummary

P_VALUE = "p, against the best"  # the head of the column
BEST = "best"  # of the column that stands there where no p-value is given


@dataclass(frozen=True)
class Figure:
    """A metric over the seeds of a row."""

    mean: float
    deviation: float | None
    runs: int

    def __str__(self) -> str:
        if self.deviation is None:
            return number(self.mean)
        digits = decimals(self.mean)
        return f"{self.mean:,.{digits}f} ± {self.deviation:,.{digits}f}"


@dataclass(frozen=True)
class Line:
    """One row of the table."""

    name: str
    figures: dict[str, Figure]  # by metric, the deciding one among them
    published: float | None
    difference: float | None
    verdict: str  # agrees, better, worse; empty where nothing was published
    test: PairedTest | None  # against the best row; None for the best row itself
    best: str  # `best by validation`; empty for the other rows
    parameters: int | None
    seconds: float | None
    state: str  # finished, or what is missing
    errors: list[str] = field(default_factory=list)

    @property
    def p_value(self) -> float | None:
        return self.test.p_value if self.test else None


def lines(study: StudySummary) -> list[Line]:
    """Return a line for every row, in the study's order."""
    metric = study.file.metric
    choice = choose(study)
    table = []
    for row in study.rows:
        metrics = [metric, *study.file.also, "parameters", "seconds"]
        figures = {name: figure for name in metrics if (figure := over_seeds(row, name))}
        measured, published = figures.get(metric), row.published.get(metric)
        difference, word = None, ""
        if measured is not None and published is not None:
            difference = measured.mean - published
            word = verdict(measured.mean, published, study.lower_is_better, study.file.tolerance)
        is_best = choice is not None and row is choice.row
        table.append(
            Line(
                name=row.name,
                figures={n: f for n, f in figures.items() if n not in ("parameters", "seconds")},
                published=published,
                difference=difference,
                verdict=word,
                test=compare(choice.row, row, metric) if choice and not is_best else None,
                best=choice.words if choice and is_best else "",
                parameters=int(figures["parameters"].mean) if "parameters" in figures else None,
                seconds=figures["seconds"].mean if "seconds" in figures else None,
                state=state(row),
                errors=list(dict.fromkeys(run.error for run in row.runs if run.error)),
            )
        )
    return table


def over_seeds(row: RowSummary, metric: str) -> Figure | None:
    """Return the row's figure over its finished runs, None where none of them has it."""
    values = list(row.values(metric).values())
    return Figure(*mean_deviation(values), len(values)) if values else None


def compare(first: RowSummary, second: RowSummary, metric: str) -> PairedTest:
    """Test the difference of two rows over the seeds that both have."""
    a, b = first.values(metric), second.values(metric)
    both = sorted(a.keys() & b.keys())
    return paired([a[seed] for seed in both], [b[seed] for seed in both])


def state(row: RowSummary) -> str:
    """Say `finished`, or how many of its runs are in another state."""
    states = [run.state for run in row.runs]
    missing = {s: states.count(s) for s in dict.fromkeys(states) if s != "finished"}
    if not missing:
        return "finished"
    if len(states) == 1:
        return states[0]
    return ", ".join(f"{count} of {len(states)} {name}" for name, count in missing.items())


def columns(study: StudySummary) -> list[str]:
    """Return the table's heads; a column that no row fills is left out."""
    table = lines(study)
    heads = ["row", words(study.file.metric)]
    if any(line.published is not None for line in table):
        heads += ["published", "difference", "verdict"]
    if any(line.p_value is not None for line in table):
        heads.append(P_VALUE)
    elif any(line.best for line in table):
        heads.append(BEST)
    heads += [_also(study, metric) for metric in study.file.also]
    heads += ["parameters", "time"]
    if any(line.state != "finished" for line in table):
        heads.append("state")
    return heads


def cells(study: StudySummary) -> list[list[str]]:
    """Return the table's rows as text, in the order of `columns`."""
    heads = columns(study)
    result = []
    for line, row in zip(lines(study), study.rows, strict=True):
        by = {
            "row": line.name,
            words(study.file.metric): text(line.figures.get(study.file.metric)),
            "published": number(line.published),
            "difference": _signed(line.difference, line.published),
            "verdict": line.verdict,
            P_VALUE: line.best or _p_value(line.test),
            BEST: line.best.removeprefix("best ").replace("best", "yes"),
            "parameters": "" if line.parameters is None else f"{line.parameters:,}",
            "time": clock(line.seconds),
            "state": "" if line.state == "finished" else line.state,
        }
        for metric in study.file.also:
            published = row.published.get(metric)
            beside = f" ({number(published)})" if published is not None else ""
            by[_also(study, metric)] = text(line.figures.get(metric)) + beside
        result.append([by[head] for head in heads])
    return result


def _also(study: StudySummary, metric: str) -> str:
    """The head of another metric's column; its published figures follow in brackets."""
    known = any(metric in row.published for row in study.rows)
    return words(metric) + (" (published)" if known else "")


def _p_value(test: PairedTest | None) -> str:
    """A p-value with the seeds that it rests on, or that it is not given."""
    if test is None or not test.seeds:
        return ""
    seeds = "1 seed" if test.seeds == 1 else f"{test.seeds} seeds"
    if test.p_value is None:
        return f"not given ({seeds})"
    return f"{'< 0.001' if test.p_value < 0.001 else f'{test.p_value:.3f}'} ({seeds})"


def decimals(value: float) -> int:
    """Return how many decimals a figure of this size is shown with."""
    return 4 if abs(value) < 2 else 2 if abs(value) < 1000 else 0


def number(value: float | None) -> str:
    """Write a figure with the decimals that suit its size."""
    return "" if value is None else f"{value:,.{decimals(value)}f}"


def clock(seconds: float | None) -> str:
    """Write a time in seconds, minutes or hours."""
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = seconds / 60
    return f"{minutes:.1f} min" if minutes < 60 else f"{minutes / 60:.1f} h"


def text(figure: Figure | None) -> str:
    """Write a figure, or nothing where there is none."""
    return "" if figure is None else str(figure)


def _signed(difference: float | None, published: float | None) -> str:
    """With the digits of the figure it is a difference from."""
    return "" if difference is None else f"{difference:+,.{decimals(published or 0.0)}f}"


def words(metric: str) -> str:
    """Write a metric's name in words: `test.word_error_rate` is `test word error rate`."""
    return metric.replace("_", " ").replace(".", " ")
