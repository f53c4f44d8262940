"""What a user writes on the command line."""

import pytest
import torch

from workings.cost.arguments import parse_args, parse_input, whole_sizes
from workings.cost.counts.samples import Refused
from workings.errors import WorkingsError
from workings.formula.sizes import SizeFormula


def test_values_of_every_kind() -> None:
    found = parse_args("a=3, b=-2,c=0.5,d=1e-3,e=true,f=False,g=none,h='n',i=relu,j=n", ["n"])
    assert [found[key] for key in "abcdefghi"] == [3, -2, 0.5, 1e-3, True, False, None, "n", "relu"]
    assert isinstance(found["j"], SizeFormula)


def test_arithmetic_in_sizes() -> None:
    found = parse_args("width=4*d,each=d//h,both=(n+1)*(d-2)", ["n", "d", "h"])
    at = {"n": 3, "d": 10, "h": 4}
    assert {key: value(at) for key, value in found.items() if callable(value)} == {
        "width": 40,
        "each": 2,
        "both": 32,
    }


def test_a_bare_word_is_a_size_when_no_symbols_are_named() -> None:
    assert isinstance(parse_args("act=relu")["act"], SizeFormula)
    assert parse_args("act=relu", ["n"]) == {"act": "relu"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("width", "expected NAME=VALUE"),
        ("=3", "expected NAME=VALUE"),
        ("a=", "expected NAME=VALUE"),
        ("a-b=3", "expected NAME=VALUE"),
        ("a=1,a=2", "a: is given twice"),
        ("a=n+", "'n\\+': a formula was expected"),
        ("a=__import__('os')", "found '_' at character 1"),
    ],
)
def test_arguments_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(WorkingsError, match=message):
        parse_args(text)


def test_shapes_of_inputs() -> None:
    x = parse_input("L, 1, 2*d").tensor({"L": 3, "d": 4})
    assert x.shape == (3, 1, 8)
    assert x.dtype == torch.float32
    for kind in ("long", "int"):
        tokens = parse_input(f"{kind} B,T").tensor({"B": 2, "T": 5})
        assert tokens.shape == (2, 5)
        assert tokens.dtype == torch.long
        assert not tokens.any()
    assert parse_input("float n").tensor({"n": 2}).is_floating_point()


def test_a_shape_that_is_no_whole_number_refuses_the_size() -> None:
    with pytest.raises(Refused, match=r"d/h = 5/2: not a whole number"):
        parse_input("n,d/h").tensor({"n": 1, "d": 5, "h": 2})


def test_sizes() -> None:
    assert whole_sizes("n=512, d=64") == {"n": 512, "d": 64}
    for text in ("n=0", "n=1.5", "n=d", "n=true", "n=-3"):
        with pytest.raises(WorkingsError, match="a size is a whole number from 1 on"):
            whole_sizes(text)


def test_a_mask_is_an_input_of_truths() -> None:
    mask = parse_input("bool n,n").tensor({"n": 3})
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[True] * 3] * 3
