"""A study as one self-contained HTML page: all that it shows, as plain values for a template."""

import datetime
import functools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import escape
from importlib import resources
from importlib.metadata import version
from typing import TYPE_CHECKING

import jinja2
from markupsafe import Markup

from workings.charts import render
from workings.errors import WorkingsError
from workings.files import write_file
from workings.json_files import finite
from workings.report.answer import answer
from workings.report.completions import about as about_texts
from workings.report.doubts import doubts
from workings.report.explain import differences, environment, explanations, simpler
from workings.report.figures import SECTIONS, Figure
from workings.report.samples import Sample, samples, tried
from workings.report.table import BEST, cells, columns, lines
from workings.study.summary import StudySummary
from workings.version import __version__

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart

THEMED = {"#000000": "currentColor", "#0072B2": "var(--line-blue)", "#56B4E9": "var(--line-sky)"}
DRAWN = re.compile("[\u2580-\u259f\u2800-\u28ff]")  # a picture made of blocks or dots
LARGEST_CHART = 400_000  # characters of one chart's definition; a larger one is left out
LARGEST_FALLBACK = 250_000  # of all the pictures that are there for a browser without scripts


def html(study: StudySummary) -> str:
    """The whole page."""
    charts = Charts()
    shown = view(study, charts)
    return _template().render(
        study=shown,
        contents=contents(shown),
        specs=charts.as_json(),
        bundle=Markup(bundle()) if charts.specs else "",
        version=__version__,
        date=datetime.date.today().isoformat(),
    )


def in_notebook(study: StudySummary) -> str:
    """The page in a frame of its own, so that neither's style touches the other's."""
    style = "width:100%;height:48rem;border:1px solid #8884"
    return f'<iframe srcdoc="{escape(html(study))}" style="{style}"></iframe>'


@functools.cache
def _template() -> jinja2.Template:
    source = (resources.files("workings.report") / "page.html.j2").read_text(encoding="utf-8")
    settings = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    settings.globals["zip"] = zip
    return settings.from_string(source)


Shown = dict[str, object]  # a part of the page, as its template takes it
View = dict[str, object]  # a study's parts by name; what each is, only the template knows


class Charts:
    """The definitions of all charts of a page, which share one script."""

    def __init__(self) -> None:
        self.specs: list[str] = []
        self.fallback = 0  # characters of pictures so far

    def add(self, name: str, caption: str, chart: "Chart", own: bool) -> Shown:
        """The chart's place on the page: its number, or why it is not there."""
        shown = {"caption": caption, "own": own, "picture": "", "error": "", "number": None}
        try:
            text = json.dumps(
                finite(self._spec(chart, own)), allow_nan=False, separators=(",", ":")
            )
            if len(text) > LARGEST_CHART:
                return shown | {"error": f"{name}: too large for this page"}
            if own:
                shown["picture"] = self._picture(chart)
        except Exception as broken:  # a task's chart may be anything: the page goes on
            line = str(broken).strip().partition("\n")[0]
            return shown | {"error": f"{name}: cannot be drawn ({type(broken).__name__}: {line})"}
        self.specs.append(themed(text) if own else text)
        return shown | {"number": len(self.specs) - 1}

    def _spec(self, chart: "Chart", own: bool) -> dict[str, object]:
        """The definition; ours take their look from the page."""
        spec = dict(chart.to_dict())
        if own:
            spec.pop("config", None)  # Altair's; the page has one for all
        return spec

    def _picture(self, chart: "Chart") -> Markup:
        if self.fallback > LARGEST_FALLBACK:
            return Markup("")
        svg = themed(render(chart, ".svg").decode())
        self.fallback += len(svg)
        return Markup(svg)

    def as_json(self) -> Markup:
        """All of them; in a script no `<` may begin a tag, whatever the names of rows hold."""
        return Markup(f"[{','.join(self.specs)}]".replace("<", "\\u003c"))


def themed(text: str) -> str:
    """Those of the palette's colours that a dark page would swallow, as it has them itself."""
    for colour, name in THEMED.items():
        text = text.replace(f'"{colour}"', f'"{name}"')
    return text


def bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, kept because making it takes seconds."""
    import vl_convert

    from workings.data.sources import cache

    path = cache() / f"vega-{version('vl-convert-python')}.js"
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        made = vl_convert.javascript_bundle()  # type: ignore[call-arg]
        made = made.replace("</script", "<\\/script")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, made.encode())
    except (OSError, WorkingsError):
        pass  # a cache that cannot be written costs time only
    return made


def view(study: StudySummary, charts: Charts, anchor: str = "study") -> View:
    """Everything that the page says of a study, as the template takes it."""
    gathered = samples(study)
    parts = [
        view(_under(study, part), charts, f"{anchor}-{number}")
        for number, part in enumerate(study.parts, start=1)
    ]
    return {
        "anchor": anchor,
        "title": study.file.title,
        "question": study.file.question,
        "answer": answer(study),
        "narrowed": study.narrowed,
        "doubts": doubts(study),
        "notes": study.file.notes,
        "table": table(study) if study.rows else None,
        "explanations": explanations(study) if study.rows else [],
        "simpler": simpler(study),
        "charts": {name: _section(make, study, charts) for name, make in SECTIONS.items()},
        "measured": bool(study.file.measure),
        "unfinished": not study.finished,
        "samples": [_sample(sample, charts) for sample in gathered],
        "sampled": f"{len(gathered)} of {len(study.rows)} rows" if len(study.rows) > 1 else "",
        "completed": about_texts(study),
        "published_texts": study.file.published_texts,
        "claims": study.claims,
        "differences": differences(study),
        "environment": environment(study),
        "command": study.command,
        "parts": parts,
    }


def _under(study: StudySummary, part: StudySummary) -> StudySummary:
    """A part as it is shown there: what repeats the whole study repeats the part."""
    return replace(part, command="") if part.command == study.command else part


def table(study: StudySummary) -> dict[str, object]:
    """The table; a row's state and whether it is the best are said beside its name."""
    heads = columns(study)
    shown = [number for number, head in enumerate(heads) if number and head not in ("state", BEST)]
    rows = [
        {
            "name": line.name,
            "cells": [(heads[number], row[number]) for number in shown],
            "badges": line.compared.badges,
            "best": any(badge != "best on test" for badge in line.compared.badges),
            "state": "" if line.state == "finished" else line.state,
            "errors": line.errors,
        }
        for row, line in zip(cells(study), lines(study), strict=True)
    ]
    long = any(len(row.name) > 40 for row in study.rows)
    shown_heads = [heads[0], *(heads[number] for number in shown)]
    return {"heads": shown_heads, "rows": rows, "long": long, "dense": len(shown_heads) > 7}


def _section(
    make: Callable[[StudySummary], list[Figure]], study: StudySummary, charts: Charts
) -> list[Shown]:
    """A section's charts; what no figure can be made of must not cost the page."""
    made, why_not = tried(lambda: make(study))
    if made is None:
        return [{"error": f"{make.__name__}: cannot be drawn ({why_not})"}]
    return [charts.add(figure.name, figure.caption, figure.chart, own=True) for figure in made]


def _sample(sample: Sample, charts: Charts) -> Shown:
    drawn = [
        charts.add(name, name.replace("-", " ").replace("_", " ").capitalize(), chart, own=False)
        for name, chart in sample.charts.items()
    ]
    matrices = {
        name: {
            "names": matrix.names,
            "lines": zip(matrix.names, matrix.counts, matrix.shares, strict=True),
        }
        for name, matrix in sample.matrices.items()
    }
    lines = [{"text": line, "drawn": bool(DRAWN.search(line))} for line in sample.lines]
    return {**vars(sample), "lines": lines, "charts": drawn, "matrices": matrices}


def contents(shown: View) -> list[dict[str, str]]:
    """Where the page has parts: what they are, and what each has found."""
    parts = shown["parts"]
    named = parts if isinstance(parts, list) else []
    listed = [{key: part[key] for key in ("anchor", "title", "answer")} for part in named]
    if listed and shown["claims"]:
        listed.append({"anchor": "claims", "title": "Statements checked", "answer": ""})
    return listed
