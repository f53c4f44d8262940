"""Ordinary calculus as notes write it: each claim of a document with the verdict it must get.

Right and wrong values were worked out with sympy. "?" is for what must get no verdict of right or
wrong: what is set, solved, rounded or not said.
"""

from pathlib import Path

import pytest

from workings.claims.documents import read_document
from workings.claims.documents.check import check_document
from workings.claims.documents.finding import Finding
from workings.claims.documents.fix import fix
from workings.claims.documents.outline.statements import Role

NOTES = {
    "gradients": r"""
Let $f(x,y) = x^2 + 3xy - y^3$.
$$\frac{\partial f}{\partial x} = 2x + 3y$$ holds
$$\frac{\partial f}{\partial y} = 3x - y^2$$ wrong
$$\nabla f(x,y) = \begin{pmatrix} 2x + 3y \\ 3x - 3y^2 \end{pmatrix}$$ holds
$$\nabla f = (2x + 3y,\; 3x - 3y^2)$$ holds
$$\nabla f(1,1) = (5, 0)$$ holds
$$(\nabla f)(2,-1) = \begin{bmatrix} 1 \\ 9 \end{bmatrix}$$ wrong
$$\frac{\partial f}{\partial x}(1,2) = 8, \qquad f_y(1, 2) = -9$$ holds holds
$$\left.\frac{\partial f}{\partial x}\right|_{(1,2)} = 2 + 6 = 8$$ holds
$$\frac{\partial f}{\partial y}\Big|_{x=1,\,y=2} = 9$$ wrong
$$\nabla f(x,y) = \begin{bmatrix} \frac{\partial f}{\partial x} \\ \vdots \end{bmatrix}$$ ?
$$\nabla f = (5, 0)$$ ?
$$\nabla f = (0, 0)$$ ?
""",
    "second derivatives": r"""
$$f(x,y) = x^3y^2 + e^{xy}$$ ?
\begin{align*}
f_{xx} &= 6xy^2 + y^2e^{xy} \\ holds
f_{yy} &= 2x^3 + xe^{xy} \\ wrong
f_{xy} &= 6x^2y + (1 + xy) e^{xy} holds
\end{align*}
holds $$\frac{\partial^2 f}{\partial x \partial y}
  = \frac{\partial}{\partial y}\left(\frac{\partial f}{\partial x}\right)$$
$$\nabla^2 f(1, 0) = \begin{pmatrix} 0 & 1 \\ 1 & 3 \end{pmatrix}$$ holds
$$H_f(1, 0) = \begin{pmatrix} 0 & 1 \\ 1 & 2 \end{pmatrix}$$ wrong
$$\nabla^2 f = 6xy^2 + 2x^3 + (x^2 + y^2) e^{xy}$$ holds
""",
    "one variable": r"""
$$f(x) = x^3 - 6x^2 + 9x + 1$$ ?
$$f'(x) = 3x^2 - 12x + 9 = 3(x-1)(x-3) = 0$$ holds holds
$$f''(x) = 6x - 12, \quad f''(1) = -6$$ holds holds
$$\frac{d^2 f}{dx^2} = 6x + 12$$ wrong
$$f(3) = 0$$ wrong
$$f'(x) = 5$$ ?
$$\frac{d}{dx}\left(x e^{2x}\right) = e^{2x} + x e^{2x}$$ wrong
$$\frac{d}{dx} \tan x = \sec^2 x$$ holds
""",
    "derivatives by the function itself": r"""
$$f(t) = \log(1 + e^t)$$ ?
$$f''(t) = f'(t) (1 - f'(t))$$ holds
$$f''(t) = f'(t) (1 + f'(t))$$ wrong
$$g(x) = \tanh(x)$$ ?
$$g'(x) = g(x) (1 - g(x))$$ wrong
$$g'(x) = 1 - g(x)^2$$ holds
$$g'(x) = 2 a x + b$$ ?
""",
    "equations that are solved": r"""
We solve the differential equation by a trial,
$$f(t) = e^{2t}$$ ?
$$f'(t) = -f(t)$$ ?
""",
    "shadowing": r"""
**Example 1.** Let $f(x,y) = x^2y$.
$$\frac{\partial f}{\partial x} = 2xy$$ holds
**Example 2.** Let $f(x,y) = \ln(x^2 + y^2)$.
$$\frac{\partial f}{\partial x} = \frac{2x}{x^2+y^2}$$ holds
$$\frac{\partial^2 f}{\partial x^2} + \frac{\partial^2 f}{\partial y^2} = 0$$ holds
**Example 3.** The surface has another $f$.
$$\frac{\partial f}{\partial x} = 3x$$ ?
**Example 4.** Let $f$ be a function of $x$ and $y$.
$$\frac{\partial f}{\partial x} = 2y$$ ?
**Example 5.**
$$f(x,y) = x - y$$ ?
$$\nabla f = (1, 1)$$ wrong
""",
    "chain rule": r"""
Let $z = x^2y$ where $x = t^2$ and $y = t^3$.
holds $$\frac{dz}{dt} = \frac{\partial z}{\partial x}\frac{dx}{dt} +
\frac{\partial z}{\partial y}\frac{dy}{dt} = 2xy \cdot 2t + x^2 \cdot 3t^2 = 7t^6$$
$$\frac{\partial z}{\partial x} = 2xy$$ holds
$$\frac{dz}{dt} = 6t^6$$ wrong
$$\frac{\partial^2 z}{\partial x^2} = 2y$$ holds
$$\frac{\partial z}{\partial y} = 2x^2$$ wrong
$$\frac{dx}{ds} = 4$$ ?
""",
    "jacobians": r"""
$$F(x, y) = \begin{pmatrix} x^2 y \\ 5x + \sin y \end{pmatrix}$$ ?
$$J_F(x,y) = \begin{pmatrix} 2xy & x^2 \\ 5 & \cos y \end{pmatrix}$$ holds
$$\det J_F(x,y) = 2xy\cos y - 5x^2$$ holds
$$DF(1, 0) = \begin{pmatrix} 0 & 1 \\ 5 & 0 \end{pmatrix}$$ wrong
Let $x = r\cos\theta$, $y = r\sin\theta$.
holds $$\frac{\partial(x,y)}{\partial(r,\theta)} =
\begin{vmatrix} \cos\theta & -r\sin\theta \\ \sin\theta & r\cos\theta \end{vmatrix} = r$$
""",
    "vector fields": r"""
Let $\mathbf{F}(x,y,z) = (xy, yz, zx)$.
$$\nabla \cdot \mathbf{F} = x + y + z$$ holds
$$\nabla \times \mathbf{F} = (-y, -z, -x)$$ holds
$$\operatorname{div} \mathbf{F} = x + y - z$$ wrong
Let $f(x,y) = x^2y^3 - 4y$ and $\mathbf{u} = (3/5, 4/5)$.
$$\nabla f(2,-1) = \langle -4, 8 \rangle = -4 \vec i + 8 \vec j$$ holds
$$D_{\mathbf{u}} f(2,-1) = \nabla f(2,-1) \cdot \mathbf{u} = 4$$ holds
""",
    "entries": r"""
$$f(x_1, x_2) = 100(x_2 - x_1^2)^2 + (1 - x_1)^2$$ ?
$$\frac{\partial f}{\partial x_1} = -400x_1(x_2 - x_1^2) + 2(1-x_1)$$ wrong
$$\nabla f(1,1) = \begin{bmatrix} 0 \\ 0 \end{bmatrix}$$ holds
## Another
Let $g(\mathbf{x}) = x_1^2 + 4x_2^2$.
$$\nabla g(\mathbf{x}) = \begin{bmatrix} 2x_1 \\ 8x_2 \end{bmatrix}$$ holds
""",
    "matrices": r"""
$$A = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}$$ ?
$$B = \begin{pmatrix} 0 & 1 \\ -1 & 2 \end{pmatrix}$$ ?
$$AB = \begin{pmatrix} -2 & 5 \\ -4 & 11 \end{pmatrix}$$ holds
$$BA = \begin{pmatrix} 3 & 4 \\ 5 & 7 \end{pmatrix}$$ wrong
$$\det A = 1 \cdot 4 - 2 \cdot 3 = -2$$ holds
$$A^{-1} = -\frac12 \begin{pmatrix} 4 & -2 \\ -3 & 1 \end{pmatrix}$$ holds
$$\begin{vmatrix} 2 & 1 \\ 1 & -3 \end{vmatrix} = -5$$ wrong
## Eigenvalues
$$A = \begin{pmatrix} 2 & 1 \\ 1 & 2 \end{pmatrix}$$ ?
$$\det(A - \lambda I) = (2-\lambda)^2 - 1 = \lambda^2 - 4\lambda + 3$$ holds
With $v = (1, 1)$ we have
$$A v = 3 v$$ holds
$$A w = \lambda w$$ ?
## Products
With $u = (1,2,3)$ and $v = (4,5,6)$,
$$u \cdot v = 4 + 10 + 18 = 32$$ holds
$$u \times v = (-3, 6, -3)$$ holds
$$\|v\|^2 = 87$$ wrong
""",
    "what may be meant otherwise": r"""
Let $f(x) = \frac{\cos x}{\sin x}$ and $h(x) = x^2$.
$$f'(x) = \frac{(\cos x)' \sin x - \cos x (\sin x)'}{\sin^2 x}$$ ?
$$h(r) = 2 - \frac{1}{r}$$ ?
$$\frac{\partial}{\partial y}\left(\frac{y}{r}\right) = \frac{r^2 - y^2}{r^3}$$ ?
Let $z = x^2 \sin y$ and $u = e^{x + 3z}$.
$$\frac{\partial u}{\partial x} = e^{x + 3z}(1 + 6x \sin y)$$ holds
Let $w = g(e^x \sin y)$.
$$\frac{\partial w}{\partial x} = w e^x$$ ?
With $s = \frac{y}{x}$,
$$\frac{ds}{dx} + s = s^2$$ ?
""",
    "the imaginary unit": r"""
$$z = (1 + i, 2)$$ ?
$$\|z\|^2 = (1 - i)(1 + i) + 4 = 6$$ ?
""",
    "arguments without commas": r"""
Let $g(x, y) = x^2 + y^2$.
$$(\nabla g)(\mathbf{x}) = (2x, 2y, 2z)$$ ?
$$g\begin{pmatrix} x \\ y \end{pmatrix} = x + y$$ ?
""",
    "solutions behind exercises": r"""
1. Differentiate $f(x,y) = x^3 + 3xy$.
2. Differentiate $f(x,y) = x^2 y$.
3. Differentiate $f(x,y) = x^2 + y^2$.
## Solutions
1. The first one has
$$f_x = 3x^2 + 3y, \quad f_y = 3x, \quad f_{xx} = 6x, \quad f_{xy} = 3$$ holds holds holds holds
2. The second one has
$$f_x = 2xy, \quad f_y = x^2, \quad f_{xy} = 3x$$ holds holds wrong
3. Another one has
$$f_x = 2x, \quad f_y = -2y$$ holds ?
| Step | one |
| a | $$f(x,y) = x - y$$ | ?
| b | $$f_x = 2$$ | ?
""",
    "set, solved and rounded": r"""
$$f(x,y) = x^2 + y^2 - 4x$$ ?
$$4x - y = 3$$ ?
$$x = 2$$ ?
$$\frac{6}{7} = 0.857$$ ?
$$f(0.3333, 0) = -1.22$$ ?
$$\sqrt{2} = 1.4142$$ ?
$$f(2, 0) = -4$$ holds
$$f(2.5, 0) = -3.7$$ ?
$$f(2.5, 1) = -2.5$$ wrong
$$\mathcal{L}(x,y,\lambda) = xy - \lambda(x^2 + y^2 - 8)$$ ?
$$\frac{\partial \mathcal{L}}{\partial x} = y - 2\lambda x = 0$$ holds
$$\frac{\partial \mathcal{L}}{\partial \lambda} = x^2 + y^2 - 8 = 0$$ ?
$$y = 2\lambda x$$ ?
""",
}  # fmt: skip


