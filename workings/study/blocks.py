"""A figure Σx/Σt, and a paired difference, of examples that follow each other: over blocks of them.

Lines that follow each other in a text are alike, and so is what a model makes of them: taken one
by one they would seem to say more than they do (on Penn Treebank the interval would be less than
half as wide as it has to be). The sums of a few long blocks are nearly independent. Student's t
over them is the method of batch means.
"""

# N examples, K ratios, B blocks

import numpy as np
from scipy import special

from workings.study.bootstrap import Ratio

LENGTH = 100  # examples of a block at least: articles and chapters of many lines are alike
FEWEST, MOST = 4, 10  # blocks
FEWEST_EXAMPLES = LENGTH * FEWEST


def count(examples: int) -> int:
    """How many blocks so many examples make; 0: too few."""
    return min(MOST, examples // LENGTH) if examples >= FEWEST_EXAMPLES else 0


def ratios(x_KN: np.ndarray, t_N: np.ndarray) -> list[Ratio]:
    """The K ratios R = Σx/Σt, with the error s² = B/(B-1) Σ(x - R t)²/(Σt)² over the blocks.

    Blocks of unequal size count as fewer equal ones, (Σt)²/Σt², less one the degrees of freedom.
    """
    x_KN, t_N = np.asarray(x_KN, np.float64), np.asarray(t_N, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        R_K = x_KN.sum(1) / t_N.sum()
    B = count(len(t_N))
    if not B:
        return [Ratio(float(value), None, None) for value in R_K]
    x_KB, t_B = sums(x_KN, B), sums(t_N, B)
    freedom = t_B.sum() ** 2 / (t_B**2).sum() - 1
    squares_K = ((x_KB - R_K[:, None] * t_B) ** 2).sum(1)
    rounding_K = 1e-24 * ((x_KB**2).sum(1) + R_K**2 * (t_B**2).sum())
    made = []
    for value, squares, rounding in zip(R_K, squares_K, rounding_K, strict=True):
        error = np.sqrt(squares * B / (B - 1)) / t_B.sum()
        if freedom < FEWEST - 2 or not np.isfinite(error) or squares <= rounding:
            made.append(Ratio(float(value), None, None))
            continue
        reach = float(special.stdtrit(freedom, 0.975)) * error
        p_value = 2 * float(special.stdtr(freedom, -abs(value) / error))
        made.append(Ratio(float(value), float(reach), p_value))
    return made


def sums(x_KN: np.ndarray, blocks: int) -> np.ndarray:
    """Of neighbours, K×B."""
    starts = np.linspace(0, x_KN.shape[-1], blocks, endpoint=False).astype(np.int64)
    return np.add.reduceat(x_KN, starts, axis=-1)
