"""At a size of 1 a matrix with one row is still a matrix: its norm, its rows, its softmax."""

import pytest

import workings

SYMBOLS = {
    "M": "n x m", "P": "stochastic n x m", "X": "N x d", "w": "d x 1", "y": "N x 1", "v": "n x 1",
}  # fmt: skip
EQUATIONS = [r"L = \sum_i (X_i w - y_i)^2", r"q_j = \sum_i M_{ij}"]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (r"\|M\|_1 \le \sqrt{n}\|M\|_2", r"\|M\|_1 \le \|M\|_2"),
        (r"\|M\|_1 \le n\|M\|_\infty", r"\|M\|_1 \le \|M\|_\infty"),
        (r"\|X_i\|^2\|w\|^2 \ge (X_i w)^2", r"\|X_i\|^2\|w\|^2 \le (X_i w)^2"),
    ],
)
def test_no_counterexample_is_taken_from_what_is_no_vector(
    right: str, wrong: str, seed: int
) -> None:
    report = workings.check(symbols=SYMBOLS, claims=[right, wrong], seed=seed)
    assert [result.holds for result in report] == [True, False]
    assert report[1].verdict == "wrong value"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (r"\frac{\partial L}{\partial w} = 2\sum_i X_i^T(X_i w - y_i)",
         r"\frac{\partial L}{\partial w} = \sum_i X_i^T(X_i w - y_i)"),
        (r"\|M\|_1 = \|M^T\|_\infty", r"\|M\|_1 = \|M\|_\infty"),
        (r"\mathrm{softmax}(M)\mathbf{1} = \mathbf{1}", r"\mathrm{softmax}(M) = M"),
        (r"P\mathbf{1} = \mathbf{1}", r"P^T\mathbf{1} = \mathbf{1}"),
        (r"q = M^T\mathbf{1}", r"q = M\mathbf{1}"),
    ],
)  # fmt: skip
def test_nothing_is_excepted_that_is_no_exception(right: str, wrong: str) -> None:
    claims = [right, wrong]
    report = workings.check(symbols=SYMBOLS, equations=EQUATIONS, claims=claims, seed=3)
    assert report[0].verdict == "holds"
    assert report[0].evidence.except_where == ""
    assert report[1].verdict.is_wrong


def test_what_is_an_exception_is_still_named() -> None:
    claim = r"\|v\|^2 + 0^{n - 1} = \sum_i v_i^2"
    (result,) = workings.check(symbols={"v": "n x 1"}, claims=[claim], seed=3)
    assert result.verdict == "holds"
    assert result.evidence.except_where == "n = 1"