def found(finding: Finding) -> str:
    return "holds" if finding.result and finding.result.holds else "wrong" if finding.wrong else "?"


@pytest.mark.parametrize("name", NOTES)
def test_notes_get_the_verdicts_that_sympy_gives(tmp_path: Path, name: str) -> None:
    path, expected, lines = tmp_path / "notes.md", {}, []
    for number, line in enumerate(NOTES[name].splitlines(), start=1):
        words = line.split()
        verdicts = [word for word in words if word in ("holds", "wrong", "?")]
        if verdicts:
            expected[number] = verdicts
        lines.append(" ".join(word for word in words if word not in ("holds", "wrong", "?")))
    path.write_text("\n".join(lines))
    got: dict[int, list[str]] = {}
    for finding in check_document(read_document(path)).findings:
        if finding.statement.role is not Role.MENTION:
            line = finding.document.position(finding.statement.row.text.offset).line
            got.setdefault(line, []).append(found(finding))
    assert got == expected


def test_a_wrong_derivative_is_repaired_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(
        r"Let $f(x,y) = 3xy - y^3$." + "\n"
        r"$$\frac{\partial f}{\partial y} = 3x - y^2$$" + "\n"
        r"$$\nabla f(1,2) = (6, 9)$$"
    )
    checked = check_document(read_document(path))
    (text,) = fix(checked).texts.values()
    assert r"= 3x - 3y^2$$" in text
    assert "= (6, -9)$$" in text
    path.write_text(text)
    assert [found(each) for each in check_document(read_document(path)).claims] == ["holds"] * 2


