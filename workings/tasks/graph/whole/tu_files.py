"""Graph sets as GIN's authors distribute them: one text file, and a folder of ten folds."""

# The file: the number of graphs; of each graph a line "nodes class", then of each node a line
# "tag count neighbour …". In 10fold_idx/: train_idx-K.txt and test_idx-K.txt, a graph a line.

from pathlib import Path

import numpy as np

from workings.data.readers.unpack import memory_budget
from workings.errors import WorkingsError
from workings.files import read_file
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.reading.set_paths import FOLDS
from workings.tasks.graph.whole.graph_set import GraphSet, build_set


def read(folder: Path) -> GraphSet:
    """The set in a folder NAME: NAME.txt, its folds if they are there; a node's tag is one-hot."""
    path = folder / f"{folder.name}.txt"
    lines = _text(path).splitlines()
    sizes, labels, tags, pairs = [], [], [], []
    at, unused = 1, 0
    (count,) = _numbers(path, lines, 0, 1)
    for _ in range(count):
        size, label = _numbers(path, lines, at, 2)
        if size < 1:  # of which as many could follow as the file pleases to say
            raise WorkingsError(f"{path}, line {at + 1}: a graph of {size} nodes")
        ends: list[tuple[int, int]] = []
        for node in range(size):
            tag, neighbours = _numbers(path, lines, at + 1 + node, 2)
            others = _numbers(path, lines, at + 1 + node, 2 + max(0, neighbours))[2:]
            unused += len(lines[at + 1 + node].split()) - 2 - len(others)
            tags.append(tag)
            ends += [(other, node) for other in others]
        at += 1 + size
        sizes.append(size)
        labels.append(str(label))
        pairs.append(np.array(ends, np.int64).reshape(-1, 2).T)
    if any(line.strip() for line in lines[at:]):
        raise WorkingsError(f"{path}: goes on after its {count:,} graphs, at line {at + 1}")
    known, column = np.unique(tags, return_inverse=True)
    shape = (len(tags), len(known))
    features = Rows.of(np.arange(len(tags)), column, np.ones(len(tags), np.float32), shape)
    names = [str(number) for number in range(count)]
    notes = [f"the {len(known)} tags of nodes are features, one each"]
    if unused:
        notes.append(f"{unused:,} numbers after the neighbours are not used")
    folds = _folds(folder / FOLDS, count) if (folder / FOLDS).is_dir() else []
    return build_set(str(path), sizes, pairs, False, features, labels, names, {}, folds, notes)


def _folds(folder: Path, graphs: int) -> list[np.ndarray]:
    """The test graphs of every fold; each fold's two files hold every graph once."""
    tests = sorted(folder.glob("test_idx-*.txt"), key=lambda path: (len(path.name), path.name))
    folds = []
    for path in tests:
        train = _index(path.with_name(path.name.replace("test", "train", 1)))
        test = _index(path)
        both = np.sort(np.concatenate([train, test]))
        if not np.array_equal(both, np.arange(graphs)):
            raise WorkingsError(
                f"{path}: this fold does not fit: it and its training file name {len(both):,} "
                f"graphs, from {both.min(initial=0)} to {both.max(initial=0):,}, and not each of "
                f"the {graphs:,} once"
            )
        folds.append(np.sort(test))
    if not folds:
        raise WorkingsError(f"{folder}: holds no folds: expected test_idx-1.txt and so on")
    return folds


def _index(path: Path) -> np.ndarray:
    try:
        return np.array([int(word) for word in _text(path).split()], np.int64)
    except (ValueError, OverflowError):
        raise WorkingsError(f"{path}: expected the numbers of graphs, one a line") from None


def _text(path: Path) -> str:
    try:
        return read_file(path, memory_budget()).decode("ascii")
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise WorkingsError(f"{path}: is not text in ASCII") from None


def _numbers(path: Path, lines: list[str], at: int, count: int) -> list[int]:
    """The first whole numbers of a line."""
    try:
        numbers = [int(word) for word in lines[at].split()[:count]]
    except (IndexError, ValueError):
        numbers = []
    if len(numbers) < count or any(abs(number) >= 2**31 for number in numbers):
        shown = repr(lines[at][:40]) if at < len(lines) else "the end of the file"
        raise WorkingsError(f"{path}, line {at + 1}: expected {count} whole numbers, not {shown}")
    return numbers
