"""Activations and other functions of every entry, with where their kinks are."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.functional import gelu, silu

from workings.formula.errors import Undefined
from workings.formula.evaluation.matrices import shape


def softplus(x: Tensor) -> Tensor:
    """log(1 + exp(x)), exact for large x too, where torch.nn's is a straight line."""
    return torch.logaddexp(x, torch.zeros_like(x))


def step(x: Tensor) -> Tensor:
    """Heaviside's step: 1 above 0, else 0."""
    return (x > 0).to(x.dtype)


def leaky(x: Tensor, slope: Tensor | None = None) -> Tensor:
    """LeakyReLU with a slope below zero, 0.2 if none is given."""
    if slope is not None and slope.numel() != 1:
        raise Undefined(f"LeakyReLU with a slope of {shape(slope)}")
    return torch.where(x > 0, x, x * (0.2 if slope is None else slope.reshape(())))


def elu(x: Tensor, scale: Tensor | None = None) -> Tensor:
    """x above 0, α(exp(x) - 1) below, with α = 1 if none is given."""
    if scale is not None and scale.numel() != 1:
        raise Undefined(f"ELU with an α of {shape(scale)}")
    below = torch.expm1(torch.minimum(x, torch.zeros_like(x)))
    return torch.where(x > 0, x, below if scale is None else scale.reshape(()) * below)


def clip(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Every entry, moved to the nearer bound where it is beyond it."""
    if any(bound.numel() != 1 and bound.shape != x.shape for bound in (low, high)):
        raise Undefined(f"{shape(x)} between {shape(low)} and {shape(high)}")
    bounds = (bound.reshape(()) if bound.numel() == 1 else bound for bound in (low, high))
    least, most = bounds
    return torch.minimum(torch.maximum(x, least), most)


ELEMENTWISE: dict[str, Callable[[Tensor], Tensor]] = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "relu": torch.relu,
    "softplus": softplus,
    "gelu": gelu,
    "exp": torch.exp,
    "sqrt": torch.sqrt,
    "sin": torch.sin,
    "cos": torch.cos,
    "cosh": torch.cosh,
    "sinh": torch.sinh,
    "abs": torch.abs,
    "sign": torch.sign,
    "silu": silu,
    "erf": torch.erf,
    "sech": lambda x: 1 / torch.cosh(x),
    "tan": torch.tan,
    "sec": lambda x: 1 / torch.cos(x),
    "csc": lambda x: 1 / torch.sin(x),
    "cot": lambda x: 1 / torch.tan(x),
    "arcsin": torch.asin,
    "arccos": torch.acos,
    "arctan": torch.atan,
    "relu6": functional.relu6,
    "hardtanh": functional.hardtanh,
    "hardsigmoid": lambda x: (x / 6 + 0.5).clamp(0, 1),
    "hardswish": functional.hardswish,
    "tanhshrink": functional.tanhshrink,
    "softsign": functional.softsign,
    "selu": functional.selu,
    "mish": functional.mish,
    "logsigmoid": functional.logsigmoid,
    "Heaviside": step,
}
SPELLINGS: dict[str, Callable[..., Tensor]] = {
    "\\sigma": torch.sigmoid,
    "logistic": torch.sigmoid,
    "ReLU": torch.relu,
    "ReLu": torch.relu,
    "Relu": torch.relu,
    "leakyrelu": leaky,
    "LeakyReLU": leaky,
    "LeakyRelu": leaky,
    "elu": elu,
    "ELU": elu,
    "Hardswish": functional.hardswish,
    "HardSwish": functional.hardswish,
    "Hardsigmoid": ELEMENTWISE["hardsigmoid"],
    "Softsign": functional.softsign,
    "SELU": functional.selu,
    "Mish": functional.mish,
    "ReLU6": functional.relu6,
    "HardTanh": functional.hardtanh,
    "Hardtanh": functional.hardtanh,
    "SiLU": silu,
    "Swish": silu,
    "swish": silu,
    "GELU": gelu,
    "Softplus": softplus,
    "LogSigmoid": functional.logsigmoid,
    "heaviside": step,
    "sgn": torch.sign,
    "Sign": torch.sign,
    "logit": lambda x: torch.log(x) - torch.log1p(-x),
    "clip": clip,
    "clamp": clip,
}
"""other names of these, and functions with more than one argument"""
KINKS: Mapping[str, tuple[float, ...]] = {
    "relu": (0,), "leakyrelu": (0,), "abs": (0,), "sign": (0,), "hinge": (0,), "step": (0,),
    "heaviside": (0,), "elu": (0,), "selu": (0,), "sgn": (0,), "softsign": (0,),
    "relu6": (0, 6), "hardtanh": (-1, 1), "hardsigmoid": (-3, 3),
    "hardswish": (-3, 3),
}  # fmt: skip
"""by the name in lower case: where a function of one number has a kink or a jump"""
