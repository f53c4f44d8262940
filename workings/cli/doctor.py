"""`workings doctor`: the machine as Workings sees it, and what could be added."""

import importlib.metadata
import importlib.util
import os
import platform
import shutil
from pathlib import Path

import typer

from workings.cli.shared import show
from workings.cli.shared.options import Json, Runs
from workings.version import __version__

# Of each extra: the module that it brings, and what it adds.
EXTRAS = {
    "search": ("optuna", "`workings study --search N`"),
    "cluster": ("ray", "`workings study --engine ray`"),
    "tensorboard": ("tensorboard", "event files for TensorBoard"),
    "mcp": ("mcp", "`workings mcp`: the checker as a tool for assistants"),
    "export": ("onnxruntime", "`workings export RUN --to onnx`"),
    "speak": ("espeakng_loader", "`workings data speak`, and the data set spoken"),
}
PACKAGES = ("torch", "numpy", "pydantic", "typer", "safetensors", "soundfile", "pillow", "altair")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(doctor)


def doctor(runs: Runs = None, as_json: Json = False) -> None:
    """Versions, devices, threads, disk, where data is looked for, and the extras."""
    facts = {**_versions(), **_machine(), **_folders(runs), **_extras()}
    if as_json:
        show.print_json(facts)
    else:
        show.table("", ["", ""], [[key, str(value)] for key, value in facts.items()], 2)


def _versions() -> dict[str, object]:
    return {
        "workings": __version__,
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        **{name: importlib.metadata.version(name) for name in PACKAGES},
    }


def _machine() -> dict[str, object]:
    import torch

    devices = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    devices += ["mps"] if torch.backends.mps.is_available() else []
    return {
        "devices": ", ".join([*devices, "cpu"]),
        "precision": f"float32 products: {torch.get_float32_matmul_precision()}",
        "threads": f"{torch.get_num_threads()} of {os.cpu_count()} cores",
    }


def _folders(runs: Path | None) -> dict[str, object]:
    from workings.data import SOURCES, sources
    from workings.run.folder.listing import root

    searched = [path for path in os.environ.get("WORKINGS_DATA", "").split(os.pathsep) if path]
    here = [name for name, source in SOURCES.items() if source.folder]
    present = [name for name in here if sources.find(name)]
    return {
        "runs in": _disk(root(runs)),
        "cache in": _disk(sources.cache()),
        "data looked for in": ", ".join([*searched, str(sources.cache())]),
        "data sets here": f"{len(present)} of {len(here)}: {', '.join(present) or 'none'}",
    }


def _disk(folder: Path) -> str:
    """A folder, and the free space of the disk that it is on, or would be."""
    is_there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    return f"{folder.absolute()}, {shutil.disk_usage(is_there).free / 1e9:,.1f} GB free"


def _extras() -> dict[str, object]:
    facts: dict[str, object] = {}
    for name, (module, adds) in EXTRAS.items():
        is_there = importlib.util.find_spec(module) is not None
        way = "there" if is_there else f"not there: pip install 'workings[{name}]'"
        facts[f"extra {name}"] = f"{way}; {adds}"
    return facts
