"""`workings predict`: what a trained model says of images, nodes or pairs of nodes."""

from typing import Annotated

import typer

from workings.cli.shared import row_files, show
from workings.cli.shared.options import Json, RowFile, RunName, Runs, Trust
from workings.errors import WorkingsError


def add_to(app: typer.Typer) -> None:
    """Put the command on the app."""
    app.command()(predict)


def predict(
    name: RunName,
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WHAT]...",
            help="Images: files or a folder. Graph: nodes (all of them if none is named); pairs, "
            "as A,B, or triples, as A,likes,B, where the run predicts edges; graphs, or files of "
            "them, where it classifies whole graphs.",
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Show the likeliest so many.")] = 3,
    source: Annotated[
        str, typer.Option("--from", metavar="NODE", help="Recommend new edges of this node.")
    ] = "",
    relation: Annotated[str, typer.Option(help="Of these edges, as likes; with --from.")] = "",
    output: RowFile = None,
    runs: Runs = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """What a trained model says of your images, or of a graph's nodes, pairs or whole graphs.

    --from NODE --relation RELATION recommends what is not linked yet, and shows why.
    """
    from workings.run import run as api
    from workings.run.progress import progress

    row_files.check("--output", output)
    if bool(source) != bool(relation) or (source and what):
        raise WorkingsError("predict: --from NODE and --relation RELATION go together, alone")
    run = api.open_run(name, runs, progress(), trust)
    rows = run.recommend(source, relation, top) if source else run.predict(what or [])
    if output is not None:
        row_files.write(output, rows)
    if as_json:
        show.print_json(rows)
    if as_json or output is not None:
        return
    columns = list(rows[0]) if rows else []
    lines = [[_cell(row[column], top) for column in columns] for row in rows]
    show.table("", columns, lines, left=len(columns))


def _cell(value: object, top: int) -> str:
    """Probabilities by class as the likeliest few."""
    if not isinstance(value, dict):
        return show.number(value)
    likeliest = sorted(value.items(), key=lambda item: -item[1])[:top]
    return "  ".join(f"{name} {share:.1%}" for name, share in likeliest)
