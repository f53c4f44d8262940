"""The page in a real browser: what a newcomer sees and does."""

import base64
import json
import os
import re
import shutil
import signal
import socket
import zlib
from pathlib import Path
from typing import Any

from tests.page.conftest import Server, Window, ended, opened, started
from tests.page.test_run_index import make_run


def fits(window: Window) -> bool:
    """Whether nothing makes the page wider than the window."""
    width = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    return bool(window.page.evaluate(width))


def test_a_wrong_gradient_is_repaired_with_one_click(server: Server, window: Window) -> None:
    page = window.page
    page.goto(f"{server.origin}/#check")
    page.get_by_text("1 right").wait_for()
    assert page.locator("math").count() >= 5
    page.get_by_role("button", name="Take it over").click()
    page.get_by_text("2 right").wait_for()
    assert page.evaluate("document.activeElement.ariaLabel") == "Verdicts"
    assert "-x^T (y - p)" in page.get_by_label("Claims", exact=True).input_value()
    page.get_by_label("Claims", exact=True).fill(r"\frac{\partial E}{\partial x} = W (p - y)")
    page.get_by_text("1 wrong").wait_for()
    page.get_by_label("Claims", exact=True).fill("")
    page.get_by_text("Write what you derived").wait_for()
    page.get_by_label("Written as").select_option("claims")
    page.get_by_role("button", name="Take it over").first.click()
    page.get_by_text("1 right").wait_for()
    assert "+ 2 a b^T" in page.get_by_label("Claims (TOML)").input_value()
    page.set_viewport_size({"width": 390, "height": 800})
    assert fits(window)


def link_of(content: bytes) -> str:
    """The part of a link that holds a content."""
    squeezed = zlib.compress(content, 9, -zlib.MAX_WBITS)
    return base64.urlsafe_b64encode(squeezed).decode().rstrip("=")


def test_a_link_carries_a_text_and_not_more(server: Server, window: Window) -> None:
    page, claims = window.page, window.page.get_by_label("Claims", exact=True)
    carried = {"kind": "formulas", "symbols": "a: 1 x n", "equations": "", "claims": "a = 2 a"}
    page.goto(f"{server.origin}/#check/{link_of(json.dumps(carried).encode())}")
    page.get_by_text("1 wrong", exact=True).wait_for()
    assert claims.input_value() == "a = 2 a"
    strange = {"kind": "constructor", "claims": {"a": 1}, "symbols": ["b"]}
    page.goto(f"{server.origin}/#check/{link_of(json.dumps(strange).encode())}")
    page.get_by_text("1 right", exact=True).wait_for()  # what stands there at first
    long = json.dumps({"kind": "markdown", "text": "a" * 3_000_000}).encode()
    for damaged in (link_of(long), "AAAA", "%00", "..%2f"):
        page.goto(f"{server.origin}/#runs")
        page.goto(f"{server.origin}/#check/{damaged}")
        page.get_by_text("This link is damaged").first.wait_for()
        page.get_by_label("Close").last.click()


def test_a_run_is_started_from_the_form_watched_and_stopped(server: Server, window: Window) -> None:
    page = window.page
    page.goto(f"{server.origin}/#runs")
    page.get_by_role("button", name="New run…").click()
    page.get_by_role("dialog").get_by_label("Task").select_option("graph")
    page.get_by_label("Name", exact=True).fill("from-the-form")
    page.get_by_role("button", name="As TOML").click()
    config = page.get_by_label("Config", exact=True)
    config.fill('task = "graph"\n[train]\nepoch = 3\n')
    page.get_by_text("did you mean train.epochs?").wait_for()
    page.get_by_text("line 3: epoch = 3").wait_for()
    long = "epochs = 30000\npatience = 30000\n"
    config.fill(f'task = "graph"\n[data]\nname = "karate"\n[train]\n{long}')
    page.get_by_text("can be trained").wait_for()
    page.get_by_role("button", name="As a form").click()
    page.get_by_label("epochs", exact=True).wait_for()
    assert page.get_by_label("epochs", exact=True).input_value() == "30000"
    page.get_by_role("button", name="As TOML").click()
    assert "patience = 30000" in config.input_value()
    page.get_by_text("can be trained").wait_for()
    page.get_by_role("button", name="Start", exact=True).click()
    page.locator("tr.chosen", has_text="running").wait_for()
    page.locator("svg.chart path").first.wait_for()
    page.get_by_role("button", name="Stop").click()
    page.locator("tr.chosen", has_text="stopped").wait_for()
    page.get_by_role("button", name="Resume").wait_for()
    shutil.rmtree(server.folder / "runs" / "from-the-form")
    page.get_by_text("from-the-form is not shown any more: its folder is gone").wait_for()
    page.locator("tr.chosen").wait_for(state="detached")
    # A panel that asked for it meanwhile was told so, which a browser notes in its console.
    window.problems[:] = [line for line in window.problems if "400 (Bad Request)" not in line]
    page.set_viewport_size({"width": 390, "height": 800})
    assert fits(window)


