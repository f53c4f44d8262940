import workings
from workings.claims.markdown import markdown


def test_the_page_has_a_row_for_each_and_a_section_for_each_that_fails():
    report = workings.check(
        symbols={"x": "1 x d", "W": "d x k"},
        equations=["E = \\sum (x W)"],
        claims=[
            {"name": "right", "claim": "dE/dW = x^T 1_{1 \\times k}"},
            {"name": "Wrong", "claim": "dE/dW = 2 x^T 1_{1 \\times k}", "source": "a book"},
        ],
    )
    page = markdown(report)
    assert "2 statements: 1 hold, 1 do not." in page
    assert "| right |  | holds |" in page
    assert "| [Wrong](#wrong) | a book | holds up to a constant factor |" in page
    assert page.count("\n## ") == 1
    assert "$$\\frac{\\partial E}{\\partial W} = x^\\top \\mathbf{1}_{1 \\times k}$$" in page
