"""Leaks of speech: test recordings that are trained on, text that a decoder sees too early."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from workings.tasks.leak import Leak, overlap
from workings.tasks.lookahead import dependence
from workings.tasks.speech.recordings import Recording

LEAST = 0.01  # the share of a split's clips, found in another one, that is worth a word
MOST = 4000  # files that are read, of those whose sizes agree
PAIRS = (("test", "train"), ("valid", "train"), ("test", "valid"))


def same_clips(splits: Mapping[str, Sequence[Recording]]) -> Iterator[Leak]:
    """Recordings of one split that are in another one too, byte for byte."""
    sizes = {split: [_size(clip.path) for clip in clips] for split, clips in splits.items()}
    known: dict[Path, bytes] = {}
    for split, other in PAIRS:
        by_size: dict[int, list[Path]] = {}
        for clip, size in zip(splits[other], sizes[other], strict=True):
            by_size.setdefault(size, []).append(clip.path)
        same = seen = 0
        for clip, size in zip(splits[split], sizes[split], strict=True):
            if len(known) > MOST:
                break
            twins = by_size.get(size, []) if size else []
            same += any(_digest(twin, known) == _digest(clip.path, known) for twin in twins)
            seen += 1
        note = "" if seen == len(splits[split]) else f", of {seen:,} that were compared"
        yield from overlap("clips", split, other, same, seen, LEAST, note)


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _digest(path: Path, known: dict[Path, bytes]) -> bytes:
    if path not in known:
        with path.open("rb") as file:
            known[path] = hashlib.file_digest(file, "sha256").digest()
    return known[path]


def sees_ahead(model: nn.Module, kind: str, symbols: int, bands: int, own: bool) -> Iterator[Leak]:
    """Outputs that depend on later symbols of the text."""

    def forward(asked: nn.Module, tokens_BL: Tensor) -> Tensor:
        device = next(asked.parameters()).device
        draw = torch.Generator().manual_seed(2)
        x_BTF = torch.randn(2, 30, bands, generator=draw).to(device)
        logits_BLV: Tensor = asked(x_BTF, torch.tensor([30, 30]).to(device), tokens_BL.to(device))
        return logits_BLV

    depends = dependence(model, forward, 8, symbols, noise=own)
    if depends.later is not None:
        yield Leak(
            f"model.kind: {kind} sees the symbols that it is to write: its output at symbol "
            f"{depends.later + 1} of 8 changes when only later ones do",
            "mask what comes later, or read the text in one direction only",
            "train.allow_lookahead",
            grave=True,
        )
