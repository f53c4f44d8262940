"""The rows of a display become statements, each with the sides of its chain."""

import pytest

from workings.claims.documents import Display, rows_of
from workings.claims.documents.files.sources import Source, Sources


def display(text: str, environment: str = "align") -> Display:
    from pathlib import Path

    return Display(Sources().add(Source(Path("x.tex"), text)), environment)


def statements(text: str, environment: str = "align") -> list[str]:
    return [" ".join(row.text.text.split()) for row in rows_of(display(text, environment))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"a &= b \\ &= c \\ d &= e", ["a = b = c", "d = e"]),
        (r"a &= b + \\ &\quad c", [r"a = b + \quad c"]),
        (r"a &= b \\ &+ c \\ &= d", ["a = b + c = d"]),
        (r"a &= b = \\ &= c", ["a = b = c"]),
        (r"a &= b & c &= d", ["a = b", "c = d"]),
        (r"a &= \begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix} \\[2pt] b &= 1",
         [r"a = \begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}", "b = 1"]),
        (r"a = b, \quad c = d", ["a = b", "c = d"]),
        (r"a = b \quad \text{and} \quad c = d.", ["a = b", "c = d"]),
        (r"a = f(b, c), \qquad \text{where } b = d", ["a = f(b, c)", "b = d"]),
        (r"a = b \quad (12)", ["a = b"]),
        (r"a = b \tag{3}", ["a = b"]),
        (r"a_i = b_i, \quad i = 1, \dots, n", ["a_i = b_i"]),
        (r"a = \text{softmax}(z), ", [r"a = \text{softmax}(z)"]),
        (r"\left\{\begin{aligned} a &= b \\ c &= d \end{aligned}\right.", ["a = b", "c = d"]),
        (r"\text{head}_i = b", [r"\text{head}_i = b"]),
        (r"-a &= b \\ -c &= d", ["-a = b", "-c = d"]),
        (r"\frac{a}{b} : \boxed{\begin{aligned} a &= b \\ &= c \end{aligned}}", ["a = b = c"]),
        (r"\colorbox{mint}{$\begin{align*} a &= b \\ &= c \end{align*}$}", ["a = b = c"]),
        (r"\fbox{$\displaystyle a = b$}.", ["a = b"]),
        (r"a = b \,\,\,\, p=1,\ldots,P", ["a = b"]),
        (r"(a)\,\,(b) = c", [r"(a)\,\,(b) = c"]),
    ],
)  # fmt: skip
def test_rows_are_put_together_and_taken_apart(text: str, expected: list[str]) -> None:
    assert statements(text) == expected


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        (r"f = x \quad \text{if } x > 0", "if x > 0"),
        (r"f = x, \quad j \neq k", r"j \neq k"),
        (r"f_i = x_i \quad \text{for all } i", ""),
        (r"f_i = x_i \quad \text{for } i = 1, \ldots, n", ""),
    ],
)
def test_a_condition_is_kept(text: str, condition: str) -> None:
    (row,) = rows_of(display(text))
    assert row.condition == condition


def test_sides_are_split_outside_of_brackets_only() -> None:
    (row,) = rows_of(display(r"E = \sum_{i=1}^n f(x = 1) \le \left[ a = b \right] := c"))
    assert [(side.relation, side.text.text) for side in row.sides] == [
        ("", "E"),
        ("=", r"\sum_{i=1}^n f(x = 1)"),
        (r"\le", r"\left[ a = b \right]"),
        (":=", "c"),
    ]
