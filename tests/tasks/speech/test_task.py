"""The speech task: what its loss and scores are, that it learns, and that it resumes."""

import itertools
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.run.faults import assert_resumes, assert_same, kill_and_resume, uninterrupted
from tests.tasks.speech.speech_sets import RATE, lj_speech, tone, words
from workings.errors import WorkingsError
from workings.run import Run, open_run, train
from workings.run import config as configs
from workings.tasks.speech import alphabet
from workings.tasks.speech.specaugment import blank
from workings.tasks.speech.task import SpeechTask

SMALL = {"width": 16, "heads": 2, "blocks": 1, "feedforward": 24}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lj_speech(tmp_path / "set", words(48))


def values(folder: Path, decoder: str = "attention", **sections: dict[str, Any]) -> dict[str, Any]:
    data = {"path": str(folder), "bands": 20, "window": 160, "hop": 40, "max_tokens": 20}
    data["split"] = "position"
    training = {"batch": 8, "epochs": 2, "lr": 0.01, "optimizer": "adamw", "device": "cpu"}
    return {
        "task": "speech",
        "data": data | sections.get("data", {}),
        "model": {**SMALL, "decoder": decoder} | sections.get("model", {}),
        "train": training | sections.get("train", {}),
    }


def task_of(folder: Path, **sections: Any) -> SpeechTask:
    task = configs.resolve(values(folder, **sections)).build_task()
    assert isinstance(task, SpeechTask)
    return task


@pytest.mark.parametrize("decoder", ["recurrent", "attention"])
def test_learns_tones(decoder: str, folder: Path, tmp_path: Path) -> None:
    """Every letter is a pitch: the model writes down what sounds, and not what is likely."""
    recipe = {"epochs": 50, "patience": 50, "short_first": 3, "lr": 0.01, "schedule": "linear"}
    run = train(values(folder, decoder, train=recipe), str(tmp_path / "run"))
    task = run.task
    assert isinstance(task, SpeechTask)
    heard = task.evaluate(run.model, "train", lambda done: None)
    clips = task.clips("train")
    real = clips.features
    clips.features = lambda number: real(number).flip(1)  # type: ignore[method-assign]
    deaf = task.evaluate(run.model, "train", lambda done: None)
    assert heard["character_error_rate"] < 0.5
    assert heard["known_words"] > 0.8
    assert deaf["loss"] > 2 * heard["loss"]
    assert deaf["character_error_rate"] > heard["character_error_rate"] + 0.1


def test_loss_is_the_mean_over_tokens_and_ignores_padding(folder: Path) -> None:
    task = task_of(folder)
    model = task.build().eval()
    x_BTF, frames_B, tokens_BL = next(iter(task.batches(0, 0)))
    loss, units, carry = task.loss(model, (x_BTF, frames_B, tokens_BL), None)
    losses = []
    for x_TF, frames, tokens in zip(x_BTF, frames_B, tokens_BL, strict=True):
        ids = tokens[tokens != alphabet.PAD]
        logits = model(x_TF[None, :frames], frames[None], ids[None, :-1])[0]
        losses += (-logits.log_softmax(1))[torch.arange(len(ids) - 1), ids[1:]].tolist()
    assert loss.item() == pytest.approx(np.mean(losses), rel=1e-5)
    assert (units, carry) == (8, None)
    wider = F.pad(x_BTF, (0, 0, 0, 30), value=9.0), frames_B, F.pad(tokens_BL, (0, 5))
    torch.testing.assert_close(task.loss(model, wider, None)[0], loss)


def test_scores_do_not_depend_on_the_batch(folder: Path) -> None:
    found = []
    for size in (1, 3, 32):
        task = task_of(folder, train={"eval_batch": size})
        torch.manual_seed(1)
        model = task.build().double()
        double = task._collate
        task._collate = (
            lambda *given, real=double: (  # type: ignore[method-assign]
                real(*given)[0].double(),
                *real(*given)[1:],
            )
        )
        found.append(task.evaluate(model, "test", lambda done: None))
    assert found[0] == pytest.approx(found[1], rel=1e-12)
    assert found[0] == pytest.approx(found[2], rel=1e-12)


