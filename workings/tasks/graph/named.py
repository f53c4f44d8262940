"""The graphs that go by name, checked by what they hold: they come in several packings."""

from pathlib import Path

from workings.data import sources
from workings.data.named import Source
from workings.errors import WorkingsError
from workings.files import explain, write_file
from workings.tasks.graph import npz_files as graph_archive
from workings.tasks.graph import small as small_graphs
from workings.tasks.graph.graph import Graph

CHECKSUMS = {
    "cora": "fe4bf976b7961b51863b764b387dacfb2aa56e4da64797fb9a12f3f0696e98c0",
    "citeseer": "19dc2c8e36d43753f555a942a00b9698ec43c663a6add35930c47c8447b74733",
    "amazon-photo": "29dbcb9ef5967b0cc34f0b4dc83566022c9658a05af44a9d7bdc34e12a849d5e",
}


def load(name: str) -> Graph:
    """A graph by its name."""
    if name == "karate":
        return small_graphs.karate()
    if name == "six-nodes":
        return small_graphs.six_nodes()
    (path,) = sources.splits(name)["train"]
    graph = graph_archive.read(path, directed=False, weighted=False)
    if graph.checksum() != CHECKSUMS[name]:
        raise WorkingsError(
            f"{path}: is not the published {name} (its content differs); remove it and get it "
            f"anew: {sources.way_to(name)}; or train on it by path: --data {path}"
        )
    return graph


def keep(source: Source, graph: Graph, folder: Path) -> None:
    """Write a downloaded graph as an archive, if it is the published one."""
    if graph.checksum() != CHECKSUMS[source.name]:
        raise WorkingsError(f"{source.url}: what is there now is not the published {source.name}")
    (file,) = source.files
    with explain(folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / file, graph_archive.write(graph))
