"""Graph networks: our training step against torch_geometric's, edge lists and CSR adjacency."""

# N nodes, E directed edges, F features, C classes

import importlib.util
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.bench.rows import Difference, Row, Say, on_threads, peaks, require_same, row
from workings.bench.sides import Side, Turn, Work, race
from workings.errors import WorkingsError
from workings.nn.graph import GAT, GCN, EdgeList, NodeFeatures
from workings.nn.graph.gat import GraphAttention
from workings.nn.graph.gcn import GraphConvolution
from workings.nn.graph.graph_model import dense
from workings.nn.graph.sparse import Pattern, Sparse
from workings.run.optim import Learner
from workings.tasks.graph import dataset as graph_data
from workings.tasks.graph.config import GraphConfig, GraphTrain
from workings.tasks.graph.node_splits import settled_splits


@dataclass(frozen=True)
class Sizes:
    """What is trained: a named graph, or a random one of these sizes."""

    name: str
    kind: str  # gcn or gat
    data: str = ""
    nodes: int = 0
    pairs: int = 0  # undirected edges; each is there in both directions
    features: int = 0
    classes: int = 0
    train: int = 0
    hidden: int = 16
    dropout: float = 0.5
    dropout_input: float = 0.5
    one_thread: bool = True  # ours is trained on one, as the task does unless it is told otherwise

    def ours(self, features: int, classes: int, dropout: bool) -> GCN | GAT:
        """Our network of these sizes, with its dropout or without."""
        p, p_input = (self.dropout, self.dropout_input) if dropout else (0.0, 0.0)
        sizes = features, self.hidden, classes
        if self.kind == "gat":
            return GAT(*sizes, dropout=p, dropout_input=p_input, dropout_attention=p)
        return GCN(*sizes, dropout=p, dropout_input=p_input)

    def graph(self) -> tuple[NodeFeatures, EdgeList, Tensor, Tensor, int]:
        """Features, edges, the training nodes, their labels, and the number of classes."""
        if self.data:
            graph = graph_data.load(GraphConfig(name=self.data))
            places = torch.from_numpy(settled_splits(graph, 1, 20, 30)["train"])
            labels = torch.from_numpy(graph.labels_N)[places]
            x_NF = graph_data.features(graph, "sum")
            return x_NF, graph_data.edges(graph), places, labels, len(graph.classes)
        draw = torch.Generator().manual_seed(1)
        i, j = torch.randint(self.nodes, (2, self.pairs), generator=draw)
        edges = EdgeList.of(torch.stack([i, j])[:, i != j], self.nodes)
        x_NF = torch.randn(self.nodes, self.features, generator=draw)
        labels = torch.randint(self.classes, (self.train,), generator=draw)
        places = torch.randperm(self.nodes, generator=draw)[: self.train]
        return x_NF, edges, places, labels, self.classes


CORA_GCN = Sizes("Cora GCN", "gcn", "cora")
CORA_GAT = Sizes("Cora GAT", "gat", "cora", hidden=8, dropout=0.6, dropout_input=0.6)
SPARSE = ", sparse features"
# First what is fair: 1.3% of Cora's features are not zero, and ours are kept so.
LAYOUTS = {
    "gcn": (f"edge_index{SPARSE}", f"CSR{SPARSE}", "edge_index", "CSR"),
    "gat": (f"edge_index{SPARSE}", "edge_index"),
}
# ogbn-arxiv's nodes, edges, features, classes and training nodes; no dropout before the features,
# as in the networks that are published for it.
ARXIV_GCN = Sizes(
    "arxiv-size GCN", "gcn", "", 169_343, 1_157_799, 128, 40, 90_941, 256, 0.5, 0.0, False
)


