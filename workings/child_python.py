"""Python processes that this one starts: they import from where it does, nothing from elsewhere.

`python -m` and `python -c` would look into the current folder first, which may be a stranger's: a
`torch.py` in it would be run.
"""

import os
import sys
from pathlib import Path


def command(module: str) -> list[str]:
    """What runs a module as a program."""
    return [sys.executable, "-P", "-m", module]


def environment() -> dict[str, str]:
    """This process's variables, and those by which a child has the same search path.

    An empty entry, as an interactive Python has it, is the current folder.
    """
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    return os.environ | {"PYTHONSAFEPATH": "1", "PYTHONPATH": path}
