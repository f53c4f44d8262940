"""How far a run has come: all that changes while it trains and is not a tensor."""

from dataclasses import dataclass
from typing import Annotated, get_type_hints

from workings.json_files import AtLeast, Count, Finite, WrongJson, conform


@dataclass
class TrainingState:
    """The counters of a run, kept in every checkpoint."""

    epoch: Count = 0  # epochs done and evaluated
    position: Count = 0  # batches done in the epoch under way
    step: Count = 0
    loss_sum: Finite = 0.0  # over the epoch under way, weighted by units
    units: Count = 0  # of the epoch under way
    best: Finite | None = None
    best_epoch: Count = 0
    best_step: Count = 0
    evaluations: Count = 0  # lines in metrics.jsonl
    seconds: Annotated[float, AtLeast(0)] = (
        0.0  # of training and evaluating, over all its processes
    )

    @classmethod
    def from_json(cls, values: dict[str, object]) -> "TrainingState":
        """As a checkpoint holds it; a counter that this version does not know is left out.

        WrongJson names a counter that is none.
        """
        kinds = get_type_hints(cls, include_extras=True)
        for name in kinds.keys() - values.keys():
            raise WrongJson(f"place.{name}: is missing")
        counters = {key: conform(values[key], kind, f"place.{key}") for key, kind in kinds.items()}
        return cls(**counters)

    @property
    def mean_loss(self) -> float:
        """Over the epoch under way."""
        return self.loss_sum / max(1, self.units)

    def improves(self, value: float, lower_is_better: bool) -> bool:
        """Whether a validation metric is the best so far."""
        if self.best is None:
            return True
        return value < self.best if lower_is_better else value > self.best
