"""How far a run has come: all that changes while it trains and is not a tensor."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass
class TrainingState:
    """The counters of a run, kept in every checkpoint."""

    epoch: int = 0  # epochs done and evaluated
    position: int = 0  # batches done in the epoch under way
    step: int = 0
    loss_sum: float = 0.0  # over the epoch under way, weighted by units
    units: int = 0  # of the epoch under way
    best: float | None = None
    best_epoch: int = 0
    best_step: int = 0
    evaluations: int = 0  # lines in metrics.jsonl
    seconds: float = 0.0  # of training and evaluating, over all its processes

    @classmethod
    def from_json(cls, values: Mapping[str, float | None]) -> "TrainingState":
        """As a checkpoint holds it; a counter that this version does not know is left out."""
        known = {field.name for field in dataclasses.fields(cls)}
        return cls(**{key: value for key, value in values.items() if key in known})  # type: ignore[arg-type]

    @property
    def mean_loss(self) -> float:
        """Over the epoch under way."""
        return self.loss_sum / max(1, self.units)

    def improves(self, value: float, lower_is_better: bool) -> bool:
        """Whether a validation metric is the best so far."""
        if self.best is None:
            return True
        return value < self.best if lower_is_better else value > self.best
