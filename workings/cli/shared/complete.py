"""Completion of what the user types: tasks, configs, runs, studies, data sets; without torch."""

from importlib import resources
from pathlib import Path

# As workings.tasks has them, which needs torch.
TASKS = ("language", "images", "graph", "speech", "summary")


def configs(incomplete: str) -> list[tuple[str, str]]:
    """Tasks and shipped configs, each with its first comment."""
    names = [(task, "a task, with its defaults") for task in TASKS]
    names += [(path.stem, _comment(path)) for path in _shipped("configs")]
    return [name for name in names if name[0].startswith(incomplete)]


def studies(incomplete: str) -> list[str]:
    """The shipped studies."""
    return [path.stem for path in _shipped("studies") if path.stem.startswith(incomplete)]


def runs(incomplete: str) -> list[str]:
    """The runs of the folder where they are kept."""
    from workings.run.folder.listing import folders, root

    return [path.name for path in folders(root(None)) if path.name.startswith(incomplete)]


def data_sets(incomplete: str) -> list[tuple[str, str]]:
    """The named data sets, with what each is."""
    from workings.data.named import SOURCES

    sets = [(name, source.about) for name, source in SOURCES.items()]
    return [each for each in sets if each[0].startswith(incomplete)]


def _shipped(folder: str) -> list[Path]:
    return sorted(Path(str(resources.files("workings") / folder)).glob("*.toml"))


def _comment(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        first = file.readline()
    return first.removeprefix("#").strip() if first.startswith("#") else ""
