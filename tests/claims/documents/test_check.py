"""A homework with planted errors, a paper in parts, a notebook: each error is found, no other."""

import json
from pathlib import Path

import pytest

from workings.claims.documents import read_document
from workings.claims.documents.check import check_document
from workings.claims.documents.finding import Checked
from workings.claims.documents.fix import fix, write_fixed
from workings.claims.documents.outline.statements import Role

HOMEWORK = r"""\documentclass{article}
\newcommand{\R}{\mathbb{R}}
\newcommand{\pd}[2]{\frac{\partial #1}{\partial #2}}
\begin{document}
\section{Least squares}
Let $X \in \R^{n \times d}$, $w \in \R^{d}$ and $y \in \R^n$.
\begin{equation} J = \frac{1}{2} \|Xw - y\|^2 \end{equation}
\begin{align}
\pd{J}{w} &= X^T (Xw - y) \\          % right
          &= X^T X w - X^T y \\       % right
          &= X^T X w + X^T y          % WRONG 1: the sign
\end{align}
\section{A network}
% workings: t onehot 1 x k
\[ h = \tanh(xW + b), \quad p = \mathrm{softmax}(hV + c) \]
\[ L = -\sum_{j=1}^{k} t_j \log p_j \]
\begin{align}
\pd{L}{V} &= h^T (p - t) \\
\pd{L}{c} &= t - p \\                 % WRONG 2: the sign
\pd{L}{h} &= V^T (p - t)              % WRONG 3: the order
\end{align}
\[ \pd{L}{W} = x^T ((p - t) V^T \odot (1 - h \odot h)) \]
\[ \mathrm{tr}(A B) = \mathrm{tr}(B A) \]
\[ (A B)^T = A^T B^T \]               % WRONG 4: the order
\[ O(n^2 d) \]
\[ q \approx r \]                     % not exact
\[ f = x^2 \quad \text{if } x > 0 \]
% workings: skip
\[ \pd{L}{c} = 7 \]
\end{document}
"""


@pytest.fixture(scope="module")
def homework(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    path = tmp_path_factory.mktemp("homework") / "homework.tex"
    path.write_text(HOMEWORK)
    return check_document(read_document(path))


def test_each_planted_error_is_found_and_nothing_else(homework: Checked) -> None:
    planted = [
        number for number, line in enumerate(HOMEWORK.splitlines(), start=1) if "WRONG" in line
    ]
    assert [finding.position.line for finding in homework.wrong] == planted
    holds = {f.position.line for f in homework.claims if f.result and f.result.holds}
    assert holds >= {18, 22, 23}


def test_what_is_not_decided_says_why(homework: Checked) -> None:
    reasons = {f.position.line: f.result.why for f in homework.not_read if f.result}
    assert "under a condition" in reasons[27]
    roles = {finding.position.line: finding.statement.role for finding in homework.findings}
    assert [roles[line] for line in (25, 26, 29)] == [
        Role.EXPRESSION, Role.EXPRESSION, Role.SKIPPED,
    ]  # fmt: skip


def test_a_fix_is_a_small_edit_that_holds_when_read_again(homework: Checked) -> None:
    fixed = fix(homework)
    assert (fixed.repaired, fixed.wrong) == (4, 4)
    (path,) = write_fixed(fixed, in_place=False)
    assert path.name == "homework.fixed.tex"
    before, after = HOMEWORK.splitlines(), path.read_text().splitlines()
    changed = [number for number, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    assert [number + 1 for number in changed] == [f.position.line for f in homework.wrong]
    assert after[changed[0]].startswith(before[changed[0]].replace("+", "-")[:30])
    assert r"\pd{L}{h} &= (p - t)" in after[changed[2]]
    assert r"\top" not in path.read_text()
    again = check_document(read_document(path))
    assert again.wrong == []


def test_a_paper_with_commands_and_parts(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "macros.tex").write_text(
        r"\newcommand{\mat}[1]{\boldsymbol{#1}}\newcommand{\T}{^{\top}}"
        r"\DeclareMathOperator{\softmax}{softmax}\def\loss{\mathcal{L}}"
        r"\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}}"
    )
    (tmp_path / "parts" / "model.tex").write_text(
        "\\section{Model}\n"
        "% workings: \\mat{x} 1 x d\n"
        "\\be \\mat{s} = \\mat{x} \\mat{W}, \\quad \\mat{p} = \\softmax(\\mat{s}) \\ee\n"
        "\\be \\loss(\\mat{W}) = - \\sum_{i=1}^{k} y_i \\log p_i \\ee\n"
    )
    (tmp_path / "paper.tex").write_text(
        "\\input{macros}\n\\begin{document}\nLet $y \\in \\mathbb{R}^{1 \\times k}$.\n"
        "% workings: y onehot 1 x k, x 1 x d\n"
        "\\include{parts/model}\n"
        "\\be \\frac{\\partial \\loss}{\\partial \\mat{s}} = \\mat{p} - y \\ee\n"
        "\\be \\nabla_{\\mat{W}} \\loss = \\mat{x}\\T (\\mat{p} + y) \\ee\n"
        "\\end{document}\n"
    )
    checked = check_document(read_document(tmp_path / "paper.tex"))
    assert [str(f.verdict) for f in checked.claims] == ["holds", "wrong value"]
    (wrong,) = checked.wrong
    assert (wrong.position.line, wrong.position.path.name) == (7, "paper.tex")
    assert wrong.shapes == {"W": "d×k"}
    fixed = fix(checked)
    assert fixed.repaired == 1
    assert r"\mat{x}\T (\mat{p} - y)" in next(iter(fixed.texts.values()))


def test_a_notebook_is_checked_and_fixed(tmp_path: Path) -> None:
    first = ["<!-- workings: x n x 1 -->\n", "$$E = x^T x$$"]
    second = ["So\n", "$$\\frac{\\partial E}{\\partial x} = 3 x$$\n"]
    code = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": [],
    }
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": first},
        code,
        {"cell_type": "markdown", "metadata": {}, "source": second},
    ]
    path = tmp_path / "homework.ipynb"
    content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content, indent=1) + "\n")
    checked = check_document(read_document(path))
    (wrong,) = checked.wrong
    assert str(wrong.position) == f"{path}:3:2:35"
    write_fixed(fix(checked), in_place=True)
    after = path.read_text()
    assert after == (json.dumps(content, indent=1) + "\n").replace("= 3 x", "= 2 x")
    assert check_document(read_document(path)).wrong == []


