"""What a model made of each example of a split: the sums that its metrics are made of.

Two models are compared on the same examples, one by one. The columns, each with a number an
example:

    nll     -log of the probability given to what was right, in nats; of a text, the sum of a line
    tokens  how many tokens that sum is over; where it is missing, one
    hit     1 where the right class was given, else 0
    reciprocal_rank, hits_1 … of an edge of a relation: where its ends stand among all candidates
    score, label              of a pair of nodes: how likely an edge, and 1 where it is one; of two
                              classes: how much likelier the second, and 1 where it is the second
    edits, characters         of a clip: edits that its transcript needs, characters that were said
    word_edits, words         the same in words
    and a similarity, as `jaccard_characters` or `f1`, under its metric's own name
"""

import hashlib
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from workings.tasks import classification

LONGEST = 200  # tokens of a text after which an example ends where no line does


@dataclass(frozen=True)
class Examples:
    """The examples of one split, and what a model made of each."""

    unit: str  # what one of them is: line, image, node, pair, clip, snippet
    sha256: str  # of the examples and of what is asked of them; the model has no part in it
    columns: dict[str, np.ndarray]

    def __len__(self) -> int:
        return max(map(len, self.columns.values()), default=0)


def identity(*parts: bytes | str | np.ndarray) -> str:
    """The SHA-256 of what examples are, part by part; an array counts with its shape."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            total.update(f"{part.dtype} {part.shape}\n".encode())
            total.update(np.ascontiguousarray(part).data)  # not copied: images are many
        else:
            content = part.encode() if isinstance(part, str) else part
            total.update(f"{len(content)}\n".encode())
            total.update(content)
    return total.hexdigest()


def classified(logits_NC: Tensor, labels_N: Tensor) -> dict[str, np.ndarray]:
    """The columns of a classifier, computed as its metrics are: `nll`, `hit`, of two classes more.

    These are `score` and `label`, from which the ROC-AUC is made.
    """
    log_p_NC = logits_NC.detach().cpu().double().log_softmax(1)
    labels_N = labels_N.cpu()
    nll_N = torch.nn.functional.nll_loss(log_p_NC, labels_N, reduction="none")
    hit_N = log_p_NC.argmax(1) == labels_N
    columns = {"nll": nll_N.float().numpy(), "hit": hit_N.to(torch.uint8).numpy()}
    if log_p_NC.shape[1] == 2:
        columns["score"] = classification.margin(logits_NC).numpy()
        columns["label"] = labels_N.to(torch.uint8).numpy()
    return columns


def lines(nll_N: np.ndarray, targets_N: np.ndarray, end: int) -> dict[str, np.ndarray]:
    """The columns of a text, `nll` and `tokens` a line: to the token `end`, or LONGEST tokens."""
    starts = np.append(0, np.flatnonzero(targets_N == end) + 1)
    lengths = np.diff(np.append(starts, len(targets_N)))
    starts, lengths = starts[lengths > 0], lengths[lengths > 0]
    pieces = -(-lengths // LONGEST)  # of each line
    number = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    begins = np.repeat(starts, pieces) + LONGEST * number
    tokens = np.diff(np.append(begins, len(targets_N)))
    sums = np.add.reduceat(nll_N.astype(np.float64), begins) if len(begins) else np.zeros(0)
    return {"nll": sums.astype(np.float32), "tokens": tokens.astype(np.int32)}
