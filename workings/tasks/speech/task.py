"""The speech task: characters from sound.

What it reads is in `reads_speech`; this is how it learns, what it reports and what it can do.
"""

# B clips, T frames, F bands, L tokens, V symbols

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.errors import WorkingsError
from workings.nn.speech import SpeechModel
from workings.tasks import examples
from workings.tasks.config import OwnModel
from workings.tasks.embedding import Embedding
from workings.tasks.examples import Examples
from workings.tasks.leak import Leak
from workings.tasks.own import try_out
from workings.tasks.portable import Portable
from workings.tasks.speech import alphabet, corpus, leaks, models, per_clip
from workings.tasks.speech import baselines as spoken_baselines
from workings.tasks.speech import config as speech
from workings.tasks.speech.baselines import Said
from workings.tasks.speech.clips import Batch, Clips, by_length, collate
from workings.tasks.speech.decoding import Transcript, greedy
from workings.tasks.speech.features import filters
from workings.tasks.speech.long_audio import (
    Heard,
    ShowsAlignment,
    aligned,
    features_of,
    listen,
    write_down,
)
from workings.tasks.speech.portable import portable
from workings.tasks.speech.reads_speech import ReadsSpeech
from workings.tasks.speech.scores import VARIANTS, scores
from workings.tasks.speech.specaugment import blank
from workings.tasks.task import Carry, Metrics, Tick

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart

SAMPLES = 8  # transcripts shown beside what was said


