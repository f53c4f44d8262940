"""Data given as Python objects, kept as files by their content, so that a run can be resumed."""

import hashlib
import io
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np

from workings.data import sources
from workings.errors import WorkingsError
from workings.files import explain, write_file
from workings.tasks import TASKS, reader_of
from workings.tasks.graph.reading import geometric
from workings.tasks.task import Task

Kind = TypeVar("Kind")
GRAPHS = ("edges", "edge_index", "edge_types")  # what networkx's and torch_geometric's have
SPLITS = {"train", "valid", "test"}


def task_for(data: object) -> type[Task]:
    """The task that these data are for, where nobody says: of files, the one that reads them."""
    if isinstance(data, str | Path):
        return _reader(Path(data))
    if parts := _by_split(data):
        return task_for(next(iter(parts.values())))
    texts, paths = _all_of(data, str), _all_of(data, Path)
    if paths or (texts and all(map(_is_path, texts))):
        return _reader(Path((paths or texts)[0]))
    if texts:
        return TASKS["language"]
    if _pair(data):
        return TASKS["images"]
    if isinstance(data, Mapping) or any(hasattr(data, name) for name in GRAPHS):
        return TASKS["graph"]
    raise WorkingsError(
        f"data: no task is known for a {type(data).__name__}; give a path, a list of strings "
        "(language), a pair of arrays, pixels and classes (images), or a graph (graph)"
    )


def _reader(path: Path) -> type[Task]:
    task = reader_of(path) if path.exists() else None
    if task is None:
        wrong = "looks like no task's data" if path.exists() else "no such file or folder"
        raise WorkingsError(f"{path}: {wrong}; name the task, as in train('images', data=…)")
    return task


def data_keys(task: type[Task], data: object) -> Mapping[str, object]:
    """The [data] keys of what is given: a path or several, or Python objects.

    Text: a list of strings, a line each. Images: a pair of arrays or tensors, pixels and classes.
    Of both, {"train": …, "valid": …, "test": …} gives the splits. Graphs: a networkx graph, an
    object or dict with edge_index, x and y, as torch_geometric's Data, or its HeteroData. The
    objects are written to the cache, under a name that their content gives.
    """
    if isinstance(data, str | Path):
        return task.data_from([Path(data)])
    if task.name in ("language", "images") and (parts := _by_split(data)):
        return {split: [str(path) for path in files(task, part)] for split, part in parts.items()}
    texts, paths = _all_of(data, str), _all_of(data, Path)
    if paths or (texts and all(map(_is_path, texts))):
        return task.data_from([Path(each) for each in paths or texts])
    if task.name == "language" and texts:
        return {"train": [str(_keep("".join(f"{line}\n" for line in texts).encode(), ".txt"))]}
    if task.name == "images" and (pair := _pair(data)):
        arrays = {"images": _channels_last(_array(pair[0])), "labels": _array(pair[1])}
        return {"train": [str(_keep(_npz(arrays), ".npz"))]}
    if task.name == "graph":
        return {"path": str(_graph(data))}
    raise WorkingsError(
        f"data: the {task.name} task cannot take a {type(data).__name__}; give a path, "
        "a list of strings (language), a pair of arrays (images), or a graph (graph)"
    )


def files(task: type[Task], data: object) -> list[Path]:
    """The files of what is given, as `data_keys` has it: those named, or those of the objects."""
    if isinstance(data, str | Path):
        return [Path(data)]
    listed = list(data) if isinstance(data, list | tuple) else []
    paths = [
        each
        for each in listed
        if isinstance(each, Path) or (isinstance(each, str) and _is_path(each))
    ]
    if listed and len(paths) == len(listed):
        return [Path(each) for each in paths]
    keys = data_keys(task, data)
    made = [keys["path"]] if "path" in keys else keys["train"]
    return [Path(str(each)) for each in made] if isinstance(made, list) else []


def _by_split(data: object) -> dict[str, object]:
    """The parts of a mapping whose keys are splits; nothing of anything else."""
    parts = dict(data) if isinstance(data, Mapping) else {}
    return parts if SPLITS.issuperset(parts) else {}


def _pair(data: object) -> tuple[object, object] | None:
    """Pixels and classes, as two things of a tuple or list that are no strings."""
    if not isinstance(data, list | tuple) or len(data) != 2:
        return None
    return None if isinstance(data[0], str | Path) else (data[0], data[1])


def _is_path(text: str) -> bool:
    """Whether a string names a file, there or not, and is no line of text."""
    if any(letter.isspace() for letter in text.strip()):
        return os.path.exists(text)  # noqa: PTH110 - Path's own raises where a name is too long
    return "/" in text or bool(Path(text).suffix) or os.path.exists(text)  # noqa: PTH110


def _all_of(data: object, kind: type[Kind]) -> list[Kind]:
    """What a list or tuple of one kind of thing holds; nothing of anything else."""
    every = list(data) if isinstance(data, list | tuple) else []
    held = [each for each in every if isinstance(each, kind)]
    return held if len(held) == len(every) else []


def _array(value: object) -> np.ndarray:
    """An array of an array, a tensor or a list."""
    return value.detach().cpu().numpy() if hasattr(value, "detach") else np.asarray(value)


def _channels_last(pixels: np.ndarray) -> np.ndarray:
    """N×H×W×C from PyTorch's N×C×H×W; anything else as it is."""
    first = pixels.ndim == 4 and pixels.shape[1] in (1, 3) and pixels.shape[3] not in (1, 3)
    return np.moveaxis(pixels, 1, 3) if first else pixels


def _graph(data: object) -> Path:
    if hasattr(data, "nodes") and hasattr(data, "edges") and hasattr(data, "adj"):
        import networkx

        empty: Callable[[], networkx.Graph] = type(data)
        plain = empty()
        plain.add_nodes_from((node, _scalars(held)) for node, held in data.nodes(data=True))
        plain.add_edges_from((i, j, _scalars(held)) for i, j, held in data.edges(data=True))
        return _keep("\n".join(networkx.generate_graphml(plain)).encode(), ".graphml")
    return _keep(_npz(geometric.arrays(data)), ".npz")


def _scalars(held: dict[str, object]) -> dict[str, object]:
    """Attributes as GraphML can hold them: an array x as x_0, x_1 …, each a plain number."""
    plain: dict[str, object] = {}
    for key, value in held.items():
        if isinstance(value, str | int | float):
            plain[key] = value
        elif value is not None:
            numbers = _array(value)
            many = numbers.ndim > 0
            parts = {f"{key}_{i}": x for i, x in enumerate(numbers.ravel().tolist())}
            plain |= parts if many else {key: numbers.item()}
    return plain


def _npz(arrays: dict[str, np.ndarray]) -> bytes:
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def _keep(content: bytes, suffix: str) -> Path:
    """The file of this content in the cache."""
    name = hashlib.sha256(content).hexdigest()[:32]
    path = sources.cache() / "given" / f"{name}{suffix}"
    if not path.exists():
        with explain(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, content)
    return path
