"""A .tex document is read as LaTeX would, as data: nothing outside its folder, nothing endless."""

import time
from pathlib import Path

import pytest

from workings.claims.documents import Document, Inline, read_document, read_tex, rows_of
from workings.claims.documents.check import check_document
from workings.errors import WorkingsError


def write(folder: Path, text: str, name: str = "paper.tex") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def formulas(document: Document) -> list[str]:
    return [" ".join(row.text.text.split()) for each in document.displays for row in rows_of(each)]


def test_every_kind_of_display_is_found_and_code_and_comments_are_not(tmp_path: Path) -> None:
    document = read_tex(
        write(
            tmp_path,
            r"""\begin{document}
\[ a = 1 \]
$$ b = 2 $$
\begin{equation} c = 3 \label{eq:c} \end{equation}
\begin{align*} d &= 4 \\ e &= 5 \nonumber \end{align*}
\begin{gather} f = 6 \\ g = 7 \end{gather}
\begin{multline} h = 8 \\ + 1 \end{multline}
\begin{equation}\begin{split} i &= 9 \\ &= 10 \end{split}\end{equation}
\begin{eqnarray} j &=& 11 \\ &=& 12 \end{eqnarray}
% \[ not = 1 \]
\begin{verbatim} \[ not = 2 \] \end{verbatim}
\begin{lstlisting}[language=Python]
$$ not = 3 $$
\end{lstlisting}
\iffalse \[ not = 4 \] \fi
\verb|$$ not = 5 $$| and 5\$ and \\[2pt] a line break
\end{document}
\[ not = 6 \]
""",
        )
    )
    assert formulas(document) == [
        "a = 1", "b = 2", "c = 3", "d = 4", "e = 5", "f = 6", "g = 7", "h = 8 + 1",
        "i = 9 = 10", "j = 11 = 12",
    ]  # fmt: skip
    assert document.notes == []


def test_a_position_leads_to_the_author_s_own_line_and_column(tmp_path: Path) -> None:
    write(tmp_path, "text\n\\[\n  p = \\vect{q}\n\\]\n", "part.tex")
    text = "\\newcommand{\\vect}[1]{\\mathbf{#1}}\n\\input{part}\n\\[ \\vect{u} = v \\]\n"
    document = read_tex(write(tmp_path, text))
    first, second = (rows_of(each)[0] for each in document.displays)
    assert first.text.text == r"p = \mathbf{q}"
    assert str(document.position(first.text.offset)) == f"{tmp_path / 'part.tex'}:3:3"
    inside = first.text.text.index("q")
    assert document.position(first.text.offset_of(inside)).column == 13
    assert document.position(second.text.offset).line == 3
    equals = second.text.text.index("=")
    assert document.position(second.text.offset_of(equals)).column == 13


def test_the_author_s_commands_are_expanded_with_their_arguments(tmp_path: Path) -> None:
    text = r"""
\newcommand{\norm}[2][2]{\|#2\|_{#1}}
\def\pd#1#2{\frac{\partial #1}{\partial #2}}
\DeclareMathOperator*{\softmax}{softmax}
\renewcommand\vec[1]{\boldsymbol{#1}}
\newcommand*{\grad}[1]{\nabla_{#1}}
\providecommand{\vec}[1]{never}
\let\gradient\grad
\newcommand{\be}{\begin{equation}} \newcommand{\ee}{\end{equation}}
\newenvironment{eqn}{\begin{equation}}{\end{equation}}
\be \pd{E}{W} = \norm{x} + \norm[1]{\vec{y}} \ee
\begin{eqn} \gradient{w} = \softmax(\ensuremath{z}) \end{eqn}
"""
    assert formulas(read_tex(write(tmp_path, text))) == [
        r"\frac{\partial E}{\partial W} = \|x\|_{2} + \|\boldsymbol{y}\|_{1}",
        r"\nabla_{w} = \operatorname{softmax}(z)",
    ]


def test_inline_formulas_are_kept_apart(tmp_path: Path) -> None:
    text = r"Let $W \in \R^{d \times k}$, costs 5\$, and \(b \in \R^k\)." "\n"
    document = read_tex(write(tmp_path, r"\newcommand{\R}{\mathbb{R}}" + text))
    inline = [item.text.text for item in document.items if isinstance(item, Inline)]
    assert inline == [r"W \in \mathbb{R}^{d \times k}", r"b \in \mathbb{R}^k"]
    assert document.displays == []


def test_a_comment_for_the_checker_stands_before_the_display_or_the_row(tmp_path: Path) -> None:
    text = r"""% workings: x 1 x d
\begin{align}
a &= 1 \\ % workings: skip
b &= 2 \\
c &= 3
\end{align}
"""
    (display,) = read_tex(write(tmp_path, text)).displays
    assert [row.mode for row in rows_of(display)] == ["", "skip", ""]


@pytest.mark.parametrize(
    "name", ["../outside", "/etc/passwd", "link", "loop", "folder", "missing", "x" * 290, "a\0b"]
)
def test_no_file_outside_the_folder_is_read(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "folder.tex").mkdir()
    write(tmp_path, r"\[ secret = 1 \]", "outside.tex")
    (inside / "link.tex").symlink_to(tmp_path / "outside.tex")
    (inside / "loop.tex").symlink_to(inside / "loop.tex")
    if "\0" in name:
        with pytest.raises(WorkingsError, match="NUL"):
            read_tex(write(inside, rf"\input{{{name}}}"))
        return
    document = read_tex(write(inside, rf"\input{{{name}}} \[ a = 1 \]"))
    assert formulas(document) == ["a = 1"]
    assert len(document.notes) == 1


