"""Squares that are names, and roots of squares that are defined."""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked

LAYER_NORM = r"""Of $x \in \mathbb{R}^d$ we take
$$\mu = \frac{1}{d}\sum_{i=1}^d x_i, \qquad NAME^2 = \frac{1}{d} \sum_{i=1}^d (x_i - \mu)^2$$
$$\hat{x}_i = \frac{x_i - \mu}{NAME}$$
"""


@pytest.mark.parametrize("name", [r"\sigma", "s"])
@pytest.mark.parametrize(
    ("claim", "is_wrong"),
    [
        (r"\sum_{i=1}^d \hat{x}_i^2 = d", False),
        (r"\frac{\partial NAME^2}{\partial x_j} = \frac{2}{d}(x_j - \mu)", False),
        (r"\frac{\partial NAME}{\partial x_j} = \frac{1}{d NAME}(x_j - \mu)", False),
        (r"\frac{\partial NAME}{\partial x_j} = \frac{2}{d NAME}(x_j - \mu)", True),
    ],
)
def test_a_square_says_what_its_root_is_where_that_is_used(
    name: str, claim: str, is_wrong: bool, tmp_path: Path
) -> None:
    page = f"{LAYER_NORM}\n$${claim}$$\n".replace("NAME", name)
    (finding,) = checked(tmp_path, page).claims
    assert (finding.wrong, finding.not_read) == (is_wrong, False)
