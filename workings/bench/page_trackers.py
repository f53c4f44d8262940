"""The same runs in MLflow's and TensorBoard's own stores and servers, beside ours.

Each is an optional extra of the benchmark: `pip install mlflow tensorboard`. Their servers are
processes of their own, asked as their pages ask them: MLflow for pages of runs and for the history
of a metric of some runs, TensorBoard for its runs with their tags and for the scalars of some.
"""

import contextlib
import importlib.util
import json
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypedDict

from workings import child_python
from workings.bench.rows import Say
from workings.errors import WorkingsError
from workings.json_files import conform

START_SECONDS = 600.0
RUNS_A_REQUEST = 100  # whose curves MLflow gives at once
PAGE = 1_000  # runs that MLflow gives at a time, at most 50,000
Curve = list[tuple[int, float]]


def require(names: list[str]) -> None:
    """Refuse trackers that are not known or not installed."""
    for name in names:
        if name not in TRACKERS:
            raise WorkingsError(f"--beside: no tracker {name!r}; {' or '.join(TRACKERS)}")
        if importlib.util.find_spec(name) is None:
            raise WorkingsError(f"--beside {name}: is not installed; pip install {name}")


@contextlib.contextmanager
def server(command: list[str], folder: Path, path: str) -> Iterator[str]:
    """A server that listens on a free port, from when it answers; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    log = (folder / "server.log").open("wb")
    module, *arguments = command
    process = subprocess.Popen(
        [*child_python.command(module), *arguments, "--port", str(port)],
        env=child_python.environment(),
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                asked(address + path)
                break
            except (urllib.error.URLError, OSError):
                if process.poll() is not None or time.monotonic() > deadline:
                    log.flush()
                    last = (folder / "server.log").read_text(errors="replace").strip()
                    raise WorkingsError(
                        f"{command[0]}: its server did not start ({last.rpartition(chr(10))[2]})"
                    ) from None
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait(60)
        log.close()


def asked(
    address: str, content: object = None, form: list[tuple[str, str]] | None = None
) -> object:
    """What a server answers, as JSON where it is; it is sent JSON, or the pairs of a form."""
    written = json.dumps(content) if form is None else urllib.parse.urlencode(form)
    body = None if content is None and form is None else written.encode()
    kind = "application/json" if form is None else "application/x-www-form-urlencoded"
    request = urllib.request.Request(address, body, {"Content-Type": kind})
    with urllib.request.urlopen(request, timeout=START_SECONDS) as answer:
        read = answer.read()
    try:
        return json.loads(read)
    except ValueError:
        return read


class _RunInfo(TypedDict):
    run_id: str


class _FoundRun(TypedDict):
    info: _RunInfo


class _FoundRuns(TypedDict, total=False):
    runs: list[_FoundRun]
    next_page_token: str


class _Point(TypedDict):
    run_id: str


class _History(TypedDict):
    metrics: list[_Point]


class MLflow:
    """Its SQLite store, written by its own client, and its server."""

    name = "mlflow"

    def write(self, folder: Path, runs: int, curve: Callable[[int], Curve]) -> None:
        """Log every run with its curve and one setting."""
        from mlflow.entities import Metric, Param
        from mlflow.tracking import MlflowClient

        client = MlflowClient(f"sqlite:///{folder / 'mlflow.db'}")
        for number in range(runs):
            run = client.create_run("0", run_name=f"run-{number:06}")
            points = [Metric("accuracy", value, step, step) for step, value in curve(number)]
            client.log_batch(run.info.run_id, points, [Param("seed", str(number))])
            client.set_terminated(run.info.run_id)

    def serve(self, folder: Path) -> contextlib.AbstractContextManager[str]:
        """Its own server over that store."""
        store = f"sqlite:///{folder / 'mlflow.db'}"
        command = ["mlflow", "server", "--backend-store-uri", store, "--workers", "1"]
        return server([*command, "--default-artifact-root", str(folder)], folder, "/health")

    def listed(self, address: str) -> list[str]:
        """The identifiers of all runs, page by page."""
        names: list[str] = []
        content: dict[str, object] = {"experiment_ids": ["0"], "max_results": PAGE}
        while True:
            found = asked(f"{address}/api/2.0/mlflow/runs/search", content)
            answer = conform(found, _FoundRuns)
            names += [run["info"]["run_id"] for run in answer.get("runs", [])]
            if not (token := answer.get("next_page_token")):
                return names
            content["page_token"] = token

    def curves(self, address: str, names: list[str]) -> list[int]:
        """The points of each run's metric: how many there are; so many runs a request at most."""
        counts: Counter[str] = Counter()
        for at in range(0, len(names), RUNS_A_REQUEST):
            runs = [("run_id", name) for name in names[at : at + RUNS_A_REQUEST]]
            query = urllib.parse.urlencode([("metric_key", "accuracy"), *runs])
            answer = asked(f"{address}/ajax-api/2.0/mlflow/metrics/get-history-bulk?{query}")
            counts.update(each["run_id"] for each in conform(answer, _History)["metrics"])
        return [counts[name] for name in names]


class TensorBoard:
    """Its event files, and its server."""

    name = "tensorboard"

    def write(self, folder: Path, runs: int, curve: Callable[[int], Curve]) -> None:
        """Write every run's curve as scalars."""
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.summary.writer.event_file_writer import (
            EventFileWriter,
        )

        for number in range(runs):
            writer = EventFileWriter(str(folder / "logs" / f"run-{number:06}"))
            for step, value in curve(number):
                summary = Summary(value=[Summary.Value(tag="accuracy", simple_value=value)])
                writer.add_event(Event(wall_time=step, step=step, summary=summary))
            writer.close()

    def serve(self, folder: Path) -> contextlib.AbstractContextManager[str]:
        """Its own server, as it starts by default; it answers before it has read all files."""
        command = ["tensorboard.main", "--logdir", str(folder / "logs")]
        return server(command, folder, "/data/environment")

    def listed(self, address: str) -> list[str]:
        """The runs that have scalars to show."""
        return list(conform(asked(f"{address}/data/plugin/scalars/tags"), dict[str, object]))

    def curves(self, address: str, names: list[str]) -> list[int]:
        """The points of each run's scalar: how many there are."""
        form = [("tag", "accuracy"), *(("runs", name) for name in names)]
        answer = asked(f"{address}/data/plugin/scalars/scalars_multirun", form=form)
        points = conform(answer, dict[str, list[object]])
        return [len(points.get(name, [])) for name in names]


TRACKERS = {each.name: each for each in (MLflow(), TensorBoard())}


def until_all(tracker: "MLflow | TensorBoard", address: str, runs: int, say: Say) -> list[str]:
    """Wait until a server lists all runs: TensorBoard reads them after it has begun to answer."""
    deadline = time.monotonic() + START_SECONDS
    while len(names := tracker.listed(address)) < runs:
        if time.monotonic() > deadline:
            raise WorkingsError(
                f"{tracker.name}: lists {len(names):,} of {runs:,} runs after 10 min"
            )
        say(f"{tracker.name}: {len(names):,} of {runs:,} runs are read")
        time.sleep(1)
    return names
