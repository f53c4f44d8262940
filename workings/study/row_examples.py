"""What the runs of a row made of each example, and the metrics that are sums over examples."""

# N examples

import math
from dataclasses import dataclass, field

import numpy as np

from workings.study import roc
from workings.study.metric_names import parts
from workings.study.summary import RowSummary
from workings.tasks.examples import Examples
from workings.tasks.speech.scores import SIMILARITIES

# The sum that a metric is made of, and what that is divided by (nothing: the number of examples).
SUMS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("loss", "perplexity", "bits_per_char"), ("nll", "tokens")),
    "accuracy": ("hit", ""),
    "mrr": ("reciprocal_rank", ""),
    **{name: (name, "") for name in ("hits_1", "hits_3", "hits_10")},
    "character_error_rate": ("edits", "characters"),
    **dict.fromkeys(("word_error_rate", "digit_error_rate"), ("word_edits", "words")),
    **{name: (name, "") for name in (*SIMILARITIES, "f1", "exact_match", "rouge_l")},
}
CONSECUTIVE = ("line", "sentence", "clip", "snippet")  # follow each other in a text or on a tape
OWN_EXAMPLES = "each seed has its own test examples"
NOT_FINITE = "a finished run has no finite figure"
SAME = 1e-3  # as a share: how far what the examples give may be from the figure of the run
Placements = tuple[np.ndarray, np.ndarray]  # see `roc`


@dataclass(frozen=True)
class RowExamples:
    """The examples of a row's runs by seed, all the same ones; none, and why they are missing."""

    name: str  # of the metric
    by_seed: dict[int, Examples] = field(default_factory=dict)
    why_not: str = ""

    @property
    def any(self) -> Examples:
        """Those of one run: the examples are the same in all of them."""
        return next(iter(self.by_seed.values()))

    def top(self, seed: int) -> np.ndarray:
        """The sum of each example."""
        return _top(self.by_seed[seed], self.name)

    def bottom(self) -> np.ndarray:
        """What the sums are divided by, the same for every model."""
        return _bottom(self.any, self.name)

    def placements(self, seed: int) -> Placements:
        """Of the pairs, for the area under the ROC curve."""
        columns = self.by_seed[seed].columns
        return roc.placements(columns["score"], columns["label"])


def row_examples(row: RowSummary, metric: str) -> RowExamples:
    """Read them from the folders of a row's runs; checked against the figures of those runs."""
    split, name, variant = parts(metric)
    by_seed: dict[int, Examples] = {}
    if row.without(metric):
        return RowExamples(name, why_not=NOT_FINITE)
    for run in row.runs:
        figure = run.value(metric)
        if figure is None:
            continue
        examples = run.examples(split) if not variant else None
        if examples is None:
            missing = f"`workings eval {run.folder}` keeps what it made of each example"
            return RowExamples(name, why_not=missing)
        measured = _measured(examples, name)
        if measured is None:
            return RowExamples(name, why_not=f"{name} is no sum over examples")
        if not math.isclose(measured, figure, rel_tol=SAME, abs_tol=1e-9):
            return RowExamples(name, why_not=f"{run.folder}: its examples give another figure")
        by_seed[run.seed] = examples
    if len({examples.sha256 for examples in by_seed.values()}) > 1:
        return RowExamples(name, why_not=OWN_EXAMPLES)
    return RowExamples(name, by_seed)


def figure_of(ratio: float, name: str) -> float:
    """The metric that a ratio of sums stands for."""
    if name == "perplexity":
        return math.exp(ratio) if ratio < 700 else math.inf
    return ratio / math.log(2) if name == "bits_per_char" else ratio


def _measured(examples: Examples, name: str) -> float | None:
    """The metric, from what was kept of each example; None where it is none of these."""
    columns = examples.columns
    if name == "roc_auc" and {"score", "label"} <= columns.keys():
        return float(roc.placements(columns["score"], columns["label"])[0].mean())
    if name not in SUMS or SUMS[name][0] not in columns:
        return None
    bottom = float(_bottom(examples, name).sum())
    return figure_of(float(_top(examples, name).sum()) / bottom, name) if bottom else None


def _top(examples: Examples, name: str) -> np.ndarray:
    return examples.columns[SUMS[name][0]].astype(np.float64)


def _bottom(examples: Examples, name: str) -> np.ndarray:
    top, bottom = SUMS[name]
    column = examples.columns.get(bottom)
    return np.ones(len(examples.columns[top])) if column is None else column.astype(np.float64)
