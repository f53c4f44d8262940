"""Shapes follow from the equations, as a type checker's types do."""

import pytest

from workings.claims.documents.inference.infer import Equation, Inference
from workings.claims.documents.inference.unify import Mismatch, Unifier, Unknown
from workings.claims.documents.outline.declarations import read_comment, read_member
from workings.errors import WorkingsError
from workings.formula.parsing.parse import parse, parse_expression


def inferred(declared: str, equations: list[str], claim: str) -> dict[str, tuple[str, ...]]:
    known = []
    for text in equations:
        left, _, right = text.partition("=")
        known.append(Equation(left.strip(), parse_expression(right)))
    sides = parse(claim).sides
    symbols = read_comment(declared).symbols if declared else {}
    sizes = frozenset("dkmnV")
    return next(Inference(symbols, known, sides, sizes=sizes).solutions())


@pytest.mark.parametrize(
    ("declared", "equations", "claim", "expected"),
    [
        ("x 1 x d", [r"h = \sigma(xW + b)"], r"h = h",
         {"x": ("1", "d"), "W": ("d", "n1"), "b": ("1", "n1")}),
        ("X n x d", [r"h = XW + b"], r"h = h",
         {"X": ("n", "d"), "W": ("d", "n1"), "b": ("1", "n1")}),
        ("W k x d", [r"h = Wx + b"], "h = h", {"W": ("k", "d"), "x": ("d", "1"), "b": ("k", "1")}),
        ("y onehot 1 x k", [r"E = \frac12 \|xW - y\|^2"], "E = E",
         {"x": ("1", "n1"), "W": ("n1", "k"), "y": ("1", "k")}),
        ("", [], r"x^T A x = x^T A^T x", {"x": ("n1", "1"), "A": ("n1", "n1")}),
        ("", [], r"\frac{\lambda}{N} \|w\|^2 = 0", {"\\lambda": (), "N": (), "w": ("n1", "1")}),
        ("y m x 1", [r"E = \sum_{i=1}^{m} y_i \log p_i"], "E = E",
         {"y": ("m", "1"), "p": ("m", "1")}),
        ("", [], r"\sum_{i=1}^{n} \sum_{j=1}^{m} A_{ij} x_j = 0",
         {"A": ("n", "m"), "x": ("m", "1")}),
        ("", [], r"\log \det A = 0", {"A": ("n1", "n1")}),
    ],
)  # fmt: skip
def test_shapes_follow_from_the_equations(
    declared: str, equations: list[str], claim: str, expected: dict[str, tuple[str, ...]]
) -> None:
    assert inferred(declared, equations, claim) == expected


def test_a_claim_does_not_narrow_what_its_equations_leave_open() -> None:
    """(xW - y) x^T would fit only if every size were 1."""
    claim = r"\frac{\partial E}{\partial W} = (xW - y) x^T"
    found = inferred("", [r"E = \frac12 \|xW - y\|^2"], claim)
    assert len(set(found["W"])) == 2
    assert "1" not in found["W"]


def test_unification_takes_back_what_did_not_fit() -> None:
    unifier = Unifier()
    a, b = Unknown(), Unknown()
    unifier.unify(a, b)
    mark = unifier.mark()
    unifier.unify(b, "d")
    assert unifier.find(a) == "d"
    with pytest.raises(Mismatch):
        unifier.unify(a, "k")
    unifier.undo(mark)
    unifier.unify(a, 3)
    assert unifier.find(b) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"W \in \mathbb{R}^{d \times k}", {"W": ("d", "k")}),
        (r"x, y \in \mathbb R^d", {"x": ("d",), "y": ("d",)}),
        (r"\hat{y}_t \in \mathbb{R}^{1\times|V|}", {"hat y_t": ("1", "V")}),
        (r"\lambda \in \mathbb{R}", {"\\lambda": ()}),
        (r"W_i \in \mathbb{R}^{d \times \frac{d}{h}}", {"W_i": ("d", "(d)/(h)")}),
        (r"x \in S", {}),
        (r"QK^T \in \mathbb{R}^{L \times L}", {}),
        (r"T \in \mathbb{R}^{a \times b \times c}", {}),
        ("a = b", {}),
    ],
)
def test_membership_declares(text: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert {name: each.sides for name, each in read_member(text).items()} == expected


def test_a_comment_declares_shapes_sizes_steps_and_equations() -> None:
    said = read_comment(r"x 1 x d, y onehot 1 x |V|, \lambda positive scalar; n = 5, steps 3")
    assert {name: (each.sides, each.kinds) for name, each in said.symbols.items()} == {
        "x": (("1", "d"), ()),
        "y": (("1", "V"), ("onehot",)),
        "\\lambda": ((), ("positive",)),
    }
    assert (said.sizes, said.steps) == ({"n": "5"}, 3)
    assert read_comment("skip").mode == "skip"
    assert read_comment(r"define h = \sigma(x W)").equations == [r"h = \sigma(x W)"]
    with pytest.raises(WorkingsError, match="declares nothing"):
        read_comment("x")
    with pytest.raises(WorkingsError, match="unknown kind"):
        read_comment("x onehott 1 x d")