class SpeechTask(ReadsSpeech):
    """Speech to text, character by character.

    The best weights are those with the fewest character errors when the model writes by itself:
    what a user gets. The loss, with the right text before each token given, may go on falling
    while what it writes gets worse, and the other way round.
    """

    sharded = True
    best = "character_error_rate"
    lower_is_better = True
    METRICS = ("loss", "clips", "decoded", *VARIANTS)
    extra_metrics = (
        *("word_error_rate", "digit_error_rate", "jaccard_characters", "cosine_characters"),
        *("damerau_levenshtein_characters", "known_words"),
    )
    MODELS = models.MODELS
    OWN = ("loss", "metrics")

    # Of the last evaluation.
    _samples: Sequence[dict[str, object]] = ()
    _left_out: Sequence[dict[str, str]] = ()

    def try_own(self, model: nn.Module, kind: str) -> None:
        try_speech(model, kind, self.data.bands, len(self.data.letters))

    @property
    def steps(self) -> int:
        return math.ceil(len(self.clips("train")) / self.train.batch)

    def batches(self, epoch: int, position: int) -> Iterator[Batch]:
        """Clips of like length together, drawn and ordered by seed and epoch."""
        clips = self.heard.train(self.seed, epoch)
        generator = np.random.default_rng([self.seed, epoch])
        order = by_length(clips.frames, self.train.batch, generator, epoch < self.train.short_first)
        for numbers in map(self.shard.take, order[position:]):
            yield self._collate(clips, numbers.tolist())

    def _collate(self, clips: Clips, numbers: list[int]) -> Batch:
        x_BTF, frames_B, tokens_BL = collate(
            clips, numbers, self.data.max_tokens, letters=self.data.letters
        )
        return x_BTF.to(self.device), frames_B.to(self.device), tokens_BL.to(self.device)

    def loss(self, model: nn.Module, batch: Batch, carry: Carry) -> tuple[Tensor, int, Carry]:
        x_BTF, frames_B, tokens_BL = batch
        smoothing = 0.0
        if model.training:
            smoothing = self.train.label_smoothing
            x_BTF = blank(x_BTF, frames_B, self.train.mask_bands, self.train.mask_frames)
        logits_BLV = model(x_BTF, frames_B, tokens_BL[:, :-1])
        if self.train.loss and model.training:
            said_BL = tokens_BL[:, 1:] != alphabet.PAD
            loss = self.criterion(logits_BLV[said_BL], tokens_BL[:, 1:][said_BL])
            return loss, len(x_BTF), None
        loss = F.cross_entropy(
            logits_BLV.flatten(0, 1),
            tokens_BL[:, 1:].flatten(),
            ignore_index=alphabet.PAD,
            label_smoothing=smoothing,
        )
        return loss, len(x_BTF), None

    def terms(self, batch: Batch, units: int) -> int:
        return int((batch[2][:, 1:] != alphabet.PAD).sum())

    def leaks(self, model: nn.Module) -> Iterator[Leak]:
        own = isinstance(self.model, OwnModel)
        symbols, bands = self.sizes().values()
        yield from leaks.sees_ahead(model, self.kind, symbols, bands, own)
        if isinstance(self.heard, corpus.RecordedSpeech):
            yield from leaks.same_clips(self.heard.recordings())

    def evaluate(self, model: nn.Module, split: str, tick: Tick) -> Metrics:
        self._left_out = self.heard.notes.left_out
        return self.evaluate_clips(model, self.clips(split), tick)

    @torch.no_grad()
    def evaluate_clips(self, model: nn.Module, clips: Clips, tick: Tick) -> Metrics:
        """Loss a token, given the text before it; scores of what the model writes by itself."""
        was_training = model.training
        model.eval()
        decoded = np.arange(len(clips))[: self.train.decode or None]
        # Longest first: what does not fit into memory fails at once.
        order = sorted(range(len(clips)), key=lambda number: -int(clips.frames[number]))
        total, tokens = 0.0, 0
        written: dict[int, Transcript] = {}
        for start in range(0, len(order), self.train.eval_batch):
            numbers = order[start : start + self.train.eval_batch]
            batch = self._collate(clips, numbers)
            loss, _, _ = self.loss(model, batch, None)
            count = int((batch[2][:, 1:] != alphabet.PAD).sum())
            total, tokens = total + loss.item() * count, tokens + count
            wanted = [row for row, number in enumerate(numbers) if number < len(decoded)]
            if wanted:
                heard = (batch[0][wanted], batch[1][wanted])
                texts = greedy(model, *heard, self.data.max_tokens, self.data.letters)
                written |= {numbers[row]: text for row, text in zip(wanted, texts, strict=True)}
            tick(start + len(numbers))
        model.train(was_training)
        return {"loss": total / tokens} | self._scored(written, clips)

    def examples(self, model: nn.Module, split: str, tick: Tick) -> Examples:
        """Loss, edits and similarities of every clip."""
        clips = self.clips(split)
        decoded = min(self.train.decode or len(clips), len(clips))
        limits = self.train.eval_batch, decoded, self.data.max_tokens, self.data.letters
        columns = per_clip.columns(model, clips, self._collate, *limits, tick)
        asked = self.checksum(), "\n".join(clips.texts), str(decoded)
        return Examples("clip", examples.identity(*asked), columns)

    def _scored(self, written: dict[int, Transcript], clips: Clips) -> Metrics:
        texts = [written[number].text for number in range(len(written))]
        said = list(clips.texts[: len(written)])
        self._samples = [
            {"said": said[n], "written": texts[n], "score": round(written[n].score, 3) + 0.0}
            for n in range(min(SAMPLES, len(texts)))
        ]
        metrics = scores(texts, said, self.words)
        if self.data.name == "audiomnist":
            metrics["digit_error_rate"] = metrics["word_error_rate"]
        counts = {"clips": len(clips), "decoded": len(texts)}
        return metrics | counts | self.own_metrics(texts, said)

    @functools.cached_property
    def words(self) -> frozenset[str]:
        """The words of the training texts."""
        return frozenset(self.about["words"])

    def baselines(self) -> dict[str, Metrics]:
        """Of the clips whose transcripts are judged: the first `decode` of each split."""
        said = {split: self.clips(split) for split in speech.SPLITS}
        parts = {split: Said(clips.texts, clips.frames) for split, clips in said.items()}
        most = self.train.decode or None
        others = {s: Said(parts[s].texts[:most], parts[s].frames[:most]) for s in ("valid", "test")}
        return spoken_baselines.baselines(parts["train"], others, self.words)

    def details(self) -> dict[str, object]:
        left_out = {"left_out": list(self._left_out)} if self._left_out else {}
        return {"transcripts": list(self._samples), **left_out, "variants": VARIANTS}

    def evaluate_files(self, model: nn.Module, paths: list[Path], tick: Tick) -> Metrics:
        """Metrics of the user's own recordings, read as this run's were.

        What cannot be used, or is longer than the model can write, is left out and listed.
        """
        keys: dict[str, object] = {
            "name": "",
            "clips": 0,
            "rate": self.about["rate"],
            **speech.from_paths(paths),
        }
        if keys["name"]:
            raise WorkingsError(f"--data {keys['name']}: give a folder or a table of recordings")
        long_text = "cut" if self.data.long_text == "cut" else "skip"
        keys |= {"skip_bad": True, "long_text": long_text, "split": "position"}
        heard = corpus.read(self.data.model_copy(update=keys))
        metrics = self.evaluate_clips(model, heard.everything(), tick)
        self._left_out = heard.notes.left_out
        return metrics

    def transcribe(
        self, model: nn.Module, path: Path, beam: int = 1, alignment: bool = False
    ) -> Heard:
        """What is said in a sound file; see `listen`."""
        return listen(model, path, self.data, self.about, beam, alignment)

    @torch.no_grad()
    def embed(self, model: nn.Module, what: list[str]) -> Embedding:
        """The mean of the encoder's states of each clip; of the test clips if none is named."""
        if not isinstance(model, SpeechModel):
            raise WorkingsError(f"embed: {self.kind} has no encoder of ours")
        model.eval()
        if what:
            heard = [features_of(Path(name), self.data, self.about) for name in what]
            names, labels = list(what), list[str]()
        else:
            clips = self.clips("test")
            heard = [clips.features(number) for number in range(len(clips))]
            names, labels = [f"test[{number}]" for number in range(len(clips))], list(clips.texts)
        vectors = []
        for x_TF in heard:
            frames_B = torch.tensor([len(x_TF)], device=self.device)
            vectors.append(model.encoder(x_TF[None].to(self.device), frames_B)[0][0].mean(0).cpu())
        return Embedding("clip", names, torch.stack(vectors).numpy(), labels)

    def portable(self, model: nn.Module) -> Portable:
        """Encoder and decoder, verified on the first test clips, cut to one length."""
        clips, rate = self.clips("test"), self.about["rate"]
        x_BTF, frames_B, tokens_BL = self._collate(clips, [0, min(1, len(clips) - 1)])
        x_BTF, tokens_BL = x_BTF[:, : int(frames_B.min())].cpu(), tokens_BL[:, :8].cpu()
        use = {"symbols": self.about["symbols"], "most": self.data.max_tokens, "rate": rate}
        use |= {"window": self.data.window, "hop": self.data.hop}
        use["filters"] = filters(rate, self.data.bands, self.data.window).tolist()
        return portable(model, self.model, self.sizes(), x_BTF, tokens_BL, use)

    def charts(self, model: nn.Module) -> "dict[str, Chart]":
        """Where the model looks in the first test clip while it writes."""
        from workings import charts

        if not isinstance(model, ShowsAlignment):
            return {}
        x_TF = self.clips("test").features(0).to(self.device)
        letters = self.data.letters
        piece = write_down(model, x_TF, self.data.max_tokens, 1, letters)
        step = self.data.hop / self.about["rate"]
        return {"alignment": charts.alignment(*aligned(model, x_TF, piece, letters, step))}

    def illustrate(self, model: nn.Module) -> list[str]:
        """What it writes of the first test clips, below what was said."""
        return [
            f"said     {sample['said']}\nwritten  {sample['written']}"
            for sample in self._samples[:3]
        ]

    def next_commands(self, command: Callable[[str], str]) -> list[str]:
        return [
            f"{command('transcribe')} YOUR_SPEECH.wav",
            f"{command('eval')} --data YOUR_FOLDER",
        ]


def try_speech(model: nn.Module, kind: str, bands: int, symbols: int) -> None:
    """Say at once when a speech model of the user's is not one."""
    wanted = f"forward(features_BTF, frames_B, tokens_BL) must give logits of shape B×L×{symbols}"

    def trial(model: nn.Module) -> Tensor:
        tokens_BL = torch.full((2, 5), alphabet.BEGIN)
        return model(torch.zeros(2, 30, bands), torch.tensor([30, 20]), tokens_BL)

    given = try_out(model, kind, wanted, trial, "two clips of 30 frames and 5 tokens")
    if given != (2, 5, symbols):
        raise WorkingsError(f"model.kind: {kind}: {wanted}; it gave {given} for B = 2, L = 5")
