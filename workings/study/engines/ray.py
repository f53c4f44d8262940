"""A Ray cluster that does a study's jobs; runs and their checkpoints come back to its folder."""

import io
import os
import shutil
import tarfile
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from workings.errors import WorkingsError
from workings.files import explain
from workings.study.engines.local import ATTEMPTS, Jobs, View, threads_each
from workings.study.engines.messages import Warned
from workings.study.plan import Job

if TYPE_CHECKING:
    from ray import ObjectRef
    from ray.actor import ActorHandle


def pack(folder: Path) -> bytes:
    """Pack a run's folder as a tar, less its lock; what vanishes meanwhile is an old checkpoint."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            hidden = any(part.startswith(".") for part in inside.parts)
            if path.is_file() and not hidden and inside.name != "lock":
                try:
                    data = path.read_bytes()
                except FileNotFoundError:
                    continue
                about = tarfile.TarInfo(str(inside))
                about.size = len(data)
                tar.addfile(about, io.BytesIO(data))
    return content.getvalue()


def unpack(content: bytes, folder: Path) -> None:
    """Put a packed run in the folder's stead, whole or not at all."""
    with explain(folder):
        temporary = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=folder.parent))
        try:
            with tarfile.open(fileobj=io.BytesIO(content)) as tar:
                tar.extractall(temporary / "run", filter="data")
            if folder.exists():
                folder.rename(temporary / "old")
            (temporary / "run").rename(folder)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def perform_remotely(
    job: Job, start: bytes | None, threads: int, checkpoints: "ActorHandle", every: float
) -> bytes:
    """On a worker: resume the run that came along, or begin it; send its checkpoints back."""
    from workings.run.progress import Progress
    from workings.study.engines.perform import perform

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "run"
        if start:
            unpack(start, folder)
        done = threading.Event()

        def send() -> None:
            while not done.wait(every):
                if (folder / "checkpoint").is_dir():
                    checkpoints.keep.remote(job.folder, pack(folder))

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        try:
            perform(job, folder, threads, Progress())
        finally:
            done.set()
            sender.join()
        return pack(folder)


class Checkpoints:
    """An actor that holds the newest checkpoint of every run under way."""

    def __init__(self) -> None:
        self.packed: dict[str, bytes] = {}

    def keep(self, name: str, content: bytes) -> None:
        """Hold a packed checkpoint until it is taken; a newer one replaces it."""
        self.packed[name] = content

    def take(self) -> dict[str, bytes]:
        """Hand over what has come since the last call."""
        taken, self.packed = self.packed, {}
        return taken


class Cluster:
    """Jobs on a Ray cluster, each in a process of its own with `threads` cores."""

    every = 5.0  # seconds after which a run under way is sent back as it is

    def __init__(
        self, address: str, workers: int, where: Callable[[Job], Path], view: View
    ) -> None:
        self.address, self.workers, self.where, self.view = address, workers, where, view
        self.attempts: dict[str, int] = {}
        self.threads = threads_each(workers)

    def run(self, jobs: Jobs, stopping: Callable[[], int]) -> None:
        """Do all jobs to their ends; `stopping` gives the signal that asks to stop, or 0."""
        ray = _ray()
        _join(ray, self.address, self.workers * self.threads)
        checkpoints = ray.remote(num_cpus=0)(Checkpoints).remote()
        # A job that dies is given out again here, with its last checkpoint, not by Ray without.
        self.perform = ray.remote(num_cpus=self.threads, max_retries=0, max_calls=1)(
            perform_remotely
        )
        running: dict[ObjectRef, Job] = {}
        try:
            while True:
                while len(running) < self.workers and (job := jobs.next()):
                    self.view.began(job)
                    running[self._send(job, checkpoints)] = job
                if not running or stopping():
                    return
                ready, _ = ray.wait(list(running), timeout=1.0)
                self._fetch(ray.get(checkpoints.take.remote()), running)
                for reference in ready:
                    job = running.pop(reference)
                    again = self._receive(ray, reference, job, jobs)
                    if again:
                        running[self._send(job, checkpoints)] = job
        finally:
            for reference in running:
                ray.cancel(reference, force=True)
            self._fetch(ray.get(checkpoints.take.remote()), running)
            ray.shutdown()

    def _send(self, job: Job, checkpoints: "ActorHandle") -> "ObjectRef":
        folder = self.where(job)
        start = pack(folder) if (folder / "run.json").is_file() else None
        return self.perform.remote(job, start, self.threads, checkpoints, self.every)

    def _fetch(self, packed: dict[str, bytes], running: dict["ObjectRef", Job]) -> None:
        folders = {job.folder: self.where(job) for job in running.values()}
        for name, content in packed.items():
            if name in folders:
                unpack(content, folders[name])

    def _receive(self, ray: ModuleType, reference: "ObjectRef", job: Job, jobs: Jobs) -> bool:
        """The end of a job; whether it has to be given out again."""
        try:
            unpack(ray.get(reference), self.where(job))
            error = ""
        except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError) as died:
            tries = self.attempts[job.folder] = self.attempts.get(job.folder, 0) + 1
            if tries < ATTEMPTS:
                text = "its worker was lost; going on from its last checkpoint"
                self.view.told(job, Warned(text))
                return True
            error = f"its worker was lost {tries} times ({type(died).__name__})"
        except ray.exceptions.RayTaskError as failed:
            cause = failed.cause if getattr(failed, "cause", None) else failed
            error = str(cause).strip().splitlines()[-1]
        self.view.ended(job, error)
        jobs.ended(job, error, stopped=False)
        return False


def _ray() -> ModuleType:
    try:
        import ray
    except ImportError:
        raise WorkingsError(
            "--engine ray needs ray: `pip install 'workings[cluster]'` (quotes included)"
        ) from None
    return ray


def _join(ray: ModuleType, address: str, cpus: int) -> None:
    """An existing cluster, or one of this machine alone."""
    shared = {
        name: os.environ[name] for name in ("WORKINGS_DATA", "WORKINGS_CACHE") if name in os.environ
    }
    options: dict[str, object] = {
        "logging_level": "ERROR",
        "log_to_driver": False,
        "runtime_env": {"env_vars": shared},
    }
    options |= {"address": address} if address else {"num_cpus": cpus, "include_dashboard": False}
    try:
        ray.init(**options)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        line = str(error).strip().partition("\n")[0]
        raise WorkingsError(f"--address {address or 'local'}: no Ray there ({line})") from None


def at_address(address: str) -> Callable[[int, Callable[[Job], Path], View], Cluster]:
    """Return the engine that works on the cluster at this address."""
    return lambda workers, where, view: Cluster(address, workers, where, view)
