"""Trainings that are started, stopped and taken up again from the page.

Each is a process of its own, in a session of its own, so that it goes on when the page's server
ends. What it prints is kept in the cache. It is stopped through the lock that it holds on its run
folder, so that one which was started elsewhere can be stopped too.
"""

import contextlib
import hashlib
import os
import re
import signal
import subprocess
from pathlib import Path

from workings import child_python
from workings.data.sources import cache
from workings.errors import WorkingsError
from workings.files import read_file
from workings.names import check_name
from workings.page.folders import Folders
from workings.run.folder import listing
from workings.run.machine.signals import signal_name

LARGEST_LOG = 200_000  # bytes of it that are shown, from its end
GO_ON = "it can be resumed"
END_SECONDS = 10.0
INTERRUPTED = 128  # from this exit code on a process was stopped by a signal
BEGIN_SECONDS = 2.0  # in which a training that is refused has usually said so


class Trainings:
    """Processes that train."""

    def __init__(self, folders: Folders, trust: bool) -> None:
        self.folders, self.trust = folders, trust
        self.processes: dict[Path, subprocess.Popen[bytes]] = {}

    def start(self, config: str, name: str) -> str:
        """Train from the text of a config; the run's name on the page."""
        check_name("name", name)
        if not re.fullmatch(r"[A-Za-z0-9][\w.-]{0,99}", name):
            raise WorkingsError(f"{name!r}: a name is letters, digits, dots and hyphens")
        folder = self.folders.runs / name
        if folder.exists() or folder.is_symlink():
            raise WorkingsError(f"{folder}: exists already; choose another name")
        file = _kept(folder, ".toml")
        file.write_text(config, encoding="utf-8")
        trust = ["--trust"] if self.trust else []
        runs = str(self.folders.runs.absolute())
        self._run(folder, ["train", str(file), "--run", name, "--runs", runs, *trust])
        return f"runs/{name}"

    def resume(self, name: str) -> None:
        """Go on with a run."""
        folder = self.folders.run(name)
        trust = ["--trust"] if self.trust else []
        self._run(folder, ["resume", str(folder.absolute()), *trust])

    def study(self, name: str, options: list[str]) -> None:
        """Run a shipped study, or go on with it; options: of the command."""
        studies = str(self.folders.studies.absolute())
        self._run(self.folders.studies / name, ["study", name, "--studies", studies, *options])

    def _run(self, folder: Path, command: list[str]) -> None:
        before = self.processes.get(folder)
        if before is not None:
            try:  # one that has stopped still has to say so, and to end
                before.wait(0 if listing.held(folder) else END_SECONDS)
            except subprocess.TimeoutExpired:
                raise WorkingsError(f"{folder}: is being trained already") from None
        with log_file(folder).open("wb") as log:
            self.processes[folder] = process = subprocess.Popen(
                [*child_python.command("workings"), *command],
                env=child_python.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        with contextlib.suppress(subprocess.TimeoutExpired):
            if process.wait(BEGIN_SECONDS):
                del self.processes[folder]  # whoever asked is told now
                raise WorkingsError(last_line(folder) or "it ended at once")

    def stop(self, folder: Path) -> None:
        """Ask the process that holds a folder to stop; a run leaves a checkpoint behind."""
        own = self.processes.get(folder)
        if own is not None and own.poll() is None:
            own.send_signal(signal.SIGINT)
            return
        holder = holder_of(folder / "lock")
        if not holder:
            raise WorkingsError(f"{folder}: no process of this machine is training it")
        try:
            os.kill(holder, signal.SIGINT)
        except OSError as error:
            raise WorkingsError(f"{folder}: cannot be stopped ({error.strerror})") from None

    def ended(self, folder: Path) -> str:
        """How a training that the page started has ended, where that was from outside."""
        own = self.processes.get(folder)
        if own is None:  # of an earlier server
            last = log_of(folder).strip().rpartition("\n")[2]
            quiet = last and "stopped at step" not in last and not last.startswith("workings: ")
            return f"killed from outside; {GO_ON}" if quiet else ""
        code = own.poll()
        if code is None or code >= 0:
            return ""
        return f"killed from outside ({signal_name(-code)}); {GO_ON}"

    def starting(self, folder: Path) -> bool:
        """Whether a process for it is there."""
        own = self.processes.get(folder)
        return own is not None and own.poll() is None

    def refused(self, folder: Path) -> str:
        """Why a process for it has ended by itself without its work; nothing where it has not."""
        own = self.processes.get(folder)
        ended = own is not None and 0 < (own.poll() or 0) < INTERRUPTED
        return (last_line(folder) or "it ended at once") if ended else ""


def _kept(folder: Path, suffix: str) -> Path:
    """A file of the cache for a run's folder."""
    digest = hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:24]
    kept = cache() / "page" / "trainings"
    kept.mkdir(parents=True, exist_ok=True)
    return kept / f"{digest}{suffix}"


def log_file(folder: Path) -> Path:
    """Where the log of a training is kept."""
    return _kept(folder, ".log")


def log_of(folder: Path) -> str:
    """The end of what a training has printed; nothing where the page did not start it."""
    try:
        content = read_file(log_file(folder))
    except OSError:
        return ""
    return content[-LARGEST_LOG:].decode("utf-8", "replace")


def last_line(folder: Path) -> str:
    """The last line that a training has printed, which is why where it was refused."""
    return log_of(folder).strip().rpartition("\n")[2].removeprefix("workings: ")


def holder_of(lock: Path) -> int:
    """The process that holds a lock file, as Linux lists them; 0 where none does."""
    try:
        number = lock.lstat().st_ino
        listed = Path("/proc/locks").read_text()
    except OSError:
        return 0
    for line in listed.splitlines():
        parts = line.split()
        if len(parts) > 5 and parts[1] == "FLOCK" and parts[5].rpartition(":")[2] == str(number):
            holder = max(0, int(parts[4]))
            if holder and _has_open(holder, lock):
                return holder
    return 0


def _has_open(process: int, file: Path) -> bool:
    """Whether it has this very file open: another file system numbers its files the same way."""
    for handle in Path(f"/proc/{process}/fd").glob("*"):
        with contextlib.suppress(OSError):
            if handle.samefile(file):
                return True
    return False
