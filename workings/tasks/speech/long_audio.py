"""Transcribing a sound file of any length: cut at silences, decoded segment by segment."""

# T frames, F bands, H heads, L tokens, S encoded frames

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from workings.data.readers import audio
from workings.errors import WorkingsError
from workings.tasks.speech import alphabet
from workings.tasks.speech.alphabet import Alphabet
from workings.tasks.speech.config import SpeechData
from workings.tasks.speech.decoding import Transcript, beam, greedy
from workings.tasks.speech.features import log_mel
from workings.tasks.speech.records import SpeechRecord

Alignment = tuple[list[str], list[float], list[list[float]]]  # tokens, times, weights by both


@runtime_checkable
class ShowsAlignment(Protocol):
    """A model whose cross-attention can be had: which sound each token was heard in."""

    def alignment(self, x_BTF: Tensor, frames_B: Tensor, tokens_BL: Tensor) -> list[Tensor]:
        """Every layer's weights, B×H×L×S each."""


@dataclass(frozen=True)
class Segment:
    """A stretch of the sound, in seconds, and what was heard in it."""

    start: float
    end: float
    text: str
    score: float  # mean log-probability of its tokens
    tokens: list[dict[str, object]]  # symbol, probability


@dataclass(frozen=True)
class Heard:
    """The transcript of a file, with its segments (`pieces`)."""

    file: str
    text: str
    score: float  # mean log-probability of all tokens
    seconds: float
    silent: bool
    pieces: list[Segment]
    alignment: list[Alignment] = field(default_factory=list)  # of each piece, where asked for


def write_down(
    model: nn.Module, x_TF: Tensor, most: int, width: int, letters: Alphabet
) -> Transcript:
    """The transcript of one clip, greedy or with a beam of that width."""
    if width > 1:
        return beam(model, x_TF, most, width, letters=letters)
    frames_B = torch.tensor([len(x_TF)], device=x_TF.device)
    return greedy(model, x_TF[None], frames_B, most, letters)[0]


def features_of(path: Path, data: SpeechData, about: SpeechRecord) -> Tensor:
    """The features of a sound file as a whole, T×F, at the rate of training."""
    sound = audio.read(path, about["rate"])
    return log_mel(sound.samples, sound.rate, data.bands, data.window, data.hop)


def listen(
    model: nn.Module,
    path: Path,
    data: SpeechData,
    about: SpeechRecord,
    width: int = 1,
    alignment: bool = False,
) -> Heard:
    """What is said in a file, resampled to the rate of training, cut into segments.

    No segment is longer than the longest training clip. What is silent has no text: it is not
    shown to the model.
    """
    shows = model if isinstance(model, ShowsAlignment) else None
    if alignment and shows is None:
        raise WorkingsError("this model has no cross-attention to show: leave out --alignment")
    letters = data.letters
    sound = audio.read(path, about["rate"])
    device = next(model.parameters()).device
    longest = min(data.max_frames, about["longest"]) * data.hop
    pieces, alignments = [], []
    parts = audio.cuts(sound, longest)
    for start, end in parts:
        if audio.is_silent(sound.samples[start:end]):
            continue
        if len(parts) > 1:  # a cut leaves silence at the ends, which clips have little of
            first, last = audio.trimmed(sound.samples[start:end], sound.rate)
            start, end = start + first, start + last
        samples = sound.samples[start:end]
        x_TF = log_mel(samples, sound.rate, data.bands, data.window, data.hop).to(device)
        written = write_down(model, x_TF, data.max_tokens, width, letters)
        begins = start / sound.rate
        pieces.append(_segment(written, letters, begins, end / sound.rate))
        if alignment and shows is not None:
            step = data.hop / sound.rate
            alignments.append(aligned(shows, x_TF, written, letters, step, begins))
    log_probabilities = [piece.score * len(piece.tokens) for piece in pieces]
    count = sum(len(piece.tokens) for piece in pieces)
    return Heard(
        str(path),
        " ".join(piece.text for piece in pieces if piece.text),
        sum(log_probabilities) / max(1, count),
        round(sound.seconds, 3),
        not pieces,
        pieces,
        alignments,
    )


def _segment(written: Transcript, letters: Alphabet, start: float, end: float) -> Segment:
    tokens = [
        {"symbol": letters.symbols[token], "probability": round(probability, 6)}
        for token, probability in zip(written.tokens, written.probabilities, strict=True)
    ]
    return Segment(round(start, 3), round(end, 3), written.text, round(written.score, 6), tokens)


def aligned(
    model: ShowsAlignment,
    x_TF: Tensor,
    written: Transcript,
    letters: Alphabet,
    step: float,
    start: float = 0.0,
) -> Alignment:
    """How much each token looks at each moment: the last layer's cross-attention, heads averaged.

    step: seconds a frame. Times are in seconds from `start` on, of each encoded frame's beginning.
    """
    before = torch.tensor([[alphabet.BEGIN, *written.tokens[:-1]]], device=x_TF.device)
    frames_B = torch.tensor([len(x_TF)], device=x_TF.device)
    weights_HLS = model.alignment(x_TF[None], frames_B, before)[-1][0]
    S = weights_HLS.shape[-1]
    stride = -(-len(x_TF) // S)
    times = [round(start + frame * stride * step, 4) for frame in range(S)]
    symbols = [letters.symbols[token] for token in written.tokens]
    return symbols, times, weights_HLS.mean(0).tolist()
