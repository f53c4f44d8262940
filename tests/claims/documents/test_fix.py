"""Repairs written into documents: small, well formed, in the author's names, or not at all."""

from pathlib import Path

import pytest

from workings.claims.documents import fix as fix_module
from workings.claims.documents import read_document
from workings.claims.documents.check import check_document
from workings.claims.documents.fix import Fixed, fix
from workings.claims.documents.notation import is_balanced, tokens, with_names

NETWORK = r"""\documentclass{article}
\newcommand{\pd}[2]{\frac{\partial #1}{\partial #2}}
\begin{document}
Let $W \in \mathbb{R}^{k \times m}$, $V \in \mathbb{R}^{m \times d}$, $u \in \mathbb{R}^d$ and
$q \in \mathbb{R}^k$.
\begin{align}
z_1 &= V u, & a &= \max(0, z_1), \\
z_2 &= W a, & L &= \frac{1}{2} \|z_2 - q\|^2
\end{align}
\begin{align}
\delta_2 &= \pd{L}{z_2} = z_2 - q \\
\delta_1 &= \pd{L}{z_1} = W^\top \delta_2 \\                % wrong: the indicator is missing
\pd{L}{V} &= u \delta_1^\top \\                             % wrong: transposed
\pd{L}{W} &= \left( \delta_2 \right) \left( a \right)^\top  % right
\end{align}
\end{document}
"""


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Fixed:
    path = tmp_path_factory.mktemp("network") / "network.tex"
    path.write_text(NETWORK)
    return fix(check_document(read_document(path)))


def test_what_is_written_is_well_formed_and_in_the_authors_names(network: Fixed) -> None:
    (text,) = network.texts.values()
    before, after = NETWORK.splitlines(), text.splitlines()
    changed = {a: b for a, b in zip(before, after, strict=True) if a != b}
    line = next(each for each in before if "transposed" in each)
    assert changed[line].startswith(r"\pd{L}{V} &= \delta_1 u^\top \\")
    assert is_balanced(text, brackets=False)
    for line in changed.values():
        assert r"\frac" not in line


def test_a_repair_that_only_names_another_derivative_is_not_written(network: Fixed) -> None:
    """∂L/∂z_1 = (∂z_2/∂z_1)ᵀ δ_2 leaves the work to the reader."""
    (text,) = network.texts.values()
    if network.left:
        ((finding, why),) = network.left
        assert "missing" in NETWORK.splitlines()[finding.position.line - 1]
        assert "leads on to" in why or "cannot be written" in why
    assert r"\partial z_2" not in text
    assert network.repaired == network.wrong - len(network.left)


def test_what_has_no_repair_stays_as_it_is_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(
        "<!-- workings: x n x 1, A n x n, B n x n -->\n$$E = x^T A x$$\n"
        "$$\\frac{\\partial E}{\\partial x} = \\log(2 + x^T x) B x$$\n"
        "$$\\frac{\\partial E}{\\partial A} = x x^T$$\n"
    )
    checked = check_document(read_document(path))
    fixed = fix(checked)
    assert [finding.position.line for finding in checked.wrong] == [3]
    text = fixed.texts.get(path, path.read_text())
    assert fixed.repaired + len(fixed.left) == 1
    assert is_balanced(text)


@pytest.mark.parametrize(
    ("text", "balanced"),
    [
        (r"\left( \frac{a}{b} \right)^\top \left\{ x \right.", True),
        (r"(\frac{a}{b}\right)^\top", False),
        (r"\left( a", False),
        (r"\left( a \right) )", False),
        (r"\begin{bmatrix} a & b \end{bmatrix}", True),
        (r"\begin{bmatrix} a & b \end{matrix}", False),
        (r"\leftarrow \rightarrow \{ a \}", True),
        (r"\frac{a}{b", False),
        (r"( [ a ) ]", False),
    ],
)
def test_balance(text: str, balanced: bool) -> None:
    assert is_balanced(text) is balanced


def test_brackets_count_only_where_the_author_balances_them() -> None:
    assert is_balanced("x \\in [0, 1)", brackets=False)
    assert not is_balanced("x \\in [0, 1)")


def test_a_sized_bracket_is_one_token_with_its_size() -> None:
    text = r"\left( \mathbf{A} x \right)^{T}"
    assert [(sign, text[start:end]) for sign, start, end in tokens(text)] == [
        ("(", r"\left("),
        ("A", r"\mathbf{A}"),
        ("x", "x"),
        (")", r"\right)"),
        ("^", "^"),
        ("T", "{T}"),
    ]


def test_derivatives_get_the_names_that_equations_give_them() -> None:
    names = {r"\frac{\partial L}{\partial z_1}": r"\delta_1"}
    repair = (
        r"\frac{\partial L}{\partial W} = "
        r"\left(u \left(\frac{\partial \mathcal{L}}{\partial z_1}\right)^\top\right)^\top"
    )
    assert with_names(repair, names) == r"\frac{\partial L}{\partial W} = \delta_1 u^\top"
    written = r"\frac{\partial L}{\partial W} = \frac{\partial L}{\partial z_1} u"
    again = r"\frac{\partial L}{\partial W} = \frac{\partial L}{\partial z_1} u^\top"
    assert with_names(again, names, written) == again


def test_many_repairs_take_few_readings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = r"$$\frac{\partial J}{\partial w} = X^T (Xw + y)$$"
    path = tmp_path / "many.md"
    path.write_text(
        r"Let $X \in \mathbb{R}^{n \times d}$, $w \in \mathbb{R}^d$, $y \in \mathbb{R}^n$."
        "\n$$J = \\frac{1}{2} \\|Xw - y\\|^2$$\n" + f"Again:\n{wrong}\n" * 12
    )
    checked = check_document(read_document(path))
    readings = []
    plain = fix_module.outline
    monkeypatch.setattr(
        fix_module, "outline", lambda document: readings.append(1) or plain(document)
    )
    fixed = fix(checked)
    (text,) = fixed.texts.values()
    assert (fixed.repaired, fixed.wrong) == (12, 12)
    assert text == path.read_text().replace("Xw + y", "Xw - y")
    assert len(readings) == 2  # as it was, and with all repairs


def test_what_stands_behind_a_chain_taken_step_by_step_is_repaired(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(
        r"""Let $X \in \mathbb{R}^{n \times d}$, $w \in \mathbb{R}^d$ and $y \in \mathbb{R}^n$.
$$J = \frac12 \|X w - y\|^2$$
$$\frac{\partial J}{\partial w} = X^T (X w - y) = X^T H w + X^T y$$
$$(A B)^T = A^T B^T$$
"""
    )
    checked = check_document(read_document(path))
    assert [each.number for each in checked.claims] == [1, 1, 2]  # two steps of one chain
    (text,) = fix(checked).texts.values()
    assert "(AB)^T=B^TA^T" in text.replace(" ", "")
