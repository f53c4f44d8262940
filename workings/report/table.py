"""The table of a study: measured beside published, the difference, and whether it is chance."""

import csv
import io
import re
from dataclasses import dataclass, field

from workings.study.statistics import mean_deviation, paired, verdict
from workings.study.summary import RowSummary, StudySummary


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
    verdict: str  # agrees, better, worse; nothing where nothing was published
    chance: float | None  # p-value against the best row, by pairs of seeds
    best: bool
    parameters: int | None
    seconds: float | None
    state: str  # finished, or what is missing
    errors: list[str] = field(default_factory=list)


def lines(study: StudySummary) -> list[Line]:
    """Every row, in the study's order."""
    metric = study.file.metric
    best = best_row(study)
    made = []
    for row in study.rows:
        metrics = [metric, *study.file.also, "parameters", "seconds"]
        figures = {name: figure for name in metrics if (figure := over_seeds(row, name))}
        measured, published = figures.get(metric), row.published.get(metric)
        difference, word = None, ""
        if measured is not None and published is not None:
            difference = measured.mean - published
            word = verdict(measured.mean, published, study.lower_is_better, study.file.tolerance)
        made.append(
            Line(
                name=row.name,
                figures={n: f for n, f in figures.items() if n not in ("parameters", "seconds")},
                published=published,
                difference=difference,
                verdict=word,
                chance=chance(best, row, metric) if best and best is not row else None,
                best=row is best,
                parameters=int(figures["parameters"].mean) if "parameters" in figures else None,
                seconds=figures["seconds"].mean if "seconds" in figures else None,
                state=state(row),
                errors=list(dict.fromkeys(run.error for run in row.runs if run.error)),
            )
        )
    return made


def over_seeds(row: RowSummary, metric: str) -> Figure | None:
    values = list(row.values(metric).values())
    return Figure(*mean_deviation(values), len(values)) if values else None


def best_row(study: StudySummary) -> RowSummary | None:
    """The row with the best mean, where there is more than one to choose from."""
    measured = [
        (figure.mean, number, row)
        for number, row in enumerate(study.rows)
        if (figure := over_seeds(row, study.file.metric))
    ]
    if len(measured) < 2:
        return None
    return (min if study.lower_is_better else max)(measured, key=lambda one: one[0])[2]


def chance(one: RowSummary, other: RowSummary, metric: str) -> float | None:
    """How likely so large a difference is by chance, over the seeds that both rows have."""
    a, b = one.values(metric), other.values(metric)
    both = sorted(a.keys() & b.keys())
    return paired([a[seed] for seed in both], [b[seed] for seed in both])


def state(row: RowSummary) -> str:
    states = [run.state for run in row.runs]
    missing = {s: states.count(s) for s in dict.fromkeys(states) if s != "finished"}
    if not missing:
        return "finished"
    if len(states) == 1:
        return states[0]
    return ", ".join(f"{count} of {len(states)} {name}" for name, count in missing.items())


def decimals(value: float) -> int:
    return 4 if abs(value) < 2 else 2 if abs(value) < 1000 else 0


def number(value: float | None) -> str:
    return "" if value is None else f"{value:,.{decimals(value)}f}"


def clock(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = seconds / 60
    return f"{minutes:.1f} min" if minutes < 60 else f"{minutes / 60:.1f} h"


def columns(study: StudySummary) -> list[str]:
    """The table's heads; a column that no row fills is left out."""
    made = lines(study)
    heads = ["row", words(study.file.metric)]
    if any(line.published is not None for line in made):
        heads += ["published", "difference", "verdict"]
    if any(line.chance is not None for line in made):
        heads += ["p, against the best"]
    heads += [_also(study, metric) for metric in study.file.also]
    heads += ["parameters", "time"]
    if any(line.state != "finished" for line in made):
        heads.append("state")
    return heads


def cells(study: StudySummary) -> list[list[str]]:
    """The table's rows as text, in the order of `columns`."""
    heads = columns(study)
    result = []
    for line, row in zip(lines(study), study.rows, strict=True):
        by = {
            "row": line.name,
            words(study.file.metric): text(line.figures.get(study.file.metric)),
            "published": number(line.published),
            "difference": _signed(line.difference, line.published),
            "verdict": line.verdict,
            "p, against the best": "best" if line.best else _chance(line.chance),
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
    """The head of another metric's column; what was published of it stands behind in brackets."""
    known = any(metric in row.published for row in study.rows)
    return words(metric) + (" (published)" if known else "")


def text(figure: Figure | None) -> str:
    return "" if figure is None else str(figure)


def _signed(difference: float | None, published: float | None) -> str:
    """With the digits of the figure it is a difference from."""
    return "" if difference is None else f"{difference:+,.{decimals(published or 0.0)}f}"


def words(metric: str) -> str:
    return metric.replace("_", " ").replace(".", " ")


def _chance(p: float | None) -> str:
    return "" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def markdown(study: StudySummary) -> str:
    heads, body = columns(study), cells(study)
    marks = ["---" if number == 0 else "--:" for number in range(len(heads))]
    rows = [heads, marks, *([cell.replace("|", "\\|") for cell in row] for row in body)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def latex(study: StudySummary) -> str:
    """For a paper, with booktabs."""
    heads, body = columns(study), cells(study)
    numbers = "r" * (len(heads) - 1)
    made = [rf"\begin{{tabular}}{{l{numbers}}}", r"\toprule"]
    made.append(" & ".join(map(_latex, heads)) + r" \\")
    made.append(r"\midrule")
    made += [" & ".join(map(_latex, row)) + r" \\" for row in body]
    made += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(made) + "\n"


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "<": r"$<$",
    ">": r"$>$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}


def _latex(cell: str) -> str:
    return re.sub(r"[\\±×<>~^&%$#_{}]", lambda found: _SPECIAL[found[0]], cell)


def as_csv(study: StudySummary) -> str:
    """Plain numbers, one row a line: for a spreadsheet or another program."""
    metrics = [study.file.metric, *study.file.also]
    file = io.StringIO()
    writer = csv.writer(file)
    heads = ["row"]
    for metric in metrics:
        heads += [metric, f"{metric} deviation"]
    writer.writerow([*heads, "runs", "published", "verdict", "p", "parameters", "seconds", "state"])
    for line in lines(study):
        row: list[object] = [line.name]
        for metric in metrics:
            figure = line.figures.get(metric)
            row += [figure.mean, figure.deviation] if figure else ["", ""]
        main = line.figures.get(study.file.metric)
        row += [main.runs if main else 0, line.published, line.verdict, line.chance]
        writer.writerow([*row, line.parameters, line.seconds, line.state])
    return file.getvalue()
