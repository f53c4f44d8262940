"""What a document writes out nowhere: an equation about it is no claim that can be checked."""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked

LOSS = r"$$J = \frac12 \|W x - y\|^2$$" + "\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (r"$$\frac{\partial J}{\partial u} = (\sigma(u^T v) - 1) v$$", "what J is"),
        (r"$p(y \mid x)$ $$\log p(D \mid \theta) = k \log\theta - n \theta$$", "it says what"),
    ],
    ids=["a loss", "a likelihood"],
)
def test_what_is_written_nowhere_cannot_be_checked(tmp_path: Path, text: str, why: str) -> None:
    found = checked(tmp_path, text + "\n")
    assert found.claims == []
    assert why in found.not_checked[-1].statement.why


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (LOSS + r"$$\frac{\partial J}{\partial W} = (W x - y) x^T$$", "holds"),
        (LOSS + r"$$\frac{\partial J}{\partial W} = (W x + y) x^T$$", "wrong value"),
        (r"$$\frac{\partial J}{\partial W} = \frac{\partial J}{\partial z} x^T$$", "not read"),
        (r"$$J = \{ W : W \mid x \}$$ $$\frac{\partial J}{\partial W} = W x$$", "not read"),
    ],
    ids=["right", "wrong", "a chain rule", "a definition that is not read"],
)
def test_what_is_written_somewhere_is_a_claim(tmp_path: Path, claim: str, verdict: str) -> None:
    assert str(checked(tmp_path, claim + "\n").claims[-1].verdict) == verdict


def test_behind_a_link_that_says_what_something_is_the_chain_is_checked(tmp_path: Path) -> None:
    chain = r"$p(y \mid x)$ $$\log p(k \mid \lambda) = \log \frac{\lambda^k e^{-\lambda}}{k!} = "
    for last, holds in ((r"k \log\lambda - \lambda - \log(k!)", True), (r"k - \lambda", False)):
        found = checked(tmp_path, f"{chain}{last}$$\n")
        results = [each.result for each in found.claims]
        assert any(each is not None and each.holds for each in results) == holds


@pytest.mark.parametrize(
    "text",
    [
        r"$$w^{k+1} = w^{k} - \alpha \frac{\partial L}{\partial w^k}$$",
        r"$$\mathbf{w}^{1}=\mathbf{w}^{0}-\alpha\nabla g\left(\mathbf{w}^{0}\right)$$",
    ],
)
def test_a_step_of_a_descent_is_no_claim(tmp_path: Path, text: str) -> None:
    found = checked(tmp_path, f"A step is\n\n{text}\n")
    assert found.claims == []
    assert "one step" in found.not_checked[-1].statement.why
