"""workings generate."""

import dataclasses
import sys
from typing import Annotated

import typer

from workings.cli import show
from workings.cli.options import Json, RunName, Runs


def add_to(app: typer.Typer) -> None:
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
    no_unk: Annotated[bool, typer.Option("--no-unk", help="Never choose <unk>.")] = False,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Random seed.")] = 1,
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Generate text with a language model, sampling token by token.

    --json gives every token with its probability under the model.
    """
    from workings.run import run as api
    from workings.run.progress import progress
    from workings.schema import build
    from workings.tasks.sampling import Sampling

    values = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "greedy": greedy}
    sampling = build(Sampling, values, "")
    opened = api.open_run(name, runs, progress())
    texts = opened.generate(
        prompt, samples=samples, length=length, seed=seed, sampling=sampling, unknown=not no_unk
    )
    if texts[0].unknown:
        words = ", ".join(repr(word) for word in dict.fromkeys(texts[0].unknown))
        print(f"warning: not in the vocabulary, read as <unk>: {words}", file=sys.stderr)
    if as_json:
        show.print_json([dataclasses.asdict(text) for text in texts])
        return
    for text in texts:
        print(text.text)
