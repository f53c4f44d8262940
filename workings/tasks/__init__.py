"""Tasks: what is learned from what data; one folder a task, and the interface that they share."""

from pathlib import Path

from workings.tasks.abilities import (
    Draws,
    EvaluatesFiles,
    EvaluatesStreams,
    Generates,
    Predicts,
    Recommends,
    ShowsAttention,
    ShowsEdgeAttention,
    Summarises,
    Transcribes,
)
from workings.tasks.config import OwnModel, TrainConfig
from workings.tasks.graph.task import GraphTask
from workings.tasks.images.task import ImageTask
from workings.tasks.language.task import LanguageTask
from workings.tasks.speech.task import SpeechTask
from workings.tasks.summary.task import SummaryTask
from workings.tasks.task import Learns, Metrics, Reads, Reports, Task

__all__ = [
    "TASKS",
    "Draws",
    "EvaluatesFiles",
    "EvaluatesStreams",
    "Generates",
    "GraphTask",
    "ImageTask",
    "LanguageTask",
    "Learns",
    "Metrics",
    "OwnModel",
    "Predicts",
    "Reads",
    "Recommends",
    "Reports",
    "ShowsAttention",
    "ShowsEdgeAttention",
    "SpeechTask",
    "Summarises",
    "SummaryTask",
    "Task",
    "TrainConfig",
    "Transcribes",
    "reader_of",
]

TASKS: dict[str, type[Task]] = {
    "language": LanguageTask,
    "images": ImageTask,
    "graph": GraphTask,
    "speech": SpeechTask,
    "summary": SummaryTask,
}


def reader_of(path: Path) -> type[Task] | None:
    """The task whose data a file or folder looks like; text last, which may lie beside the rest."""
    text_last = sorted(TASKS.values(), key=lambda task: task is LanguageTask)
    return next((task for task in text_last if task.recognises(path)), None)
