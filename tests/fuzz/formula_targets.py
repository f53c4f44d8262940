"""Fuzz targets of formulas: sizes, statements, sets of claims, documents."""

import json
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import torch

from tests.fuzz import mutate
from tests.fuzz.config_targets import ODD, to_toml
from tests.fuzz.target import Target
from workings.claims import book
from workings.claims.check import check_set, find
from workings.claims.documents import read_document
from workings.claims.documents.check import check_document
from workings.claims.documents.fix import fix
from workings.formula import Names, Scope, Undefined, latex, mathml, parse, parse_sizes, text

SIZES = [b"4*d", b"n^2(d + h) + nd^2", b"O(n^2 d)", b"d//h", b"\\sum_{i=1}^{n} i^2", b"n!", b"1/0"]
FORMULAS = [
    rb"\frac{\partial E}{\partial W} = x^T (x W - y)",
    rb"h^{(t)} = \tanh(x W + h^{(t-1)} U + b)",
    rb"p_j = \frac{e^{z_j}}{\sum_{k=1}^{V} e^{z_k}}",
    rb"\|x W - y\|^2 \le \|x\|_2^2 \cdot \|W\|_F^2",
    rb"\mathrm{tr}(A B) = \mathrm{tr}(B A)",
    rb"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} x = \begin{cases} 1 & a > 0 \\ 0 \end{cases}",
    "σ(x)(1 − σ(x)) ⊙ √(a + 1) ≠ ∑_{i=1}^{3} |x_i|".encode(),
    rb"\prod_{i=0}^{t} \left( 1 - \beta_i \right)^{-1} \binom{n}{k} n! \lfloor a \rfloor",
    rb"H \in \mathbb{R}^{m \times n}, \quad \forall i \ne j",
]
WORDS = [
    rb"\frac",
    rb"\sum_",
    rb"\left(",
    rb"\right)",
    rb"\begin{pmatrix}",
    rb"\end{pmatrix}",
    rb"\partial",
    b"^{",
    b"_{",
    b"}",
    b"{",
    b"|",
    rb"\|",
    b"&",
    rb"\\",
    b"!",
    b"^T",
    b"^{-1}",
    rb"\sqrt",
    rb"\mathrm{",
    rb"\operatorname{diag}",
    b"=",
    rb"\le",
    b"x",
    b"W",
    b"(t)",
    b"^",
    b"'",
    rb"\text{",
    rb"\lVert",
    rb"\rVert",
    rb"\int",
    rb"\lim",
    rb"\nabla",
    b"10^{9}",
    b"!!",
]
TEX = rb"""\documentclass{article}
\newcommand{\pd}[2]{\frac{\partial #1}{\partial #2}}
\begin{document}
Let $X \in \mathbb{R}^{n \times d}$, $w \in \mathbb{R}^{d}$ and $y \in \mathbb{R}^n$.
\begin{equation} J = \frac{1}{2} \|Xw - y\|^2 \end{equation}
\begin{align}
\pd{J}{w} &= X^T (Xw - y) \\
          &= X^T X w + X^T y
\end{align}
% workings: t onehot 1 x k
\[ (A B)^T = A^T B^T \]
\end{document}
"""
MARKDOWN = rb"""# Least squares
Let $X \in \mathbb{R}^{n \times d}$ and $w \in \mathbb{R}^{d}$, $y \in \mathbb{R}^n$.
$$J = \frac{1}{2} \|Xw - y\|^2$$
$$\frac{\partial J}{\partial w} = X^T (Xw + y)$$
<!-- workings: t onehot 1 x k -->
```math
\mathrm{tr}(A B) = \mathrm{tr}(B A)
```
"""
NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": MARKDOWN.decode()},
            {"cell_type": "code", "metadata": {}, "source": ["x = 1\n"], "outputs": []},
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
).encode()
DOCUMENT_WORDS = [
    *WORDS,
    *(rb"\input{part}", rb"\include{../outside/keep}", rb"\newcommand{\a}{\a\a}", rb"\a", b"$$"),
    *(rb"\begin{align}", rb"\end{align}", b"% workings: skip", rb"\def\b#1{#1#1#1}", rb"\b{\b{x}}"),
    *(
        b"% workings: ",
        b"<!-- workings: ",
        b"-->",
        b"```claims\n",
        b"```",
        rb"\label{e}",
        rb"\tag{1}",
    ),
]


