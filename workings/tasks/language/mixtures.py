"""A language model mixed with a cache of its own recent states, or with counts of n-grams.

The mixture's perplexity is another figure than the model's own, and goes by another name.
"""

# T tokens of a window, S tokens of the cache, N tokens, D width, K parts of a mixture

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.tasks.language.ngram import KneserNey, token_probabilities
from workings.tasks.task import Metrics, Tick

SIZE = 500  # tokens that a cache remembers
FLATNESS = (0.03, 0.1, 0.3, 1.0, 3.0)  # θ that are tried on the validation text
ROUNDS = 200  # of expectation and maximisation; the likelihood has one maximum


@runtime_checkable
class ShowsStates(Protocol):
    """A model whose states, from which the next token is predicted, can be had."""

    output: nn.Module

    def features(self, x_BT: Tensor, state: object) -> tuple[Tensor, object]:
        """What the output layer sees, and the state after the last token."""


class Given(NamedTuple):
    """The probabilities that the next token was given, token by token."""

    model_N: np.ndarray
    cache_N: dict[float, np.ndarray]  # by flatness θ


@torch.no_grad()
def probabilities(
    model: nn.Module, ids: np.ndarray, window: int, flatness: Sequence[float], tick: Tick
) -> Given:
    """Of the model, and of caches of its last states (Grave et al., 2017).

    p(w) ∝ Σ_i exp(θ h_t·h_i) over the i among the last S tokens before t that w followed. The
    first token, which has none before it, is given the model's own probability.
    """
    if not isinstance(model, ShowsStates):
        raise WorkingsError("--cache: the model does not show its states; ours do")
    model.eval()
    device = next(model.parameters()).device
    own, caches = [], {theta: list[Tensor]() for theta in flatness}
    h_SD, y_S, carry = torch.zeros(0, 0, device=device), torch.zeros(0, device=device).long(), None
    all_ids = torch.from_numpy(ids.astype("int64")).to(device)
    for start in range(0, len(ids) - 1, window):
        y_T = all_ids[start + 1 : start + 1 + window]
        h, carry = model.features(all_ids[start : start + len(y_T)][None], carry)
        h_TD = h.flatten(0, 1)
        p_T = model.output(h_TD).float().softmax(1).gather(1, y_T[:, None])[:, 0]
        own.append(p_T.cpu())
        if flatness:
            before = len(y_S)
            h_SD = torch.cat([h_SD.view(before, h_TD.shape[1]), h_TD])
            y_S = torch.cat([y_S, y_T])
            at_T = before + torch.arange(len(y_T), device=device)[:, None]
            place_S = torch.arange(len(y_S), device=device)
            seen_TS = (place_S < at_T) & (place_S >= at_T - SIZE)
            scores_TS, same_TS = h_TD @ h_SD.t(), y_S == y_T[:, None]
            for theta, given in caches.items():
                weights_TS = (theta * scores_TS).masked_fill(~seen_TS, -torch.inf).softmax(1)
                cached_T = (weights_TS * same_TS).nansum(1)
                given.append(torch.where(seen_TS.any(1), cached_T, p_T).cpu())
            h_SD, y_S = h_SD[-SIZE:], y_S[-SIZE:]
        tick(start + len(y_T))
    joined = {theta: torch.cat(given).double().numpy() for theta, given in caches.items()}
    return Given(torch.cat(own).double().numpy(), joined)


def shares(given_KN: np.ndarray) -> np.ndarray:
    """The weights of a mixture that give the text the highest likelihood, K of them."""
    share_K = np.full(len(given_KN), 1 / len(given_KN))
    for _ in range(ROUNDS):
        each_KN = share_K[:, None] * given_KN
        share_K = (each_KN / each_KN.sum(0)).mean(1)
    return share_K


def loss(share_K: np.ndarray, given_KN: np.ndarray) -> float:
    """The mean of minus the logarithm of the mixture's probabilities, in nats."""
    return float(-np.log(share_K @ given_KN).mean())


def evaluate(
    model: nn.Module,
    texts: dict[str, np.ndarray],
    split: str,
    types: int,
    window: int,
    cache: bool,
    ngram: bool,
    tick: Tick,
) -> Metrics:
    """Perplexities of the model alone and of the mixture, whose weights validation chooses.

    texts: the ids of `train`, `valid` and the split.
    """
    flatness = FLATNESS if cache else ()
    given = {s: probabilities(model, texts[s], window, flatness, tick) for s in {"valid", split}}
    counts: dict[str, list[np.ndarray]] = {each: [] for each in given}
    if ngram:
        counted = KneserNey(texts["train"], types)
        counts = {each: [token_probabilities(counted, texts[each])] for each in given}

    def parts(split: str, theta: float | None) -> np.ndarray:
        cached = [] if theta is None else [given[split].cache_N[theta]]
        return np.stack([given[split].model_N, *cached, *counts[split]])

    tried: tuple[float | None, ...] = flatness or (None,)
    fitted = {theta: shares(parts("valid", theta)) for theta in tried}
    theta = min(fitted, key=lambda each: loss(fitted[each], parts("valid", each)))
    share_K = fitted[theta]
    names = ["model", *(["cache"] if cache else []), *(["ngram"] if ngram else [])]
    metrics = {
        "perplexity": float(np.exp(-np.log(given[split].model_N).mean())),
        f"perplexity_with_{'_and_'.join(names[1:])}": float(
            np.exp(loss(share_K, parts(split, theta)))
        ),
        **{f"{name}_share": float(share) for name, share in zip(names, share_K, strict=True)},
    }
    return metrics if theta is None else metrics | {"cache_flatness": theta}
