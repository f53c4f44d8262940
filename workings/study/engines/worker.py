"""The worker process of a study, `python -m workings.study.engines.worker`: it ends with the study.

Started with the number of its pipe's file, of its threads, and of the study's process.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection

PR_SET_PDEATHSIG = 1  # of Linux's prctl: the signal to get when the parent dies
EVERY = 0.5  # seconds between two looks at the parent, on systems without that


def end_with(parent: int) -> None:
    """See that this process is gone within a second of its parent's death, whatever it is doing.

    Being killed loses nothing: a run resumes from its last checkpoint.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before that
        os._exit(1)
    threading.Thread(target=watch, args=(parent,), daemon=True).start()


def watch(parent: int) -> None:
    """Wait until the parent is gone (its children get another parent then), and end."""
    while os.getppid() == parent:
        time.sleep(EVERY)
    os._exit(1)


if __name__ == "__main__":
    pipe, threads, parent = map(int, sys.argv[1:])
    end_with(parent)
    # Only now: torch takes seconds to import, in which the study may die.
    from workings.study.engines.perform import serve

    serve(Connection(pipe), threads)
