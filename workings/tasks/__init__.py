"""Tasks: what is learned from what data."""

from workings.tasks.graph import GraphTask
from workings.tasks.images import ImageTask
from workings.tasks.language import LanguageTask
from workings.tasks.speech import SpeechTask
from workings.tasks.task import Task

TASKS: dict[str, type[Task]] = {
    "language": LanguageTask,
    "images": ImageTask,
    "graph": GraphTask,
    "speech": SpeechTask,
}
