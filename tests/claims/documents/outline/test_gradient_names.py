"""Gradients that are written dX: claims where the document says what the d means, else names."""

from pathlib import Path

import pytest

from workings.claims.documents import read_document
from workings.claims.documents.check import check_document
from workings.claims.documents.outline.gradient_names import gradient_names
from workings.claims.verdict import Verdict

LEAD = r"""$Q, K \in \mathbb{R}^{n \times d}$, $V \in \mathbb{R}^{n \times m}$.
$$S = Q K^\top, \qquad P = \mathrm{softmax}(S), \qquad O = P V$$
"""
SAID = r"We write $dO = \frac{\partial \ell}{\partial O}$, and so on." + "\n"


def checked(tmp_path: Path, text: str) -> list[Verdict | None]:
    path = tmp_path / "notes.md"
    path.write_text(text)
    return [finding.verdict for finding in check_document(read_document(path)).claims]


@pytest.mark.parametrize(
    ("formula", "verdict"),
    [
        (r"dV = P^\top dO", Verdict.HOLDS),
        (r"dV = P\, dO", Verdict.WRONG_VALUE),
        (r"dP = dO\, V^\top", Verdict.HOLDS),
        (r"dS_{ij} = P_{ij} (dP_{ij} - \sum_k P_{ik} dP_{ik})", Verdict.HOLDS),
        (r"dS_{ij} = P_{ij} (dP_{ij} - \sum_k dP_{ik})", Verdict.WRONG_VALUE),
        (r"\mathrm{d}K = dS^\top Q", Verdict.HOLDS),
        (r"dK = dS\, Q", Verdict.WRONG_VALUE),
    ],
)
def test_a_backward_pass_is_checked_once_the_d_is_said(
    formula: str, verdict: Verdict, tmp_path: Path
) -> None:
    assert checked(tmp_path, f"{LEAD}{SAID}$${formula}$$") == [verdict]


def test_without_a_word_about_it_a_name_with_a_d_is_a_name(tmp_path: Path) -> None:
    assert checked(tmp_path, LEAD + r"$$dK = dS\, Q$$") == []


@pytest.mark.parametrize(
    ("texts", "loss", "names"),
    [
        ([r"dW = \frac{\partial L}{\partial W}", r"dW_2 = dZ A"], "L", {"W", "Z"}),
        ([r"d\mathbf{W} := \nabla_{\mathbf{W}} \mathcal{L}"], r"\mathcal{L}", {r"\mathbf{W}"}),
        ([r"dO = \frac{\partial L}{\partial O}", r"dV = P^T dO"], "L", {"O", "V"}),
        ([r"dO = \frac{\partial L}{\partial X}"], "", set()),
        ([r"dO = \frac{\partial L}{\partial O}", r"dX = \frac{\partial E}{\partial X}"], "", set()),
        ([r"\int f(x) dx = 1", r"dy = f'(x) dx"], "", set()),
    ],
)
def test_what_a_d_means_is_taken_from_what_is_said(
    texts: list[str], loss: str, names: set[str]
) -> None:
    made = gradient_names(texts)
    assert (made.loss, set(made.names)) == (loss, names)


def test_the_d_may_be_said_with_a_slash(tmp_path: Path) -> None:
    said = r"With $dO = \partial L / \partial O$:" + "\n"
    page = f"{LEAD}{said}$$dV = P^\\top dO$$\n\n$$dK = dS\\, Q$$\n"
    assert checked(tmp_path, page) == [Verdict.HOLDS, Verdict.WRONG_VALUE]
