"""The table of a study as Markdown, as LaTeX for a paper, as CSV and as JSON for programs."""

import csv
import dataclasses
import io
import re

from workings.report.answer import answer
from workings.report.table import Line, cells, columns, lines
from workings.study.summary import StudySummary


def markdown(study: StudySummary) -> str:
    """Write the table in Markdown; nothing in a name becomes a tag, a link or another cell."""
    heads, body = columns(study), cells(study)
    marks = ["---" if number == 0 else "--:" for number in range(len(heads))]
    rows = [heads, marks, *([_markdown(cell) for cell in row] for row in body)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def _markdown(cell: str) -> str:
    """HTML stands for itself in Markdown: it is escaped, as are the marks that begin a link."""
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
    metrics = [study.file.metric, *study.file.also]
    file = io.StringIO()
    writer = csv.writer(file)
    heads = ["row"]
    for metric in metrics:
        heads += [metric, f"{metric} deviation"]
    heads += ["runs", "published", "verdict", "best", "p", "seeds of p"]
    writer.writerow([*heads, "parameters", "seconds", "state"])
    for line in lines(study):
        row: list[object] = [line.name]
        for metric in metrics:
            figure = line.figures.get(metric)
            row += [figure.mean, figure.deviation] if figure else ["", ""]
        main = line.figures.get(study.file.metric)
        row += [main.runs if main else 0, line.published, line.verdict, line.best]
        row += [line.p_value, line.test.seeds if line.test and line.p_value is not None else ""]
        writer.writerow([*row, line.parameters, line.seconds, line.state])
    return file.getvalue()


def as_json(study: StudySummary) -> dict[str, object]:
    """Return what `--json` prints of a study: its answer, its rows, its parts."""
    return {
        "study": study.name,
        "title": study.file.title,
        "metric": study.file.metric,
        "answer": answer(study),
        "narrowed": study.narrowed,
        "rows": [_line_as_json(line) for line in lines(study)],
        "parts": [as_json(part) for part in study.parts],
        "claims": [claim.record for claim in study.claims],
    }


def _line_as_json(line: Line) -> dict[str, object]:
    plain = dataclasses.asdict(line)
    test = plain.pop("test") or {"p_value": None, "seeds": 0, "why_not": ""}
    return plain | {
        "best": bool(line.best),
        "chosen": line.best,
        "p_value": test["p_value"],
        "p_value_seeds": test["seeds"],
        "p_value_why_not": test["why_not"],
    }
