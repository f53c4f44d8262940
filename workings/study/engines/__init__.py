"""Engines that do a study's jobs: worker processes on this machine, or a Ray cluster.

`local` starts `worker` processes, which `perform` jobs and send `messages`; `ray` does the same on
a cluster. Nothing is imported here, so that a worker can watch its study before torch is loaded.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workings.study.engines.local import Jobs, Local, Queue, View, cores
    from workings.study.engines.ray import Cluster, at_address

__all__ = ["Cluster", "Jobs", "Local", "Queue", "View", "at_address", "cores"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'workings.study.engines' has no attribute {name!r}")
    module = "ray" if name in ("Cluster", "at_address") else "local"
    return getattr(import_module(f"workings.study.engines.{module}"), name)
