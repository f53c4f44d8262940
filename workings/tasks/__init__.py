"""Tasks: what is learned from what data."""

from workings.tasks.graph.task import GraphTask
from workings.tasks.images.task import ImageTask
from workings.tasks.language.task import LanguageTask
from workings.tasks.speech.task import SpeechTask
from workings.tasks.task import Task

TASKS: dict[str, type[Task]] = {
    "language": LanguageTask,
    "images": ImageTask,
    "graph": GraphTask,
    "speech": SpeechTask,
}
