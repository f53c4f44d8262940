"""A graph network as a stand-alone module: features and edges in, a row for every node out."""

# N nodes, E edges, F features

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from workings.json_files import conform
from workings.nn.graph import GAT, GCN, GGNN, MLP, GraphModel
from workings.nn.graph.adjacency import EdgeList
from workings.nn.standalone import graph
from workings.schema import Config
from workings.tasks.portable import Case, Part, Portable, cannot_leave

KINDS: tuple[type[nn.Module], ...] = (GCN, GAT, GGNN, MLP)
HOW = """\
features = torch.zeros(3, config["model"]["features"])  # of three nodes, joined 0-1 and 1-2
edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
rows = model(features, edges, torch.ones(4))
print(rows.softmax(1) if config["predicts"] == "nodes" else (rows @ rows.T).sigmoid())
"""
MEANING = {
    "features": "of each node: the `columns` of config.json, then its `words` (share, times `idf` "
    "and of length 1 where `text` is tf-idf); normalised already, as `normalise` says; then, where "
    "`features` is both, a column for each node of the run's graph, 1 where it is that node",
    "edges": "numbers of the source and the target; an edge that goes both ways is there twice",
    "weights": "of each edge; 1 where the data gives none",
}
ROWS = {
    "nodes": "logits of the classes of config.json; softmax gives the probabilities",
    "edges": "a state for each node; the sigmoid of two nodes' product is that of their edge",
}


@torch.no_grad()
def portable(
    model: nn.Module,
    section: Config | None,
    edges: EdgeList,
    x_NF: Tensor,
    expected_NC: Tensor,
    use: Mapping[str, object],
) -> Portable:
    """The network over an edge list; x and edges: the graph that it is verified on."""
    if type(model) not in KINDS or section is None:
        raise cannot_leave(str(getattr(section, "kind", "")))
    sizes = {"features": x_NF.shape[1], "outputs": expected_NC.shape[1]}
    config = conform(section.model_dump() | sizes, graph.Config)
    module = graph.Model(config).eval()
    module.load_state_dict(model.state_dict())
    inputs: dict[str, tuple[str | int, ...]]
    inputs = {"features": ("nodes", x_NF.shape[1]), "edges": (2, "edges"), "weights": ("edges",)}
    given = (x_NF, edges.edges_2E, edges.weights(x_NF.dtype))
    cases = [(given, (expected_NC.cpu(),)), _of_fewer(model, edges, x_NF)]
    meaning = MEANING | {"rows": ROWS.get(str(use.get("predicts")), "logits of the classes")}
    part = Part("model", module, inputs, ("rows",), cases, meaning)
    return Portable([part], module, "graph", config, use, HOW)


def _of_fewer(model: nn.Module, edges: EdgeList, x_NF: Tensor) -> Case:
    """The same of the first half of the nodes: a graph of another size."""
    nodes = max(1, len(x_NF) // 2)
    kept_E = (edges.edges_2E < nodes).all(0)
    weight_E = None if edges.weight_E is None else edges.weight_E[kept_E]
    part = EdgeList(edges.edges_2E[:, kept_E], weight_E, nodes, edges.symmetric)
    given = (x_NF[:nodes], part.edges_2E, part.weights(x_NF.dtype))
    assert isinstance(model, GraphModel)
    was_on = next(model.parameters()).device
    rows = model.cpu().eval()(*model.prepare(x_NF[:nodes], part))
    model.to(was_on)
    return given, (rows,)
