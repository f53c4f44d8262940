"""The functions that a formula may call: the table is all there is."""

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import combinations_with_replacement

import torch
from torch import Tensor

from workings.formula.errors import Uncomputed, Undefined
from workings.formula.evaluation.activations import ELEMENTWISE, SPELLINGS
from workings.formula.evaluation.decompositions import of_finite
from workings.formula.evaluation.matrices import (
    MATRIX_FUNCTIONS,
    SPECTRAL,
    bars,
    check_size,
    determinant,
    diag,
    diagonal,
    eigenvalues,
    expm,
    inner,
    inverse,
    is_vector,
    kronecker,
    matrix_function,
    norm,
    outer,
    pinv,
    shape,
    singular_values,
    trace,
    vec,
)  # fmt: skip

NEARLY_WHOLE = 1e-12  # of a number, how far from a whole one it may be by rounding


def softmax(x: Tensor) -> Tensor:
    """Over the entries of a vector, over each row of a matrix."""
    return torch.softmax(x, 0 if x.ndim < 2 or x.shape[1] == 1 else 1)


def expectation(weights: Tensor, x: Tensor) -> Tensor:
    """Σ p_i x_i over a finite distribution p."""
    return inner(weights, x) if x.numel() > 1 else x * weights.sum()


def divergence(p: Tensor, q: Tensor) -> Tensor:
    """KL(p ‖ q) = Σ p log(p / q) of two distributions."""
    if p.shape != q.shape:
        raise Undefined(f"the divergence of {shape(p)} and {shape(q)}")
    return (torch.special.xlogy(p, p) - torch.special.xlogy(p, q)).sum()


def logsumexp(x: Tensor) -> Tensor:
    """log Σ exp(x) over the entries of a vector, over each row of a matrix."""
    if is_vector(x):
        return torch.logsumexp(x.reshape(-1), 0)
    return torch.logsumexp(x, 1, keepdim=True)


def largest(*parts: Tensor) -> Tensor:
    """The largest entry of one value; of several, the largest entry by entry."""
    return parts[0].max() if len(parts) == 1 else reduce(torch.maximum, _same_shape(parts))


def smallest(*parts: Tensor) -> Tensor:
    """The smallest entry of one value; of several, the smallest entry by entry."""
    return parts[0].min() if len(parts) == 1 else reduce(torch.minimum, _same_shape(parts))


def _same_shape(parts: Sequence[Tensor]) -> list[Tensor]:
    """All of one shape; a number is as large as the others."""
    shapes = {tuple(part.shape) for part in parts if part.numel() > 1}
    if len(shapes) > 1:
        raise Undefined(f"{' and '.join(map(shape, parts))} entry by entry")
    full = next((part.shape for part in parts if part.numel() > 1), parts[0].shape)
    return [part.reshape(()).expand(full) if part.numel() == 1 else part for part in parts]


def position_of(x: Tensor, sign: int) -> Tensor:
    """argmax (sign 1) or argmin (-1) of a vector, counted from 1."""
    if not is_vector(x):
        raise Undefined(f"argmax or argmin of {shape(x)}; it takes a vector")
    return ((sign * x).reshape(-1).argmax() + 1).to(x.dtype)


def delta(i: Tensor, j: Tensor) -> Tensor:
    """Kronecker's δ_ij."""
    if i.numel() != 1 or j.numel() != 1:
        raise Undefined("δ of what are no indices")
    return i.new_tensor(float(float(i) == float(j)))


def log(x: Tensor, base: Tensor | None = None) -> Tensor:
    """The natural logarithm, or that to a base."""
    return torch.log(x) if base is None else torch.log(x) / torch.log(base)


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
        raise Uncomputed(f"a multinomial of {n} over parts that add up to {sum(k)}")
    return top.new_tensor(float(math.factorial(n) // math.prod(map(math.factorial, k))))


def factorial(x: Tensor) -> Tensor:
    """x! of a whole number."""
    return x.new_tensor(float(math.factorial(_whole(x))))


def floor(x: Tensor) -> Tensor:
    """⌊x⌋; what is a whole number but for rounding is taken as that number."""
    near = x.round()
    return torch.where((x - near).abs() <= NEARLY_WHOLE * near.abs().clamp(min=1), near, x.floor())


def ceil(x: Tensor) -> Tensor:
    """⌈x⌉ = -⌊-x⌋."""
    return -floor(-x)


def _rank(x: Tensor) -> Tensor:
    return torch.linalg.matrix_rank(x).to(x.dtype)


def _whole(x: Tensor) -> int:
    if x.numel() != 1 or not float(x).is_integer() or not 0 <= float(x) <= 170:
        raise Uncomputed("a factorial or binomial of what is not a whole number from 0 to 170")
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


FUNCTIONS: dict[str, Callable[..., Tensor]] = {
    **ELEMENTWISE,
    **SPELLINGS,
    "logsumexp": logsumexp,
    "LogSumExp": logsumexp,
    "LSE": logsumexp,
    "bars": bars,
    "frobenius": norm,
    "nuclear": lambda x: singular_values(x).sum(),
    "inner": inner,
    "expectation": expectation,
    "divergence": divergence,
    "expm": expm,
    "pinv": pinv,
    "kronecker": kronecker,
    "delta": delta,
    "argmax": lambda x: position_of(x, 1),
    "argmin": lambda x: position_of(x, -1),
    "eig": eigenvalues,
    "singular": singular_values,
    "cond": lambda x: of_finite(torch.linalg.cond, x) if x.ndim else torch.ones_like(x),
    **SPECTRAL,
    "rank": lambda x: of_finite(_rank, x) if x.ndim else (x != 0).to(x.dtype),
    "Tr": trace,
    "log": log,
    "ln": log,
    "softmax": softmax,
    "Softmax": softmax,
    "diag": diag,
    "Diag": diag,
    "norm": norm,
    "tr": trace,
    "trace": trace,
    "det": determinant,
    "sum": torch.sum,
    "mean": torch.mean,
    "max": largest,
    "min": smallest,
    "vec": vec,
    "outer": outer,
    "concat": concat,
    "Concat": concat,
    "binom": binom,
    "factorial": factorial,
    "floor": floor,
    "ceil": ceil,
    "transpose": lambda x: x.t() if x.ndim == 2 else x,
    "inv": inverse,
    "adj": lambda x: determinant(x) * inverse(x) if x.ndim else torch.ones_like(x),
    "maclaurin": maclaurin,
    "diagonal": diagonal,
    **{f"matrix {name}": partial(matrix_function, name) for name in MATRIX_FUNCTIONS},
}
ROUNDS = frozenset({"floor", "ceil"})
POINTWISE = frozenset(
    name for name, function in FUNCTIONS.items() if function in ELEMENTWISE.values()
) | {"log", "ln", "leakyrelu", "LeakyReLU", "LeakyRelu", "elu", "ELU"}
