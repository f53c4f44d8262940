"""Tokens: the same ones for LaTeX, ASCII and Unicode; places; errors with a caret."""

import pytest

from workings.errors import WorkingsError
from workings.formula.errors import FormulaError
from workings.formula.parsing.tokens import LONGEST, tokenize


def kinds(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokenize(text)]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (r"a \odot b", "a ⊙ b"),
        (r"a \circ b", "a∘b"),
        (r"a \cdot b", "a·b"),
        (r"a \times b", "a × b"),
        (r"\partial E", "∂E"),
        (r"a \le b", "a <= b"),
        (r"a \leq b", "a ≤ b"),
        (r"a \geq b", "a >= b"),
        (r"a \neq b", "a != b"),
        (r"\| x \|", "||x||"),
        (r"\lVert x \rVert", "‖x‖"),
        (r"\sigma(x)", "σ(x)"),
        (r"\lambda \Lambda", "λ Λ"),
        (r"\hat{y}", "ŷ"),
        (r"\tilde{A}", "Ã"),
        ("x^2", "x²"),
        ("b_1", "b₁"),
        ("x^T", "xᵀ"),
        (r"\sum_i x_i", "∑_i x_i"),
        ("a - b", "a − b"),
        (r"\left( a \right)", "( a )"),
        (r"\Bigl( a \Bigr)", "(a)"),
        (r"a\,b\;c\!d\quad e", "a b c d e"),
        ("$a$", "a"),
        ("a.", "a"),
        (r"\ldots", "…"),
        ("...", "…"),
    ],
)
def test_two_spellings_give_the_same_tokens(text: str, other: str) -> None:
    assert kinds(text) == kinds(other)


def test_left_dot_opens_nothing_and_a_decimal_point_stays() -> None:
    assert kinds(r"\left. x \right|") == kinds("x |")
    assert kinds("1.5 .5") == [("number", "1.5"), ("number", ".5"), ("end", "the end")]


@pytest.mark.parametrize("text", ["x + y", r"\alpha \odot  q_2", "∂E/∂I", "ŷᵀ b₁²"])
def test_every_token_stands_where_it_says(text: str) -> None:
    """The sign at a token's place begins it; places never go back."""
    places = [token.position for token in tokenize(text)]
    assert places == sorted(places)
    assert places[0] == 0
    assert places[-1] == len(text)
    for token in tokenize(text)[:-1]:
        assert not text[token.position].isspace()


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("a + § b", 4),
        ("a\x00", 1),
        ("x ½", 2),
        ("a \\", 2),
        ("a # b", 2),
        ("a @ b", 2),
        ('a "b"', 2),
    ],
)
def test_an_unknown_sign_is_named_with_a_caret_under_it(text: str, at: int) -> None:
    with pytest.raises(FormulaError) as caught:
        tokenize(text)
    assert caught.value.position == at
    message, line, caret = str(caught.value).split("\n")
    assert message
    assert line[4:].rstrip() == text.rstrip()
    assert caret.index("^") == 4 + at


def test_the_caret_stays_under_its_sign_in_a_long_formula() -> None:
    text = "a + " * 100 + "§" + " + b" * 100
    with pytest.raises(FormulaError) as caught:
        tokenize(text)
    _, line, caret = str(caught.value).split("\n")
    assert line[caret.index("^")] == "§"
    assert len(line) < 100


def test_a_formula_has_a_longest_length() -> None:
    assert len(tokenize("a" + " " * (LONGEST - 1))) == 2
    with pytest.raises(WorkingsError, match=f"{LONGEST + 1:,}.*{LONGEST:,}"):
        tokenize("a" * (LONGEST + 1))
