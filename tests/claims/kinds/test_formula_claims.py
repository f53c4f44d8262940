"""Checking claims end to end: every verdict, both conventions, and bad input in one line."""

import pytest

from tests.claims.sets import check, fence, reader_of
from workings.claims.evidence import Evidence
from workings.claims.kinds.formula_claims import check_formula
from workings.claims.sets import Claim, from_toml
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError

COLUMNS = {"x": "d x 1", "W": "n x d", "y": "n x 1", "b": "n x 1"}
BY_COLUMN = ["z = W x + b", "r = z - y", r"L = \frac{1}{2} r^T r"]
ROWS = {"x": "1 x d", "W": "d x n", "y": "1 x n", "b": "1 x n"}
BY_ROW = ["z = x W + b", "r = z - y", r"L = \frac{1}{2} r r^T"]
D = r"\frac{\partial L}{\partial W} = "


def column(claim: str, **how: str) -> tuple[Verdict, Evidence]:
    result = check(COLUMNS, BY_COLUMN, claim, **how)
    return result.verdict, result.evidence


@pytest.mark.parametrize(
    ("right", "verdict"),
    [
        ("r x^T", "holds"),
        ("(x r^T)^T", "holds"),
        ("x r^T", "holds transposed"),
        ("-r x^T", "holds with the sign flipped"),
        ("2 r x^T", "holds up to a constant factor"),
        (r"\frac{1}{2} r x^T", "holds up to a constant factor"),
        (r"\frac{1}{n} r x^T", "holds up to a constant factor"),
        (r"d r x^T", "holds up to a constant factor"),
        ("z x^T", "wrong value"),
        (r"r x^T + \mathbf{1}_{n \times d}", "wrong value"),
        ("0 r x^T", "wrong value"),
        ("r", "wrong shape"),
        ("x", "wrong shape"),
        ("r^T r", "wrong shape"),
        ("r x", "undefined"),
        ("W x^T", "undefined"),
        (r"r \odot x", "undefined"),
        ("r + x", "undefined"),
        (r"\log(-r^2) x^T", "undefined"),
    ],
)
def test_every_verdict_with_columns(right: str, verdict: str) -> None:
    assert column(D + right)[0] == verdict


@pytest.mark.parametrize(
    ("right", "verdict"),
    [
        ("x^T r", "holds"),
        ("r^T x", "holds transposed"),
        ("-x^T r", "holds with the sign flipped"),
        ("3 x^T r", "holds up to a constant factor"),
        ("x r", "undefined"),
        ("x r^T", "undefined"),
        ("r", "wrong shape"),
    ],
)
def test_every_verdict_with_rows(right: str, verdict: str) -> None:
    assert check(ROWS, BY_ROW, D + right).verdict == verdict


@pytest.mark.parametrize(
    ("factor", "name"),
    [("2", "2"), (r"\frac{1}{2}", "1/2"), ("-3", "-3"), ("n", "n"), (r"\frac{1}{d}", "1/d")],
)
def test_the_constant_factor_is_named(factor: str, name: str) -> None:
    verdict, evidence = column(f"{D}{factor} r x^T")
    assert (verdict, evidence.factor) == ("holds up to a constant factor", name)


@pytest.mark.parametrize(
    ("right", "parts"),
    [
        ("r x", ["the product of", "r with x"]),
        ("r x^T x", []),
        (r"r \odot x", ["elementwise product", "r with x"]),
        (r"W^T W^T x", ["the product of", r"W^\top with W^\top"]),
        ("r x^T + x", ["the sum of", r"r x^\top with x"]),
    ],
)
def test_undefined_names_the_product(right: str, parts: list[str]) -> None:
    verdict, evidence = column(D + right)
    if parts:
        assert verdict == "undefined"
        for part in parts:
            assert part in str(evidence.why)
    else:
        assert verdict == "wrong shape"


def test_evidence() -> None:
    verdict, evidence = column(D + "z x^T")
    assert verdict == "wrong value"
    assert evidence.claimed_shape == evidence.right_shape
    assert evidence.largest_relative_error > 1e-3
    row, across = evidence.worst_entry  # type: ignore[misc]
    sizes = evidence.sizes
    assert isinstance(sizes, dict)
    assert 1 <= row <= sizes["n"]
    assert 1 <= across <= sizes["d"]
    assert evidence.claimed != evidence.right
    assert set(sizes) == {"n", "d"}


def test_a_zero_is_one_of_any_shape_and_another_number_is_not() -> None:
    assert column(r"\frac{\partial L}{\partial z} = 0")[0] == "wrong value"
    assert column(r"\frac{\partial L}{\partial z} = 1")[0] == "wrong shape"


