"""From a set as written to a system: names, functions, order, and what is refused."""

import pytest
import torch

import workings
from tests.claims.sets import assert_same, check, reader_of
from workings.claims.system.left_sides import name_of
from workings.errors import WorkingsError

SHAPES = {"x": "1 x d", "W": "d x n", "a": "scalar"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("x", "x"), ("loss", "loss"), ("b1", "b1"), ("b_1", "b_1"), (r"\hat{y}", "hat y"),
        (r"\hat{y}^{(t)}", "hat y^(t)"), ("W_{ph}", "W_ph"), ("W^Q", "W^Q"), (r"W^{(1)}", "W^(1)"),
        (r"\alpha", "\\alpha"), ("|V|", "V"), (r"\mathbf{x}", "x"), ("W_i^Q", "W_i^Q"),
        ("N_{hidden}", "N_hidden"), (r"\tilde{A}", "tilde A"), ("h_{t-1}", "h_t-1"),
    ],
)  # fmt: skip
def test_names_as_they_are_declared(text: str, name: str) -> None:
    assert name_of(text).name == name


@pytest.mark.parametrize("text", ["x + y", "3", "", "2 x", "x y", "[a, b]", "f(x, y)"])
def test_what_is_no_name(text: str) -> None:
    with pytest.raises(WorkingsError):
        name_of(text)


def test_a_function_that_an_equation_defines() -> None:
    equations = [r"f(v) = v \odot v", r"\phi(q, k) = q k^T", "z = f(x) W"]
    assert check(SHAPES, equations, r"z = (x \odot x) W").verdict == "holds"
    assert check(SHAPES, equations, r"\phi(x, x) = x x^T").verdict == "holds"
    result = check(SHAPES, equations, "z = f(x, x) W")
    assert result.verdict == "undefined"
    assert "1 argument" in result.evidence.why


def test_a_function_does_not_see_the_symbols_it_hides() -> None:
    assert check(SHAPES, ["f(a) = a + 1", "z = f(3)"], "z = 4").verdict == "holds"


def test_equations_are_set_in_order() -> None:
    _, system = reader_of(SHAPES, ["L = z z^T", "z = y W", "y = 2 x"])
    assert [equation.name for equation in system.equations] == ["y", "z", "L"]
    draw = system.draw(1)
    z = 2 * draw.leaves["x"] @ draw.leaves["W"]
    assert_same(system.run(draw).values["L"], z @ z.t())


@pytest.mark.parametrize(
    ("equations", "expected"),
    [
        (["z = x W L", "L = z z^T"], "circle: z → L → z"),
        (["L = L + 1"], "circle: L → L"),
        (["p = q", "q = r", "r = p"], "circle: p → q → r → p"),
        (["z"], "has no ="),
        ([""], "has no ="),
        (["="], ""),
        (["= x"], "formula was expected"),
        (["x = 3"], "x is declared already"),
        (["q = 1", "q = 2"], "q is declared already"),
        (["z + 1 = x"], ""),
        (["f(u) = g(u)", "g(u) = f(u)"], "function"),
        (["f(u) = f(u)"], "function"),
        (["f(u) = u", "f(u) = 2 u"], "f"),
        (["f(u, u) = u"], "u"),
        (["d = 3"], "size"),
        (["log = a"], "function"),
        (["log(u) = u"], "function"),
        (["x(u) = u"], "x"),
    ],
)
def test_equations_that_are_refused(equations: list[str], expected: str) -> None:
    with pytest.raises(WorkingsError) as caught:
        reader_of(SHAPES, equations)
    assert expected in str(caught.value)
    lines = str(caught.value).split("\n")
    assert len(lines) in (1, 3)
    assert len(lines[0]) < 200


@pytest.mark.parametrize(
    ("symbols", "expected"),
    [
        ({"d": "1 x d"}, "also the name of a size"),
        ({"log": "1 x d"}, "name of a function"),
        ({"softmax": "1 x d"}, "name of a function"),
        ({"x": "1 x d", r"\mathbf{x}": "1 x n"}, "declared twice"),
        ({"x": "1 by d"}, "symbols.x"),
        ({"x + y": "1 x d"}, "name"),
        ({"": "1 x d"}, ""),
        ({"x": "1 x " + "d" * 5000}, ""),
        ({"x" * 30_000: "1 x d"}, ""),
        ({"x": "1 x d^99"}, "power"),
        ({"x\x00": "1 x d"}, "unexpected"),
        ({"(" * 5000: "1 x d"}, ""),
    ],
)
def test_symbols_that_are_refused(symbols: dict[str, str], expected: str) -> None:
    with pytest.raises(WorkingsError) as caught:
        reader_of(symbols)
    assert expected in str(caught.value)


def test_long_chains_of_equations_are_no_circle() -> None:
    many = 600
    equations = [f"q_{{{k}}} = q_{{{k - 1}}} + 1" for k in range(many, 0, -1)]
    _, system = reader_of({"q_{0}": "scalar"}, equations)
    draw = system.draw(1)
    value = system.run(draw).values[f"q_{many}"]
    assert_same(value, draw.leaves["q_0"] + torch.tensor(float(many)).double())


@pytest.mark.parametrize("equation", ["z =", "z = x Q", "z = x W = 3", "z = x W +", "z = W W"])
def test_an_equation_that_is_not_read_takes_only_its_claims_with_it(equation: str) -> None:
    report = workings.check(
        symbols={"x": "1 x d", "W": "d x n"},
        equations=[equation, "r = x W", "L = r r^T", "Q_2 = z z^T"],
        claims=["dL/dr = 2 r", "z = x W", "dQ_2/dW = x", "dL/dW = 2 x' r"],
    )
    verdicts = [result.verdict for result in report]
    assert verdicts == ["holds", "not read", "not read", "holds"]
    assert "equation" in report[1].why


def test_a_name_may_stand_for_a_derivative() -> None:
    report = workings.check(
        symbols={"x": "d x 1", "W": "n x d", "y": "n x 1"},
        equations=["z = W x", r"L = \frac{1}{2} (z - y)^T (z - y)",
                   r"\delta = \frac{\partial L}{\partial z}"],
        claims=[r"\delta = z - y", r"\frac{\partial L}{\partial W} = \delta x^T",
                r"\frac{\partial L}{\partial x} = W^T \delta",
                r"\frac{\partial L}{\partial x} = W \delta"],
    )  # fmt: skip
    assert [result.verdict for result in report] == ["holds", "holds", "holds", "undefined"]
