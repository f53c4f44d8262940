"""How far attention by the series of the exponential is from softmax attention, order by order."""

# H heads, T tokens, D width of a head

from typing import NamedTuple, TypedDict

import torch
from torch import Tensor

from workings.errors import WorkingsError
from workings.nn.attention.decoder import AttentionLanguageModel
from workings.nn.attention.softmax import attention_reference
from workings.nn.attention.taylor.definition import taylor_reference
from workings.study.trained import open_trained


class Settings(TypedDict):
    """What is measured: random queries and keys, or those of a trained run."""

    width: int
    scale: float
    divided: bool
    length: int
    orders: int
    causal: bool
    run: str
    layer: int


SETTINGS: Settings = {
    "width": 16,  # of a head; random queries and keys
    "scale": 1.0,  # the deviation of their entries
    "divided": True,  # whether scores are divided by the root of the width
    "length": 128,
    "orders": 8,
    "causal": False,
    "run": "",  # a trained attention language model, whose queries and keys are taken
    "layer": 1,
}
CLOSE = 0.01


class Errors(NamedTuple):
    """The series against softmax, by order from 1 on."""

    output: list[float]  # |Z_K - Z| / |Z|, norms over all entries
    weights: list[float]  # the mean over queries of ½ Σ |w_K - w|: how much weight is elsewhere
    largest_score: float  # of all in size; the series converges slowly where it is large


def errors(settings: Settings) -> Errors:
    """Of random queries, keys and values, or of those of a trained model's layer on its test text.

    With a trained model, the scores are as the settings scale them, and no token looks ahead.
    """
    if settings["run"]:
        q_HTD, k_HTD, v_HTD = of_run(settings)
    else:
        shape = (settings["length"], settings["width"])
        q_HTD, k_HTD, v_HTD = torch.randn(3, 1, *shape, dtype=torch.float64)
        q_HTD, k_HTD = settings["scale"] * q_HTD, settings["scale"] * k_HTD
    T, D = q_HTD.shape[1:]
    scale = D**-0.5 if settings["divided"] else 1.0
    causal = settings["causal"] or bool(settings["run"])
    seen_TT = torch.ones(T, T, dtype=torch.bool).tril() if causal else None
    # With unit vectors as values the output is the weights.
    units_HTT = torch.eye(T, dtype=torch.float64).expand(len(q_HTD), T, T)
    w_HTT = attention_reference(q_HTD, k_HTD, units_HTT, seen_TT, scale)
    z_HTD = w_HTT @ v_HTD
    output, weights = [], []
    for order in range(1, settings["orders"] + 1):
        series_HTT = taylor_reference(q_HTD, k_HTD, units_HTT, order, causal, scale)
        output.append(((series_HTT @ v_HTD - z_HTD).norm() / z_HTD.norm()).item())
        weights.append((series_HTT - w_HTT).abs().sum(-1).mean().item() / 2)
    scores_HTT = scale * q_HTD @ k_HTD.mT
    if causal:
        scores_HTT = scores_HTT.tril()
    return Errors(output, weights, scores_HTT.abs().max().item())


def orders_needed(by_order: list[float]) -> int:
    """From which order on all errors are within 1%; one more than there are where none is."""
    far = [order for order, error in enumerate(by_order, start=1) if not error <= CLOSE]
    return max(far, default=0) + 1


@torch.no_grad()
def of_run(settings: Settings) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of a layer's heads, for the first tokens of the test text."""
    task, model = open_trained(settings["run"], AttentionLanguageModel, "an attention model")
    if not 1 <= settings["layer"] <= len(model.layers()):
        raise WorkingsError(
            f"set: layer: must be from 1 to {len(model.layers())} (got {settings['layer']})"
        )
    length = min(settings["length"], model.context)
    ids_T = torch.from_numpy(task.splits["test"].all[:length].astype("int64"))
    h_BTD = model.embedding(ids_T[None]) + model.positions(torch.arange(length))
    for block in model.layers()[: settings["layer"] - 1]:
        h_BTD = block(h_BTD)
    block = model.layers()[settings["layer"] - 1]
    attention = block.attention
    x_BTD = block.norm_1(h_BTD)
    k_BTD, v_BTD = attention.key_value(x_BTD).chunk(2, -1)
    q, k, v = (
        each[0].double().unflatten(-1, (attention.heads, -1)).transpose(0, 1)
        for each in (attention.query(x_BTD), k_BTD, v_BTD)
    )
    return q, k, v
