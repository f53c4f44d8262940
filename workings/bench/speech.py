"""Speech to text: batches of like length against everything padded, and remembered decoding."""

# B clips, L tokens, V symbols

import itertools
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from workings.bench.rows import Difference, Row, Say, peaks, row
from workings.bench.sides import Side, Work, race
from workings.errors import WorkingsError
from workings.nn.speech import SpeechDecoder, SpeechModel, Writing
from workings.nn.speech.decoders import DecoderKind
from workings.schema import build
from workings.tasks.speech import alphabet, corpus
from workings.tasks.speech.clips import Batch, Clips, by_length, collate
from workings.tasks.speech.config import SpeechData, SpeechTrain
from workings.tasks.speech.models import SpeechConfig
from workings.tasks.speech.task import SpeechTask

KINDS: tuple[DecoderKind, DecoderKind] = ("recurrent", "attention")
LONGEST = 2754  # frames that everything is padded to, as published
BATCH, TOKENS = 16, 99


def clips_of(name: str) -> tuple[SpeechData, Clips]:
    """A named set's config, and its training clips."""
    data = build(SpeechData, {"name": name}, "data")
    return data, corpus.read(data).splits["train"]


def batches(name: str, longest: int) -> list[Batch]:
    """An epoch's batches of like length, each padded to its longest clip, or to `longest`."""
    data, clips = clips_of(name)
    order = by_length(clips.frames, BATCH, np.random.default_rng(0), False)
    return [collate(clips, some.tolist(), data.max_tokens, longest) for some in order]


def model_of(kind: DecoderKind) -> SpeechModel:
    """The speech model of the default size, with the same weights each time."""
    torch.manual_seed(0)
    return SpeechModel(len(alphabet.PUBLISHED), SpeechData().bands, kind)


def task_of(kind: DecoderKind) -> SpeechTask:
    """The speech task with its defaults, without any data read."""
    return SpeechTask(SpeechData(), SpeechConfig(decoder=kind), SpeechTrain(), 0, {})


def training(kind: DecoderKind, name: str, longest: int) -> Work:
    """Training steps on one batch after the other."""
    model, task = model_of(kind).train(), task_of(kind)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3, fused=True)
    every = itertools.cycle(batches(name, longest))

    def work() -> None:
        loss, _, _ = task.loss(model, next(every), None)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return work


class Prefix:
    """Writing without a memory: the text so far is read again for each token."""

    def __init__(self, decoder: SpeechDecoder, sound_BSD: Tensor, lengths_B: Tensor) -> None:
        self.decoder, self.sound, self.lengths = decoder, sound_BSD, lengths_B
        self.tokens = torch.zeros(len(sound_BSD), 0, dtype=torch.long)

    def step(self, tokens_B: Tensor) -> Tensor:
        """Logits B×V of the token after these, from a pass over the whole text so far."""
        self.tokens = torch.cat([self.tokens, tokens_B[:, None]], 1)
        return self.decoder(self.tokens, self.sound, self.lengths)[:, -1]


@torch.no_grad()
def write(writing: Writing | Prefix, count: int, tokens: int) -> Tensor:
    """The likeliest tokens, `tokens` of them whether a text ends or not, B×L."""
    tokens_B, written = torch.full((count,), alphabet.BEGIN), []
    for _ in range(tokens):
        tokens_B = writing.step(tokens_B).argmax(1)
        written.append(tokens_B)
    return torch.stack(written, 1)


def decoding(kind: DecoderKind, name: str, count: int, remembers: bool) -> Callable[[], Tensor]:
    """The decoding of so many clips; the encoder, the same for both sides, has heard them."""
    model = model_of(kind).eval()
    x_BTF, frames_B, _ = (part[:count] for part in batches(name, 0)[0])
    with torch.no_grad():
        sound_BSD, lengths_B = model.encoder(x_BTF, frames_B)

    @torch.no_grad()
    def work() -> Tensor:
        made = Writing if remembers else Prefix
        return write(made(model.decoder, sound_BSD, lengths_B), count, TOKENS)

    return work


def differences(name: str) -> Difference:
    """How far the two sides' losses of one batch are apart, and how many tokens differ."""
    apart = {}
    for kind in KINDS:
        model, task = model_of(kind).eval(), task_of(kind)
        ours, theirs = (batches(name, longest)[0] for longest in (0, LONGEST))
        with torch.no_grad():
            losses = [task.loss(model, batch, None)[0] for batch in (ours, theirs)]
        apart[f"{kind} loss"] = float((losses[0] - losses[1]).abs())
        texts = [decoding(kind, name, 2, remembers)() for remembers in (True, False)]
        apart[f"{kind} tokens"] = float((texts[0] != texts[1]).sum())
    return apart


def run(name: str, rounds: int, seconds: float, say: Say) -> list[Row]:
    """Every comparison; those of training with both peaks."""
    apart = differences(name)
    say(f"the two sides: {', '.join(f'{what} apart {by:.1e}' for what, by in apart.items())}")
    if not tolerable(apart):
        raise WorkingsError(f"the two sides do not compute the same: {apart}")
    threads = torch.get_num_threads()
    rows: list[Row] = []
    for kind in KINDS:
        say(f"training, {kind} decoder, {threads} thread(s)")
        sides = {
            "ours": Side(training, (kind, name, 0), True),
            "theirs": Side(training, (kind, name, LONGEST), True),
        }
        turns = race(sides, threads, rounds, seconds)
        label = f"train {kind}, {BATCH} clips of {name}, padded to {LONGEST:,} frames"
        figures = row(label, turns["ours"], turns["theirs"])
        rows.append(
            {
                **figures,
                "ours_clips_per_second": BATCH / figures["ours_seconds"],
                "theirs_clips_per_second": BATCH / figures["theirs_seconds"],
                **peaks(turns["ours"], turns["theirs"]),
            }
        )
        for count in (1, BATCH):
            say(f"decoding, {kind} decoder, {count} clip(s)")
            sides = {
                "ours": Side(decoding, (kind, name, count, True), True),
                "theirs": Side(decoding, (kind, name, count, False), True),
            }
            turns = race(sides, threads, rounds, seconds)
            label = f"decode {kind}, {TOKENS} tokens × {count}, prefix re-run for each"
            rows.append(row(label, turns["ours"], turns["theirs"]))
    return rows


def tolerable(apart: Difference) -> bool:
    """Both sides computed the same: the loss to 32-bit rounding, the tokens but for a tie."""
    return all(by < (1e-4 if "loss" in what else 3) for what, by in apart.items())
