r"""Solutions of what is set: they hold if they solve it, and are never called wrong."""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked

LAGRANGIAN = (
    r"$$L(w, \alpha) = \frac12 \|w\|^2 + \sum_{i=1}^{N} \alpha_i (1 - y_i w^T x_i)$$"
    "\n"
    r"$$\frac{\partial L}{\partial w} = 0 \implies w = "
)
RATE = (
    r"$$f(\lambda) = \sum_{i=1}^n (k_i \log \lambda - \lambda)$$"
    "\n"
    r"$$0 = \frac{\partial f}{\partial \lambda} = \sum_{i=1}^n (\frac{k_i}{\lambda} - 1)"
    r"\Rightarrow \lambda = "
)


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (LAGRANGIAN, r"\sum_{i=1}^N \alpha_i y_i x_i", r"-\sum_{i=1}^N \alpha_i y_i x_i"),
        (RATE, r"\frac1n \sum_{i=1}^n k_i", r"\sum_{i=1}^n k_i"),
    ],
    ids=["a Lagrangian", "a rate"],
)
def test_what_solves_what_was_set_holds(tmp_path: Path, text: str, right: str, wrong: str) -> None:
    for solution, verdict in ((right, "holds"), (wrong, "not read")):
        assert str(checked(tmp_path, f"{text}{solution}$$\n").claims[-1].verdict) == verdict


def test_what_is_set_to_zero_from_the_left_is_checked_from_its_second_side_on(
    tmp_path: Path,
) -> None:
    text = "$$f(a) = a^3 b$$\n$$0 = \\frac{\\partial f}{\\partial a} = "
    for side, holds in (("3 a^2 b", True), ("2 a^2 b", False)):
        (finding,) = checked(tmp_path, f"{text}{side}$$\n").claims
        assert finding.result is not None
        assert finding.result.holds == holds
        assert finding.wrong != holds
    assert checked(tmp_path, f"{text.removesuffix('= ')}$$\n").claims == []