def test_batches_are_the_same_from_any_position(folder: Path) -> None:
    task = task_of(folder)
    whole = list(task.batches(3, 0))
    assert len(whole) == task.steps
    assert sum(len(batch[0]) for batch in whole) == task.units
    for position in (0, 2, len(whole)):
        rest = list(task.batches(3, position))
        assert len(rest) == len(whole) - position
        for one, other in zip(rest, whole[position:], strict=True):
            assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
    other = list(task.batches(4, 0))
    assert not all(torch.equal(a[2], b[2]) for a, b in zip(whole, other, strict=True))


def test_short_first(folder: Path) -> None:
    task = task_of(folder, train={"short_first": 1})
    longest = [[int(batch[1].max()) for batch in task.batches(epoch, 0)] for epoch in (0, 1)]
    assert longest[0] == sorted(longest[0])
    assert longest[1] != sorted(longest[1])


def test_decode_caps_what_is_scored_not_the_loss(folder: Path) -> None:
    found = {}
    for most in (0, 2):
        task = task_of(folder, train={"decode": most})
        torch.manual_seed(1)
        found[most] = task.evaluate(task.build(), "test", lambda done: None)
        assert len(task.details()["transcripts"]) == (most or 8)
    assert (found[0]["decoded"], found[2]["decoded"]) == (9, 2)
    assert found[0]["loss"] == pytest.approx(found[2]["loss"])


@pytest.mark.parametrize("decoder", ["recurrent", "attention"])
def test_killed_and_resumed_is_the_same(decoder: str, folder: Path, tmp_path: Path) -> None:
    """Dropout, masks and the order of the batches are all part of what goes on."""
    recipe = {"checkpoint_seconds": 0, "mask_bands": 4, "mask_frames": 3, "batch": 12}
    config = values(folder, decoder, train=recipe, model={"dropout": 0.2})
    assert assert_resumes(config, tmp_path, itertools.count(0, 7), ["middle"]) > 40


@pytest.mark.parametrize("decoder", ["recurrent", "attention"])
def test_bfloat16_resumes(decoder: str, folder: Path, tmp_path: Path) -> None:
    recipe = {"checkpoint_seconds": 0, "batch": 12, "precision": "bfloat16"}
    config = values(folder, decoder, train=recipe, model={"dropout": 0.2})
    expected = uninterrupted(config, tmp_path)
    assert kill_and_resume(config, tmp_path / "killed", 20, "middle")
    assert_same(tmp_path / "killed", expected)


