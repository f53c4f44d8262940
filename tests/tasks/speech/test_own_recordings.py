"""The user's own recordings: how they are read and split, where the config does not say."""

from pathlib import Path

import pytest
import soundfile

from tests.tasks.speech.speech_sets import RATE, lj_speech, tone
from workings.errors import WorkingsError
from workings.schema import build
from workings.tasks.speech.config import SpeechData
from workings.tasks.speech.corpus import read
from workings.tasks.speech.own_recordings import settle_recordings, validation
from workings.tasks.speech.reads_speech import expected
from workings.tasks.speech.task import SpeechTask

SPLITS = ("train", "valid", "test")
TEXTS = [f"it's number {number}!" for number in range(20)]


def test_rate_windows_alphabet_and_a_split_at_random(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "set", TEXTS)
    given = SpeechData(path=str(folder))
    data, chosen = settle_recordings(given)
    assert (data.rate, data.window, data.hop) == (16_000, 400, 160)
    assert data.alphabet.endswith("z'1")  # of the digits, 1 alone is there three times
    assert (data.split, data.unknown) == ("random", "drop")
    assert "clips split at random (data.split)" in chosen
    heard = read(data)
    said = ["3 of 20 clips for validation (data.valid_share)"]
    assert validation(given, data, heard.splits) == said
    texts = {split: list(clips.texts) for split, clips in heard.splits.items()}
    assert [len(part) for part in texts.values()] == [13, 3, 4]
    assert texts["test"] != [text[:-1] for text in TEXTS[16:]]
    assert heard.splits["train"].frames.sum() > 0
    again = settle_recordings(build(SpeechData, data.model_dump(), "data"))
    assert again == (data, [])


def test_clips_that_are_left_out_are_counted_nowhere(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "set", TEXTS)
    soundfile.write(folder / "wavs" / "T003.wav", tone("a")[:0], RATE)
    about = SpeechTask.show(SpeechData(path=str(folder)))
    clips = [int(str(about[f"{split} clips"]).partition(",")[0]) for split in SPLITS]
    assert sum(clips) == 19
    notes = [note for name, note in about.items() if name.startswith("note")]
    assert f"{clips[1]} of 19 clips for validation (data.valid_share)" in notes


def test_milliseconds_are_of_the_rate(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "set", TEXTS)
    given = SpeechData(path=str(folder), rate=0, window_ms=32.0)
    data, _ = settle_recordings(given)
    assert (data.rate, data.window, data.hop) == (0, 32 * RATE // 1000, 10 * RATE // 1000)
    samples = SpeechData(path=str(folder), window=100, hop=50)
    data, _ = settle_recordings(samples)
    assert (data.rate, data.window, data.hop) == (0, 100, 50)


def test_a_split_by_speaker_keeps_each_in_one(tmp_path: Path) -> None:
    rows = ["path,text,speaker"]
    for number in range(24):
        soundfile.write(tmp_path / f"{number}.wav", tone("abc"), RATE)
        rows.append(f"{number}.wav,say {'abcdef'[number % 6]},{'uvwxyz'[number % 6]}")
    (tmp_path / "table.csv").write_text("\n".join(rows))
    data, _ = settle_recordings(SpeechData(path=str(tmp_path / "table.csv"), test_share=0.3))
    assert data.split == "speaker"
    texts = {split: set(clips.texts) for split, clips in read(data).splits.items()}
    assert [len(part) for part in texts.values()] == [3, 1, 2]  # a text tells its speaker
    assert len(set.union(*texts.values())) == 6


def test_a_split_by_speaker_needs_speakers(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "set", TEXTS)
    with pytest.raises(WorkingsError, match="name them in a column speaker"):
        read(SpeechData(path=str(folder), split="speaker"))


@pytest.mark.parametrize(("clips", "valid"), [(3, 1), (40, 6), (100, 15), (200, 20), (1000, 50)])
def test_enough_clips_are_kept_for_validation(tmp_path: Path, clips: int, valid: int) -> None:
    sound = tmp_path / "a.wav"
    soundfile.write(sound, tone("abc"), RATE)
    (tmp_path / "table.csv").write_text("path,text\n" + "a.wav,abc\n" * clips)
    given = {"path": str(tmp_path / "table.csv")}
    data, _ = settle_recordings(build(SpeechData, given, "data"))
    assert data.sizes(clips)["valid"] == valid
    asked, _ = settle_recordings(build(SpeechData, given | {"valid_share": 0.05}, "data"))
    assert asked.valid_share == 0.05


def test_what_so_much_speech_is_enough_for() -> None:
    assert expected(0.15, 10)[0].startswith("little speech: 9.0 minutes are all there is; expect w")
    assert expected(1.7, 4000)[0].startswith("little speech: 102 minutes of 4,000 different words;")
    assert "not a transcript" in expected(0.7, 3000)[0]
    assert expected(1.7, 10) == expected(24.0, 9000) == []
