"""`workings graph spread`, `smooth` and `attention`: how far each node of a graph sees."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from workings.cli.shared import chart_files, show
from workings.cli.shared.options import LARGEST_SEED, Json, RunName, Runs, Trust
from workings.errors import WorkingsError

if TYPE_CHECKING:
    import altair

    from workings.tasks.graph.graph import Graph
    from workings.tasks.graph.views.spread import Field, MeanField

app = typer.Typer(
    help="How far information goes in a graph, how alike nodes become, what they attend to.",
    no_args_is_help=True,
)
Where = Annotated[
    str, typer.Argument(metavar="[NAME|FILE]", help="A data set's name, a file or a folder.")
]
Directed = Annotated[bool, typer.Option("--directed", help="An edge goes one way only.")]
Chart = Annotated[
    Path | None,
    typer.Option("--chart", metavar="FILE", help="Also as a chart: .svg .png .pdf .html .json"),
]


Ends = TypedDict("Ends", {"from": str | None, "to": str | None}, total=False)


class Spread(Ends, total=False):
    """What `spread` says: of a graph, and where they are named, of the ways between two nodes."""

    graph: str
    nodes: int
    edges: int
    updates: int | None
    way: list[str] | None
    ways: list[list[str]]
    ways_in_all: int
    known: "list[MeanField]"
    field: "list[Field]"
    indistinguishable: list[list[str]]


def _load(where: str, directed: bool) -> "Graph":
    from workings.schema import build
    from workings.tasks.graph import config
    from workings.tasks.graph import dataset as graph_data

    keys = config.from_paths([Path(where)])
    return graph_data.load(build(config.GraphConfig, keys | {"directed": directed}, "data"))


@app.command()
def spread(
    where: Where = "six-nodes",
    source: Annotated[
        str | None, typer.Option("--from", metavar="NODE", help="Whose information.")
    ] = None,
    target: Annotated[
        str | None, typer.Option("--to", metavar="NODE", help="Who comes to know of it.")
    ] = None,
    depth: Annotated[int, typer.Option(min=1, max=1000, help="Updates shown.")] = 6,
    directed: Directed = False,
    chart: Chart = None,
    as_json: Json = False,
) -> None:
    """After how many updates information from one node reaches another; what a node knows of.

    With --to: the nodes that one node knows of, by depth. Without: of how many a node knows. Below,
    the groups of nodes that no network of this kind can tell apart by their edges.
    """
    from workings.tasks.graph.views import spread as receptive

    chart_files.check("--chart", chart)
    graph = _load(where, directed)
    about: Spread = {"graph": where, "nodes": graph.nodes, "edges": graph.edges}
    start = None if source is None else graph.node(source)
    end = None if target is None else graph.node(target)
    if start is not None and end is not None:
        ways = receptive.ways_between(graph, start, end)
        about |= {"from": source, "to": target}
        about["updates"] = ways.updates if ways else None
        named = [[graph.name(each) for each in way] for way in ways.some] if ways else []
        about["way"] = named[0] if named else None
        about |= {"ways": named, "ways_in_all": ways.number if ways else 0}
    node, into = (start, False) if end is None else (end, True)
    if node is None:
        about["known"] = receptive.fields(graph, depth)
    else:
        depth_N = receptive.depths(graph, node, into)
        about["field"] = receptive.field_of(graph, depth_N, depth)
    groups = receptive.indistinguishable(graph)
    about["indistinguishable"] = [[graph.name(member) for member in group] for group in groups]
    if chart is not None:
        title = f"What a node knows of: {where}"
        chart_files.write(
            chart,
            _mean_field_chart(about["known"], title)
            if node is None
            else receptive.chart(graph, node, into, about["field"], title),
        )
    if as_json:
        show.print_json(about)
    else:
        _print_spread(about)


def _mean_field_chart(known: "list[MeanField]", title: str) -> "altair.Chart":
    from workings.charts import graphs as charts

    rows = [
        {"updates": row["updates"], "nodes": row[key], "series": key}
        for key in ("mean", "most")
        for row in known
    ]
    return charts.fields(rows, title)


def _print_spread(about: Spread) -> None:
    show.say(f"{about['graph']}: {about['nodes']:,} nodes, {about['edges']:,} edges")
    if "updates" in about:
        if about["way"] is None:
            show.say(f"information from {about['from']} never reaches {about['to']}")
        else:
            show.say(
                f"information from {about['from']} reaches {about['to']} after {about['updates']} "
                f"update(s), by {about['ways_in_all']:,} shortest way(s):"
            )
            for way in about["ways"]:
                show.say(f"  {' → '.join(way)}")
            if about["ways_in_all"] > len(about["ways"]):
                show.say(f"  … and {about['ways_in_all'] - len(about['ways']):,} more")
    if "field" in about:
        known = f"nodes {about['to']} knows of" if "to" in about else "nodes known"
        lines = [
            [str(row["updates"]), f"{row['nodes']:,}", _some(row["new"])] for row in about["field"]
        ]
        show.table("", ["updates", known, "new"], lines, 0)
    else:
        lines = [
            [str(row["updates"]), f"{row['mean']:,.1f}", f"{row['share']:.1%}", f"{row['most']:,}"]
            for row in about["known"]
        ]
        columns = ["updates", "nodes known, mean", "of all", "most"]
        show.table("", columns, lines, 0)
    groups = about["indistinguishable"]
    show.say(
        f"nodes that share their closed neighbourhood, indistinguishable: {len(groups)} group(s)"
        if groups
        else "no two nodes have the same closed neighbourhood"
    )
    for group in groups[:10]:
        show.say(f"  {_some(group)}")
    if len(groups) > 10:
        show.say(f"  … and {len(groups) - 10:,} more (--json has all)")


def _some(names: list[str], most: int = 12) -> str:
    rest = f" … {len(names) - most:,} more" if len(names) > most else ""
    return " ".join(names[:most]) + rest


@app.command()
def smooth(
    where: Where = "six-nodes",
    depth: Annotated[int, typer.Option(min=1, max=1000, help="Layers.")] = 16,
    weights: Annotated[
        str,
        typer.Option(help="none: Â applied again and again; random: ReLU(Â X W), W Gaussian."),
    ] = "none",
    seed: Annotated[
        int, typer.Option(min=0, max=LARGEST_SEED, help="Of random weights, and of which pairs.")
    ] = 1,
    directed: Directed = False,
    chart: Chart = None,
    as_json: Json = False,
) -> None:
    """How alike nodes become with depth: the mean distance of their states, each normalisation.

    Beside the normalisations, attention: weights from the states and a random vector, as in a GAT.
    States are scaled to a mean square of 1, so that only how alike they are counts.
    """
    from workings.tasks.graph.views import smoothing

    chart_files.check("--chart", chart)
    if weights not in ("none", "random"):
        raise WorkingsError(f"--weights: no such weights {weights!r}; none or random")
    rows = smoothing.smoothing(_load(where, directed), depth, weights, seed)  # type: ignore[arg-type]
    what = "Â^k X, no weights" if weights == "none" else f"ReLU(Â X W), random weights, seed {seed}"
    if chart is not None:
        from workings.charts import graphs as charts

        chart_files.write(chart, charts.smoothing(rows, f"Over-smoothing on {where}: {what}"))
    if as_json:
        show.print_json({"graph": where, "weights": weights, "seed": seed, "rows": rows})
        return
    names = list(dict.fromkeys(row["normalisation"] for row in rows))
    by = {(row["depth"], row["normalisation"]): row["distance"] for row in rows}
    lines = [[str(k), *(f"{by[k, name]:.4f}" for name in names)] for k in range(depth + 1)]
    show.table(f"{where}, {what}: mean distance of two nodes' states", ["depth", *names], lines, 0)


@app.command()
def attention(
    name: RunName,
    node: Annotated[
        str | None, typer.Option(metavar="NODE", help="What this node attends to.")
    ] = None,
    runs: Runs = None,
    trust: Trust = False,
    chart: Chart = None,
    as_json: Json = False,
) -> None:
    """What a trained attention network's nodes attend to: on every edge, layer and head.

    Evenness is the entropy of a node's attention over that of an even share: 1 is a mean over the
    neighbours, 0 is a choice of one.
    """
    from workings.run import run as api
    from workings.run.progress import progress

    chart_files.check("--chart", chart)
    opened = api.open_run(name, runs, progress(), trust)
    weights = opened.edge_attention()
    rows = None if node is None else weights.of(node)
    if chart is not None:
        chart_files.write(chart, weights.chart(node))
    if as_json:
        show.print_json(rows if rows is not None else weights.edges())
    elif rows is not None:
        lines = [
            [str(row[key]) for key in ("layer", "head", "to")] + [f"{row['weight']:.4f}"]
            for row in rows
        ]
        show.table(f"what {node} attends to", ["layer", "head", "to", "weight"], lines, 3)
    else:
        lines = [
            [row["layer"], str(row["head"]), f"{row['evenness']:.3f}", f"{row['largest']:.3f}"]
            for row in weights.summary()
        ]
        columns = ["layer", "head", "evenness", "largest weight, mean"]
        show.table(str(opened.folder.path), columns, lines, 2)
