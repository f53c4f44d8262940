"""A trained language model that a measurement looks into."""

from typing import TypeVar

from torch import nn

from workings.errors import WorkingsError
from workings.run.run import open_run
from workings.tasks.language.task import LanguageTask

ModelT = TypeVar("ModelT", bound=nn.Module)


def open_trained(name: str, wanted: type[ModelT], words: str) -> tuple[LanguageTask, ModelT]:
    """The task and the model, for evaluation, of a run of the wanted kind."""
    run = open_run(name)
    if not isinstance(run.task, LanguageTask) or not isinstance(run.model, wanted):
        raise WorkingsError(f"set: run: {name} is not {words}")
    return run.task, run.model.eval()
