"""The same runs in MLflow's and TensorBoard's own stores and servers, beside ours.

Each is an optional extra of the benchmark: `pip install mlflow tensorboard`. Their servers are
processes of their own, asked as their pages ask them: MLflow for pages of runs and for the history
of a metric of each run, TensorBoard for its runs with their tags and for the scalars of each run.
"""

import contextlib
import importlib.util
import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from workings import child_python
from workings.bench.rows import Say
from workings.errors import WorkingsError

START_SECONDS = 600.0
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


def asked(address: str, content: Any = None) -> Any:
    """What a server answers, as JSON where it is."""
    body = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=START_SECONDS) as answer:
        read = answer.read()
    try:
        return json.loads(read)
    except ValueError:
        return read


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
        content: dict[str, Any] = {"experiment_ids": ["0"], "max_results": PAGE}
        while True:
            answer = asked(f"{address}/api/2.0/mlflow/runs/search", content)
            names += [run["info"]["run_id"] for run in answer.get("runs", [])]
            if not answer.get("next_page_token"):
                return names
            content["page_token"] = answer["next_page_token"]

    def curve(self, address: str, name: str) -> int:
        """The points of a run's metric: how many there are."""
        query = f"run_id={name}&metric_key=accuracy"
        answer = asked(f"{address}/api/2.0/mlflow/metrics/get-history?{query}")
        return len(answer["metrics"])


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
        """Its own server over those files; it answers before it has read them."""
        command = ["tensorboard.main", "--logdir", str(folder / "logs"), "--load_fast=false"]
        return server(command, folder, "/data/environment")

    def listed(self, address: str) -> list[str]:
        """The runs that have scalars to show."""
        return list(asked(f"{address}/data/plugin/scalars/tags"))

    def curve(self, address: str, name: str) -> int:
        """The points of a run's scalar: how many there are."""
        answer = asked(f"{address}/data/plugin/scalars/scalars?run={name}&tag=accuracy")
        return len(answer)


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
