"""The page in a real browser: what a newcomer sees and does."""

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
    long = "epochs = 100000\npatience = 100000\n"
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
