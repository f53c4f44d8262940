"""One process of the driver: inputs of one target, within limits of memory and time.

It writes what it has done to a file after every input, and the input itself before: a process that
is ended from outside, by a limit or in a library, is judged by what it left.
"""

import argparse
import contextlib
import faulthandler
import json
import resource
import sys
import time
from pathlib import Path

MEMORY = 4 << 30  # bytes of address space
HARD_SECONDS = 180  # of wall-clock time for one input: a hang inside a library


def main() -> None:
    """Try inputs until the time is up."""
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--first", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    import torch

    from tests.fuzz.target import judge
    from tests.fuzz.targets import TARGETS

    torch.set_num_threads(1)
    target = TARGETS[arguments.target]
    number, until = arguments.first, time.monotonic() + arguments.seconds
    with (arguments.folder / "outcomes.jsonl").open("a") as outcomes:
        while time.monotonic() < until:
            content = target.input(number)
            (arguments.folder / "input").write_bytes(content)
            faulthandler.dump_traceback_later(HARD_SECONDS, exit=True)
            outcome = judge(target, content)
            faulthandler.cancel_dump_traceback_later()
            record = {"number": number, "kind": outcome.kind, "detail": outcome.detail}
            print(json.dumps(record), file=outcomes, flush=True)
            if not outcome.held:
                return  # its state may be damaged: the driver starts another
            number += 1
    with contextlib.suppress(OSError):
        (arguments.folder / "input").unlink()


if __name__ == "__main__":
    sys.exit(main())
