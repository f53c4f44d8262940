"""`workings generate`: text from a trained language model, token by token."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workings.cli.shared import chart_files, show
from workings.cli.shared.options import LARGEST_SEED, Json, RunName, Runs, Trust
from workings.errors import WorkingsError

if TYPE_CHECKING:
    from workings.run.run import Run


def add_to(app: typer.Typer) -> None:
    """Put the command on the app."""
    app.command()(generate)


def generate(
    name: RunName,
    prompt: Annotated[str | None, typer.Option(help="What the text begins with.")] = None,
    samples: Annotated[int, typer.Option("--samples", "-n", help="How many texts.")] = 1,
    length: Annotated[int, typer.Option(help="Most tokens a text; <eos> ends it before.")] = 100,
    temperature: Annotated[float, typer.Option(help="Below 1 bolder, above 1 wilder.")] = 1.0,
    top_k: Annotated[int, typer.Option(help="Only the k likeliest tokens; 0: all.")] = 0,
    top_p: Annotated[float, typer.Option(help="Only the likeliest with this total.")] = 1.0,
    greedy: Annotated[bool, typer.Option("--greedy", help="Always the likeliest token.")] = False,
    unk: Annotated[
        bool, typer.Option("--unk/--no-unk", help="Whether <unk> may be chosen, as a word.")
    ] = False,
    past_end: Annotated[
        bool, typer.Option("--past-end", help="Go on after <eos>, to the full length.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Random seed.")] = 1,
    attention: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also chart what each token of the prompt attends to: .svg .png .pdf .html .json",
        ),
    ] = None,
    gates: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also chart the gates of an LSTM along the first text: .svg .png .pdf .html .json",
        ),
    ] = None,
    runs: Runs = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Generate text with a language model, sampling token by token.

    --json gives every token with its probability under the model.
    """
    from workings.run import run as api
    from workings.run.progress import progress
    from workings.schema import build
    from workings.tasks.language.sampling import Sampling

    chart_files.check("--attention", attention)
    chart_files.check("--gates", gates)
    values = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "greedy": greedy}
    sampling = build(Sampling, values, "")
    opened = api.open_run(name, runs, progress(), trust)
    if attention is not None:
        _chart(opened, prompt, attention)
    texts = opened.generate(
        prompt,
        samples=samples,
        length=length,
        seed=seed,
        sampling=sampling,
        unknown=unk,
        past_end=past_end,
    )
    if gates is not None:
        chart_files.write(gates, opened.gates(texts[0].text).chart())
    if texts[0].unknown:
        words = "; ".join(_unknown(*each) for each in texts[0].nearest.items())
        show.say(f"warning: not in the vocabulary, read as <unk>: {words}", error=True)
    if as_json:
        show.print_json([dataclasses.asdict(text) for text in texts])
        return
    for text in texts:
        show.say(text.text)


def _unknown(word: str, nearest: list[str]) -> str:
    return repr(word) + (f" (known: {', '.join(nearest)})" if nearest else "")


def _chart(run: "Run", prompt: str | None, path: Path) -> None:
    from workings import charts

    if prompt is None:
        raise WorkingsError("--attention: needs a --prompt to look at")
    chart_files.write(path, charts.attention(*run.attention(prompt)))
