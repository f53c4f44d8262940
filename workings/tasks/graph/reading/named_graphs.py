"""The graphs that go by name: fetched, kept as one archive each, and checked by their content."""

import tempfile
from dataclasses import replace
from pathlib import Path

from workings.data import sources
from workings.errors import WorkingsError
from workings.files import explain, write_file
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.reading import heterophilous, npz_files, planetoid, small_graphs
from workings.tasks.graph.reading.written_notes import notes
from workings.tasks.graph.typed.movies import movies

# Of the content (`Graph.checksum`): the same graph is distributed in several forms.
CHECKSUMS = {
    "cora": "fe4bf976b7961b51863b764b387dacfb2aa56e4da64797fb9a12f3f0696e98c0",
    "citeseer": "19dc2c8e36d43753f555a942a00b9698ec43c663a6add35930c47c8447b74733",
    "amazon-photo": "29dbcb9ef5967b0cc34f0b4dc83566022c9658a05af44a9d7bdc34e12a849d5e",
}


def load(name: str, fold: int = 0, seed: int = 1) -> Graph:
    """A graph by its name; of one with several splits, that of the fold, or else of the seed."""
    if name == "karate":
        return small_graphs.karate()
    if name == "six-nodes":
        return small_graphs.six_nodes()
    if name == "movies":
        return movies()
    if name == "notes":
        return notes()
    (path,) = sources.splits(name)["train"]
    if name in heterophilous.NAMES:
        sources.verify(name)
        return heterophilous.read(path, fold, seed)
    graph = npz_files.read(path, directed=False, weighted=False)
    if graph.checksum() != CHECKSUMS[name]:
        raise WorkingsError(
            f"{path}: is not the published {name} (its content differs); remove it and get it "
            f"again: {sources.way_to(name)}; or train on it by path: --data {path}"
        )
    return graph


def fetch(name: str) -> Path:
    """Download a named graph's published files, and keep their content as one checked archive."""
    source = sources.source(name, "graph")
    with tempfile.TemporaryDirectory() as temporary:
        for file in source.raw:
            sources.retrieve(source, file, None, Path(temporary))
        graph = _from_raw(name, Path(temporary) / source.raw[0])
    if graph.checksum() != CHECKSUMS[name]:
        raise WorkingsError(f"{source.url}: what is there now is not the published {name}")
    folder = sources.cache() / source.folder
    with explain(folder):
        folder.mkdir(parents=True, exist_ok=True)
    (archive,) = source.files
    write_file(folder / archive, npz_files.write(graph))
    return folder


def _from_raw(name: str, first: Path) -> Graph:
    if first.suffix != ".npz":
        return planetoid.read(first.parent, name)
    graph = npz_files.read(first, directed=False, weighted=False)
    joined_E = graph.edges_2E[0] != graph.edges_2E[1]  # gnn-benchmark's archive has self-loops
    return replace(graph, edges_2E=graph.edges_2E[:, joined_E])
