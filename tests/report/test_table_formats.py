"""The table as Markdown, LaTeX, CSV and JSON."""

import csv
import io
import json

import pytest

from tests.report.summaries import HOSTILE
from tests.report.test_table import row, study
from workings.report.table_formats import as_csv, as_json, latex, markdown


def test_markdown_latex_and_csv() -> None:
    table = study(row("50% | a_b", [1.0, 2.0], test_perplexity=1.5))
    assert markdown(table).splitlines()[2].startswith("| 50% \\| a_b | 1.5000 ± 0.7071 |")
    written = latex(table)
    assert r"50\% | a\_b & 1.5000 $\pm$ 0.7071" in written
    assert written.startswith("\\begin{tabular}{lrrrrrr}\n\\toprule\n")
    read = list(csv.DictReader(io.StringIO(as_csv(table))))
    assert read[0]["row"] == "50% | a_b"
    assert float(read[0]["test.perplexity"]) == 1.5
    assert read[0]["verdict"] == "agrees"
    assert read[0]["runs"] == "2"


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_becomes_html_or_a_line_of_its_own(name: str) -> None:
    written = markdown(study(row(name, [1.0])))
    assert len(written.splitlines()) == 3
    assert not any(mark in written.replace("&lt;", "").replace("&gt;", "") for mark in "<>")
    assert len(latex(study(row(name, [1.0]))).splitlines()) == 7


def test_html_is_escaped_in_markdown() -> None:
    written = markdown(study(row("<img src=x> & [a](b)", [1.0])))
    assert r"| &lt;img src=x&gt; &amp; \[a\](b) |" in written


def test_json_says_how_the_best_was_chosen_and_what_p_rests_on() -> None:
    table = study(row("a", [9.0, 8.0, 8.5]), row("b", [5.0, 4.0, 6.0]), row("c", [7.0]))
    rows = json.loads(json.dumps(as_json(table)))["rows"]
    assert [(each["best"], each["badges"]) for each in rows] == [
        (False, []),
        (True, ["best by validation", "best on test"]),
        (False, []),
    ]
    first, last = rows[0]["over_seeds"], rows[2]["over_seeds"]
    assert (first["test"], first["count"]) == ("Student's paired t-test", 3)
    assert first["corrected"] == pytest.approx(3 * first["p_value"])  # three pairs of rows
    assert (last["p_value"], last["why_not"]) == (None, "it takes 3 seeds")
    assert rows[0]["over_examples"]["why_not"].startswith("`workings eval a` keeps")


def test_the_csv_holds_every_published_figure_with_its_verdict() -> None:
    table = study(row("a", [9.0, 8.0], **{"test_perplexity": 8.5, "valid_perplexity": 20.0}))
    (line,) = csv.DictReader(as_csv(table).splitlines())
    assert (line["published"], line["verdict"]) == ("8.5", "agrees")
    other = "valid.perplexity"
    assert (line[other], line[f"{other} published"]) == ("9.5", "20.0")
    assert line[f"{other} verdict"] == "better"
