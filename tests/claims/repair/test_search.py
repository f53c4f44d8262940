"""Repairs: near, right at other sizes, and told in words."""

import pytest

from tests.claims.sets import check
from workings.claims.result import Result

ROWS = {"x": "1 x d", "W": "d x n", "b": "1 x n", "y": "1 x n", "U": "n x m"}
MODEL = [r"s = \sigma(x W + b)", r"L = \frac{1}{2} (s - y) (s - y)^T", "o = s U", r"Q = o o^T"]
BY_W = r"\frac{\partial L}{\partial W} = "
RIGHT = r"x^T ((s - y) \odot s \odot (1 - s))"


def repaired(claim: str, shapes: dict[str, str] = ROWS, equations: list[str] = MODEL) -> Result:
    """The result, its repair checked to be right by claiming it."""
    result = check(shapes, equations, claim)
    assert result.verdict != "holds"
    assert result.repair, f"no repair of {claim}"
    again = check(shapes, equations, result.repair.formula)
    assert again.verdict == "holds", result.repair.formula
    return result


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (r"x^T (s - y) s^T (1 - s)", "elementwise"),
        (r"x^T ((s - y) \odot s)", "1 - s"),
        (r"((s - y) \odot s \odot (1 - s))^T x", "transposed"),
        (r"x ((s - y) \odot s \odot (1 - s))", "x transposed"),
        (r"-x^T ((s - y) \odot s \odot (1 - s))", "sign"),
        (r"x^T ((y - s) \odot s \odot (1 - s))", "sign"),
        (r"x^T ((s + y) \odot s \odot (1 - s))", "the sign of y"),
        (r"2 x^T ((s - y) \odot s \odot (1 - s))", "2"),
        (r"n x^T ((s - y) \odot s \odot (1 - s))", "n"),
        (r"x^T ((s - y) \odot s \odot (2 - s))", "1 in place of 2"),
        (r"x^T ((s - y) \odot s \odot s \odot (1 - s))", "s"),
        (r"x^T ((b - y) \odot s \odot (1 - s))", "s in place of b"),
        (r"((s - y) \odot s \odot (1 - s)) x^T", ""),
    ],
)
def test_a_wrong_gradient_is_repaired_and_told(wrong: str, words: str) -> None:
    result = repaired(BY_W + wrong)
    assert result.repair
    assert words in result.repair.changes
    assert result.repair.formula.startswith(r"\frac{\partial L}{\partial W} = ")


def test_the_right_formula_has_no_repair() -> None:
    result = check(ROWS, MODEL, BY_W + RIGHT)
    assert (result.verdict, result.repair) == ("holds", None)


def test_a_sum_is_repaired_term_by_term() -> None:
    shapes = {"A": "n x n", "x": "n x 1", "b": "n x 1"}
    equations = [r"L = x^T A x + b^T x"]
    right = r"\frac{\partial L}{\partial x} = A x + A^T x + b"
    assert check(shapes, equations, right).verdict == "holds"
    for wrong in ("A x + A x + b", "A x + A^T x - b", "x^T A + A^T x + b", "2 A x + b"):
        claim = rf"\frac{{\partial L}}{{\partial x}} = {wrong}"
        if wrong == "2 A x + b":
            assert check(shapes, equations, claim).verdict == "wrong value"
        else:
            repaired(claim, shapes, equations)


def test_what_is_far_off_is_worked_out_anew() -> None:
    claim = BY_W + r"\exp(x^T b) \odot \tanh(W)"
    repair = repaired(claim, ROWS, MODEL).repair
    assert repair
    assert repair.changes == "worked out by the chain rule"


def test_what_is_far_off_and_no_gradient_has_no_repair() -> None:
    result = check(ROWS, MODEL, r"x W = \exp(x^T b) \odot \tanh(W)")
    assert result.verdict.is_wrong
    assert result.repair is None


def test_a_repair_does_not_depend_on_the_number_of_steps() -> None:
    """A bound that is right for three steps only is no repair."""
    shapes = {"x^{(t)}": "1 x k", "h^{(0)}": "1 x k", "W": "k x k"}
    equations = [r"h^{(t)} = \tanh(h^{(t-1)} W + x^{(t)})", r"L^{(t)} = h^{(t)} (h^{(t)})^T"]
    claim = r"\frac{\partial L^{(t)}}{\partial W} = \sum_{i=1}^{t} \frac{\partial L^{(t)}}{\partial h^{(i)}} \frac{\partial h^{(i)}}{\partial W}"  # noqa: E501
    result = check(shapes, equations, claim, steps=3)
    assert result.verdict == "wrong value"
    if result.repair:
        again = check(shapes, equations, result.repair.formula, steps=2)
        assert again.verdict == "holds", result.repair.formula


def test_jacobians_and_identities_are_repaired_too() -> None:
    repaired(r"\frac{\partial s}{\partial b} = s^T (1 - s)")
    repaired(r"\frac{\partial o}{\partial s} = W")
    repaired(r"Q = s U U s^T")
    repaired(r"\frac{\partial L}{\partial s_k} = y_k - s_k")


def test_a_chain_names_the_first_step_that_departs() -> None:
    claim = BY_W + rf"{RIGHT} = x^T ((s - y) \odot s) = {RIGHT}"
    result = repaired(claim)
    assert [step.verdict for step in result.steps] == ["holds", "wrong value", "holds"]
    assert result.evidence.departs_at_step == 2
    assert result.evidence.last_step == "holds"