class Theirs(nn.Module):
    """Two layers of torch_geometric's, as its examples write them."""

    def __init__(self, sizes: Sizes, features: int, classes: int, dropout: bool) -> None:
        super().__init__()
        from torch_geometric.nn import GATConv, GCNConv

        self.p, self.p_input = (sizes.dropout, sizes.dropout_input) if dropout else (0.0, 0.0)
        self.kind = sizes.kind
        if sizes.kind == "gat":
            self.one = GATConv(features, sizes.hidden, heads=8, dropout=self.p)
            self.two = GATConv(sizes.hidden * 8, classes, heads=1, dropout=self.p)
        else:
            self.one = GCNConv(features, sizes.hidden, cached=True)
            self.two = GCNConv(sizes.hidden, classes, cached=True)

    def forward(self, x_NF: Tensor, edges: Tensor) -> Tensor:
        h = _dropped(x_NF, self.p_input, self.training)
        h = F.elu(self.one(h, edges)) if self.kind == "gat" else self.one(h, edges).relu()
        return self.two(F.dropout(h, self.p, self.training), edges)

    @torch.no_grad()
    def copy(self, ours: GCN | GAT) -> None:
        """Our weights: rows there, columns here; one `a` a head here, two vectors there."""
        for layer, source in zip((self.one, self.two), _layers(ours), strict=True):
            layer.lin.weight.copy_(source.W.t())
            layer.bias.copy_(source.b)
            if isinstance(source, GraphAttention):
                layer.att_dst.copy_(source.a[None, :, : source.width])
                layer.att_src.copy_(source.a[None, :, source.width :])


def _layers(ours: GCN | GAT) -> list[GraphConvolution | GraphAttention]:
    return [x for x in ours.layers if isinstance(x, GraphConvolution | GraphAttention)]


def _gradient(weight: Tensor | None) -> Tensor:
    assert weight is not None
    assert weight.grad is not None
    return weight.grad


def _dropped(x_NF: Tensor, p: float, training: bool) -> Tensor:
    """F.dropout, of the stored entries alone where x is sparse."""
    if x_NF.layout == torch.strided:
        return F.dropout(x_NF, p, training)
    values_K = F.dropout(x_NF.values(), p, training)
    return torch.sparse_csr_tensor(
        x_NF.crow_indices(), x_NF.col_indices(), values_K, x_NF.shape, check_invariants=False
    )


def features(x_NF: NodeFeatures, layout: str) -> Tensor:
    """What torch_geometric is given: a CSR tensor where the layout says so, else a dense one."""
    if layout.endswith(SPARSE):
        return x_NF.csr if isinstance(x_NF, Sparse) else x_NF.to_sparse_csr()
    return dense(x_NF)


def adjacency(edges: EdgeList, layout: str) -> Tensor:
    """What torch_geometric takes: pairs 2×E, or the transposed adjacency matrix in CSR form."""
    if layout.startswith("edge_index"):
        return edges.edges_2E
    j_E, i_E = edges.edges_2E
    pattern = Pattern(i_E, j_E, (edges.nodes, edges.nodes))
    return pattern.matrix(torch.ones(len(j_E)))


def our_step(sizes: Sizes) -> Work:
    """A training step of ours: what the run loop does, without its bookkeeping."""
    if sizes.one_thread:
        torch.set_num_threads(1)
    x_NF, edges, places, labels, classes = sizes.graph()
    model = sizes.ours(x_NF.shape[1], classes, dropout=True).train()
    inputs = model.prepare(x_NF, edges)
    del x_NF, edges  # a network that has Â X needs no X
    learner = Learner(model, GraphTrain(), steps=1)

    def step() -> float:
        loss = F.cross_entropy(model(*inputs).index_select(0, places), labels)
        value = loss.item()
        learner.backward(loss)
        learner.step(0)
        return value

    return step


def their_step(sizes: Sizes, layout: str) -> Work:
    """A training step as torch_geometric's examples write it."""
    sparse_x, edges, places, labels, classes = sizes.graph()
    x_NF = features(sparse_x, layout)
    model = Theirs(sizes, x_NF.shape[1], classes, dropout=True).train()
    graph = adjacency(edges, layout)
    del sparse_x, edges
    train = GraphTrain()
    optimizer = torch.optim.Adam(model.parameters(), train.lr, weight_decay=train.weight_decay)

    def step() -> float:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x_NF, graph)[places], labels)
        value = loss.item()
        loss.backward()
        optimizer.step()
        return value

    return step