def test_gradients_of_every_symbol() -> None:
    for by, right in {"b": "r", "y": "-r", "z": "r", "x": "W^T r", "r": "r", "L": "1"}.items():
        assert column(rf"\frac{{\partial L}}{{\partial {by}}} = {right}")[0] == "holds", by


def test_both_layouts_of_a_jacobian() -> None:
    claim = r"\frac{\partial z}{\partial x} = "
    assert column(claim + "W")[0] == "holds"
    verdict, evidence = column(claim + "W^T")
    assert verdict == "holds"
    assert "a row for every entry of what they are taken by" in evidence.convention
    assert column(claim + "W^T", layout="numerator")[0] == "holds transposed"
    assert column(claim + "W^T", layout="denominator")[0] == "holds"
    assert column(claim + "W", layout="denominator")[0] == "holds transposed"


def test_a_derivative_of_a_number_by_a_column_is_a_row_where_that_was_said() -> None:
    claim = r"\frac{\partial L}{\partial x} = r^T W"
    assert column(claim)[0] == "holds transposed"
    verdict, evidence = column(claim, layout="numerator")
    assert verdict == "holds"
    assert "is a row" in evidence.convention


def test_the_chain_rule_in_numerator_layout() -> None:
    link = r"\frac{\partial L}{\partial z} \frac{\partial z}{\partial x}"
    claim = rf"\frac{{\partial L}}{{\partial x}} = {link}"
    assert column(claim)[0] in ("holds", "holds transposed")
    assert check(ROWS, BY_ROW, claim).verdict == "holds"


def test_the_chain_rule_with_gradients_in_the_shape_of_their_columns() -> None:
    """∂L/∂z is a column like z where it stands alone; so it is inside a formula."""
    claim = r"\frac{\partial L}{\partial W} = \frac{\partial L}{\partial z} x^T"
    assert column(claim, layout="denominator")[0] == "holds"


def test_a_claim_that_restates_itself_is_trivial() -> None:
    for right in (r"\frac{\partial L}{\partial W}", r"\nabla_W L", r"2 \nabla_W L - \nabla_W L"):
        assert column(rf"\frac{{\partial L}}{{\partial W}} = {right}")[0] == "trivial", right


def test_a_derivative_of_a_derivative_is_computed_or_refused() -> None:
    shapes, equations = {"x": "d x 1", "A": "symmetric d x d"}, ["L = x^T A x"]
    second = r"\frac{\partial}{\partial x} \left(\frac{\partial L}{\partial x}\right) = "
    try:
        verdicts = [check(shapes, equations, second + side).verdict for side in ("2 A", "0 A")]
    except WorkingsError:
        return
    assert verdicts[0] in ("holds", "undefined")
    assert verdicts[1] in ("wrong value", "undefined")


def test_entries_of_what_lives_in_time() -> None:
    shapes = {"a^{(t)}": "1 x V", "y^{(t)}": "onehot 1 x V"}
    equations = [r"p^{(t)} = softmax(a^{(t)})", r"E^{(t)} = -\sum_j y_j^{(t)} \log p_j^{(t)}"]
    left = r"\frac{\partial E^{(t)}}{\partial a_k^{(t)}} = "
    assert check(shapes, equations, left + r"p_k^{(t)} - y_k^{(t)}", steps=2).verdict == "holds"
    result = check(shapes, equations, left + r"p_k^{(t)} + y_k^{(t)}", steps=2)
    assert result.verdict == "wrong value"


def test_entries() -> None:
    assert column(r"\frac{\partial L}{\partial z_k} = r_k")[0] == "holds"
    assert column(r"\frac{\partial L}{\partial W_{ij}} = r_i x_j")[0] == "holds"
    assert column(r"\frac{\partial L}{\partial W_{ij}} = r_i x_i")[0] != "holds"
    assert column(r"\frac{\partial z_i}{\partial x_j} = W_{ij}")[0] == "holds"
    assert column(r"\frac{\partial z_i}{\partial x_j} = W_{ji}")[0] != "holds"


