r"""Values at a point: \frac{d}{dt} f(x + tv) \Big|_{t=0}, of all that stands before the bar."""

import pytest

import workings
from tests.claims.sets import check
from workings.formula.errors import NotRead

SHAPES = {
    "x": "n x 1", "v": "n x 1", "y": "n x 1", "A": "n x n", "t": "scalar", "c": "scalar",
}  # fmt: skip
EQUATIONS = [r"g = \sum_i \sin(x_i + t v_i)", r"E = \frac12 \|A x - y\|^2"]


@pytest.mark.parametrize(
    ("left", "right", "wrong"),
    [
        (r"\left.\frac{d}{dt}\sin t\right|_{t=0}", "1", "0"),
        (r"\frac{\partial g}{\partial t}\Big|_{t=0}", r"\sum_i v_i\cos(x_i)", r"\sum_i v_i x_i"),
        (r"\left.\frac{d}{dt}\det(I + tA)\right|_{t=0}", r"\mathrm{tr}(A)", r"\det(A)"),
        (r"\left.\frac{d}{dt} e^{tA}\right|_{t=0}", "A", "A^T"),
        (r"\left.\nabla_x E\right|_{x=v}", "A^T(Av - y)", "A^T(Ax - y)"),
        (r"\left. x^T x\right|_{x=v}", "v^T v", "x^T v"),
        (r"\left.\frac{d}{dt} t^2\right|_{t=c}", "2c", "2t"),
        (r"\left.\frac{d^2}{dt^2} t^3\right|_{t=2}", "12", "6"),
        (r"v^T v + \frac{d}{dt} t^2\big|_{t=1}", "v^T v + 2", "v^T v + 1"),
    ],
)
def test_the_value_there_and_no_other(left: str, right: str, wrong: str) -> None:
    assert check(SHAPES, EQUATIONS, f"{left} = {right}").verdict == "holds"
    assert check(SHAPES, EQUATIONS, f"{left} = {wrong}").verdict not in ("holds", "not read")


@pytest.mark.parametrize(
    "claim",
    [
        r"\left.\frac{d}{dt} |t|\right|_{t=0} = 0",
        r"\left.\frac{d}{dt} \mathrm{relu}(t)\right|_{t=0} = 0",
        r"\left.\frac{d}{dt} \mathrm{sign}(t)\right|_{t=0} = 0",
        r"\left.\frac{1}{t}\right|_{t=0} = 1",
    ],
)
def test_where_there_is_no_derivative_nothing_is_said(claim: str) -> None:
    (result,) = workings.check(symbols=SHAPES, claims=[claim])
    assert result.verdict == "undecided"


def test_whether_a_bar_is_of_a_term_or_of_all_is_not_guessed() -> None:
    claim = r"\left. x^T A x + x^T v\right|_{x=0} = 0"
    with pytest.raises(NotRead, match="of one term or of all"):
        check(SHAPES, [], claim)


def test_a_bar_in_brackets_is_not_taken_out_of_a_derivative() -> None:
    with pytest.raises(NotRead, match="inside or outside of the derivative"):
        check(SHAPES, [], r"\frac{d}{dt}\left(\left. t^2\right|_{t=3}\right) = 0")
