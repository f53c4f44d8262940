"""`workings embed`: the vectors that a model has learned, as a file, and what is near to what."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workings.cli.shared import row_files, show
from workings.cli.shared.options import Json, RunName, Runs, Trust
from workings.errors import WorkingsError
from workings.files import explain, read_file, write_file

if TYPE_CHECKING:
    from workings.tasks.embedding import Embedding


def add_to(app: typer.Typer) -> None:
    """Put the command on the app."""
    app.command()(embed)


def embed(
    name: RunName,
    data: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH",
            help="Pictures or sound files; text files, a sentence a line; nodes of a graph. "
            "Without it: every word or node, or what is in the test split.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The vectors: .npz, .csv, .jsonl"),
    ] = None,
    near: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Show the nearest neighbours of this one; repeat."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="So many neighbours.")] = 10,
    runs: Runs = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """The vectors a model has learned: of words, nodes, pictures, sentences or clips.

    Of words, the embedding; of all else what the model's last layer sees (of clips, the mean of
    its encoder's states). Near is what points the same way: the cosine of the angle.
    """
    from workings.run import run as api
    from workings.run.progress import progress

    if output is not None and output.suffix != ".npz":
        row_files.check("--output", output)
    if output is None and not near:
        raise WorkingsError("embed: give -o vectors.npz (or .csv), or --near NAME")
    opened = api.open_run(name, runs, progress(), trust)
    what = _sentences(data or []) if opened.task.name == "language" else data
    vectors = opened.embed(what)
    neighbours = {each: vectors.near(each, top) for each in near or []}
    if output is not None:
        _write(vectors, output)
        if not as_json:
            count, width = vectors.vectors.shape
            show.say(f"{output}: {count:,} vectors of {width} numbers, one a {vectors.unit}")
    if as_json:
        rows = [
            {"input": each, "neighbour": other, "cosine": cosine}
            for each, found in neighbours.items()
            for other, cosine in found
        ]
        show.print_json(rows)
        return
    for each, found in neighbours.items():
        show.table(each, [vectors.unit, "cosine"], [[n, f"{cosine:.3f}"] for n, cosine in found])


def _sentences(files: list[str]) -> list[str]:
    """The lines of text files that have a word in them."""
    lines: list[str] = []
    for file in files:
        with explain(Path(file)):
            lines += read_file(file).decode("utf-8", "replace").splitlines()
    return [line.strip() for line in lines if line.strip()]


def _write(vectors: "Embedding", path: Path) -> None:
    import numpy as np

    if path.suffix == ".npz":
        file = io.BytesIO()
        about = {"names": np.array(vectors.names), "labels": np.array(vectors.labels)}
        np.savez(file, allow_pickle=False, vectors=vectors.vectors, **about)
        write_file(path, file.getvalue())
        return
    labels = vectors.labels or [""] * len(vectors.names)
    numbers = vectors.vectors.tolist()
    rows = [
        {"input": name, **({"label": label} if vectors.labels else {}), "vector": _vector(v, path)}
        for name, label, v in zip(vectors.names, labels, numbers, strict=True)
    ]
    row_files.write(path, rows)


def _vector(numbers: list[float], path: Path) -> object:
    """A list; in a CSV a column a number."""
    return dict(enumerate(numbers)) if path.suffix == ".csv" else numbers
