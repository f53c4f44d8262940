"""How OpenMP's threads wait for each other: asleep, so that a busy machine does not stop them."""

import os

SETTINGS = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")  # what the user may have set


def wait_asleep() -> None:
    """For a command, before it loads torch, whose OpenMP reads these settings once.

    By default a thread that waits for another one keeps its core busy for milliseconds. If that
    other thread is not running because a program of somebody else has its core, all of them wait.
    """
    if not any(name in os.environ for name in SETTINGS):
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"


def thread_limit() -> int | None:
    """The most threads that the user's OMP_NUM_THREADS allows; None where it says nothing."""
    first = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(first) if first.isdecimal() and int(first) else None
