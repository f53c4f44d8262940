"""workings graph spread, smooth, attention."""

from pathlib import Path
from typing import Annotated, Any

import typer

from workings.cli import show
from workings.cli.options import Json, RunName, Runs
from workings.errors import WorkingsError

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


def _load(where: str, directed: bool) -> Any:
    from workings.schema import build
    from workings.tasks.graph import dataset as graph_data

    keys = graph_data.from_paths([Path(where)])
    return graph_data.load(build(graph_data.GraphConfig, keys | {"directed": directed}, "data"))


def _check(chart: Path | None) -> None:
    """Before anything is computed."""
    from workings.charts import FORMATS

    if chart is not None and chart.suffix not in FORMATS:
        raise WorkingsError(
            f"--chart: no chart can be written as {chart.name!r}; its name ends in one of "
            f"{', '.join(FORMATS)}"
        )
    if chart is not None and not chart.parent.is_dir():
        raise WorkingsError(f"--chart: there is no folder {chart.parent}")


def _write(chart: Path, drawing: Any) -> None:
    from workings.charts import render
    from workings.files import write_file

    write_file(chart, render(drawing, chart.suffix))


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
    from workings.tasks.graph import spread as spreading
    from workings.tasks.graph.nodes import place

    _check(chart)
    graph = _load(where, directed)
    about: dict[str, Any] = {"graph": where, "nodes": graph.nodes, "edges": graph.edges}
    ends = [None if end is None else place(graph, end) for end in (source, target)]
    if ends[0] is not None and ends[1] is not None:
        path = spreading.way(graph, ends[0], ends[1])
        about |= {"from": source, "to": target}
        about["updates"] = len(path) - 1 if path else None
        about["way"] = [graph.name(node) for node in path] if path else None
    one = ends[1] if ends[1] is not None else ends[0]
    if one is None:
        about["known"] = spreading.fields(graph, depth)
    else:
        depth_N = spreading.depths(graph, one, into=ends[1] is not None)
        about["field"] = _field(graph, depth_N, depth)
    groups = spreading.indistinguishable(graph)
    about["indistinguishable"] = [[graph.name(node) for node in group] for group in groups]
    if chart is not None:
        _write(chart, _spread_chart(graph, about, one, ends[1] is not None))
    if as_json:
        show.print_json(about)
    else:
        _print_spread(about)


def _field(graph: Any, depth_N: Any, depth: int) -> list[dict[str, Any]]:
    rows, known = [], 0
    for k in range(depth + 1):
        new = (depth_N == k).nonzero()[0].tolist()
        known += len(new)
        rows.append({"updates": k, "nodes": known, "new": [graph.name(node) for node in new]})
        if k == depth_N.max():
            break
    return rows


def _print_spread(about: dict[str, Any]) -> None:
    print(f"{about['graph']}: {about['nodes']:,} nodes, {about['edges']:,} edges")
    if "updates" in about:
        if about["way"] is None:
            print(f"information from {about['from']} never reaches {about['to']}")
        else:
            print(
                f"information from {about['from']} reaches {about['to']} after {about['updates']} "
                f"update(s): {' → '.join(about['way'])}"
            )
    if "field" in about:
        end = f"{about['to']} knows of" if "to" in about else "known"
        lines = [[str(r["updates"]), f"{r['nodes']:,}", _some(r["new"])] for r in about["field"]]
        show.table("", ["updates", f"nodes {end}", "new"], [[a, b, c] for a, b, c in lines], 0)
    else:
        lines = [
            [str(r["updates"]), f"{r['mean']:,.1f}", f"{r['share']:.1%}", f"{r['most']:,}"]
            for r in about["known"]
        ]
        columns = ["updates", "nodes known, mean", "of all", "most"]
        show.table("", columns, lines, 0)
    groups = about["indistinguishable"]
    print(
        f"nodes that share their closed neighbourhood, indistinguishable: {len(groups)} group(s)"
        if groups
        else "no two nodes have the same closed neighbourhood"
    )
    for group in groups[:10]:
        print(f"  {_some(group)}")
    if len(groups) > 10:
        print(f"  … and {len(groups) - 10:,} more (--json has all)")