def test_where_a_one_hot_symbol_decides() -> None:
    shapes = {"y": "onehot 1 x V", "a": "1 x V"}
    equations = ["p = softmax(a)", r"E = -\sum_j y_j \log p_j"]
    left = r"\frac{\partial E}{\partial a_k} = -y_k + "
    assert check(shapes, equations, left + "p_k").verdict == "holds"
    others = r"\sum_{\substack{j=1 \\ j \neq k}}^{|V|} y_j p_k"
    result = check(shapes, equations, left + others)
    assert result.verdict == "wrong value"
    assert result.evidence.wrong_where == "y_k = 1"


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"W \in \mathbb{R}^{n \times d}", "holds"),
        (r"W \in \mathbb{R}^{d \times n}", "wrong shape"),
        (r"x \in \mathbb{R}^d", "holds"),
        (r"x \in \mathbb{R}^{n}", "wrong shape"),
        (r"W x \in \mathbb{R}^{n \times 1}", "holds"),
        (r"\frac{\partial L}{\partial W} \in \mathbb{R}^{n \times d}", "holds"),
        (r"\frac{\partial z}{\partial x} \in \mathbb{R}^{n \times d}", "holds"),
        (r"W W^T \in \mathbb{R}^{n \times n}", "holds"),
        (r"L \in \mathbb{R}", "holds"),
        (r"x \in \mathbb{R}", "wrong shape"),
        (r"x x \in \mathbb{R}^{n}", "undefined"),
    ],
)
def test_shapes(claim: str, verdict: str) -> None:
    assert column(claim)[0] == verdict


@pytest.mark.parametrize(
    ("kind", "claim"),
    [
        ("orthogonal", "X^T X = I_n"),
        ("symmetric", "X = X^T"),
        ("stochastic", r"X \mathbf{1}_n = \mathbf{1}_n"),
        ("diagonal", r"X = \mathrm{diag}(X)"),
        ("adjacency", "tr(X) = 0"),
        ("", "(X X)^T = X^T X^T"),
    ],
)
def test_identities_hold_for_their_kind_only(kind: str, claim: str) -> None:
    assert check({"X": f"{kind} n x n"}, [], claim).verdict == "holds"
    if kind:
        assert check({"X": "n x n"}, [], claim).verdict != "holds"


def test_two_draws_of_one_claim_agree() -> None:
    first, second = (check(COLUMNS, BY_COLUMN, D + "z x^T") for _ in range(2))
    assert first.evidence == second.evidence
    assert first.repair == second.repair


def test_the_result_says_what_was_claimed() -> None:
    text = """
    equations = ['z = W x']
    [symbols]
    x = "d x 1"
    W = "n x d"
    [[claims]]
    name = "slope"
    source = "page 3"
    statement = "the slope is W"
    claim = '\\frac{\\partial z}{\\partial x} = W'
    """
    given = from_toml(text)
    reader, system = reader_of(given.symbols, given.equations)
    result = check_formula(reader, system, given.claims[0]).to_dict()
    assert {"name", "source", "statement", "verdict", "evidence", "repair"} <= set(result)
    assert (result["name"], result["source"]) == ("slope", "page 3")
    assert (result["statement"], result["verdict"]) == ("the slope is W", "holds")


# Bad input


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (D + "q x^T", "q is not declared"),
        (D + r"\hat{r} x^T", "did you mean r?"),
        (D + "R x^T", "did you mean r?"),
        (r"\frac{\partial Q}{\partial W} = r x^T", "Q is not declared"),
        (r"\frac{\partial L}{\partial V} = r x^T", "V is not declared"),
        (r"\frac{\partial L}{\partial n} = r x^T", "declared name"),
        (r"\frac{\partial L}{\partial (W x)} = r", "declared name"),
        ("r x^T", "no relation"),
        (r"r \neq x", "≠"),
        (r"r < x = 1", "< ="),
        (r"r \in x", "mathbb"),
        ("", "formula was expected"),
        ("   ", "formula was expected"),
        ("=", "formula was expected"),
        ("r =", "formula was expected"),
        ("= r", ""),
        ("r = = r", ""),
        ("r = \x00", "unexpected"),
        ("r = __import__('os').system('true')", "expected"),
        ("r = r.__class__", ""),
        ("r = (lambda: 1)()", ""),
        ("r = getattr(r, x)", ""),
        ("r = r.t()", ""),
        ("r = " + "r+" * 500_000 + "r", "the longest is"),
        ("r = " + "(" * 9000 + "r" + ")" * 9000, "deep"),
        ("r = " + "{" * 9000 + "r" + "}" * 9000, "deep"),
    ],
)
def test_bad_claims_are_errors_of_one_line_with_the_place(claim: str, expected: str) -> None:
    with fence(), pytest.raises(WorkingsError) as caught:
        column(claim)
    lines = str(caught.value).split("\n")
    assert expected in lines[0]
    assert len(lines[0]) < 250
    assert len(lines) in (1, 3)
    if len(lines) == 3:
        assert lines[2].strip() == "^"
        assert len(lines[1]) < 120


