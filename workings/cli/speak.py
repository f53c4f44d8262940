"""`workings data speak`: a synthetic speech set made from a text."""

from pathlib import Path
from typing import Annotated

import typer

from workings.cli.shared import show
from workings.cli.shared.options import Json
from workings.errors import WorkingsError


def speak(
    text: Annotated[Path, typer.Option(metavar="FILE", help="A text file, UTF-8.")],
    voices: Annotated[int, typer.Option(help="Voices, each in one split only.")] = 8,
    takes: Annotated[int, typer.Option(min=1, help="How often each sentence is said.")] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where to; ./FILE-spoken if not given.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Random seed.")] = 1,
    as_json: Json = False,
) -> None:
    """Make a speech set from a text with espeak-ng, in LJ Speech's format.

    Every sentence is said by one of the voices, at a rate and pitch of its own, all by the seed;
    a tenth of the sentences each is for validation and test, said by voices of their own. The set
    is synthetic, and says so wherever it is used. espeak-ng comes with
    pip install 'workings[speak]' and is under the GPL, version 3.
    """
    from workings.tasks.language import files as texts
    from workings.tasks.speech import alphabet, synthesis

    folder = out or Path(f"{text.stem}-spoken")
    if folder.exists():
        raise WorkingsError(f"{folder}: is there already; choose another --out or remove it")
    split_voices = synthesis.voices(voices, seed)
    whole = "".join(texts.blocks(texts.whole(text)))
    lines = synthesis.divided(synthesis.sentences(whole, synthesis.LONGEST), takes, seed)
    about = synthesis.make(folder, lines, split_voices, seed)
    outside = alphabet.PUBLISHED.outside(" ".join(line for part in lines.values() for line in part))
    if as_json:
        show.print_json({"folder": str(folder), "outside": dict(outside), **about})
        return
    sizes = ", ".join(f"{split} {count:,}" for split, count in about["splits"].items())
    print(f"{folder}: {sizes} clips of {voices} voices, synthetic: {about['made_by']}")
    if outside:
        shown = " ".join(symbol for symbol, _ in outside.most_common(8))
        print(f"{outside.total():,} symbols are outside the alphabet: {shown}")
    print(f"next: workings train speech --data {folder}")
