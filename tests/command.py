"""The `workings` command as tests call it: `workings("train", …)` of the fixture in conftest."""

from collections.abc import Callable

Command = Callable[..., tuple[int, str, str]]  # exit code, standard output, standard error