def difference(sizes: Sizes, layout: str) -> dict[str, float]:
    """How far loss and gradients are apart without dropout, relative to the largest."""
    torch.manual_seed(0)
    x_NF, edges, places, labels, classes = sizes.graph()
    ours = sizes.ours(x_NF.shape[1], classes, dropout=False)
    theirs = Theirs(sizes, x_NF.shape[1], classes, dropout=False)
    theirs.copy(ours)
    losses = [
        F.cross_entropy(ours(*ours.prepare(x_NF, edges))[places], labels),
        F.cross_entropy(theirs(features(x_NF, layout), adjacency(edges, layout))[places], labels),
    ]
    for loss in losses:
        loss.backward()
    worst = 0.0
    for layer, other in zip(_layers(ours), (theirs.one, theirs.two), strict=True):
        own = _gradient(layer.W).t(), _gradient(layer.b)
        pairs = [(own[0], other.lin.weight.grad), (own[1], other.bias.grad)]
        if isinstance(layer, GraphAttention):
            halves = _gradient(layer.a).split(layer.width, 1)
            pairs += zip(halves, (other.att_dst.grad[0], other.att_src.grad[0]), strict=True)
        for gradient, expected in pairs:
            gap = (gradient - expected).abs().max() / expected.abs().max()
            worst = max(worst, gap.item())
    first, second = (loss.item() for loss in losses)
    return {"loss": abs(first - second) / second, "gradient": worst}


class GraphRow(Row):
    """A comparison, with the layout of theirs: an edge list or a CSR adjacency."""

    against: str


def run(rounds: int, seconds: float, quick: bool, say: Say) -> list[GraphRow]:
    """Every comparison, with both peaks."""
    if importlib.util.find_spec("torch_geometric") is None:
        raise WorkingsError(
            "torch_geometric, which this measures against, is not here: `pip install "
            "'workings[bench]'` installs it"
        )
    rows: list[GraphRow] = []
    differences: dict[str, Difference] = {}
    cases = [(sizes, LAYOUTS[sizes.kind]) for sizes in (CORA_GCN, CORA_GAT)]
    for sizes, layouts in cases:
        for layout in layouts:
            case = f"{sizes.name}, {layout}"
            differences[case] = difference(sizes, layout)
            say(f"same loss and gradients: {case} {differences[case]}")
    require_same(differences)
    for threads in sorted({1, torch.get_num_threads()}):
        for sizes, layouts in cases:
            say(f"training {sizes.name} on {threads} thread(s)")
            rows += _rows(sizes, layouts, threads, rounds, seconds)
        if not quick:
            say(f"training {ARXIV_GCN.name} on {threads} thread(s): a step of theirs takes seconds")
            rows += _rows(ARXIV_GCN, ("edge_index", "CSR"), threads, min(rounds, 3), 0.0)
    return rows


def _rows(
    sizes: Sizes, layouts: tuple[str, ...], threads: int, rounds: int, seconds: float
) -> list[GraphRow]:
    sides = {"ours": Side(our_step, (sizes,), True)}
    sides |= {layout: Side(their_step, (sizes, layout), False) for layout in layouts}
    turns = race(sides, threads, rounds, seconds)
    return [_row(sizes, layout, threads, turns["ours"], turns[layout]) for layout in layouts]


def _row(sizes: Sizes, layout: str, threads: int, ours: list[Turn], theirs: list[Turn]) -> GraphRow:
    ours_alone = ", ours on 1" if sizes.one_thread and threads > 1 else ""
    name = f"{sizes.name}, {on_threads(threads)}{ours_alone}"
    return {**row(name, ours, theirs), **peaks(ours, theirs), "against": layout}
