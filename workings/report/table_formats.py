"""The table of a study as Markdown, as LaTeX for a paper, as CSV and as JSON for programs."""

import csv
import dataclasses
import io
import re

from workings.names import csv_cell
from workings.report.answer import answer
from workings.report.table import Line, cells, columns, group_name, lines, shown
from workings.study.compare import intervals
from workings.study.statistics import Comparison
from workings.study.summary import StudySummary


def markdown(study: StudySummary) -> str:
    """Write the table in Markdown; nothing in a name becomes a tag, a link or another cell."""
    heads, body = columns(study), cells(study)
    marks = ["---" if number == 0 else "--:" for number in range(len(heads))]
    rows = [heads, marks, *([escaped(cell) for cell in row] for row in body)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def escaped(cell: str) -> str:
    """A text for Markdown.

    HTML stands for itself there: it is escaped, as are the marks that begin a link.
    """
    one_line = " ".join(cell.split())
    return re.sub(r"[&<>]|[\\|`*\[\]]", lambda mark: _HTML.get(mark[0], f"\\{mark[0]}"), one_line)


def latex(study: StudySummary) -> str:
    """Write the table in LaTeX, with booktabs."""
    heads, body = columns(study), cells(study)
    numbers = "r" * (len(heads) - 1)
    rows = [rf"\begin{{tabular}}{{l{numbers}}}", r"\toprule"]
    rows.append(" & ".join(map(_latex, heads)) + r" \\")
    rows.append(r"\midrule")
    rows += [" & ".join(map(_latex, row)) + r" \\" for row in body]
    rows += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(rows) + "\n"


_LATEX = {
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
    one_line = " ".join(cell.split())
    return re.sub(r"[\\±×<>~^&%$#_{}]", lambda mark: _LATEX[mark[0]], one_line)


def as_csv(study: StudySummary) -> str:
    """Write plain numbers, one row a line: for a spreadsheet or another program."""
    metrics = shown(study)
    file = io.StringIO()
    writer = csv.writer(file)
    heads = ["row"]
    for metric in metrics:
        heads += [metric, f"{metric} deviation"]
    heads += ["low", "high", "interval over", "runs", "published", "verdict", "group", "best"]
    for over in ("examples", "seeds"):
        heads += [f"{over}: {field}" for field in TEST_FIELDS]
    heads += ["best epoch", "epochs", "parameters", "seconds", "state"]
    published = dict.fromkeys(metric for row in study.rows for metric in row.published)
    others = [metric for metric in published if metric != study.file.metric]
    heads += [f"{metric} {what}" for metric in others for what in ("published", "verdict")]
    writer.writerow(map(csv_cell, heads))
    for line in lines(study):
        row: list[object] = [line.name]
        for metric in metrics:
            figure = line.figures.get(metric)
            row += [figure.mean, figure.deviation] if figure else ["", ""]
        main, compared = line.figures.get(study.file.metric), line.compared
        row += [*(compared.interval or ("", "")), compared.over, main.runs if main else 0]
        beside = line.beside.get(study.file.metric)
        row += [beside.value, beside.verdict] if beside else ["", ""]
        row += [group_name(compared.group) if main else "", "; ".join(compared.badges)]
        for test in (compared.examples, compared.seeds):
            row += _test_cells(test)
        epochs = (line.figures.get(name) for name in ("best_epoch", "epochs"))
        row += [figure.mean if figure else "" for figure in epochs]
        row += [line.parameters, line.seconds, line.state]
        for metric in others:
            beside = line.beside.get(metric)
            row += [beside.value, beside.verdict] if beside else ["", ""]
        writer.writerow(map(csv_cell, row))
    return file.getvalue()


TEST_FIELDS = ("difference", "low", "high", "p", "p after Holm", "count", "test", "why not")


def _test_cells(test: Comparison | None) -> list[object]:
    if test is None:
        return [""] * len(TEST_FIELDS)
    figures = [test.difference, *(test.interval or (None, None)), test.p_value, test.corrected]
    return [*figures, test.count, test.test, test.why_not]


def as_json(study: StudySummary) -> dict[str, object]:
    """Return what `--json` prints of a study: its answer, its rows, its parts."""
    return {
        "study": study.name,
        "title": study.file.title,
        "metric": study.file.metric,
        "answer": answer(study),
        "narrowed": study.narrowed,
        "rows": [_line_as_json(line, study) for line in lines(study)],
        "parts": [as_json(part) for part in study.parts],
        "claims": [claim.record for claim in study.claims],
    }


def _line_as_json(line: Line, study: StudySummary) -> dict[str, object]:
    """A row, with its tests against the best row: `over_examples` and `over_seeds`."""
    plain = dataclasses.asdict(line)
    compared, main = plain.pop("compared"), line.beside.get(study.file.metric)
    spans = {metric: intervals(study, metric).get(line.name) for metric in shown(study)[1:]}
    return plain | {
        "published": main.value if main else None,
        "difference": main.difference if main else None,
        "verdict": main.verdict if main else "",
        "verdict_without_interval": main.no_interval if main else "",
        "group": group_name(line.compared.group),
        "best": "best by validation" in line.compared.badges or "best" in line.compared.badges,
        "badges": line.compared.badges,
        "interval": compared["interval"],
        "interval_over": compared["over"],
        "other_intervals": spans,
        "over_examples": compared["examples"],
        "over_seeds": compared["seeds"],
    }
