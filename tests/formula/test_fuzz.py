"""Whatever is given as a formula is read, or is refused by an error of ours, and soon."""

# ruff: noqa: E501 (tokens stand together as they come)

import time

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

from tests.claims.sets import fence
from tests.formula.test_mathematics import FUNCTIONS, MATHEMATICS, WORDS, names, scope
from workings.errors import WorkingsError
from workings.formula.errors import Undefined
from workings.formula.parsing.parse import parse
from workings.formula.printing.latex import latex
from workings.formula.printing.mathml import mathml
from workings.formula.printing.text import text as plain
from workings.formula.resolution.readings import readings
from workings.formula.sizes import parse_sizes

TOKENS = r"""
x y A B W a b c d n T 0 1 2 23 i j k + - * / // ^ _ ( ) { } [ ] | \| ' ! , ; : = < > \le \ne & \\ \cdot
\times \odot \otimes \sum \prod \max \arg \min \frac \partial \nabla d \delta \sqrt \exp \log \sigma e
\mathrm \text \mathbf \mathbb{1} \mathbb{E} \mathbb{R} \hat \vec \begin{cases} \end{cases}
\begin{bmatrix} \end{bmatrix} \langle \rangle \{ \} \dots \infty ^T ^{-1} ^+ ^{(t)} _{ij} _{i,:} _i f g
softmax tr \det \underbrace \stackrel{a}{=} \text{otherwise} \in \sim \left \right \quad . \binom I_n
\sum_{i<j} \sum_{i\in\{1,2\}} \frac{\partial}{\partial \nabla^2 \nabla_x \partial_x L L(w) \prime \top
""".split()  # noqa: SIM905
PIECES = [text for _, texts in MATHEMATICS.values() for text in texts]

soups = st.lists(st.sampled_from(TOKENS), max_size=14).map(" ".join)
cuts = st.tuples(st.sampled_from(PIECES), st.integers(0, 60), st.integers(0, 60)).map(
    lambda cut: cut[0][: cut[1]] + cut[0][cut[1] + cut[2] % 4 :]
)
mixed = st.lists(st.one_of(st.sampled_from(PIECES), soups), max_size=3).map(" ".join)


def read_and_compute(text: str) -> None:
    """Every reading of a text computed and written; errors of ours are an answer."""
    try:
        found = readings(text, names(functions=FUNCTIONS, indices=["k"]), WORDS, FUNCTIONS)
    except WorkingsError:
        return
    for reading in found:
        for side in reading.statement.sides:
            assert latex(side) is not None
            assert mathml(side)
            assert plain(side) is not None
            try:
                scope().value(side)
            except (Undefined, WorkingsError):
                continue


@pytest.mark.parametrize("texts", [soups, cuts, mixed], ids=["soups", "cuts", "mixed"])
def test_no_text_ends_in_another_error(texts: st.SearchStrategy[str]) -> None:
    @given(texts)
    @settings(max_examples=400, deadline=None, derandomize=True)
    @example(r"\sum_i (x_i - c)^2")
    @example(r"\frac{\partial}{\partial x} \sum_i i")
    def check(text: str) -> None:
        began = time.process_time()
        read_and_compute(text)
        assert time.process_time() - began < 30, text

    check()


@given(st.text(alphabet="nd h24+-*/^()²_{}[]|!,.\\=<αO", max_size=30))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_no_size_ends_in_another_error(text: str) -> None:
    try:
        formula = parse_sizes(text, ("n", "d", "h"))
        formula(dict.fromkeys(formula.names, 3))
        formula.polynomial()
    except WorkingsError:
        return


@pytest.mark.parametrize(
    "piece",
    [r"\frac{", r"\frac{d ", r"\frac{\partial ", "|", r"\|", "[", r"\{", r"\langle a, ", "f(", "1[", r"\nabla_x ",
     r"\sum_{i<", r"\underbrace{", r"\begin{cases} a & a > ", r"\stackrel{", r"\underset{i}{\max ", r"\mathbb{E}_{",
     r"\max_{", "x_{", "x^{", "x'", "d(", "da/", r"\hat{", r"\text{a b ", "e^{", "L(", r"\sqrt[", r"\binom{a}{"],
)  # fmt: skip
def test_nothing_takes_exponential_time(piece: str) -> None:
    began = time.process_time()
    with fence(20):
        for text in (piece * 40, piece * 400, piece * 40 + "a" + "}" * 40):
            try:
                parse(text, WORDS, FUNCTIONS)
            except WorkingsError:
                continue
    assert time.process_time() - began < 20
