"""Before the first step: whether a task's data or model lets something of the answer through."""

from torch import nn

from workings.errors import WorkingsError
from workings.run.progress import Progress
from workings.tasks.task import Task


def require_no_leaks(task: Task, model: nn.Module, progress: Progress) -> list[str]:
    """Refuse a leak that nobody has accepted, warn of a lesser one; what was found, in words."""
    notes = []
    with progress.waiting("looking for leaks"):
        leaks = list(task.leaks(model))
    for leak in leaks:
        section, _, key = leak.accept.partition(".")
        accepted = getattr(getattr(task, section), key)
        if leak.grave and not accepted:
            raise WorkingsError(
                f"{leak.text}; {leak.way_out}, or accept it: --set {leak.accept}=true"
            )
        if not accepted:
            progress.warn(f"{leak.text}; {leak.way_out}; --set {leak.accept}=true accepts it")
        notes.append(f"{leak.text} ({'accepted' if accepted else 'warned of'})")
    return notes