def single_claims() -> list[dict[str, Any]]:
    """Every claim of the book, alone with the symbols and equations of its chapter."""
    alone = []
    for name in book.CHAPTERS:
        chapter = book.chapter(name).model_dump(mode="json", exclude_defaults=True)
        alone += [{**chapter, "claims": [claim]} for claim in chapter["claims"]]
    return alone


CLAIMS = single_claims()


def make_sizes(random: Random) -> bytes:
    """A formula in sizes, changed, or tokens in a row."""
    if random.random() < 0.5:
        return mutate.bytes_(random, SIZES, [b"(", b")", b"n", b"!", b"^", b"//", b"binom", b"|"])
    tokens = ("n", "d", "h", "2", "(", ")", "+", "-", "*", "/", "//", "^", "!", "|", " ", "9" * 40)
    return "".join(random.choices(tokens, k=random.randrange(1, 30))).encode()


def fuzz_sizes(content: bytes, folder: Path) -> None:
    """A formula in sizes is read, valued and multiplied out."""
    formula = parse_sizes(content.decode("utf-8", "replace"), ("n", "d", "h", "V"))
    polynomial = formula.polynomial()
    value = formula(dict.fromkeys(formula.names, 3))
    assert polynomial(dict.fromkeys(polynomial.symbols, 3)) == value


def make_formula(random: Random) -> bytes:
    """A formula, changed, or tokens in a row."""
    if random.random() < 0.7:
        return mutate.bytes_(random, FORMULAS, WORDS)
    return b" ".join(random.choices(WORDS, k=random.randrange(1, 25)))


def fuzz_formula(content: bytes, folder: Path) -> None:
    """A statement is read, written in every way, and its sides valued."""
    source = content.decode("utf-8", "replace")
    statement = parse(source)
    for write in (text, latex, mathml):
        assert [write(side) for side in statement.sides]
    names = Names(symbols=("x", "W", "y", "b", "A", "B", "z", "a", "h"), sizes=("n", "V", "d"))
    generator = torch.Generator().manual_seed(0)
    values = {
        name: torch.randn(2, 2, generator=generator, dtype=torch.float64) for name in names.symbols
    }
    scope = Scope({"n": 2, "V": 2, "d": 2}, values)
    for side in statement.sides:
        try:
            scope.value(names.resolve(side, source))
        except Undefined:
            return


def make_claims(random: Random) -> bytes:
    """One claim of the book with its chapter's symbols, values or bytes changed."""
    values = random.choice(CLAIMS)
    kind = random.random()
    if kind < 0.4:
        return to_toml(mutate.values(random, values, ODD))
    if kind < 0.6:
        return mutate.bytes_(random, [to_toml(values)], WORDS)
    claim = dict(values["claims"][0])
    key = random.choice(list(claim))
    if isinstance(claim[key], str):
        changed = mutate.bytes_(random, [claim[key].encode()], WORDS)
        claim[key] = changed.decode("utf-8", "replace").replace("\0", "")
    return to_toml({**values, "claims": [claim]})


def fuzz_claims(content: bytes, folder: Path) -> None:
    """A set of claims is read and checked."""
    (folder / "claims.toml").write_bytes(content)
    for claim_set in find("./claims.toml"):
        for result in check_set(claim_set):
            json.dumps(result.to_dict())


def _document(suffix: str) -> Any:
    def fuzz_document(content: bytes, folder: Path) -> None:
        path = folder / f"document{suffix}"
        path.write_bytes(content)
        checked = check_document(read_document(path))
        fix(checked)

    return fuzz_document


def make_notebook(random: Random) -> bytes:
    """A notebook with its JSON or the text of its cell changed."""
    if random.random() < 0.6:
        return mutate.json_(random, NOTEBOOK)
    values = json.loads(NOTEBOOK)
    source = mutate.bytes_(random, [MARKDOWN], DOCUMENT_WORDS)
    values["cells"][0]["source"] = source.decode("utf-8", "replace")
    return json.dumps(values).encode()


def document(suffix: str, content: bytes) -> Target:
    """The target of one kind of document."""
    make = partial(mutate.bytes_, seeds=[content], words=DOCUMENT_WORDS)
    return Target(suffix[1:], make, _document(suffix), [content], share=0.1)


TARGETS = [
    Target("sizes", make_sizes, fuzz_sizes, SIZES[:3], share=2),
    Target("formula", make_formula, fuzz_formula, FORMULAS[4:5], share=2),
    Target("claims", make_claims, fuzz_claims, [to_toml(CLAIMS[0])], share=0.2),
    document(".tex", TEX),
    document(".md", MARKDOWN),
    Target("ipynb", make_notebook, _document(".ipynb"), [NOTEBOOK], share=0.1),
]