def _some(names: list[str], most: int = 12) -> str:
    rest = f" … {len(names) - most:,} more" if len(names) > most else ""
    return " ".join(names[:most]) + rest


def _spread_chart(graph: Any, about: dict[str, Any], one: int | None, into: bool) -> Any:
    from workings.charts import graphs as charts
    from workings.tasks.graph import layout as picture
    from workings.tasks.graph import spread

    if one is not None and picture.fits(graph):
        depth_N = spread.depths(graph, one, into)
        steps = [str(depth) if depth >= 0 else "never" for depth in depth_N]
        verb = "knows of each node" if into else "is known to each node"
        return charts.drawn(
            picture.node_rows(graph, updates=steps),
            picture.edge_rows(graph),
            f"After how many updates {graph.name(one)} {verb}",
            "updates",
            steps=True,
        )
    if one is not None:
        rows = [row | {"series": f"node {graph.name(one)}"} for row in about["field"]]
        return charts.fields(rows, f"What a node knows of: {about['graph']}")
    rows = [
        {"updates": row["updates"], "nodes": row[key], "series": key}
        for key in ("mean", "most")
        for row in about["known"]
    ]
    return charts.fields(rows, f"What a node knows of: {about['graph']}")


@app.command()
def smooth(
    where: Where = "six-nodes",
    depth: Annotated[int, typer.Option(min=1, max=1000, help="Layers.")] = 16,
    weights: Annotated[
        str,
        typer.Option(help="none: Â applied again and again; random: ReLU(Â X W), W Gaussian."),
    ] = "none",
    seed: Annotated[int, typer.Option(min=0, help="Of random weights, and of which pairs.")] = 1,
    directed: Directed = False,
    chart: Chart = None,
    as_json: Json = False,
) -> None:
    """How alike nodes become with depth: the mean distance of their states, each normalisation.

    States are scaled to a mean square of 1, so that only how alike they are counts.
    """
    from workings.tasks.graph import smoothing

    _check(chart)
    if weights not in ("none", "random"):
        raise WorkingsError(f"--weights: no such weights {weights!r}; none or random")
    rows = smoothing.smoothing(_load(where, directed), depth, weights, seed)  # type: ignore[arg-type]
    what = "Â^k X, no weights" if weights == "none" else f"ReLU(Â X W), random weights, seed {seed}"
    if chart is not None:
        from workings.charts import graphs as charts

        _write(chart, charts.smoothing(rows, f"Over-smoothing on {where}: {what}"))
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
    chart: Chart = None,
    as_json: Json = False,
) -> None:
    """What a trained attention network's nodes attend to: on every edge, layer and head.

    Evenness is the entropy of a node's attention over that of an even share: 1 is a mean over the
    neighbours, 0 is a choice of one.
    """
    from workings.run import run as api
    from workings.run.progress import progress

    _check(chart)
    opened = api.open_run(name, runs, progress())
    found = opened.using("edge_attention")(opened.model)
    one = None if node is None else found.of(node)
    if chart is not None:
        _write(chart, found.chart(node))
    if as_json:
        show.print_json(one if one is not None else found.edges())
    elif one is not None:
        lines = [
            [str(row[key]) for key in ("layer", "head", "to")] + [f"{row['weight']:.4f}"]
            for row in one
        ]
        show.table(f"what {node} attends to", ["layer", "head", "to", "weight"], lines, 3)
    else:
        lines = [
            [row["layer"], str(row["head"]), f"{row['evenness']:.3f}", f"{row['largest']:.3f}"]
            for row in found.summary()
        ]
        columns = ["layer", "head", "evenness", "largest weight, mean"]
        show.table(str(opened.folder.path), columns, lines, 2)
