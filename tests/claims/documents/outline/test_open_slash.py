r"""A product behind a slash: what is right by one of its two readings is not called wrong."""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked
from workings.claims.documents.outline.open_slash import BELOW, has_open_slash


@pytest.mark.parametrize(
    ("definition", "right", "wrong"),
    [
        (r"p(x) = e^{-(x-\mu)^2/2\sigma^2}", r"p'(x) = -\frac{x-\mu}{\sigma^2} p(x)",
         r"p'(x) = \frac{x-\mu}{\sigma^2} p(x)"),
        (r"k(r) = \exp(-r^2/2s^2)", r"k'(r) = -\frac{r}{s^2} k(r)", r"k'(r) = -\frac{r}{s} k(r)"),
        (r"k(r) = \exp(-r^2/2\ell^2)", r"k'(r) = -\frac{r}{\ell^2} k(r)",
         r"k'(r) = -\frac{r^2}{\ell^2} k(r)"),
    ],
)  # fmt: skip
def test_all_that_stands_behind_it_may_be_below(
    definition: str, right: str, wrong: str, tmp_path: Path
) -> None:
    first, second = checked(tmp_path, f"$${definition}$$\n\n$${right}$$\n\n$${wrong}$$\n").claims
    assert first.not_read
    assert first.result is not None
    assert BELOW in first.result.why
    assert second.wrong


def test_by_the_rules_of_programs_it_holds(tmp_path: Path) -> None:
    first, second = checked(
        tmp_path, "$$f(x) = 1/2 x^2$$\n\n$$f'(x) = x$$\n\n$$f'(x) = 2x$$"
    ).claims
    assert str(first.verdict) == "holds"
    assert second.wrong


@pytest.mark.parametrize(
    ("text", "expected"),
    [(r"x^2/2\sigma^2", True), ("a/bc", True), (r"a/b", False), (r"a/(bc)", False),
     (r"6 / 2 \times 10^{2}", True), (r"a/b \cdot c", False), (r"a/b + c", False)],
)  # fmt: skip
def test_where_it_is_open(text: str, expected: bool) -> None:
    assert has_open_slash(text) is expected
