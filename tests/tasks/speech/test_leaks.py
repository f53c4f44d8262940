"""Recordings that are in two splits, and decoders that see the text too early."""

from pathlib import Path

import torch
from torch import Tensor, nn

from workings.tasks.speech.leaks import same_clips, sees_ahead
from workings.tasks.speech.recordings import Recording


def clips(folder: Path, names: str) -> list[Recording]:
    """A file for each letter; the same letter has the same content."""
    made = []
    for number, name in enumerate(names):
        path = folder / f"{len(list(folder.iterdir()))}-{number}.wav"
        path.write_bytes(name.encode() * 500)
        made.append(Recording(name, path, name))
    return made


def test_the_share_of_clips_that_are_in_train_too(tmp_path: Path) -> None:
    train, valid = clips(tmp_path, "abcdefgh"), clips(tmp_path, "xy")
    assert list(same_clips({"train": train, "valid": valid, "test": clips(tmp_path, "pqrs")})) == []
    splits = {"train": train, "valid": valid, "test": clips(tmp_path, "pqrb")}
    (leak,) = same_clips(splits)
    assert leak.text == "data: 25% of the test clips are among those of train"
    assert not leak.grave
    splits["test"] = train[:3]
    assert [leak.grave for leak in same_clips(splits)] == [True]


class Decoder(nn.Module):
    """Reads the text in one direction, or in both."""

    def __init__(self, both: bool) -> None:
        super().__init__()
        self.table = nn.Embedding(9, 6)
        self.read = nn.GRU(6, 6, batch_first=True, bidirectional=both)
        self.output = nn.Linear(12 if both else 6, 9)

    def forward(self, x_BTF: Tensor, frames_B: Tensor, tokens_BL: Tensor) -> Tensor:
        return self.output(self.read(self.table(tokens_BL))[0]) + x_BTF.mean((1, 2))[:, None, None]


def test_a_decoder_that_reads_ahead() -> None:
    torch.manual_seed(1)
    assert list(sees_ahead(Decoder(both=False), "a:B", 9, 4, own=True)) == []
    (leak,) = sees_ahead(Decoder(both=True), "a:B", 9, 4, own=True)
    assert leak.grave
    assert leak.accept == "train.allow_lookahead"