def test_digits_resume_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sequences that are joined anew for every epoch are the same ones after a kill."""
    place = tmp_path / "data" / "audiomnist"
    place.mkdir(parents=True)
    chance = np.random.default_rng(0)
    clips = [chance.integers(-9000, 9000, 900).astype(np.int16) for _ in range(60)]
    np.savez(
        place / "audiomnist_8k_60spk_5rep.npz",
        audio=np.concatenate(clips),
        offsets=np.arange(61) * 900,
        label=np.arange(60) % 10,
        speaker=np.arange(60) // 10,
        sample_rate=8000,
    )
    monkeypatch.setenv("WORKINGS_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("workings.data.sources.verify", lambda name: None)
    config = values(tmp_path)
    config["data"] = {"name": "audiomnist", "clips": 30, "speed": 0.1, "bands": 20}
    config["train"] |= {"checkpoint_seconds": 0, "batch": 10}
    expected = uninterrupted(config, tmp_path)
    assert expected[2]["metrics"]["test.digit_error_rate"] > 0
    for at in (5, 26, 47):
        kill_and_resume(config, tmp_path / f"at-{at}", at, "after")
        assert_same(tmp_path / f"at-{at}", expected)


def trained(folder: Path, tmp_path: Path, **sections: Any) -> Run:
    return train(values(folder, **sections), str(tmp_path / "run"))


def test_evaluates_other_recordings_at_its_own_rate(folder: Path, tmp_path: Path) -> None:
    run = trained(folder, tmp_path)
    texts = list(run.task.clips("test").texts)  # type: ignore[attr-defined]
    same = lj_speech(tmp_path / "same", texts)
    expected = run.evaluate("test")
    assert run.evaluate(data=[same]) == pytest.approx(expected, rel=1e-3)
    faster = lj_speech(tmp_path / "faster", texts, rate=2 * RATE)
    assert run.evaluate(data=[faster])["loss"] == pytest.approx(expected["loss"], rel=0.2)
    spoiled = lj_speech(tmp_path / "spoiled", [*texts, "a" * 40])
    (spoiled / "wavs" / "T000.wav").unlink()
    assert run.evaluate(data=[spoiled])["clips"] == len(texts) - 1
    left = {one["clip"]: one["why"] for one in run.task.details()["left_out"]}
    assert left.keys() == {"T000", f"T{len(texts):03}"}
    with pytest.raises(WorkingsError, match="give a path"):
        run.evaluate(data=["spoken"])


def test_a_run_is_used_where_its_data_is_not(folder: Path, tmp_path: Path) -> None:
    trained(folder, tmp_path)
    wav = tmp_path / "a.wav"
    soundfile.write(wav, tone("bad cab"), RATE)
    shutil.rmtree(folder)
    run = open_run(str(tmp_path / "run"))
    heard = run.transcribe(wav)
    assert heard.seconds == pytest.approx(0.35)
    assert "clips" not in run.task.details()


def test_long_sound_is_heard_in_pieces(folder: Path, tmp_path: Path) -> None:
    run = trained(folder, tmp_path)
    longest = run.task.about["longest"] * 40 / RATE  # type: ignore[attr-defined]
    silence = np.zeros(RATE // 4)
    parts = [part for _ in range(9) for part in (tone("bad add"), silence)]
    sounds = {"long": np.concatenate(parts), "silent": np.zeros(9 * RATE)}
    for name, samples in sounds.items():
        soundfile.write(tmp_path / f"{name}.wav", samples, RATE)
    hear = run.transcribe
    heard = hear(tmp_path / "long.wav", 1, True)
    assert len(heard.pieces) > 4
    assert all(piece.end - piece.start <= longest + 1e-3 for piece in heard.pieces)
    assert heard.pieces[-1].end == pytest.approx(len(sounds["long"]) / RATE - 0.25, abs=0.1)
    assert heard.text == " ".join(piece.text for piece in heard.pieces if piece.text)
    tokens, times, weights = heard.alignment[1]
    assert len(tokens) == len(weights) == len(heard.pieces[1].tokens)
    assert np.allclose(np.sum(weights, 1), 1, atol=1e-5)
    assert heard.pieces[1].start <= times[0] < times[-1] < heard.pieces[1].end
    silent = hear(tmp_path / "silent.wav")
    assert (silent.text, silent.silent, silent.pieces) == ("", True, [])


def test_transcripts_at_another_rate_and_in_stereo(folder: Path, tmp_path: Path) -> None:
    recipe = {"epochs": 25, "patience": 25, "short_first": 3, "lr": 0.01}
    run = trained(folder, tmp_path, train=recipe)
    text = run.task.clips("train").texts[0]  # type: ignore[attr-defined]
    samples = tone(text, 4 * RATE)
    soundfile.write(tmp_path / "a.flac", np.stack([samples, samples], 1), 4 * RATE)
    soundfile.write(tmp_path / "b.wav", tone(text), RATE)
    hear = run.transcribe
    one, other = (hear(tmp_path / name) for name in ("a.flac", "b.wav"))
    assert one.text == other.text != ""
    assert hear(tmp_path / "b.wav", 4).score >= other.score - 0.5


def test_masks_blank_what_they_say() -> None:
    torch.manual_seed(0)
    x_BTF = 1 + torch.rand(64, 40, 12)
    frames_B = torch.randint(20, 41, (64,))
    for row, frames in zip(x_BTF, frames_B, strict=True):
        row[frames:] = 0
    assert blank(x_BTF, frames_B, 0, 0) is x_BTF
    changed = blank(x_BTF, frames_B, 5, 0) != x_BTF
    inside = torch.arange(40) < frames_B[:, None]
    whole_bands = (changed | ~inside[:, :, None]).all(1)
    assert torch.equal(whole_bands, (changed & inside[:, :, None]).any(1))
    assert 2 < whole_bands.sum(1).float().mean() < 7
    assert whole_bands.sum(1).max() <= 10
    changed = blank(x_BTF, frames_B, 0, 100) != x_BTF
    whole_frames = changed.all(2)
    assert torch.equal(whole_frames, changed.any(2))
    assert (whole_frames.sum(1) <= 2 * (frames_B // 10)).all()
    assert not (whole_frames & ~inside).any()
    assert whole_frames.sum() > 64
    masked = blank(x_BTF, frames_B, 5, 5)
    mean_B = x_BTF.sum((1, 2)) / (frames_B * 12)
    hidden = masked != x_BTF
    expected = mean_B[:, None, None].expand_as(masked)[hidden]
    torch.testing.assert_close(masked[hidden], expected)


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        *[("train", key, 4) for key in ("mask_bands", "mask_frames")],
        *[("train", key, 1) for key in ("short_first",)],
        ("train", "label_smoothing", 0.1),
        ("model", "dropout", 0.3),
        ("model", "stride", 3),
        ("model", "layers", 2),
        ("model", "blocks", 2),
        ("model", "decoder", "recurrent"),
        ("data", "hop", 50),
        ("data", "rate", 5000),
        ("data", "bands", 10),
        ("data", "window", 100),
    ],
)
def test_every_key_changes_the_training(section: str, key: str, value: Any, folder: Path) -> None:
    losses = []
    for changed in ({}, {section: {key: value}}):
        task = task_of(folder, **changed)  # type: ignore[arg-type]
        torch.manual_seed(1)
        model = task.build().train()
        batch = next(iter(task.batches(0, 0)))
        losses.append(task.loss(model, batch, None)[0].item())
    assert losses[0] != losses[1]


class Mine(nn.Module):
    """A user's own model, without a memory."""

    def __init__(self, symbols: int, bands: int, width: int = 8) -> None:
        super().__init__()
        self.embed, self.hear = nn.Embedding(symbols, width), nn.Linear(bands, width)
        self.out = nn.Linear(width, symbols)

    def forward(self, x_BTF: Tensor, frames_B: Tensor, tokens_BL: Tensor) -> Tensor:
        heard_BD = self.hear(x_BTF).sum(1) / frames_B[:, None]
        return self.out(self.embed(tokens_BL) + heard_BD[:, None])


