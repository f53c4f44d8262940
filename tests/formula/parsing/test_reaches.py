r"""How far a sum reaches: over the terms behind it that have its index too."""

import pytest

from tests.claims.sets import check
from workings.formula.errors import NotRead
from workings.formula.parsing.parse import parse
from workings.formula.printing.latex import latex

SHAPES = {"y": "n x 1", "p": "n x 1", "A": "n x n", "c": "scalar"}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"-\sum_i y_i c + (1 - y_i) p_i", r"-c\sum_i y_i - \sum_i p_i + y^T p"),
        (r"\frac{1}{n}\sum_{i=1}^n y_i - p_i", r"\frac{1}{n}(\sum_i y_i - \sum_i p_i)"),
        (r"c\sum_i y_i + p_i + 1", r"c\sum_i y_i + c\sum_i p_i + 1"),
        (r"\sum_i y_i + p_i + y_i p_i", r"\sum_i y_i + \sum_i p_i + y^T p"),
        (r"\sum_i \sum_j A_{ij} + y_j", r"\sum_{i,j} A_{ij} + n \sum_j y_j"),
        (r"\sum_{i,j} A_{ij} - y_i p_j", r"\sum_{i,j} A_{ij} - (\sum_i y_i)(\sum_j p_j)"),
    ],
)
def test_terms_with_the_index_are_summed(written: str, meant: str) -> None:
    assert check(SHAPES, [], f"{written} = {meant}").verdict == "holds"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"\sum_i y_i + c", r"\sum_i (y_i + c)"),
        (r"-\sum_i y_i + p_i", r"-\sum_i y_i + \sum_i p_i"),
        (r"\frac{1}{n}\sum_i y_i + p_i", r"\frac{1}{n}\sum_i y_i + \sum_i p_i"),
    ],
)
def test_no_other_terms_are(written: str, meant: str) -> None:
    assert check(SHAPES, [], f"{written} = {meant}").verdict not in ("holds", "not read")


@pytest.mark.parametrize(
    "text",
    [
        r"-\sum_i y_i - p_i",  # inside or outside?
        r"z_i = \sum_i y_i + p_i",  # the i of z_i
        r"p_i + \sum_i y_i + p_i",
        r"\sum_i y_i + 1 + p_i",
        r"\sum_j y_j + \sum_i p_i",
    ],
)
def test_what_may_be_meant_otherwise_stays_as_it_is(text: str) -> None:
    sides = [latex(side) for side in parse(text).sides]
    assert not any(r"\left(" in side or "(" in side for side in sides), sides


def test_an_entry_outside_of_its_sum_is_named() -> None:
    with pytest.raises(NotRead, match=r"p_i stands outside of the sum over i; bracket all"):
        check(SHAPES, [], r"-\sum_{i=1}^n y_i - p_i = c")


def test_a_declared_name_with_that_letter_is_no_entry() -> None:
    shapes = {**SHAPES, "x_i": "scalar"}
    assert check(shapes, [], r"\sum_i y_i + x_i - x_i = \mathbf{1}^T y").verdict == "holds"
