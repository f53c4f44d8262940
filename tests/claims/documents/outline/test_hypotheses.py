"""What sentences say of names: scalars, and kinds of matrices."""

import pytest

from workings.claims.documents.outline.hypotheses import read_hypotheses, read_scalars

GAP = " " * 30_000


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("where $b$ is a scalar.", ["b"]),
        ("The scalars $a, c$ are", ["a", "c"]),
        ("$ b $, the scalar", ["b"]),
        ("$b = 2$ is a scalar", ["b"]),
        ("$b$ is a scalar field", []),
        ("$f(x)$ is a vector", []),
        (f"${GAP}b{GAP}${GAP},{GAP}is{GAP}a{GAP}scalar", ["b"]),
        (f"${GAP}${GAP}${GAP}is a scalar", []),
    ],
)
def test_scalars(text: str, names: list[str]) -> None:
    assert list(read_scalars([text])) == names


@pytest.mark.parametrize("gap", [" ", GAP])
def test_kinds_of_matrices(gap: str) -> None:
    text = (
        f"Let $A${gap}be{gap}a{gap}symmetric matrix, an orthogonal{gap}matrix{gap}$Q$, $B \\succ 0$"
    )
    found = read_hypotheses([(0, text)])
    assert found.mentioned == {"symmetric", "orthogonal", "definite"}
    assert found.said == {"A": "symmetric", "Q": "orthogonal", "B": "definite"}
