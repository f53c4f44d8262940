"""Leaks of summaries: test snippets that are trained on, words that a decoder sees too early."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from workings.nn.summary import Source, TypedEdges
from workings.tasks.leak import Leak, overlap
from workings.tasks.lookahead import dependence
from workings.tasks.summary.splits import Splits

LEAST = 0.01  # the share of a split's snippets, found in another one, that is worth a word
PAIRS = (("test", "train"), ("valid", "train"), ("test", "valid"))


def same_snippets(splits: Splits) -> Iterator[Leak]:
    """Functions or texts of one split that are in another one too, token for token."""
    tokens = {split: {each.tokens for each in part} for split, part in splits.items()}
    for split, other in PAIRS:
        same = sum(each.tokens in tokens[other] for each in splits[split])
        yield from overlap("snippets", split, other, same, len(splits[split]), LEAST)


def sees_ahead(model: nn.Module, kind: str, sizes: dict[str, int], own: bool) -> Iterator[Leak]:
    """Outputs that depend on later words of the summary."""

    def forward(asked: nn.Module, words_BL: Tensor) -> Tensor:
        device = next(asked.parameters()).device
        log_BLX: Tensor = asked(example(sizes).to(device), words_BL.to(device)).exp()
        return log_BLX

    depends = dependence(model, forward, 6, sizes["types"], noise=own)
    if depends.later is not None:
        yield Leak(
            f"model.kind: {kind} sees the words that it is to write: its output at word "
            f"{depends.later + 1} of 6 changes when only later ones do",
            "mask what comes later, or read the summary in one direction only",
            "train.allow_lookahead",
            grave=True,
        )


def example(sizes: dict[str, int]) -> Source:
    """Two snippets of five and three tokens, with a few edges: to try a model out."""
    tokens_BS = torch.arange(10).view(2, 5) % sizes["types"]
    kinds = sizes["kinds"]
    edges = [(n, n + 1, n % kinds) for n in (0, 1, 2, 3, 5, 6)] if kinds else []
    edges_3E = torch.tensor(edges, dtype=torch.long).view(-1, 3).t()
    copies_BS = torch.arange(10).view(2, 5) % (sizes["outputs"] + 2)
    typed = TypedEdges.of(edges_3E, 10, kinds)
    return Source(tokens_BS, torch.tensor([5, 3]), typed, copies_BS, sizes["outputs"] + 2)
