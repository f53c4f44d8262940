"""The functions that a formula may call: the table is all there is."""

import math
from collections.abc import Callable
from functools import partial
from itertools import combinations_with_replacement

import torch
from torch import Tensor
from torch.nn.functional import gelu, leaky_relu, softplus

from workings.errors import WorkingsError
from workings.formula.errors import Undefined

LARGEST = 1_000_000  # entries of one value: 8 MB
MOST_WORK = 100_000_000  # multiplications of one product


def check_size(*sides: int) -> None:
    """Refuse a value that would be too large, before it is made."""
    if math.prod(sides) > LARGEST:
        shown = "×".join(map(str, sides))
        raise WorkingsError(f"a value of {shown} entries is too large; give smaller [sizes]")


def softmax(x: Tensor) -> Tensor:
    """Over the entries of a vector, over each row of a matrix."""
    return torch.softmax(x, 0 if x.ndim < 2 or x.shape[1] == 1 else 1)


def diag(x: Tensor) -> Tensor:
    """A vector on a diagonal; of a square matrix, its diagonal part."""
    if x.ndim < 2:
        return x
    if 1 in x.shape:
        check_size(x.numel(), x.numel())
        return torch.diag(x.reshape(-1))
    return torch.diag(torch.diagonal(square(x, "diag")))


def square(x: Tensor, what: str) -> Tensor:
    """The matrix itself, which must be square."""
    if x.ndim < 2 or x.shape[0] != x.shape[1]:
        raise Undefined(f"{what} of {shape(x)}, which is not square")
    return x


def shape(x: Tensor) -> str:
    """The shape of a value for a message: 2×3, or a number."""
    return "×".join(map(str, x.shape)) if x.ndim else "a number"


def norm(x: Tensor, order: Tensor | None = None) -> Tensor:
    """The 2-norm of all entries (Frobenius for a matrix), or their 1-norm, or the largest."""
    if order is not None and order.numel() != 1:
        raise Undefined(f"a norm of the order {shape(order)}")
    if order is None or float(order) == 2:
        return (x * x).sum().sqrt()
    return x.abs().sum() if float(order) == 1 else x.abs().max()


def log(x: Tensor, base: Tensor | None = None) -> Tensor:
    """The natural logarithm, or that to a base."""
    return torch.log(x) if base is None else torch.log(x) / torch.log(base)


def outer(a: Tensor, b: Tensor) -> Tensor:
    """u ⊗ v of two vectors, numel(u) × numel(v)."""
    if (a.ndim == 2 and 1 not in a.shape) or (b.ndim == 2 and 1 not in b.shape):
        raise Undefined(f"⊗ of {shape(a)} and {shape(b)}; it takes two vectors")
    check_size(a.numel(), b.numel())
    return a.reshape(-1, 1) @ b.reshape(1, -1)


def inverse(x: Tensor) -> Tensor:
    """x⁻¹ of a square matrix or a number."""
    if x.ndim == 0:
        return 1 / x
    try:
        return torch.linalg.inv(square(x, "the inverse"))
    except RuntimeError:  # torch's LinAlgError
        raise Undefined(f"the inverse of a singular matrix, {shape(x)}") from None


def concat(*parts: Tensor) -> Tensor:
    """Vectors joined to one, along their length; matrices side by side."""
    blocks = [part.reshape(1, 1) if part.ndim == 0 else part for part in parts]
    columns = all(block.shape[1] == 1 for block in blocks)
    check_size(sum(block.numel() for block in blocks))
    try:
        return torch.cat(blocks, 0 if columns else 1)
    except RuntimeError:
        raise Undefined(f"{' and '.join(map(shape, parts))} joined") from None


def binom(top: Tensor, *bottom: Tensor) -> Tensor:
    """n over k; over k_1, …, k_D the multinomial."""
    n, k = _whole(top), [_whole(part) for part in bottom]
    if len(k) == 1:
        return top.new_tensor(float(math.comb(n, k[0])))
    if sum(k) != n:
        raise Undefined(f"a multinomial of {n} over parts that add up to {sum(k)}")
    return top.new_tensor(float(math.factorial(n) // math.prod(map(math.factorial, k))))


def factorial(x: Tensor) -> Tensor:
    """x! of a whole number."""
    return x.new_tensor(float(math.factorial(_whole(x))))


def _whole(x: Tensor) -> int:
    if x.numel() != 1 or not float(x).is_integer() or not 0 <= float(x) <= 170:
        raise Undefined("a factorial or binomial of what is not a whole number from 0 to 170")
    return int(x)


def maclaurin(x: Tensor, order: Tensor) -> Tensor:
    """The compact feature map φ of exp's series to order K: φ(q)·φ(k) = Σ_{n≤K} (q·k)ⁿ/n!.

    Of every row of a matrix: the monomials of degree K in (1, x), each once in lexicographic order,
    over the root of the factorials of x's exponents.
    """
    if order.numel() != 1 or not float(order).is_integer() or not 1 <= float(order) <= 12:
        raise Undefined("a feature map whose order is not a whole number from 1 to 12")
    degree = int(order)
    rows = x if x.ndim == 2 and x.shape[1] > 1 else x.reshape(1, -1)
    width = rows.shape[1]
    check_size(math.comb(width + degree, degree), len(rows), degree)
    monomials = list(combinations_with_replacement(range(width + 1), degree))
    weights = [
        math.prod(math.factorial(monomial.count(i)) for i in set(monomial) - {0})
        for monomial in monomials
    ]
    lifted = torch.cat([torch.ones_like(rows[:, :1]), rows], 1)
    features = lifted[:, torch.tensor(monomials)].prod(-1) / x.new_tensor(weights).sqrt()
    return features.reshape(-1, 1) if x.ndim == 2 and x.shape[1] == 1 else features


ELEMENTWISE: dict[str, Callable[[Tensor], Tensor]] = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "relu": torch.relu,
    "leakyrelu": partial(leaky_relu, negative_slope=0.2),
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
}
FUNCTIONS: dict[str, Callable[..., Tensor]] = {
    **ELEMENTWISE,
    "\\sigma": torch.sigmoid,
    "logistic": torch.sigmoid,
    "ReLU": torch.relu,
    "ReLu": torch.relu,
    "Relu": torch.relu,
    "LeakyReLU": ELEMENTWISE["leakyrelu"],
    "LeakyRelu": ELEMENTWISE["leakyrelu"],
    "log": log,
    "ln": log,
    "softmax": softmax,
    "Softmax": softmax,
    "diag": diag,
    "Diag": diag,
    "norm": norm,
    "tr": lambda x: square(x, "the trace").diagonal().sum(),
    "trace": lambda x: square(x, "the trace").diagonal().sum(),
    "det": lambda x: torch.linalg.det(square(x, "the determinant")),
    "sum": torch.sum,
    "mean": torch.mean,
    "max": torch.max,
    "min": torch.min,
    "vec": lambda x: x.reshape(-1, 1),
    "outer": outer,
    "concat": concat,
    "Concat": concat,
    "binom": binom,
    "factorial": factorial,
    "transpose": lambda x: x.t() if x.ndim == 2 else x,
    "inv": inverse,
    "maclaurin": maclaurin,
}
POINTWISE = frozenset(
    name for name, function in FUNCTIONS.items() if function in ELEMENTWISE.values()
) | {"log", "ln"}
