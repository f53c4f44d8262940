"""What a summariser should beat: the most frequent summary, and that of the nearest neighbour."""

# N training snippets, M asked ones, F kinds of tokens

from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from workings.tasks.summary.snippet import Snippet

Words = tuple[str, ...]
ROWS = 256  # asked snippets that are compared with all others at a time


def most_frequent(train: Sequence[Snippet]) -> Words:
    """The summary that most training snippets have; of equals, the first in the alphabet."""
    counts = Counter(each.summary for each in train)
    return min(counts, key=lambda summary: (-counts[summary], summary))


def nearest(train: Sequence[Snippet], asked: Sequence[Snippet]) -> list[Words]:
    """The summary of the training snippet whose TF-IDF vector has the highest cosine.

    tf: how often a token stands in the snippet; idf: log(N / snippets that have it).
    """
    columns = {token: n for n, token in enumerate({t: 0 for each in train for t in each.tokens})}
    counts_NF = _counts(train, columns)
    seen_F = np.bincount(counts_NF.indices, minlength=len(columns))
    idf_F = np.log(len(train) / seen_F)
    known_FN = _unit(counts_NF, idf_F).T.tocsr()
    asked_MF = _unit(_counts(asked, columns), idf_F)
    best: list[int] = []
    for start in range(0, len(asked), ROWS):
        similar = (asked_MF[start : start + ROWS] @ known_FN).toarray()
        best += similar.argmax(1).tolist()
    return [train[number].summary for number in best]


def _counts(snippets: Sequence[Snippet], columns: dict[str, int]) -> sparse.csr_array:
    rows, places = [], []
    for row, each in enumerate(snippets):
        known = [columns[token] for token in each.tokens if token in columns]
        rows += [row] * len(known)
        places += known
    ones = np.ones(len(rows), np.float32)
    return sparse.coo_array((ones, (rows, places)), (len(snippets), len(columns))).tocsr()


def _unit(counts: sparse.csr_array, idf_F: np.ndarray) -> sparse.csr_array:
    """Rows of TF-IDF with length 1; one without any token that tells stays zero."""
    weighted = counts.multiply(idf_F[None]).tocsr()
    length = np.sqrt(np.asarray(weighted.multiply(weighted).sum(1)).ravel())
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    return sparse.diags_array(scale).dot(weighted).tocsr()
