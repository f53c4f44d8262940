"""Notes that declare little: what holds in any case is said to hold, and nothing else is."""

from pathlib import Path

import pytest

from workings.claims.documents import read_document
from workings.claims.documents.check import check_document

PAIRS = [
    ("a definition with dots",
     r"A = \begin{pmatrix} a_{11} & \dots & a_{1n} \\ \vdots & & \vdots \\"
     r"a_{m1} & \dots & a_{mn} \end{pmatrix}$$ $$\|A\|_F^2 = {}",
     r"\sum_{i=1}^m \sum_{j=1}^n a_{ij}^2", r"\sum_{i=1}^m \sum_{j=1}^n 2 a_{ij}^2"),
    ("a definition that is not read", r"B = \{ b : b \mid c \}$$ $$\mathrm{tr}(B C D) = {}",
     r"\mathrm{tr}(D B C)", r"\mathrm{tr}(D C B)"),
    ("the chain rule of a loss with arguments",
     r"\frac{\partial C(y, p)}{\partial w} = {}",
     r"\frac{\partial C(y, p)}{\partial p} \frac{\partial p}{\partial w}",
     r"2 \frac{\partial C(y, p)}{\partial p} \frac{\partial p}{\partial w}"),
    ("layers by a capital letter", r"\frac{\partial E}{\partial W^L} = {}",
     r"\frac{\partial E}{\partial z^L} \cdot \frac{\partial z^L}{\partial W^L}",
     r"- \frac{\partial E}{\partial z^L} \cdot \frac{\partial z^L}{\partial W^L}"),
]  # fmt: skip


def verdicts(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "notes.md"
    path.write_text(text)
    return [str(finding.verdict) for finding in check_document(read_document(path)).claims]


@pytest.mark.parametrize(("formula", "right", "wrong"), [each[1:] for each in PAIRS],
                         ids=[each[0] for each in PAIRS])  # fmt: skip
def test_it_holds_whatever_was_not_understood_is(
    tmp_path: Path, formula: str, right: str, wrong: str
) -> None:
    assert verdicts(tmp_path, f"$${formula.replace('{}', right)}$$\n") == ["holds"]
    assert verdicts(tmp_path, f"$${formula.replace('{}', wrong)}$$\n") != ["holds"]


def test_what_depends_on_what_a_derivative_is_taken_by_stays_defined(tmp_path: Path) -> None:
    """With s free, 2s a would hold; s has an x in it, and is not read."""
    text = r"$$s = \{ x : x \mid c \}$$ $$\nabla_x (s \, a^T x) = s a$$"
    assert verdicts(tmp_path, text) == ["not read"]


def test_layers_are_told_apart_in_sizes_and_by_what_they_depend_on(tmp_path: Path) -> None:
    lines = [
        r"z_i^{(\ell)} = \sum_{j=1}^{d_{\ell-1}} w_{i,j}^{(\ell)} a_j^{(\ell-1)} + b_i^{(\ell)}",
        r"a_i^{(\ell)} = \sigma\left(z_i^{(\ell)}\right)",
        r"\frac{\partial z_i^{(\ell)}}{\partial b_i^{(\ell)}} = 1",
        r"\frac{\partial L}{\partial b_i^{(\ell)}} = \frac{\partial L}{\partial z_i^{(\ell)}}",
        r"\frac{\partial L}{\partial b_i^{(\ell)}} = 2 \frac{\partial L}{\partial z_i^{(\ell)}}",
    ]
    first, second, third = verdicts(tmp_path, "\n".join(f"$${line}$$" for line in lines))
    assert (first, second) == ("holds", "holds")
    assert third != "holds"


def test_sentences_name_kinds_of_matrices(tmp_path: Path) -> None:
    claim = r"$$\nabla_x x^T A x = 2 A x$$"
    assert verdicts(tmp_path, f"Let $A$ be a symmetric matrix. {claim}") == ["holds"]
    assert verdicts(tmp_path, f"A symmetric matrix $B$ is nice. {claim}") == ["not read"]
    assert verdicts(tmp_path, claim) == ["wrong value"]
    diagonal = r"$$S = U D U^T$$ $$S U = U D$$"
    assert verdicts(tmp_path, f"Let $U$ be orthogonal. {diagonal}") == ["holds"]


def test_a_chain_of_equalities_and_bounds_is_taken_apart(tmp_path: Path) -> None:
    chain = r"$$x^T B^T B x = (Bx)^T (Bx) = \|Bx\|^2 \ge 0$$"
    assert verdicts(tmp_path, chain) == ["holds", "holds"]
    assert verdicts(tmp_path, chain.replace("(Bx)^T (Bx)", "2 (Bx)^T (Bx)"))[0] != "holds"


def test_reasons_beside_the_steps_of_a_chain_are_no_statements(tmp_path: Path) -> None:
    rows = r"f &= 2 z && \text{using } z = \sin x \\ &= 2 \sin x"
    text = rf"$$z = \sin x$$ \begin{{align}} {rows} \end{{align}}"
    assert verdicts(tmp_path, text) == ["holds"]
    assert verdicts(tmp_path, text.replace(r"2 \sin x", r"3 \sin x")) != ["holds"]


def test_differentials_and_examples_get_no_verdict(tmp_path: Path) -> None:
    assert verdicts(tmp_path, r"$$A x = b$$ $$dA x + A dx = db$$") == ["not read"]
    assert (
        verdicts(tmp_path, r"$$A = B C$$ $$A = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}$$")
        == []
    )
    assert verdicts(tmp_path, r"$$A v = \lambda v$$") == []


UNDECLARED = r"$$E = \frac12 K v^2$$ $$\frac{\partial E}{\partial v} = K v$$"


@pytest.mark.parametrize("name", ["notes.md", "notes.tex"])
def test_what_is_asked_for_decides_once_it_is_pasted(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(UNDECLARED)
    (finding,) = check_document(read_document(path)).not_read
    assert finding.result
    line = finding.result.why.partition("write `")[2].rstrip("`")
    assert "workings: K" in line
    path.write_text(f"{line}\n{UNDECLARED}")
    assert [str(each.verdict) for each in check_document(read_document(path)).claims] == ["holds"]


def test_a_name_of_another_section_may_be_any_here(tmp_path: Path) -> None:
    """A is a number in the first section; of every matrix A the first claim is right."""
    text = "# One\n$$A = -\\frac12 u^T u$$\n# Two\n$$\\nabla_A (x^T A x) = {}$$\n"
    assert verdicts(tmp_path, text.format("x x^T")) == ["holds"]
    assert verdicts(tmp_path, text.format("2 x x^T")) != ["holds"]