def verdicts(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "notes.md"
    path.write_text(text)
    checked = check_document(read_document(path))
    return [
        f"{f.verdict}: {f.result.why}" if f.not_read else str(f.verdict) for f in checked.claims
    ]


def test_what_no_reading_decides_is_asked_for_by_name(tmp_path: Path) -> None:
    """2Az holds for numbers, and for no other z and A."""
    assert (
        verdicts(tmp_path, "$$f = a x^2$$ $$\\frac{\\partial f}{\\partial x} = 2 a x$$")[0]
        == "holds"
    )
    assert verdicts(tmp_path, "$$E = \\|u\\|^2$$ $$E = v$$") == []  # it says what v is
    (verdict,) = verdicts(tmp_path, "$$g = u \\cdot v$$ $$g = v u$$")
    assert verdict in ("holds", "trivial") or "the shape of" in verdict


def test_a_new_section_may_give_a_name_another_meaning(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(
        "# One\n<!-- workings: x n x 1, A n x n -->\n$$E = x^T x$$\n"
        "$$\\frac{\\partial E}{\\partial x} = 2x$$\n"
        "# Two\n$$E = x^T A x$$\n$$\\frac{\\partial E}{\\partial x} = A x + A^T x$$\n"
        "$$E = x^T A^T x$$\n"
    )
    checked = check_document(read_document(path))
    assert [str(f.verdict) for f in checked.claims] == ["holds"] * 3
    assert "defined again" in checked.notes[0][1]
    assert checked.notes[0][0].line == 6


def test_a_claim_on_one_step_is_not_held_against_all_steps(tmp_path: Path) -> None:
    text = (
        "<!-- workings: x_t 1 x d, h_{t-1} 1 x k -->\n$$h_t = \\tanh(x_t U + h_{t-1} W)$$\n"
        "$$E = \\frac12 \\|h_t\\|^2$$\n$$\\frac{\\partial E}{\\partial W} = h_{t-1}^T h_t$$\n"
    )
    (verdict,) = verdicts(tmp_path, text)
    assert verdict.startswith("not read: whether earlier steps count")


def test_steps_in_time_are_gone_through(tmp_path: Path) -> None:
    text = (
        "<!-- workings: steps 3, x_t 1 x d, h_0 1 x k -->\n$$h_t = \\tanh(x_t U + h_{t-1} W)$$\n"
        "$$E = \\frac12 \\|h_t\\|^2$$\n$$\\frac{\\partial E}{\\partial h_t} = h_t$$\n"
        "$$\\frac{\\partial E}{\\partial W} = h_{t-1}^T (h_t \\odot (1 - h_t \\odot h_t))$$\n"
    )
    assert verdicts(tmp_path, text) == ["holds", "wrong value"]


def test_hostile_formulas_are_not_read_in_bounded_time(tmp_path: Path) -> None:
    text = "\n\n".join(
        [
            "$$" + "(" * 5_000 + "$$",
            "$$x = " + "{" * 3_000 + "}" * 3_000 + "$$",
            "$$a = \\frac{" * 300 + "$$",
            "$$\\sum_{i=1}^{10^{30}} i = 3$$",
            "$$x = " + "+".join(f"x_{{{n}}}" for n in range(1_000)) + "$$",
            "$$" + "= ".join(["a + b"] * 1_000) + "$$",
        ]
    )
    path = tmp_path / "hostile.md"
    path.write_text(text)
    assert check_document(read_document(path)).wrong == []


TRAPS = [
    ("a gradient where w is the minimum", r"w = (X^T X)^{-1} X^T y$$ $$\nabla_w J = -X^T (Xw - y)",
     "not the same in all"),
    ("numbers in capitals", r"E = \frac12 K v^2$$ $$\frac{\partial E}{\partial v} = K v",
     "the shape of K"),
    ("a Jacobian by its diagonal",
     r"z = xW + b$$ $$h = \sigma(z)$$ $$\frac{\partial h}{\partial z} = \sigma'(z)",
     "as its diagonal"),
    ("an entry of softmax", r"p = \mathrm{softmax}(w)$$ $$p_k = \mathrm{softmax}(w_k)",
     "the single entry"),
    ("a case in the text", "r = X^T$$ If $n = d$: $$r = X", "under a condition"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("formula", "reason"), [trap[1:] for trap in TRAPS], ids=[trap[0] for trap in TRAPS]
)
def test_what_may_not_be_meant_as_a_claim_is_not_called_wrong(
    tmp_path: Path, formula: str, reason: str
) -> None:
    lead = r"$X \in \mathbb{R}^{n \times d}$, $y \in \mathbb{R}^n$, $w \in \mathbb{R}^d$."
    text = lead + "\n$$J = \\frac12 \\|Xw - y\\|^2$$\n$$" + formula + "$$\n"
    (verdict,) = verdicts(tmp_path, text)
    assert verdict.startswith("not read")
    assert reason in verdict


def test_an_update_is_no_definition(tmp_path: Path) -> None:
    text = "<!-- workings: w n x 1 -->\n$$J = w^T w$$ $$w = w - J w$$ $$\\nabla_w J = 2 w$$"
    assert verdicts(tmp_path, text)[-1] == "holds"


def test_notes_as_they_are_written(tmp_path: Path) -> None:
    """A chain over displays, e^z, W^{[1]}, h(x) that is h, an equation in $$; one step is wrong."""
    text = r"""
$$t = \tanh(z) = \frac{e^z - e^{-z}}{e^z + e^{-z}}$$
$$= 2 \sigma(2z) - 1$$
$$= 2 \sigma(z) - 1$$
# Layers
<!-- workings: x n x 1, y onehot k x 1 -->
$$h(x) = \sigma(W^{[1]} x + b^{[1]})$$
$$z^{[2]} = W^{[2]} h(x) + b^{[2]}, \quad p = \mathrm{softmax}(z^{[2]})$$
$$\begin{equation} L = -\sum_i y_i \log p_i \end{equation}$$
$$h = \sigma(W^{[1]} x + b^{[1]})$$
$$\frac{\partial L}{\partial W^{[2]}} = (p - y) h^T$$
"""
    assert verdicts(tmp_path, text) == ["holds", "holds", "wrong value", "trivial", "holds"]


WHOLE = r"""
# A network
The loss $C$ is any function, and $a^l = \sigma(z^l)$ with $z^l = W^l a^{l-1} + b^l$.
$$\delta^l = \frac{\partial C}{\partial z^l}$$
$$\frac{\partial C}{\partial W^l} = \delta^l (a^{l-1})^T$$
$$\frac{\partial C}{\partial b^l} = \delta^l$$
$$\delta^l = ((W^{l+1})^T \delta^{l+1}) \odot \sigma'(z^l)$$
$$\frac{\partial C}{\partial W^l} = a^{l-1} (\delta^l)^T$$
"""


def test_what_is_said_of_one_layer_holds_for_all(tmp_path: Path) -> None:
    """Of four equations about any loss, three hold; the last has its factors in the wrong order."""
    verdict = verdicts(tmp_path, WHOLE)
    assert verdict[:3] == ["holds"] * 3
    assert verdict[3] not in ("holds", "trivial")


ENTRIES = r"""
$$y = Wx$$
$$y_i = \sum_{k=1}^{N} W_{ik} x_k$$
$$\frac{\partial y_i}{\partial x_j} = W_{ij}$$
$$\frac{\partial L}{\partial x_i} = \sum_{k=1}^{M} \frac{\partial L}{\partial y_k} \frac{\partial y_k}{\partial x_i}$$
$$\frac{\partial L}{\partial x} = W^\top \frac{\partial L}{\partial y}$$
# Rows
$$y = xW$$
$$\frac{\partial L}{\partial y} = \delta$$
$$\frac{\partial L}{\partial W} = x^\top \delta$$
"""  # noqa: E501


def test_entries_sizes_and_any_function_need_no_declaration(tmp_path: Path) -> None:
    assert verdicts(tmp_path, ENTRIES) == ["holds"] * 5


CLAIMS_NOTHING = [
    r"\frac{\partial J}{\partial w} = 0", "X^T X w = X^T y", r"\eta = 0.1$$ $$\eta = 0.01",
    r"w \leftarrow w - \eta \nabla_w J", r"\|w\|^2 \le 1", r"z \sim \mathcal{N}(0, 1)",
    r"J \approx 3",
    r"w^{(t+1)} = w^{(t)} - \eta g^{(t)}", r"\Delta w_j = \eta x_j", "w : d \\times 1",
]  # fmt: skip


@pytest.mark.parametrize("formula", CLAIMS_NOTHING)
def test_what_claims_nothing_is_not_counted(tmp_path: Path, formula: str) -> None:
    lead = r"$X \in \mathbb{R}^{n \times d}$, $y \in \mathbb{R}^n$, $w \in \mathbb{R}^d$."
    text = lead + "\n$$J = \\frac12 \\|Xw - y\\|^2$$\n$$" + formula + "$$\n"
    assert verdicts(tmp_path, text) == []


NOT_WRONG = [
    ("a property", r"H^\top = H"),
    ("an order that is not said", r"r = |a - b|$$ $$r = a - b"),
    ("an example in numbers", r"S = A^T A$$ $$S = \begin{pmatrix} 3 & 1 \\ 1 & 2 \end{pmatrix}"),
    ("a second meaning", r"e = \|u - v\|$$ Better: $$e = \frac{\|u - v\|}{\|u\| + \|v\|}"),
    ("a function that is not said", r"x = g(t)$$ $$\frac{d x}{d t} = e^t"),
    ("a loss in words only", r"\frac{\partial L}{\partial z} = p - y"),
]


@pytest.mark.parametrize(
    "formula", [each[1] for each in NOT_WRONG], ids=[each[0] for each in NOT_WRONG]
)
def test_what_is_not_surely_read_is_not_called_wrong(tmp_path: Path, formula: str) -> None:
    for verdict in verdicts(tmp_path, f"$${formula}$$\n"):
        assert verdict.startswith("not read")


def test_a_loss_against_targets_is_read_with_targets_that_add_up_to_one(tmp_path: Path) -> None:
    text = (
        "$$p = \\mathrm{softmax}(Wx)$$ $$L = -\\sum_{k=1}^{K} y_k \\log p_k$$\n"
        "$$\\frac{\\partial L}{\\partial W} = (p - y) x^T$$\n"
    )
    assert verdicts(tmp_path, text) == ["holds"]


def test_a_display_that_is_never_closed_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "notes.tex"
    path.write_text("\\section{A}\n\\begin{align} a &= b \\\\ c &= d\n")
    (verdict,) = check_document(read_document(path)).not_read
    assert str(verdict.position) == f"{path}:2:1"
    assert verdict.result
    assert "never closed" in verdict.result.why
