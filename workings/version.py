"""The version of the package and the numbers of its results, for everything to import."""

__version__ = "0.1.0"

RESULTS = {"language": 1, "images": 1, "graph": 1, "speech": 1, "summary": 1, "measure": 1}
"""By task, a number that is raised when the same config gives other figures than before: other
random numbers, another order of batches, another loss. A resumed run and a study see it;
a task that is not here has 1."""
