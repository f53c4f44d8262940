"""f^{(2)}(x): a derivative of a known f, a function of its own, or the activation of a layer."""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked
from workings.claims.documents.files.sources import constant
from workings.claims.documents.outline.numbered_functions import (
    NumberedFunctions,
    numbered_functions,
    with_numbered_functions,
)

SINE = r"$$f(x) = \sin x$$" + "\n\n"
TWO = "$$f^{(1)}(x) = x^2$$\n\n$$f^{(2)}(x) = 3x$$\n\n"


def spelt(text: str, functions: NumberedFunctions) -> str:
    return with_numbered_functions(constant(text, 0, 0), functions).text


def test_of_a_known_function_it_is_a_derivative() -> None:
    functions = numbered_functions([("f(x)", "x^3")], [])
    assert functions == NumberedFunctions(known=frozenset("f"))
    assert spelt("f^{(2)}(x) + f^{(1)}(0) = g^{(2)}(x)", functions) == (
        "f''(x) + f'(0) = g^{(2)}(x)"
    )
    assert spelt("f^{(5)}(t)", functions) == r"\frac{d^{5}}{dt^{5}} f(t)"


def test_what_is_made_of_numbered_ones_tells_them_apart() -> None:
    functions = numbered_functions([("f(x)", "f^{(2)}(f^{(1)}(x))")], [])
    assert functions == NumberedFunctions(apart=frozenset("f"))
    assert spelt("f^{(2)}(f^{(1)}(x))", functions) == "f_{2}(f_{1}(x))"


def test_two_numbers_at_plain_arguments_are_two_functions() -> None:
    assert numbered_functions([], ["g^{(1)}(x)", "g^{(2)}(x)"]).apart == {"g"}
    assert numbered_functions([("g^{(1)}(x)", "x^2")], []).apart == {"g"}


def test_an_activation_whose_argument_says_the_layer_is_left_alone() -> None:
    texts = [r"a^{[1]} = g^{[1]}(z^{[1]})", r"a^{[2]} = g^{[2]}(z^{[2]})"]
    assert numbered_functions([], texts) == NumberedFunctions()
    known = numbered_functions([("g(z)", r"\tanh(z)")], texts)
    assert spelt(texts[0], known) == texts[0]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (SINE + "$$f^{(2)}(x) + f(x) = 0$$", "holds"),
        (SINE + "$$f^{(4)}(x) = f(x)$$", "holds"),
        (SINE + "$$f^{(2)}(x) = f(x)$$", "holds with the sign flipped"),
        (TWO + "$$f^{(1)}(x) + f^{(2)}(x) = x^2 + 3x$$", "holds"),
        (TWO + "$$f^{(1)}(x) + f^{(2)}(x) = x^2 - 3x$$", "wrong value"),
        (TWO + "$$f^{(2)}(f^{(1)}(x)) = 3x^2$$", "holds"),
    ],
)
def test_claims_about_them_are_decided(tmp_path: Path, text: str, verdict: str) -> None:
    assert checked(tmp_path, text).findings[-1].verdict == verdict
