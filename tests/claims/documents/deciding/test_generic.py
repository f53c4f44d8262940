"""Functions that a document leaves open: any smooth one stands for them, and is never shown."""

from pathlib import Path

from tests.claims.documents.pages import checked

ATTENTION = r"""Let $Q, K, V \in \mathbb{R}^{n \times d}$.
$$A = \mathrm{softmax}(Q K^\top), \qquad O = A V$$
We write $G = \frac{\partial L}{\partial O}$. Then
$$\frac{\partial L}{\partial V} = A^\top G$$
$$\frac{\partial L}{\partial A} = G V$$
"""


def test_a_repair_never_shows_what_stands_for_any_function(tmp_path: Path) -> None:
    right, wrong = (each.result for each in checked(tmp_path, ATTENTION).claims)
    assert right is not None
    assert right.holds
    assert wrong is not None
    assert wrong.verdict.is_wrong
    assert wrong.repair is None
