"""Small graph sets for the tests: rings are of one class, paths of the other."""

import json
from pathlib import Path
from typing import Any

import numpy as np


def ring_or_path(size: int, ring: bool) -> list[list[int]]:
    return [[i, (i + 1) % size] for i in range(size if ring else size - 1)]


def records(count: int = 40) -> list[dict[str, Any]]:
    """Rings and paths of 3 to 7 nodes, whose tags are drawn."""
    draw, made = np.random.default_rng(0), []
    for number in range(count):
        ring, size = number % 2 == 0, int(draw.integers(3, 8))
        tags = draw.choice(["C", "N", "O"], size).tolist()
        label = "ring" if ring else "path"
        made.append({"edges": ring_or_path(size, ring), "tags": tags, "label": label})
    return made


def lines_file(path: Path, made: list[dict[str, Any]] | None = None) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in made or records()))
    return path


def tu_folder(folder: Path, count: int = 20, folds: int = 2) -> Path:
    """A folder as GIN's authors distribute them."""
    made = records(count)
    lines = [str(count)]
    for record in made:
        size = len(record["tags"])
        near: list[list[int]] = [[] for _ in range(size)]
        for i, j in record["edges"]:
            near[i].append(j)
            near[j].append(i)
        lines.append(f"{size} {int(record['label'] == 'ring')}")
        lines += [
            " ".join(map(str, ["CNO".index(record["tags"][i]), len(near[i]), *near[i]]))
            for i in range(size)
        ]
    index = folder / "10fold_idx"
    index.mkdir(parents=True)
    (folder / f"{folder.name}.txt").write_text("\n".join(lines) + "\n")
    for fold in range(folds):
        test = [graph for graph in range(count) if graph // 2 % folds == fold]
        train = [graph for graph in range(count) if graph not in test]
        for name, chosen in (("test", test), ("train", train)):
            (index / f"{name}_idx-{fold + 1}.txt").write_text("\n".join(map(str, chosen)) + "\n")
    return folder