class NotMine(Mine):
    def forward(self, x_BTF: Tensor, frames_B: Tensor, tokens_BL: Tensor) -> Tensor:
        return super().forward(x_BTF, frames_B, tokens_BL)[:, -1]


def test_a_users_own_model(folder: Path, tmp_path: Path) -> None:
    config = values(folder)
    config["model"] = {"kind": f"{__name__}:Mine", "args": {"width": 12}}
    run = train(config, str(tmp_path / "mine"))
    assert run.evaluate("test")["decoded"] == 9
    assert not run.task.charts(run.model)
    config["model"] = {"kind": f"{__name__}:NotMine"}
    with pytest.raises(WorkingsError, match=r"must give logits of shape B×L×35; it gave \(2, 35\)"):
        train(config, str(tmp_path / "not-mine"))


def test_what_it_says_of_its_data(folder: Path) -> None:
    (folder / "wavs" / "T003.wav").write_bytes(b"nothing")
    task = task_of(folder, data={"skip_bad": True})
    assert "left out: T003 (cannot be read" in task.describe()
    task.evaluate(task.build(), "test", lambda done: None)
    assert task.details()["left_out"][0]["clip"] == "T003"
    shown = SpeechTask.show(configs.resolve(values(folder)).data)  # without skip_bad: listed too
    assert "cannot be read as sound" in shown["bad: T003"]
    assert shown["train clips"].startswith("31, ")
    assert SpeechTask.recognises(folder)


def test_too_few_clips(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "two", ["ab", "cab"])
    with pytest.raises(WorkingsError, match="too few for train, valid and test"):
        train(values(folder), str(tmp_path / "run"))


def test_damaged_assets(folder: Path) -> None:
    config = configs.resolve(values(folder))
    for content in (b"{", b"{}", b'{"symbols": ["a"]}'):
        with pytest.raises(WorkingsError, match=r"speech\.json: "):
            config.build_task({"speech.json": content})
