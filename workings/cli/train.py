"""`workings train`, `resume` and `eval`: one run, from its start to its metrics."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workings.cli.shared import complete, row_files, show
from workings.cli.shared.options import (
    LARGEST_SEED,
    Json,
    Quiet,
    RowFile,
    RunName,
    Runs,
    Set,
    Trust,
)
from workings.cli.shared.train_help import TrainCommand
from workings.errors import WorkingsError, nearest

if TYPE_CHECKING:
    from workings.run.folder.records import Environment
    from workings.run.run import Run
    from workings.tasks.task import Task


Processes = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Train with N processes of this machine, each on its part of every batch; for several "
        "machines, start the command by torchrun.",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Put the three commands on the app."""
    app.command(cls=TrainCommand)(train)
    app.command()(resume)
    app.command(name="eval")(evaluate)


def train(
    what: Annotated[
        str,
        typer.Argument(
            metavar="TASK|CONFIG",
            help="A task, a shipped config, or a TOML file.",
            autocompletion=complete.configs,
        ),
    ],
    data: Annotated[
        list[str] | None,  # as text: an empty Path would be the current folder
        typer.Option(
            metavar="PATH|NAME",
            help="Files, a folder or a data set's name. Text: files with the word train, valid or "
            "test in their names are the splits; otherwise the text is split by position. Images: "
            "an .npz, IDX files, a folder of class folders. Speech: a folder with a table of path "
            "and text, with a text beside every sound, or in LJ Speech's form. Graph: .npz, "
            ".graphml, an edge list, a folder with nodes.csv and edges.csv.",
        ),
    ] = None,
    settings: Set = None,
    seed: Annotated[int | None, typer.Option(min=0, max=LARGEST_SEED, help="Random seed.")] = None,
    run: Annotated[str | None, typer.Option(help="The run's name, or a path.")] = None,
    runs: Runs = None,
    trust: Trust = False,
    init_from: Annotated[
        str | None, typer.Option(metavar="RUN", help="Start from that run's weights.")
    ] = None,
    processes: Processes = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train a model, in a run folder of its own."""
    from workings.run import config as configs
    from workings.run import training
    from workings.run.processes.follower import follow_torchrun
    from workings.run.progress import progress

    if follow_torchrun():
        return
    settings = [*(settings or []), *_processes(processes)]
    values = configs.load(what, trust)
    if data:
        if not all(data):
            raise WorkingsError("--data: is empty; give a file, a folder or a data set's name")
        paths = [Path(path) for path in data]
        values = configs.with_data(values, lambda task: task.data_from(paths))
    if seed is not None:
        values["seed"] = seed
    values = configs.override(values, settings)
    trained = training.train(
        values,
        run,
        runs,
        init_from,
        progress(quiet),
        label=Path(what).name.removesuffix(".toml"),
        trust=trust,
    )
    report(trained, as_json)


def resume(
    name: RunName,
    settings: Set = None,
    runs: Runs = None,
    trust: Trust = False,
    processes: Processes = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Go on with a run that was stopped, bit for bit as if it had not been.

    --set train.… changes how it goes on: longer, more slowly, on another device.
    """
    from workings.run import training
    from workings.run.processes.follower import follow_torchrun
    from workings.run.progress import progress

    if follow_torchrun():
        return
    settings = [*(settings or []), *_processes(processes)]
    report(training.resume(name, runs, settings, progress(quiet), trust), as_json)


def _processes(asked: int | None) -> list[str]:
    """The setting that --processes stands for, or torchrun, which has started as many."""
    from workings.run.processes import launched_by_torchrun

    count = launched_by_torchrun() or asked
    if asked not in (None, count):
        raise WorkingsError(f"--processes {asked}: torchrun has started {count}; leave it out")
    return [f"train.processes={count}"] if count else []


def report(trained: "Run", as_json: bool) -> None:
    """The end of a training: metrics beside the baselines, and what to type next."""
    result, path = trained.result, trained.folder.path
    if result is None:
        raise WorkingsError(f"{path}: its result.json is gone; was it removed by hand?")
    if as_json:
        show.print_json({"run": str(path), **result})
        return
    name, metrics = trained.task.headline or trained.task.best, result["metrics"]
    model = f"{trained.config.kind}, {result['parameters']:,} parameters"
    rows = [_row(model, metrics, name)]
    rows += [_row(label, figures, name) for label, figures in result["baselines"].items()]
    rows += [
        _row(extra.replace("_", " "), metrics, extra)
        for extra in trained.task.extra_metrics
        if f"test.{extra}" in metrics
    ]
    heads = [name.replace("_", " "), "train¹", "validation", "test"]
    if any(row[1] for row in rows):
        show.table("", heads, rows)
        show.say(f"¹ {result['variants']['train']}")
    else:  # accuracy is not measured while training
        show.table("", [heads[0], *heads[2:]], [[row[0], *row[2:]] for row in rows])
    for line in beaten(trained.task, metrics, result["baselines"]):
        show.say(f"note   {line}")
    _details(result["details"])
    show.say(
        f"best epoch {result['best_epoch']} of {result['epochs']}, {result['steps']:,} steps, "
        f"{result['seconds']:,.0f} s on {_threads(result['environment'])}"
    )
    for line in trained.task.illustrate(trained.model):
        show.say(f"\n  {line}")
    show.say(f"\nrun folder: {path}")
    show.say("next: " + "\n      ".join(trained.task.next_commands(trained.folder.command)))


def _threads(environment: "Environment") -> str:
    threads, processes = environment["threads"], environment.get("processes", 1)
    each = f"{processes} processes of " if processes > 1 else ""
    return f"{each}{threads} thread(s)"


def beaten(
    task: "Task", metrics: Mapping[str, float], baselines: Mapping[str, Mapping[str, float]]
) -> list[str]:
    """The simpler methods that do better than the model on validation, and what to try then."""
    name = task.headline or task.best
    lower = task.lower_is_better and name == task.best  # a score that does not decide rises
    key, lines = f"valid.{name}", []
    for label, figures in baselines.items():
        if key in figures and key in metrics and (figures[key] < metrics[key]) == lower:
            if figures[key] == metrics[key]:
                continue
            ours, theirs = show.number(metrics[key]), show.number(figures[key])
            lines.append(f"{label} does better on validation: {theirs}, this model {ours}")
    way_on = task.when_beaten() if lines else ""
    return [*lines, way_on] if way_on else lines


def _row(label: str, figures: dict[str, float], metric: str) -> list[str]:
    splits = ("train", "valid", "test")
    return [label, *(show.number(figures.get(f"{split}.{metric}")) for split in splits)]


def _details(details: Mapping[str, object]) -> None:
    """Those parts of the details that are tables: lists of rows with the same keys."""
    for title, rows in details.items():
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
            columns = list(rows[0])
            left = sum(isinstance(rows[0][column], str) for column in columns)
            lines = [[show.number(row[column]) for column in columns] for row in rows]
            show.table(title, columns, lines, max(1, left))


def evaluate(
    name: RunName,
    data: Annotated[
        list[Path] | None, typer.Option(help="Your own files, instead of the run's splits.")
    ] = None,
    split: Annotated[str | None, typer.Option(help="train, valid or test (the default).")] = None,
    streams: Annotated[
        int,
        typer.Option(
            min=0,
            help="Read the text as this many parallel streams, each from a zero state, as a "
            "batched evaluation does; 0: exactly, as one.",
        ),
    ] = 0,
    cache: Annotated[
        bool, typer.Option("--cache", help="Text: mixed with a cache of the last 500 states too.")
    ] = False,
    mix: Annotated[
        str, typer.Option(metavar="ngram", help="Text: mixed with a Kneser-Ney trigram too.")
    ] = "",
    output: RowFile = None,
    runs: Runs = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Evaluate a run's best weights on its test split, or on your own data."""
    from workings.run import run as api
    from workings.run.progress import progress

    if data and (split or streams):
        raise WorkingsError("--split and --streams are of the run's own data, not of --data")
    if mix not in ("", "ngram"):
        raise WorkingsError(f"--mix: nothing to mix with is called {mix!r}; it is ngram")
    if (cache or mix) and (data or streams):
        raise WorkingsError("--cache and --mix are of the run's own text, read as one stream")
    split = split or "test"
    if split not in ("train", "valid", "test"):
        raise WorkingsError(
            f"--split: no split {split!r}{nearest(split, ('train', 'valid', 'test'))}; "
            "one of train, valid, test"
        )
    row_files.check("--output", output)
    opened = api.open_run(name, runs, progress(), trust)
    if opened.result is None and not as_json:
        show.say(f"{opened.folder.path} is not finished: these are its best weights so far")
    if cache or mix:
        metrics = opened.evaluate_mixture(split, cache, ngram=bool(mix))
    else:
        metrics = opened.evaluate(split, list(data) if data else None, streams)
    label = ", ".join(map(str, data)) if data else split
    label += f", {streams} streams" if streams else ""
    if output is not None:
        row_files.write(output, [{"run": str(opened.folder.path), "input": label, **metrics}])
    beside = {} if data or streams or opened.result is None else opened.result["baselines"]
    baselines = {
        name: {key: scores[f"{split}.{key}"] for key in metrics if f"{split}.{key}" in scores}
        for name, scores in beside.items()
    }
    baselines = {name: scores for name, scores in baselines.items() if scores}
    if as_json:
        about = {"run": str(opened.folder.path), "data": label, "metrics": metrics}
        about |= {"baselines": baselines, "details": opened.task.details()}
        show.print_json(about)
        return
    rows = [
        [key, show.number(value), *(show.number(each.get(key)) for each in baselines.values())]
        for key, value in metrics.items()
    ]
    show.table(f"{opened.folder.path} on {label}", ["metric", "value", *baselines], rows)
    _details(opened.task.details())
