"""The studentised bootstrap of a figure Σx/Σt, and of a paired difference, over examples.

A loss a token, an error rate and a mean are such ratios, and so is the difference of two of them
on the same examples. Each resample gives t* = (R* - R)/s*, its distance from the figure in its own
standard errors; the interval is R ± q s with q the 95% quantile of |t*|, and the p-value of R = 0
the share of |t*| that reaches |R|/s. So p < 5% just where the interval leaves 0 out. The draws are
seeded: the same examples give the same figures.
"""

# N examples, B resamples, K ratios, M columns

from dataclasses import dataclass

import numpy as np

FEWEST = 20  # examples: fewer cannot stand for the others of their kind
RESAMPLES = 4999
WORK = 250_000_000  # draws at most: fewer resamples where there are very many examples
SEED = 20_261


@dataclass(frozen=True)
class Ratio:
    """Σx/Σt, how far it reaches at 95%, and the p-value of its being 0; None: not to be had."""

    value: float
    reach: float | None
    p_value: float | None


def ratios(x_KN: np.ndarray, t_N: np.ndarray) -> list[Ratio]:
    """The K ratios Σx/Σt, all from the same resamples."""
    x_KN, t_N = np.asarray(x_KN, np.float64), np.asarray(t_N, np.float64)
    x_NK, (K, N) = x_KN.T, x_KN.shape
    columns = [x_NK, x_NK * x_NK, x_NK * t_N[:, None], t_N[:, None], (t_N * t_N)[:, None]]
    table_NM = np.concatenate(columns, 1)
    R_K, s_K = _estimate(table_NM.sum(0)[None], N, K)
    if len(t_N) < FEWEST:
        return [Ratio(float(value), None, None) for value in R_K[0]]
    count = int(np.clip(WORK // N, 999, RESAMPLES))
    drawn_BK, error_BK = _estimate(_resampled(table_NM, count), N, K)
    apart_BK = np.abs(drawn_BK - R_K)
    with np.errstate(divide="ignore", invalid="ignore"):
        # A resample of equal examples has no error: infinitely far, unless it is no way off.
        far_BK = np.where(apart_BK == 0, 0.0, apart_BK / error_BK)
        far_BK[np.isnan(far_BK)] = np.inf
        reached_K = np.where(R_K == 0, 0.0, np.abs(R_K) / s_K)[0]
    quantile_K = np.quantile(far_BK, 0.95, axis=0, method="higher")
    made = []
    for k in range(K):
        value, error, quantile = float(R_K[0, k]), float(s_K[0, k]), float(quantile_K[k])
        known = error > 0 and np.isfinite(quantile)
        p_value = (1 + int((far_BK[:, k] >= reached_K[k]).sum())) / (count + 1)
        made.append(Ratio(value, quantile * error if known else None, p_value if known else None))
    return made


def _estimate(sums_BM: np.ndarray, N: int, K: int) -> tuple[np.ndarray, np.ndarray]:
    """R = Σx/Σt and its error: s² = N/(N-1) Σ(x - R t)²/(Σt)², both B×K."""
    x, xx, xt = (sums_BM[:, k * K : (k + 1) * K] for k in range(3))
    t, tt = sums_BM[:, 3 * K : 3 * K + 1], sums_BM[:, 3 * K + 1 :]
    t = np.where(t > 0, t, np.nan)  # a resample of nothing but empty examples
    R = x / t
    squares = np.maximum(0.0, xx - 2 * R * xt + R * R * tt)
    squares[squares < 1e-12 * np.maximum(xx, R * R * tt)] = 0.0  # what is left is rounding
    return R, np.sqrt(squares * N / max(1, N - 1)) / t


def _resampled(table_NM: np.ndarray, count: int) -> np.ndarray:
    """The column sums of so many resamples of the rows."""
    N, generator = len(table_NM), np.random.default_rng(SEED)
    block = max(1, min(count, 4_000_000 // max(1, N)))
    sums = []
    for start in range(0, count, block):
        size = min(block, count - start)
        drawn = generator.integers(0, N, (size, N)) + np.arange(size)[:, None] * N
        times_BN = np.bincount(drawn.ravel(), minlength=size * N).reshape(size, N)
        sums.append(times_BN.astype(np.float64) @ table_NM)
    return np.concatenate(sums)
