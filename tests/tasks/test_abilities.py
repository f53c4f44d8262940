"""Which task can do what, and that the others say so in one line."""

from pathlib import Path
from typing import Any

import pytest

from workings.errors import WorkingsError
from workings.run import Run, train
from workings.tasks import TASKS, abilities

CAN = {
    "language": {"Generates", "ShowsAttention", "EvaluatesStreams", "Draws"},
    "images": {"Predicts", "Draws"},
    "graph": {"Predicts", "Draws", "ShowsEdgeAttention"},
    "speech": {"Transcribes", "Draws", "Embeds", "Exports", "EvaluatesFiles"},
    "summary": {"Summarises", "Draws", "EvaluatesFiles"},
}
for task in ("language", "images", "graph"):
    CAN[task] |= {"EvaluatesFiles", "Embeds", "Exports", "PredictsArrays"}
PROTOCOLS = {name: getattr(abilities, name) for name in set().union(*CAN.values())}


@pytest.mark.parametrize("task", TASKS)
def test_the_abilities_of_each_task(task: str) -> None:
    assert {name for name, kind in PROTOCOLS.items() if issubclass(TASKS[task], kind)} == CAN[task]


@pytest.fixture(scope="module")
def graph_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    values = {"task": "graph", "data": {"name": "karate"}, "train": {"epochs": 2, "device": "cpu"}}
    return train(values, str(tmp_path_factory.mktemp("runs") / "karate"))


def test_what_a_run_cannot_do_is_said_in_one_line(graph_run: Run) -> None:
    for asked in (
        lambda: graph_run.generate("the"),
        lambda: graph_run.attention("the"),
        lambda: graph_run.transcribe(Path("a.wav")),
        lambda: graph_run.summarise(Path("a.py")),
        lambda: graph_run.evaluate(streams=3),
    ):
        with pytest.raises(WorkingsError, match=r"a graph run cannot [a-z ]+; it can [a-z, ]+$"):
            asked()
    assert len(graph_run.predict(["0"])) == 1


@pytest.mark.parametrize("task", TASKS)
def test_an_error_of_a_model_that_is_no_matter_of_size_stays_itself(task: str) -> None:
    """Every task builds its model in the same way; what its own code raises is not explained."""

    class Broken:
        kind = "broken"

        def build(self, *sizes: int) -> Any:
            raise self.error

        error: Exception

    kind: Any = TASKS[task]
    broken = Broken()
    made = kind(kind.Data(), broken, kind.Train(), 1, {})
    made.sizes = lambda: {"classes": 2}
    for error in (TypeError("build() takes 2"), RuntimeError("shapes do not fit"), KeyError("x")):
        broken.error = error
        with pytest.raises(type(error)) as raised:
            made.build()
        assert raised.value is error
    broken.error = RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory: 9 bytes")
    with pytest.raises(WorkingsError, match="too large for this machine"):
        made.build()
