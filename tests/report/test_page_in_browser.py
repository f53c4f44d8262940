"""The page in a real browser: charts are drawn, nothing is fetched, nothing overflows."""

import html
import re
import shutil
import subprocess
from pathlib import Path

import numpy
import pytest
from PIL import Image

from tests.report.summaries import HOSTILE, row, run, study
from workings.report import write as report
from workings.study.summary import RowSummary, StudySummary

NAMES = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), "")
pytestmark = pytest.mark.skipif(not BROWSER, reason="no Chromium on this machine")

# Before the page: hear of errors. After it: look at what was drawn, and write it into the page.
LISTEN = """<script>
window.heard = [];
addEventListener("error", event => heard.push(String(event.message)));
addEventListener("unhandledrejection", event => heard.push(String(event.reason)));
for (const kind of ["error", "warn"]) console[kind] = (...what) => heard.push(what.join(" "));
window.alert = what => heard.push("alert " + what);
</script>"""
LOOK = """<script>
const wait = setInterval(() => {
  const root = document.documentElement;
  if (root.dataset.charts !== "drawn") return;
  clearInterval(wait);
  const charts = [...document.querySelectorAll(".chart")];
  const box = each => each.getBoundingClientRect();
  const beyond = svg => [...svg.querySelectorAll("text")].some(each =>
    box(each).right > box(svg).right + 2 || box(each).bottom > box(svg).bottom + 2);
  const pictures = charts.flatMap(each => [...each.querySelectorAll("svg")]);
  const found = {
    drawn: charts.filter(each => each.querySelector("svg path, svg line")).length,
    places: charts.length,
    failed: document.querySelectorAll("[data-failed]").length,
    wide: charts.filter(each => box(each.querySelector("svg")).width > box(each).width + 1).length,
    shrunk: pictures.filter(svg => box(svg).width < .95 * svg.getAttribute("width")).length,
    cut: pictures.filter(beyond).length,
    overflow: root.scrollWidth - root.clientWidth,
    width: root.clientWidth,
    fetched: performance.getEntriesByType("resource").length,
    errors: heard.length,
    first: heard[0] || "none",
  };
  document.body.dataset.found = Object.entries(found).map(pair => pair.join("=")).join(";");
}, 50);
</script>"""


def browse(tmp_path: Path, text: str, width: int, *options: str) -> str:
    """What the browser makes of a page. One so narrow it only shows in a frame."""
    page = tmp_path / "page.html"
    frame = f'<iframe srcdoc="{html.escape(text)}" width="{width}" height="6000"></iframe>'
    page.write_text(text if width >= 500 else f'<body style="margin:0">{frame}')
    command = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={width},2400"]
    command += ["--virtual-time-budget=20000", *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=240).stdout


def looked(tmp_path: Path, summary: StudySummary, width: int, *options: str) -> dict[str, str]:
    text = report.html(summary).replace("<head>", f"<head>{LISTEN}", 1)
    look = LOOK
    if width < 500:  # the frame's page tells the one around it, which is what is dumped
        look = look.replace("document.body.dataset.found", "parent.document.body.dataset.found")
    before, end, _ = text.rpartition("</body>")
    text = before + look + end
    dumped = browse(tmp_path, text, width, "--dump-dom", *options)
    (found,) = re.findall(r'data-found="([^"]*)"', dumped)
    return dict(pair.split("=", 1) for pair in html.unescape(found).split(";", 10))


def many() -> StudySummary:
    rows = [row(name, [9.0 + n, 9.2 + n, 9.1 + n], 9.0 + n) for n, name in enumerate(HOSTILE)]
    rows += [row(f"row {n}", [20.0 + n] * 3, seconds=60.0 * n, parameters=10**n) for n in (1, 4, 6)]
    rows.append(RowSummary("one epoch", {}, {}, "", [run(1, None, [30.0])]))
    rows.append(RowSummary("no epoch", {}, {}, "", [run(1, None, [])]))
    rows.append(RowSummary("not a number", {}, {}, "", [run(1, 8.0, [None, 9.0, None])]))
    return study(rows, narrowed=HOSTILE, command="workings study gates")


@pytest.mark.parametrize("width", [1280, 390])
def test_charts_are_drawn_and_fit(width: int, tmp_path: Path) -> None:
    found = looked(tmp_path, many(), width)
    assert found["errors"] == "0", found["first"]
    assert found["drawn"] == found["places"] == "5"
    for trouble in ("failed", "wide", "shrunk", "cut", "fetched"):
        assert found[trouble] == "0", trouble
    assert int(found["width"]) == width
    assert int(found["overflow"]) <= 0


def test_one_point_and_one_row_are_drawn(tmp_path: Path) -> None:
    one = study([RowSummary("alone", {}, {"test.perplexity": 8.0}, "", [run(1, 8.0, [8.0])])])
    found = looked(tmp_path, one, 1280)
    assert (found["errors"], found["drawn"], found["places"]) == ("0", "2", "2")


@pytest.mark.parametrize(
    ("options", "low", "high"),
    [([], 0.85, 1.0), (["--blink-settings=preferredColorScheme=0"], 0.0, 0.25)],
    ids=["light", "dark"],
)
def test_light_and_dark(options: list[str], low: float, high: float, tmp_path: Path) -> None:
    shot = tmp_path / "shot.png"
    browse(tmp_path, report.html(many()), 1280, f"--screenshot={shot}", *options)
    assert low <= brightness(shot) <= high


def test_it_prints(tmp_path: Path) -> None:
    pdf = tmp_path / "page.pdf"
    browse(tmp_path, report.html(many()), 1280, f"--print-to-pdf={pdf}")
    content = pdf.read_bytes()
    assert content.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", content)) >= 2


def brightness(shot: Path) -> float:
    """The mean of a screenshot's pixels, 0 black to 1 white."""
    with Image.open(shot) as image:
        return float(numpy.asarray(image.convert("L")).mean() / 255)
