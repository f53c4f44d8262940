"""Derivations of machine learning as people write them: layers, gates, labels, examples.

Every class has a claim that is right, and one that differs from it by a slip and must not hold.
"""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked, last_holds
from workings.claims.documents.files.sources import constant
from workings.claims.documents.formats import message
from workings.claims.documents.outline.class_labels import as_written, class_labels, with_one_hot

TWO_LAYERS = r"""The penalty is $R(W) = \|W\|^2$.
$$h = \max(0, W_1 x + b_1)$$
$$s = W_2 h + b_2$$
$$E = \frac12 \|s - t\|^2$$
"""
LAYERS_BELOW = r"""$$z_l = a_{l-1} W_l + b_l$$
$$a_l = f_l(z_l)$$
$$\delta_l = \frac{\partial J(W, b)}{\partial z_l}$$
"""
GATES = r"""$$f_t = \sigma(W_f x_t + U_f h_{t-1})$$
$$i_t = \sigma(W_i x_t + U_i h_{t-1})$$
$$c_t = f_t \odot c_{t-1} + i_t \odot x_t$$
In another cell, $W x_t$ is all.
"""
LABEL = r"""$$L = \frac12 o_t^2$$
$$1(i = t) \geq 0$$
"""
EXAMPLES = r"""$$\hat y_i = \sigma(w^T x_i + b)$$
$$J = -\frac1N \sum_{i=1}^N [y_i \log \hat y_i + (1 - y_i) \log(1 - \hat y_i)]$$
"""
MEAN = r"""$$m = \frac1d \sum_i x_i$$
$$s = \sqrt{\frac1d \sum_i (x_i - m)^2}$$
"""
NG = r"""$$z = w^T x + b$$
$$\hat y = a = \sigma(z)$$
$$dw = x \, dz$$
$$da = 1$$
$$\mathcal{L}(a, y) = -(y \log a + (1 - y) \log(1 - a))$$
"""
SOME_FUNCTION = r"""$$z = w x + b$$
$$a = f(z)$$
$$L = \frac12 (a - y)^2$$
"""
ATTENTION = r"""$$S = \frac{Q K^T}{\sqrt{d_k}}$$
$$P = \mathrm{softmax}(S)$$
With $dS = \frac{\partial L}{\partial S}$ and $P(O = o \mid C = c)$ of another page:
"""
HYPOTHESIS = r"""# One
$$h_\theta(x) = \theta^T x$$
# Two
$$h_\theta(x) = (\theta^T x)^2$$
$$J(\theta) = \sum_{i=1}^m h_\theta(x^{(i)}) y^{(i)}$$
"""
RIGHT_AND_WRONG = {
    "numbered matrices beside a W": (
        TWO_LAYERS,
        r"\frac{\partial E}{\partial W_2} = (s - t) h^T",
        r"\frac{\partial E}{\partial W_2} = h (s - t)^T",
    ),
    "a derivative by a bias behind max(0, z)": (
        TWO_LAYERS,
        r"\frac{\partial E}{\partial b_1} = W_2^T (s - t) \odot \mathbb{1}(h > 0)",
        r"\frac{\partial E}{\partial b_1} = W_2^T (s - t) \odot \mathbb{1}(h < 0)",
    ),
    "layers below the symbols, and a loss with its arguments": (
        LAYERS_BELOW,
        r"\therefore \frac{\partial J(W, b)}{\partial W_l} = a_{l-1}^T \delta_l",
        r"\therefore \frac{\partial J(W, b)}{\partial W_l} = 2 a_{l-1}^T \delta_l",
    ),
    "gates at one step": (
        GATES,
        r"\frac{\partial E}{\partial f_t} = \frac{\partial E}{\partial c_t} \odot c_{t-1}",
        r"\frac{\partial E}{\partial f_t} = \frac{\partial E}{\partial c_t} \odot i_t",
    ),
    "a label in cases": (
        LABEL,
        r"\frac{\partial L}{\partial o_i} = \begin{cases} o_i & i = t \\ 0 & i \neq t \end{cases}",
        r"\frac{\partial L}{\partial o_i} = \begin{cases} 0 & i = t \\ o_i & i \neq t \end{cases}",
    ),
    "examples as rows": (
        EXAMPLES,
        r"\frac{\partial J}{\partial w} = \frac1N \sum_{i=1}^N (\hat y_i - y_i) x_i",
        r"\frac{\partial J}{\partial w} = \sum_{i=1}^N (\hat y_i - y_i) x_i",
    ),
    "a mean over all entries": (
        MEAN,
        r"\frac{\partial s}{\partial x_i} = \frac{x_i - m}{d s}",
        r"\frac{\partial s}{\partial x_i} = \frac{x_i}{d s}",
    ),
    "a name between two others, and d before names": (
        NG,
        r"\frac{d\mathcal{L}}{dz} = a - y",
        r"\frac{d\mathcal{L}}{dz} = y - a",
    ),
    "some function, that is something else in a later section": (
        SOME_FUNCTION,
        r"\frac{\partial L}{\partial w} = (a - y) f'(z) x",
        r"\frac{\partial L}{\partial w} = (a - y) f'(z) w",
    ),
    "a gradient with a d behind a bracket": (
        ATTENTION,
        r"dQ = \frac{1}{\sqrt{d_k}}dS K",
        r"dQ = \frac{1}{\sqrt{d_k}}dS^T K",
    ),
    "a function that a later section says anew": (
        HYPOTHESIS,
        r"\nabla_\theta J = 2 \sum_{i=1}^m \theta^T x^{(i)} y^{(i)} x^{(i)}",
        r"\nabla_\theta J = \sum_{i=1}^m \theta^T x^{(i)} y^{(i)} x^{(i)}",
    ),
    "an arrow between two equations": (
        "",
        r"f(x) = x^3 \rightarrow \frac{df}{dx} = 3 x^2",
        r"f(x) = x^3 \rightarrow \frac{df}{dx} = 2 x^2",
    ),
    "entries as programs write them": (
        "$$y = W x$$\n",
        r"\frac{\partial y[i]}{\partial x[j]} = W[i, j]",
        r"\frac{\partial y[i]}{\partial x[j]} = W[j, i]",
    ),
}
LATER = {SOME_FUNCTION: "\n# Traces\nLet $f = \\mathrm{tr}(A X)$.\n"}


