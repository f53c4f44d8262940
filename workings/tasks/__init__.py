"""Tasks: what is learned from what data."""

from workings.tasks.language import LanguageTask
from workings.tasks.task import Task

TASKS: dict[str, type[Task]] = {"language": LanguageTask}
