"""One process of the driver: inputs of one target, within limits of memory and time.

It writes what it has done to a file after every input, and the input itself before: a process that
is ended from outside, by a limit or in a library, is judged by what it left.
"""

import faulthandler
import json
import os
import resource
import sys
import time
from pathlib import Path

from tests.fuzz.target import SECONDS, Target, judge

MEMORY = 4 << 30  # bytes of address space
HARD_SECONDS = SECONDS + 5  # of processor time for one input: a hang inside a library
WAITING_SECONDS = 180  # of wall-clock time for one input: it waits for what does not come


def work(target: Target, first: int, seconds: float, folder: Path) -> None:
    """Try inputs from that number on until the time is up, or one does not hold.

    Leaves `outcomes.jsonl`, the names of the modules that were imported, and, where the process
    was ended, the `input` and what it wrote to its `errors`.
    """
    imported = {*sys.modules}
    errors = os.open(folder / "errors", os.O_WRONLY | os.O_CREAT)
    os.dup2(errors, sys.stderr.fileno())
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    number, until = first, time.monotonic() + seconds
    with (folder / "outcomes.jsonl").open("a") as outcomes:
        while time.monotonic() < until:
            content = target.input(number)
            (folder / "input").write_bytes(content)
            faulthandler.dump_traceback_later(WAITING_SECONDS, exit=True)
            resource.setrlimit(
                resource.RLIMIT_CPU, (_used() + HARD_SECONDS, resource.RLIM_INFINITY)
            )
            outcome = judge(target, content)
            faulthandler.cancel_dump_traceback_later()
            record = {"number": number, "kind": outcome.kind, "detail": outcome.detail}
            print(json.dumps(record), file=outcomes, flush=True)
            if not outcome.held:
                return  # its state may be damaged: the driver starts another
            number += 1
    names = [name for name in sys.modules if name not in imported]
    (folder / "modules").write_text("\n".join(names))
    (folder / "input").unlink(missing_ok=True)


def _used() -> int:
    """Seconds of processor time so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return int(usage.ru_utime + usage.ru_stime) + 1