@pytest.mark.parametrize("name", RIGHT_AND_WRONG)
def test_a_claim_holds_and_one_with_a_slip_does_not(tmp_path: Path, name: str) -> None:
    before, right, wrong = RIGHT_AND_WRONG[name]
    after = LATER.get(before, "")
    assert last_holds(tmp_path, f"{before}$${right}$$\n{after}")
    assert not last_holds(tmp_path, f"{before}$${wrong}$$\n{after}")


def test_what_holds_at_one_step_says_so(tmp_path: Path) -> None:
    _, right, _ = RIGHT_AND_WRONG["gates at one step"]
    assert "for one step" in message(checked(tmp_path, f"{GATES}$${right}$$").claims[-1])


@pytest.mark.parametrize(
    "claim",
    [
        r"\frac{\partial E}{\partial c_t} = \frac{\partial E}{\partial f_t}",
        r"\frac{\partial E}{\partial c_{t-1}} = \frac{\partial E}{\partial c_t} \odot i_t",
    ],
    ids=["a state that the next step has", "a state of the step before"],
)
def test_nothing_is_called_wrong_of_any_function_of_states(tmp_path: Path, claim: str) -> None:
    assert not checked(tmp_path, f"{GATES}$${claim}$$").wrong


@pytest.mark.parametrize(
    ("written", "spelt"),
    [
        (r"\mathbb{1}\{y_i = k\}", r"\mathrm{onehoty}_{i,k}"),
        (r"1(k = y_i)", r"\mathrm{onehoty}_{i,k}"),
        (r"e^{f_{y_i}}", r"e^{(\sum_{q} \mathrm{onehoty}_{i,q} f_{q})}"),
        (r"\sum_{j \neq y_i} s_j", r"\sum_{j} (1 - \mathrm{onehoty}_{i,j}) s_j"),
        (r"y_i \log p_i", r"y_i \log p_i"),
    ],
)
def test_a_question_for_a_label_is_an_entry_of_a_one_hot_matrix(written: str, spelt: str) -> None:
    assert with_one_hot(constant(written, 0, 0), frozenset("y")).text == spelt
    if "q" not in spelt and "sum" not in spelt:
        assert "onehot" not in as_written(spelt)


def test_only_a_letter_that_is_asked_for_is_a_label() -> None:
    assert class_labels([r"\mathbb{1}\{y_i = k\} \log p_k"]) == {"y"}
    assert class_labels([r"\mathbb{1}(k = y) - p_y"]) == {"y"}
    assert class_labels([r"\mathbb{1}(k = y)", r"y_k \log p_k"]) == frozenset()
    assert class_labels([r"\sum_c \mathbb{1}(c = k)", r"-\log p_c"]) == frozenset()


def test_what_only_an_odd_reading_gives_a_value_is_not_called_wrong(tmp_path: Path) -> None:
    """x is declared for another section, so that only a C that is a row would fit."""
    text = r"""For $x \in \mathbb{R}^2$.
$$J = \frac12 \|\mathbf{w}\|^2 + C \sum_{i=1}^n \max(0, 1 - y_i (\mathbf{w}^T \mathbf{x}_i + b))$$
$$\nabla_{\mathbf{w}} J = \mathbf{w}
  - C \sum_{i=1}^n y_i \mathbf{x}_i \mathbf{1}\{y_i (\mathbf{w}^T \mathbf{x}_i + b) < 1\}$$"""
    assert not checked(tmp_path, text).wrong


RECURRENT = r"""$$h_t = \tanh(W h_{t-1} + x_t)$$
$$L = \sum_{t=1}^{T} L_t, \qquad L_t = \frac12 \|h_t - y_t\|^2$$
"""


def test_a_loss_of_all_steps_asks_for_them_and_holds_once_they_are_said(tmp_path: Path) -> None:
    claim = r"$$\frac{\partial L}{\partial y_t} = y_t - h_t$$"
    (asked,) = (message(each) for each in checked(tmp_path, RECURRENT + claim).claims)
    line = "<!-- workings: steps 3, h_0 n x 1 -->"
    assert line in asked
    assert last_holds(tmp_path, f"{line}\n{RECURRENT}{claim}")