def test_claims_without_equations() -> None:
    assert check({"x": "1 x d"}, [], "x = x").verdict == "trivial"
    said_again = {"x": "n x 1", "A": "n x n"}, ["h = A x", r"E = x^T h", r"g = x - \nabla_x E"]
    assert check(*said_again, "h = A x").verdict == "trivial"
    assert check(*said_again, r"g = x - \nabla_x E").verdict == "trivial"
    assert check(*said_again, "h = (x^T A^T)^T").verdict == "holds"
    with pytest.raises(WorkingsError, match="L is not declared"):
        check({"x": "1 x d"}, [], r"\frac{\partial L}{\partial x} = x")


def test_a_gradient_of_what_is_no_number_says_so() -> None:
    """The gradient of z, a vector, claimed in the shape of W."""
    result = check(COLUMNS, BY_COLUMN, r"\nabla_W z = \mathbf{1}_{n \times 1} x^T")
    assert result.verdict != "holds"
    assert "not a number" in str(result.evidence) or "Jacobian" in str(result.evidence)


HOSTILE = {
    "sum to 10^9": r"r = \sum_{i=1}^{1000000000} r",
    "nested sums": r"r = \sum_{i=1}^{1000}\sum_{j=1}^{1000}\sum_{k=1}^{1000} r",
    "long sum": "r = " + " + ".join(["r"] * 4000),
    "long product": "L = " + " ".join(["L"] * 4000),
    "large ones": r"r = \mathbf{1}_{90000 \times 90000} r",
    "many primes": "L = σ" + "'" * 40 + "(L)",
    "tower": r"L = 9^{9^{9^{9}}}",
    "factorials": "L = 170!!!!",
    "deep transposes": "r = r" + "^T" * 6000,
    "deep signs": "r = " + "-" * 12_000 + "r",
    "long digits": "L = " + "9" * 6000,
    "singular": r"L = tr((\mathbf{1}_{n \times n})^{-1})",
    "many sums": "L = " + r"\sum_{i=1}^{30} \sum_{j=1}^{30} i j L + " * 4 + "1",
    "many edits": "r = " + " ".join([r"(W x + \sigma(b) \odot y)^T (z - y)"] * 60) + " r",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_no_claim_takes_a_gigabyte_or_more_than_seconds(what: str) -> None:
    """A verdict or an error of one line, whichever; not a crash, a hang or a full memory."""
    with fence():
        try:
            said = column(HOSTILE[what])[0]
        except WorkingsError as error:
            said = str(error).split("\n")[0]
    assert said != "holds"
    assert len(said) < 300


def test_a_wrong_sum_of_thousands_of_terms_is_given_up() -> None:
    with fence():
        result = check({"c": "scalar", "x": "1 x d"}, ["L = x x^T"], "L = " + "c + " * 3000 + "c")
    assert result.verdict == "wrong value"


def test_a_call_with_too_few_arguments_is_not_decided() -> None:
    assert column("L = binom(5)")[0] == "undecided"


LARGE = {
    "a Jacobian": ({"x": "1 x d"}, ["z = x"], r"\frac{\partial z}{\partial x} = I_d", 4096),
    "entries": ({"X": "d x d"}, ["Z = X X"], r"Z_{ij} = \sum_k X_{ik} X_{kj}", 200),
    "derivatives by entries": (
        {"X": "d x d"}, ["L = tr(X X)"], r"\frac{\partial L}{\partial X_{ij}} = 2 X_{ji}", 60,
    ),
    "an inequality": ({"X": "d x d"}, [], r"\det(X X X X) \le \|X\|", 1500),
}  # fmt: skip


@pytest.mark.parametrize("what", LARGE)
def test_large_sizes_are_checked_or_refused_in_seconds(what: str) -> None:
    shapes, equations, claim, size = LARGE[what]
    with fence(20):
        try:
            said = check(shapes, equations, claim, sizes={"d": size}).verdict
        except WorkingsError as error:
            said = str(error)
    assert "\n" not in said
    assert len(said) < 300


def test_hostile_names_are_refused_at_once() -> None:
    with fence(), pytest.raises(WorkingsError):
        reader_of({"x" * 200_000: "1 x d"})


@pytest.mark.parametrize("how", [{"at": "step t only"}, {"partials": "immediate"}])
def test_one_step_needs_no_steps(how: dict[str, str]) -> None:
    reader, system = reader_of(COLUMNS, BY_COLUMN)
    result = check_formula(reader, system, Claim(claim=D + "r x^T", **how))
    assert result.verdict == "holds"
