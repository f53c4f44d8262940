"""What the JSON files of a run folder hold: run.json, metrics.jsonl and result.json."""

from typing import Annotated, NotRequired, TypedDict

from workings.json_files import AtLeast, Count

Metrics = dict[str, float]  # as a task gives them; its own module would bring torch

MetricsLine = dict[str, int | float | str | None]
"""One evaluation, a line of metrics.jsonl: step, epoch, split, every metric, seconds, and the
units a second (`tokens_per_second`); null where a figure was not finite."""


class RunRecord(TypedDict):
    """run.json: what a run is, written when its folder is made."""

    format: Count
    workings: NotRequired[str]  # the version that made it
    made: NotRequired[str]  # when, in ISO 8601
    config: NotRequired[str]  # the name of the config that it was started with
    data: NotRequired[str]  # SHA-256
    init_from: NotRequired[str]  # the folder of the run whose weights it began with
    own_class_source: NotRequired[str]  # the digest of what `source` has of an own class
    results: NotRequired[Count]  # the number that the program had for its task's results; absent: 1
    leaks: NotRequired[list[str]]  # what the probes found before the first step
    # What `runs list` shows, so that it need not read the config; absent from older folders.
    task: NotRequired[str]
    model: NotRequired[str]
    metric: NotRequired[str]  # that decides which weights are the best
    lower_is_better: NotRequired[bool]


class FailureRecord(TypedDict):
    """failure.json: why a run ended without its result; gone when the run goes on."""

    error: str
    step: Count


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
    threads: int  # of a process
    processes: NotRequired[int]  # absent from older results: one
    command: str


class DataRecord(TypedDict):
    """Which data a result is about."""

    sha256: str
    about: str  # in one line
    units: NotRequired[Count]  # that an epoch goes over; absent from older results
    trained: NotRequired[Count]  # examples, of the kind that is tested; absent from older results


class ExamplesRecord(TypedDict):
    """Which examples the figures of a split are about."""

    unit: str  # what one of them is: line, image, node, pair, clip
    sha256: str
    count: Count


class Result(TypedDict):
    """result.json: the figures of a finished run. A study's measurement has only some of them."""

    metrics: Metrics  # by full name: `test.perplexity`
    variants: NotRequired[dict[str, str]]  # how the metrics of a split were measured
    details: NotRequired[dict[str, object]]  # the task's tables and samples, as JSON
    baselines: NotRequired[dict[str, Metrics]]
    questions: NotRequired[list[str]]  # why its figures may be too good to be true
    best_epoch: NotRequired[Count]
    epochs: NotRequired[Count]
    steps: NotRequired[Count]
    seconds: Annotated[float, AtLeast(0)]
    parameters: Count
    seed: int
    data: NotRequired[DataRecord]
    examples: NotRequired[dict[str, ExamplesRecord]]  # by split, kept in examples.safetensors
    environment: Environment


class LearnerRecord(TypedDict):
    """What the optimizer and its schedule remember; tensors are named, and stored beside it."""

    optimizer: dict[str, object]
    average: dict[str, object]
    averaged: Count
    factor: Annotated[float, AtLeast(0)]
    bad: Count


class OpenPoint(TypedDict):
    """The point of steps.jsonl that is under way: the losses since the point before it."""

    loss_sum: float  # weighted by units
    units: Count


class LastRecord(TypedDict):
    """The JSON part of a `last` checkpoint: all that a run needs to go on, besides tensors."""

    place: dict[str, object]  # a TrainingState
    best_step: Count
    learner: LearnerRecord
    carry: object
    data: str  # SHA-256
    environment: dict[str, object]
    step_log: NotRequired[OpenPoint]
    processes: NotRequired[Annotated[int, AtLeast(1)]]  # that trained it; absent: one


class BestRecord(TypedDict):
    """The JSON part of a `best` checkpoint: which evaluation its weights are of."""

    epoch: Count
    step: Count
    metrics: Metrics  # of the validation split
    train: Metrics