def test_every_model_is_tried(server: Server, models: Path, window: Window) -> None:
    page = window.page
    page.goto(f"{server.origin}/#try/runs%2Fwords")
    page.locator("button.token").first.click()
    page.get_by_text("could have come").wait_for()
    page.get_by_role("region", name="Alternatives").get_by_role("button").nth(1).click()
    page.get_by_text("mean probability").wait_for()
    page.get_by_role("button", name="Attention").click()
    page.get_by_label("attention of layer 1, head 2").wait_for()
    page.get_by_role("button", name="images").click()
    canvas = page.get_by_label("Draw a picture here")
    canvas.wait_for()
    page.get_by_role("region", name="Prediction").get_by_text("%").first.wait_for()
    page.get_by_text("is ", exact=False).first.wait_for()
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 200, steps=4)
    page.mouse.up()
    page.locator(".badge", has_text="is ").wait_for(state="detached")  # no test image any more
    page.get_by_label("how much each pixel changes the answer").wait_for()
    page.get_by_role("button", name="graph").click()
    page.get_by_label("Run", exact=True).select_option("runs/karate")
    page.get_by_role("heading", name="Node 33").wait_for()
    page.get_by_label("node 16", exact=True).click()
    page.get_by_role("heading", name="Node 16").wait_for()
    page.get_by_label("Run", exact=True).select_option("runs/shapes")
    page.get_by_role("heading", name=re.compile("^Graph (ring|path)-")).wait_for()
    assert page.locator("svg.graph circle").count() == 6
    page.get_by_label("Run", exact=True).select_option("runs/films")
    page.get_by_role("heading", name=re.compile("^u[0-9]+ likes…")).wait_for()
    assert page.locator("svg.graph .edge.likely").count() == 8
    page.get_by_role("button", name="speech").click()
    page.get_by_label("spectrogram").wait_for()
    page.set_viewport_size({"width": 390, "height": 800})
    assert fits(window)


def test_costs_and_studies_are_drawn(server: Server, window: Window) -> None:
    page = window.page
    page.goto(f"{server.origin}/#cost/attention,attention-core")
    page.get_by_text("What dominates: forward").nth(1).wait_for()
    first = page.get_by_role("region", name="First architecture")
    assert "4.194 M" in first.inner_text()  # 2·128²·64 + 4·128·64²
    first.get_by_text("the formula does not hold where h = 1; this was counted there").wait_for()
    page.get_by_label("tokens").first.fill("8")
    first.get_by_text("12.58 M").wait_for()  # of 256 tokens
    page.goto(f"{server.origin}/#studies/ptb-rnn")
    page.get_by_text("Sigmoid RNN on Penn Treebank: the published table").nth(1).wait_for()
    page.get_by_text("12 rows with 1 seed: 12 runs.").wait_for()
    page.get_by_label("run 1: batch 64, 50→100").uncheck()
    page.get_by_label("Seeds").fill("1, 2")
    page.get_by_text("11 rows with 2 seeds: 22 runs.").wait_for()
    assert page.get_by_role("button", name="Start").is_enabled()
    page.set_viewport_size({"width": 390, "height": 800})
    assert fits(window)


def test_two_browsers_see_the_same_run_and_check_each_its_own(
    server: Server, window: Window, browser: Any
) -> None:
    with opened(server, browser) as other:
        window.page.goto(f"{server.origin}/#runs")
        other.page.goto(f"{server.origin}/#runs")
        hostile = "<img src=x onerror=alert(1)>"
        make_run(server.folder / "runs" / hostile)
        for page in (window.page, other.page):
            page.get_by_role("button", name=hostile).click()
            page.get_by_role("heading", name=hostile).wait_for()
            assert page.locator("img").count() == 1  # the page's own sign
        for page, claims in ((window.page, [r"a a^T = \|a\|^2"]), (other.page, ["a = 2 a"] * 2)):
            page.goto(f"{server.origin}/#check")
            page.get_by_label("Symbols").fill("a: 1 x n")
            page.get_by_label("Equations").fill("")
            page.get_by_label("Claims", exact=True).fill("\n".join(claims))
        window.page.get_by_text("1 right", exact=True).wait_for()
        other.page.get_by_text("2 wrong", exact=True).wait_for()
    assert other.problems == []


def test_a_page_that_was_left_before_it_was_drawn_does_not_mute_the_next(
    server: Server, window: Window
) -> None:
    page, held = window.page, []
    page.goto(f"{server.origin}/#check")
    page.route("**/api/runs", lambda each: each.continue_() if held else held.append(each))
    page.evaluate("location.hash = '#runs'")
    while not held:
        page.wait_for_timeout(10)
    page.evaluate("location.hash = '#runs/'")  # again, while the first answer is on its way
    page.get_by_role("button", name="New run…").wait_for()
    page.wait_for_timeout(500)
    held[0].continue_()
    page.wait_for_timeout(500)
    make_run(server.folder / "runs" / "later")
    page.get_by_role("button", name="later", exact=True).wait_for()


def test_a_server_that_was_killed_is_missed_and_found_again(tmp_path: Path, browser: Any) -> None:
    make_run(tmp_path / "runs" / "before")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    first = started(tmp_path, port)
    with opened(first, browser) as window:
        page, gone = window.page, window.page.get_by_role("alert")
        page.get_by_role("button", name="before", exact=True).wait_for()
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait()
        gone.get_by_text("The server does not answer").wait_for()
        page.get_by_role("link", name="Cost").click()
        page.get_by_text("is `workings page` still running?").wait_for()
        make_run(tmp_path / "runs" / "meanwhile")
        second = started(tmp_path, port)
        assert second.token != first.token
        try:
            gone.get_by_text("does not answer").wait_for(state="detached")
            page.get_by_text("What dominates: forward").first.wait_for()  # by itself
            page.get_by_role("link", name="Runs").click()
            page.get_by_role("button", name="meanwhile").wait_for()
        finally:
            ended(second)
    assert all("Failed to load" in line or "does not answer" in line for line in window.problems)
    assert first.process.stdout is not None
    first.process.stdout.close()
