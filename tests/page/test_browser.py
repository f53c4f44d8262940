"""The page in a real browser: what a newcomer sees and does."""

from pathlib import Path

from tests.page.conftest import Server, Window


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
    assert "-x^T (y - p)" in page.get_by_label("Claims", exact=True).input_value()
    page.get_by_label("Claims", exact=True).fill(r"\frac{\partial E}{\partial x} = W (p - y)")
    page.get_by_text("1 wrong").wait_for()
    page.set_viewport_size({"width": 390, "height": 800})
    assert fits(window)


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
    long = "epochs = 30000\npatience = 30000\n"
    config.fill(f'task = "graph"\n[data]\nname = "karate"\n[train]\n{long}')
    page.get_by_text("can be trained").wait_for()
    page.get_by_role("button", name="Start", exact=True).click()
    page.locator("tr.chosen", has_text="running").wait_for()
    page.locator("svg.chart path").first.wait_for()
    page.get_by_role("button", name="Stop").click()
    page.locator("tr.chosen", has_text="stopped").wait_for()
    page.get_by_role("button", name="Resume").wait_for()
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
    page.get_by_role("heading", name="Node 33").wait_for()
    page.get_by_label("node 16", exact=True).click()
    page.get_by_role("heading", name="Node 16").wait_for()
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
    page.get_by_label("tokens").first.fill("8")
    first.get_by_text("12.58 M").wait_for()  # of 256 tokens
    page.goto(f"{server.origin}/#studies/ptb-rnn")
    page.get_by_text("Sigmoid RNN on Penn Treebank: the published table").nth(1).wait_for()
    page.get_by_role("button", name="Start").wait_for()
    page.set_viewport_size({"width": 390, "height": 800})
    assert fits(window)
