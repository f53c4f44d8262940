"""The graph sets that go by name, checked by their content."""

from workings.data import sources
from workings.errors import WorkingsError
from workings.tasks.graph.whole import sentences, tu_files
from workings.tasks.graph.whole.graph_set import GraphSet

CHECKSUMS = {
    "sotu-eras": "9b6919576e931dc82f7de46a76db6bbff9b89dfe6498b606a63c211d380e0c23",
    "sotu-orders": "19fbc91f00a404e655b56724c85b0c2b0f389ffc7ce86eb7ab7e4e974c158d9e",
    "mutag": "7239880702f1b03d50c3f9f7288d657f6ed03a01d4bbd4b46a8b02b4cabd3129",
    "proteins": "2330caa05c32444267118e4aa32c0a4570e99dda909c3e9c88d929e07188f552",
}


def load(name: str) -> GraphSet:
    """A graph set by its name."""
    files = sources.splits(name)
    path = files["train"][0]
    if name == "sotu-eras":
        graphs = sentences.read(files, "eras")
    elif name == "sotu-orders":
        graphs = sentences.read(files, "orders")
    else:
        graphs = tu_files.read(path.parent)
    if graphs.checksum() != CHECKSUMS[name]:
        raise WorkingsError(
            f"{path}: is not the published {name} (it or its folds differ); get it again, or train "
            f"on it by path: --data {path.parent}"
        )
    return graphs
