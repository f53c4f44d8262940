"""A graph from a file or folder of any known format: which reader is for which path."""

from pathlib import Path

from workings.errors import WorkingsError
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.reading import csv_tables, markup_files, npz_files, planetoid, text_files

EDGE_LISTS = (".edges", ".edgelist", ".csv", ".tsv", ".txt")
SUFFIXES = (".npz", ".graphml", ".gml", *EDGE_LISTS)


def read(path: Path, directed: bool, weighted: bool, label: str = "") -> Graph:
    """The graph in a file or folder, in any of the known formats.

    label: the column of its nodes that is their class, where it goes by another name.
    """
    if path.is_dir():
        return _read_folder(path, directed, weighted, label)
    if label and path.suffix not in (".graphml", ".gml"):
        raise WorkingsError(f"data.label: {path} has no columns of nodes to choose from")
    if not path.exists():
        raise WorkingsError(f"{path}: no such file or folder")
    if not path.is_file():
        raise WorkingsError(f"{path}: is not a regular file")
    if path.name.startswith("ind."):
        return planetoid.read(path.parent, path.name.split(".")[1])
    match path.suffix:
        case ".npz":
            return npz_files.read(path, directed, weighted)
        case ".graphml" | ".gml":
            return markup_files.read(path, directed, weighted, label)
        case suffix if suffix in EDGE_LISTS:
            return text_files.edge_list(path, directed, weighted)
    raise WorkingsError(
        f"{path}: no graph is read from {path.suffix or 'a file without a suffix'}; known: "
        f"{', '.join(SUFFIXES)}, a folder with edges.csv"
    )


def _read_folder(path: Path, directed: bool, weighted: bool, label: str) -> Graph:
    if csv_tables.files(path, "edges"):
        return csv_tables.read(path, directed, weighted, label)
    names = planetoid.names(path)
    if len(names) == 1:
        return planetoid.read(path, names[0])
    raise WorkingsError(
        f"{path}: holds no graph: expected edges.csv (and nodes.csv), or one set of "
        f"Planetoid's files ind.NAME.* (found {', '.join(names) or 'none'})"
    )