def test_a_file_that_includes_itself_ends(tmp_path: Path) -> None:
    document = read_tex(write(tmp_path, r"\[ a = 1 \] \input{paper}"))
    assert formulas(document) == ["a = 1"]
    assert "includes itself" in document.notes[0].message


BOMBS = [
    r"\def\a{\a\a} \[ x = \a \]",
    r"\def\a{\b\b}\def\b{\a\a} \[ x = \a \]" * 50,
    "".join(
        rf"\def\{chr(97 + n)}{{\{chr(98 + n)}\{chr(98 + n)}\{chr(98 + n)}}}" for n in range(24)
    ) + r"\[ x = \a \]",
    r"\def\a#1{#1#1#1#1}" + r"\a{" * 60 + "x" + "}" * 60,
    r"\newcommand{\a}[1]{#1} " + r"\a{" * 50_000,
    r"\[" * 100_000,
    r"\begin{align}" * 50_000,
    r"\begin{equation} x = {{{{ \end{equation}" * 2_000,
    "{" * 1_000_000,
    "$" * 200_001,
    r"\[ x = " + "x" * 3_900_000 + r" \]",
    r"\[ " + "&" * 19_000 + r" \]",
    r"\[ " + r"\\" * 9_000 + r" \]",
    r"\[ " + "(" * 9_000 + "a = b" + r" \]",
    r"\[ " + "a = " * 4_500 + r" \]",
    r"\newcommand" * 10_000,
    r"\input{paper}" * 3_000,
]  # fmt: skip


@pytest.mark.parametrize("text", BOMBS, ids=range(len(BOMBS)))
def test_a_hostile_document_is_read_in_bounded_time(tmp_path: Path, text: str) -> None:
    start = time.process_time()
    document = read_tex(write(tmp_path, text))
    for display in document.displays:
        for row in rows_of(display):
            assert row.sides
    assert time.process_time() - start < 40


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\\[ a = b \xff \\]", "is not UTF-8"),
        (b"\\[ a = \0 \\]", "NUL"),
        (b"x" * 10_000_000, "too large"),
    ],
)
def test_what_is_no_text_is_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "paper.tex"
    path.write_bytes(content)
    with pytest.raises(WorkingsError, match=message) as error:
        read_tex(path)
    assert "\n" not in str(error.value)


def test_two_thousand_equations_are_read_in_seconds(tmp_path: Path) -> None:
    part = (
        r"Let $W_{N} \in \R^{d \times k}$. \begin{align} h_{N} &= x W_{N} \\ &= y \end{align}" "\n"
    )
    text = r"\newcommand{\R}{\mathbb{R}}" + "".join(part.replace("N", f"{n}") for n in range(2_000))
    start = time.process_time()
    document = read_tex(write(tmp_path, text))
    rows = [row for display in document.displays for row in rows_of(display)]
    assert len(rows) == 2_000
    assert time.process_time() - start < 40  # a quadratic reader would take minutes
    last = rows[-1]
    assert document.position(last.text.offset).line == 2_000


UNCLOSED = [
    "\\begin{align} a &= b\nThe gradient of the loss is this:\n\\begin{align} c &= d \\end{align}",
    "$$a = b\nThe gradient of the loss is this:\n$$c = d$$\n",
    "\\[ a = b\n\\section{More}\n\\[ c = d \\]",
    "$$a = b\nwhere $x$ is a vector. $$c = d$$\n",
]


@pytest.mark.parametrize("text", UNCLOSED)
@pytest.mark.parametrize("name", ["paper.tex", "notes.md"])
def test_a_display_that_a_later_one_closes_is_named_and_the_later_one_is_read(
    tmp_path: Path, text: str, name: str
) -> None:
    if name == "notes.md" and "section" in text:
        text = text.replace("\\section{More}", "# More")
    path = tmp_path / name
    path.write_text(text)
    first, *others = read_document(path).displays
    assert first.unclosed
    assert [each.text.text.strip() for each in others if not each.unclosed] in (
        ["c = d"],
        ["c &= d"],
    )


def test_words_and_nested_environments_in_a_display_leave_it_closed(tmp_path: Path) -> None:
    path = tmp_path / "paper.tex"
    path.write_text(
        "\\[ a = b \\quad \\text{for all $i$ that are not in the set of rows} \\]\n"
        "$$\\begin{align} a &= b \\\\ \\intertext{by the rule of a chain} c &= d \\end{align}$$\n"
        "\\begin{equation} \\begin{split} a &= b \\end{split} \\end{equation}\n"
    )
    assert [each.unclosed for each in read_document(path).displays] == ["", "", ""]


HOMEWORK = r"""
%(one)s Let $x \in \mathbb{R}^{d}$, $W \in \mathbb{R}^{k \times d}$ and $b \in \mathbb{R}^k$.
\[ z = W x + b, \qquad L = \frac12 \|z\|^2 \]
%(two)s With $h = \tanh(W_1 x)$, $o = W_2 h$, $E = \frac12 \|o - y\|^2$,
\[ \frac{\partial E}{\partial W_2} = (o - y) h^\top \]
\[ \frac{\partial E}{\partial o} = y - o \]
\[ \frac{\partial L}{\partial b} = z \]
"""


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (r"\paragraph{Problem 1.}", r"\paragraph{Problem 2.}"),
        (r"\textbf{Exercise 1}", r"\noindent\textbf{Exercise 2}"),
        (r"\begin{problem}", r"\end{problem}\begin{problem}"),
    ],
)
def test_a_problem_of_a_homework_is_a_section(tmp_path: Path, one: str, two: str) -> None:
    path = tmp_path / "homework.tex"
    path.write_text(HOMEWORK % {"one": one, "two": two})
    results = [each.result for each in check_document(read_document(path)).claims]
    assert [result and result.verdict.value for result in results] == [
        "holds",
        "holds with the sign flipped",
        "holds",
    ]