@pytest.mark.parametrize("claim", ["Q = L", "L = Q", r"\exp(Q) = \exp(L)"])
def test_that_a_thing_equals_itself_is_no_repair(claim: str) -> None:
    result = check(ROWS, MODEL, claim)
    assert result.verdict == "wrong value"
    left, _, right = (result.repair.formula if result.repair else "a = b").partition(" = ")
    assert left != right


def test_a_constant_is_taken_away_not_multiplied_away() -> None:
    for factor in ("2", r"\frac{1}{2}", "n", r"\frac{1}{n}"):
        result = repaired(BY_W + rf"{factor} {RIGHT}")
        assert result.repair
        assert factor not in result.repair.formula


@pytest.mark.parametrize(
    "claim", ["d = 2", "d = 2 n", "n d = 3", r"L = \frac{n}{2} L", "L = 2 n L"]
)
def test_factors_made_of_sizes(claim: str) -> None:
    assert check(ROWS, MODEL, claim).verdict in ("wrong value", "holds up to a constant factor")


def test_candidates_and_fresh_draws_are_told() -> None:
    result = repaired(BY_W + r"x^T (s - y) s^T (1 - s)")
    assert result.repair
    assert result.repair.candidates > 0
    assert result.repair.verified_draws >= 2


RIDGE = {"X": "N x d", "w": "d x 1", "y": "N x 1", r"\lambda": "scalar"}
RIDGE_LOSS = [r"E = \frac{1}{2}\|X w - y\|^2 + \frac{\lambda}{2} \|w\|^2"]


@pytest.mark.parametrize("wrong", ["X^T (X w - y)", "X^T (X w - y) + w"])
def test_a_missing_term_or_factor_of_one_is_found(wrong: str) -> None:
    result = repaired(rf"\frac{{\partial E}}{{\partial w}} = {wrong}", RIDGE, RIDGE_LOSS)
    assert result.repair
    assert result.repair.formula.endswith(r"X^\top (X w - y) + \lambda w")


def test_another_product_of_the_same_factors_is_a_missing_term() -> None:
    shapes = {"x": "n x 1", "A": "n x n"}
    result = repaired(r"\nabla_x x^T A x = A x", shapes, [])
    assert result.repair
    assert result.repair.formula.endswith(r"A x + A^\top x")


COLUMN = {"x": "d x 1", "W": "n x d", "y": "n x 1", "b": "n x 1"}
COLUMN_LOSS = ["z = W x + b", "r = z - y", r"L = \frac{1}{2} r^T r"]


@pytest.mark.parametrize(
    ("claim", "changes"),
    [
        (r"\frac{\partial L}{\partial W_{ij}} = r_i", "with the factor x_j"),
        (r"\frac{\partial L}{\partial W_{ij}} = r_j x_i", "each other's place"),
        (r"\frac{\partial L}{\partial x_j} = \sum_i W_{ij}", "with the factor r_i"),
        (r"\frac{\partial L}{\partial x_j} = \sum_{i=1}^{n-1} r_i W_{ij}", "i to n"),
        (r"\frac{\partial L}{\partial b_i} = z_i", "with the term y_i"),
    ],
)
def test_formulas_by_entries_are_repaired(claim: str, changes: str) -> None:
    result = repaired(claim, COLUMN, COLUMN_LOSS)
    assert result.repair
    assert changes in result.repair.changes
    assert "+ 1 - 1" not in result.repair.formula


def test_an_inequality_is_not_repaired_by_another_constant() -> None:
    result = check({"x": "n x 1"}, [], r"\|x\|_1 \le 3 \|x\|_2")
    assert (result.verdict, result.repair) == ("wrong value", None)


ATTENTION = {"Q": "n x d", "K": "m x d", "V": "m x e", "G": "n x e"}
SCORES = [r"S = \frac{Q K^T}{\sqrt{d}}", r"P = \mathrm{softmax}(S)", r"L = \mathrm{tr}(G^T P V)"]


@pytest.mark.parametrize(
    ("wrong", "part"),
    [
        (r"\frac{\partial L}{\partial Q} = \frac{\partial L}{\partial S} K", r"\sqrt{d}"),
        (
            r"\frac{\partial L}{\partial S} = P \odot (G V^T)",
            r"(G V^\top \odot P) \mathbf{1}_{m \times m}",
        ),
    ],
)
def test_the_root_of_a_size_and_the_softmax_of_rows(wrong: str, part: str) -> None:
    repair = repaired(wrong, ATTENTION, SCORES).repair
    assert repair
    assert part in repair.formula


def test_a_loss_over_the_rows_of_a_matrix() -> None:
    shapes = {"X": "N x d", "w": "d x 1", "t": "N x 1"}
    loss = [r"E = \frac{1}{N} \sum_{i=1}^N \max(0, 1 - t_i X_i w)"]
    left = r"\frac{\partial E}{\partial w_j} = "
    repaired(left + r"-\frac{1}{N} \sum_{i=1}^N X_{ij}", shapes, loss)
    right = left + r"-\frac{1}{N} \sum_{i=1}^N \mathbb{1}[t_i X_i w < 1] t_i X_{ij}"
    assert check(shapes, loss, right).verdict == "holds"
