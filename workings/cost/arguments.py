"""What a user writes on the command line: constructor arguments, shapes of inputs, sizes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from workings.cost.counts.samples import Refused
from workings.errors import WorkingsError
from workings.formula.polynomial import Sizes
from workings.formula.sizes import SizeFormula, parse_sizes

Value = SizeFormula | int | float | bool | str | None


@dataclass(frozen=True)
class Input:
    """One input of forward: its shape in named sizes, float, token ids (zeros) or a mask (true)."""

    shape: tuple[SizeFormula, ...]
    tokens: bool = False
    mask: bool = False

    def tensor(self, sizes: Sizes) -> Tensor:
        """An input of these sizes, with values that are always valid."""
        shape = [whole(dimension, sizes) for dimension in self.shape]
        if self.mask:
            return torch.ones(shape, dtype=torch.bool)
        return torch.zeros(shape, dtype=torch.long) if self.tokens else torch.randn(shape)


def whole(expression: SizeFormula, sizes: Sizes) -> int:
    """The value of an expression, which must be a whole number."""
    value = expression(sizes)
    if value.denominator != 1 or value < 0:
        raise Refused(f"{expression} = {value}: not a whole number")
    return int(value)


def parse_args(text: str, symbols: Sequence[str] | None = None) -> dict[str, Value]:
    """`hidden_size=4*d,bias=false` into constructor arguments.

    A value is a number, true, false or none, arithmetic in sizes, or a word. A bare name is a size
    if it is among `symbols`, or if none are given; quoted, it is always a word.
    """
    args: dict[str, Value] = {}
    for part in _split(text):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key.isidentifier() or not value:
            raise WorkingsError(f"{part.strip()!r}: expected NAME=VALUE, such as hidden_size=N_h")
        if key in args:
            raise WorkingsError(f"{key}: is given twice")
        args[key] = _value(value, symbols)
    return args


def _value(text: str, symbols: Sequence[str] | None) -> Value:
    words: dict[str, Value] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if re.fullmatch(r"-?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d+)?", text):
        return float(text)
    if text.isidentifier() and symbols is not None and text not in symbols:
        return text
    return parse_sizes(text)


def parse_input(text: str) -> Input:
    """`L,1,N_i` is a float tensor of that shape, `long B,T` token ids, `bool n,n` a mask."""
    kind, space, shape = text.strip().partition(" ")
    is_typed = bool(space) and kind in ("long", "int", "float", "bool")
    parts = _split(shape if is_typed else text)
    shapes = tuple(parse_sizes(part) for part in parts)
    return Input(shapes, is_typed and kind in ("long", "int"), is_typed and kind == "bool")


def _split(text: str) -> list[str]:
    """At commas, but not inside parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def whole_sizes(text: str) -> dict[str, int]:
    """`n=512,d=64` into sizes."""
    sizes = {}
    for key, value in parse_args(text).items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise WorkingsError(f"{key}={value}: a size is a whole number from 1 on")
        sizes[key] = value
    return sizes
