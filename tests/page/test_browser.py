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
