"""Ways of writing that are read as one: each in a claim that holds, and in one that does not."""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked

SOFTMAX = r"$$\hat y = \mathrm{softmax}(z)$$"
PAIRS = [
    ("nothing behind a ∂", r"$$\frac{\partial{}}{\partial{x}}(x^2 y) = ", r"2 x y$$", r"x y$$"),
    ("\\over", r"$${{a + 1} \over b} = {a \over b} + ", r"{1 \over b}$$", r"{b \over 1}$$"),
    ("a cross-entropy by name", SOFTMAX + r"$$J = CE(y, \hat y)$$ $$\frac{\partial J}{\partial z} ="
     r" ",
     r"\hat y - y$$", r"y - \hat y$$"),
    ("a set that sums go over", SOFTMAX + r"$$-\sum_{w \in Vocab} y_w \log \hat y_w = ",
     r"-\sum_k y_k \log \hat y_k$$", r"\sum_k y_k \log \hat y_k$$"),
    ("t as an index", r"$$v = \sum_{t=1}^{n} e^{z_t}$$ $$\frac{\partial v}{\partial z_j} = ",
     r"e^{z_j}$$", r"-e^{z_j}$$"),
    ("entries by number alone", r"$$y = \sum_i w_i x_i$$ $$(w_{41} + w_{42}) a = ",
     r"w_{41} a + w_{42} a$$", r"w_{41} a - w_{42} a$$"),
    ("what stands under a logarithm is positive", r"$$\log(\lambda^2 \mu) = ",
     r"2 \log \lambda + \log \mu$$", r"\log \lambda + \log \mu$$"),
    ("factorials are of whole numbers", r"$$\log \frac{\lambda^k}{k!} = ",
     r"k \log \lambda - \log(k!)$$", r"k \log \lambda + \log(k!)$$"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "right", "wrong"), [each[1:] for each in PAIRS],
                         ids=[each[0] for each in PAIRS])  # fmt: skip
def test_a_way_of_writing_is_read(tmp_path: Path, text: str, right: str, wrong: str) -> None:
    for side, holds in ((right, True), (wrong, False)):
        result = checked(tmp_path, f"{text}{side}\n").claims[-1].result
        assert result is not None
        assert result.holds == holds
