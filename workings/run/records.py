"""What the JSON files of a run folder hold: run.json, metrics.jsonl and result.json."""

from typing import Any, NotRequired, TypedDict

from workings.tasks.task import Metrics

MetricsLine = dict[str, int | float | str | None]
"""One evaluation, a line of metrics.jsonl: step, epoch, split, every metric, seconds, and the
units a second (`tokens_per_second`); null where a figure was not finite."""


class RunRecord(TypedDict):
    """run.json: what a run is, written when its folder is made."""

    format: int
    workings: str  # the version that made it
    made: NotRequired[str]  # when, in ISO 8601
    config: NotRequired[str]  # the name of the config that it was started with
    data: NotRequired[str]  # SHA-256
    init_from: NotRequired[str]  # the folder of the run whose weights it began with


class Environment(TypedDict):
    """The versions and the machine that a result was made with."""

    workings: str
    python: str
    torch: str
    numpy: str
    system: str
    processor: str
    cores: int | None
    device: str
    threads: int
    command: str


class DataRecord(TypedDict):
    """Which data a result is about."""

    sha256: str
    about: str  # in one line


class Result(TypedDict):
    """result.json: the figures of a finished run. A study's measurement has only some of them."""

    metrics: Metrics  # by full name: `test.perplexity`
    variants: NotRequired[dict[str, str]]  # how the metrics of a split were measured
    details: NotRequired[dict[str, Any]]  # the task's tables and samples, as JSON
    baselines: NotRequired[dict[str, Metrics]]
    best_epoch: NotRequired[int]
    epochs: NotRequired[int]
    steps: NotRequired[int]
    seconds: float
    parameters: int
    seed: int
    data: NotRequired[DataRecord]
    environment: Environment


class BestRecord(TypedDict):
    """The JSON part of a `best` checkpoint: which evaluation its weights are of."""

    epoch: int
    step: int
    metrics: Metrics  # of the validation split
    train: Metrics
