"""The Maclaurin series of exp, p_K(s) = Σ_{n≤K} sⁿ/n!, and the features that make it a product.

With x̄ = (1, x) the features are the monomials of degree K in the D+1 numbers of x̄, each once, in
lexicographic order: M = C(D+K, K) of them. Those of degree n are x̄_i times the monomials of degree
n-1 that use none before x̄_i, and these stand together at the end: a suffix. With i = 0 it is all of
them, so that the first monomials of degree n are those of degree n-1.
"""

# D width, K order, M features

import math
from fractions import Fraction
from itertools import accumulate, pairwise

import torch
from torch import Tensor


def feature_count(width: int, order: int) -> int:
    """M = C(D+K, K), the monomials of degree at most K in D variables."""
    return math.comb(width + order, order)


class Polynomial:
    """p_K(s) and its derivative p_{K-1}(s), from t = 1 + s.

    p_K(s) = Σ_j b_j tʲ with b_j = (1/j!) Σ_{m≤K-j} (-1)ᵐ/m!. As b_{K-1} = 0, Horner's rule takes
    one pass over the scores fewer than in powers of s: for K = 2, p = (1 + t²)/2 takes one.
    """

    def __init__(self, order: int, like: Tensor) -> None:
        self.order = order
        self.value_of, self.slope_of = (
            [like.new_tensor(b) for b in _shifted(k)] for k in (order, order - 1)
        )

    def value(self, t: Tensor, out: Tensor) -> Tensor:
        """p_K; `out` may be t itself only up to order 2."""
        return _horner(self.value_of, t, out)

    def times_slope(self, g: Tensor, t: Tensor, scratch: Tensor) -> Tensor:
        """g ⊙ p_{K-1}, in the place of g: the chain rule through p_K."""
        return g if self.order == 1 else g.mul_(_horner(self.slope_of, t, scratch))


def _shifted(order: int) -> list[float]:
    """b_0 … b_K."""
    terms = [Fraction((-1) ** m, math.factorial(m)) for m in range(order + 1)]
    sums = list(accumulate(terms))
    return [float(sums[order - j] * abs(terms[j])) for j in range(order + 1)]


def _horner(b: list[Tensor], t: Tensor, out: Tensor) -> Tensor:
    if len(b) == 2:
        return t  # p_1 = 1 + s
    torch.addcmul(b[-3], t, t, value=float(b[-1]), out=out)
    for j in range(len(b) - 4, -1, -1):
        torch.addcmul(b[j], out, t, out=out)
    return out


def factors(width: int, degree: int) -> Tensor:
    """Which of x̄ each monomial of that degree is a product of, M×degree, ascending in a row."""
    rows = torch.empty(1, 0, dtype=torch.long)
    for n in range(1, degree + 1):
        suffixes = [rows[-feature_count(width - i, n - 1) :] for i in range(width + 1)]
        rows = torch.cat(
            [torch.cat([torch.full((len(s), 1), i), s], 1) for i, s in enumerate(suffixes)]
        )
    return rows


def weights(factors_MK: Tensor) -> Tensor:
    """1/Π α_i! over the exponents α of x in each monomial, float64."""
    weights_M = torch.ones(len(factors_MK), dtype=torch.double)
    power = torch.ones_like(weights_M)
    for previous, this in pairwise(factors_MK.unbind(1)):
        power = torch.where(this == previous, power + 1, 1)
        weights_M /= torch.where(this > 0, power, 1)
    return weights_M


def features(x: Tensor, order: int) -> Tensor:
    """φ with φ(q)·φ(k) = p_K(q·k), written out: for checks and for looking at.

    Shapes: x …×D, returns …×M.
    """
    width = x.shape[-1]
    lifted = torch.cat([torch.ones_like(x[..., :1]), x], -1)
    phi = lifted[..., :1]
    for n in range(1, order + 1):
        suffixes = [phi[..., -feature_count(width - i, n - 1) :] for i in range(width + 1)]
        phi = torch.cat([lifted[..., i, None] * s for i, s in enumerate(suffixes)], -1)
    return phi * weights(factors(width, order)).sqrt().to(x)
