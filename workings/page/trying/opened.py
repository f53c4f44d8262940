"""The models that were used last, opened once; and what can be tried with one."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path

from workings.errors import WorkingsError
from workings.run.progress import Progress
from workings.run.run import Run, open_run
from workings.tasks import abilities
from workings.tasks.graph.node_classification import NodeClassification
from workings.tasks.graph.task import GraphTask
from workings.tasks.graph.whole.task import GraphSetTask
from workings.tasks.images.task import ImageTask
from workings.tasks.language.task import LanguageTask
from workings.tasks.speech.task import SpeechTask

MOST_OPEN = 4
_runs: "OrderedDict[tuple[str, int], Run]" = OrderedDict()


def run_at(path: str, trust: bool) -> Run:
    """A run with its best weights; the one unused for longest makes room for another."""
    best = sorted(Path(path).glob("checkpoint/best-*"))
    stamp = best[-1].stat().st_mtime_ns if best else 0  # a run that trains gets better weights
    key = (path, stamp)
    if key not in _runs:
        opened = open_run(path, progress=Progress(), trust=trust)
        while len(_runs) >= MOST_OPEN:
            _runs.popitem(last=False)
        _runs[key] = opened
    _runs.move_to_end(key)
    return _runs[key]


def about(path: str, trust: bool) -> Iterator[dict[str, object]]:
    """Which view a run has, and what that view should know first."""
    run = run_at(path, trust)
    view, first = _view(run)
    yield {"task": run.task.name, "model": run.config.kind, "view": view, **first(run)}


def _view(run: Run) -> tuple[str, Callable[[Run], dict[str, object]]]:
    from workings.page.trying import graph, graph_set, images, language, links, speech, summary

    match run.task:
        case LanguageTask():
            return "language", language.first
        case ImageTask():
            return "images", images.first
        case GraphTask() if isinstance(run.task.problem, NodeClassification):
            return "graph", graph.first
        case GraphTask():
            return "links", links.first
        case GraphSetTask():
            return "graph_set", graph_set.first
        case SpeechTask():
            return "speech", speech.first
        case abilities.Summarises():
            return "summary", summary.first
    raise WorkingsError(
        f"{run.folder.path}: there is no view for this kind of run yet; "
        f"`{run.task.next_commands(run.folder.command)[0]}` uses it"
    )
