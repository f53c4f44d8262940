"""Several processes that train one model: what they tell each other, and how they are started."""

from workings.run.processes.group import Alone, Group, Step
from workings.run.processes.launch import launched_by_torchrun, settled, together

__all__ = ["Alone", "Group", "Step", "launched_by_torchrun", "settled", "together"]
