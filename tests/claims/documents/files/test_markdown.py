"""Markdown and notebooks: displays, fences of mathematics, comments; never code."""

import json
from pathlib import Path

import pytest

from workings.claims.documents import (
    Directive,
    Document,
    Inline,
    read_document,
    read_markdown,
    read_notebook,
    rows_of,
)
from workings.errors import WorkingsError


def formulas(document: Document) -> list[str]:
    return [" ".join(row.text.text.split()) for each in document.displays for row in rows_of(each)]


TEXT = r"""# Notes

<!-- workings: x 1 x d, y onehot 1 x k -->
Let $W \in \mathbb{R}^{d \times k}$, which costs $5.

$$a = 1$$

\[ b = 2 \]

```math
c = 3
```

```python
x = "$$not = 1$$"
```

`$$not = 2$$` and ``\[ not = 3 \]``

$$\begin{aligned} d &= 4 \\ &= 5 % workings: skip
\end{aligned}$$

\begin{align} \newcommand{\e}{e} \e &= 6 \end{align}

~~~
$$not = 4$$
~~~
"""


def test_displays_fences_and_comments_are_read_and_code_is_not(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(TEXT)
    document = read_markdown(path)
    assert formulas(document) == ["a = 1", "b = 2", "c = 3", "d = 4 = 5", "e = 6"]
    assert [item.text for item in document.items if isinstance(item, Directive)] == [
        "x 1 x d, y onehot 1 x k"
    ]
    assert [item.text.text for item in document.items if isinstance(item, Inline)] == [
        r"W \in \mathbb{R}^{d \times k}"
    ]
    assert [row.mode for each in document.displays for row in rows_of(each)][3] == "skip"
    row = rows_of(document.displays[2])[0]
    assert str(document.position(row.text.offset)) == f"{path}:11:1"


def notebook(*cells: dict[str, object]) -> str:
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_a_notebook_s_position_is_the_cell_and_its_line(tmp_path: Path) -> None:
    path = tmp_path / "homework.ipynb"
    path.write_text(
        notebook(
            {"cell_type": "code", "source": ["x = '$$not = 1$$'"], "outputs": []},
            {"cell_type": "markdown", "source": ["text\n", "$$\n", "  a = b\n", "$$"]},
            {"cell_type": "markdown", "source": "$$c = d$$"},
        )
    )
    document = read_notebook(path)
    assert formulas(document) == ["a = b", "c = d"]
    first, second = (rows_of(each)[0].text.offset for each in document.displays)
    assert str(document.position(first)) == f"{path}:2:3:3"
    assert str(document.position(second)) == f"{path}:3:1:3"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"cells": 3}',
        '{"cells": [3]}',
        '{"cells": [{"cell_type": "markdown", "source": [3]}]}',
        "[" * 100_000,
    ],
)
def test_what_is_no_notebook_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "homework.ipynb"
    path.write_text(text)
    with pytest.raises(WorkingsError, match="is not a notebook") as error:
        read_document(path)
    assert "\n" not in str(error.value)


def test_other_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(WorkingsError, match="no document"):
        read_document(tmp_path / "paper.docx")
    with pytest.raises(WorkingsError, match="no such file"):
        read_document(tmp_path / "paper.tex")


CODE = """---
title: x
cost: $2 + 3 = 6$
---

Text $2 + 2 = 4$.

    $2 + 2 = 5$
    more $2 + 2 = 7$

Then $3 + 3 = 7$.

- item

    with $1 + 1 = 3$.

<pre class="x">
$2 + 5 = 8$
</pre>

a <code>$2 + 7 = 8$</code>

    $$2 + 9 = 8$$

<pre> $2 + 4 = 6$
"""


def test_code_by_indentation_elements_and_front_matter_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(CODE)
    items = read_document(path).items
    inline = [each.text.text for each in items if isinstance(each, Inline)]
    assert inline == ["2 + 2 = 4", "3 + 3 = 7", "1 + 1 = 3", "2 + 4 = 6"]
    assert formulas(read_document(path)) == ["2 + 9 = 8"]