def test_a_claim_whose_time_is_over_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workings.claims.documents.check.LONGEST_SECONDS", -1.0)
    path = tmp_path / "notes.md"
    path.write_text(r"$$h = W x$$" + "\n" + r"$$\|h\|^2 = x^T W^T W x$$")
    (finding,) = check_document(read_document(path)).claims
    assert finding.not_read


def test_the_example_of_the_docs_is_true(tmp_path: Path) -> None:
    docs = (Path(__file__).parents[4] / "docs" / "documents.md").read_text()
    path = tmp_path / "notes.md"
    path.write_text(docs.partition("```markdown\n")[2].partition("```")[0])
    checked = check_document(read_document(path))
    assert [(each.position.line, found(each)) for each in checked.claims] == [
        (2, "holds"), (2, "holds"), (3, "wrong"), (5, "holds"),
    ]  # fmt: skip
    (wrong,) = checked.wrong
    assert wrong.result
    assert wrong.result.repair
    assert wrong.result.repair.formula.endswith("= 2 x")


def test_rows_that_are_all_set_off_are_statements_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(
        r"Let $f(x, y)=x^{4} y$." + "\n$$\n\\begin{aligned}\n"
        r"& f_{x}=4 x^{3} y \\" + "\n" + r"& f_{x y}=4 x^{3} \\" + "\n"
        r"& \frac{\partial^{3} f}{\partial x^{2} \partial y}=12 x^{2} \\" + "\n"
        r"& \frac{\partial^{3} f}{\partial x^{3}}=24 x" + "\n\\end{aligned}\n$$\n"
    )
    claims = check_document(read_document(path)).claims
    assert [found(each) for each in claims] == ["holds", "holds", "holds", "wrong"]
