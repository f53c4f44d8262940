"""Bad input: each a one-line error, or the handling that a key names, told and never silent."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.tasks.speech.speech_sets import RATE, lj_speech, tone, words
from workings.errors import WorkingsError
from workings.schema import build
from workings.tasks.speech import corpus
from workings.tasks.speech.config import SPLITS, SpeechData, from_paths

TEXTS = ["ab", "cab", "it's 5", "bad", "dab", "add", "bed", "fed"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lj_speech(tmp_path / "set", TEXTS)


def read(folder: Path, **values: Any) -> corpus.Speech:
    return corpus.read(build(SpeechData, {"path": str(folder), "bands": 20, **values}, "data"))


def test_splits_by_position(folder: Path) -> None:
    heard = read(folder, valid_share=0.25, test_share=0.25)
    texts = {split: list(clips.texts) for split, clips in heard.splits.items()}
    assert texts["train"] == ["ab", "cab", "it�s �", "bad"]
    assert texts["valid"] == ["dab", "add"]
    assert texts["test"] == ["bed", "fed"]
    assert list(heard.everything().texts) == texts["train"] + texts["valid"] + texts["test"]
    assert heard.train(1, 0) is heard.splits["train"]


def test_the_published_split_of_lj_speech() -> None:
    """Train 0-9824, validation 9825-10479, test 10480-13099."""
    config = SpeechData(name="ljspeech")
    assert config.sizes(13_100) == {"train": 9825, "valid": 655, "test": 2620}
    assert config.long_text == "cut"
    assert SpeechData(path="x").long_text == "error"


def test_symbols_outside_are_counted_and_mapped(folder: Path) -> None:
    for handling, text in (("unknown", "it�s �"), ("drop", "its")):
        heard = read(folder, unknown=handling)
        assert heard.everything().texts[2] == text
        assert heard.notes.outside == Counter({"'": 1, "5": 1})
        assert "2 symbols outside the alphabet" in heard.notes.lines(heard.config)[0]
    with pytest.raises(WorkingsError, match=r"T002: .*outside the alphabet \(' 5\)"):
        read(folder, unknown="error").splits  # noqa: B018


def test_long_texts(folder: Path) -> None:
    with pytest.raises(WorkingsError, match=r"T002: its text is too long: 6 .*max_tokens = 5"):
        read(folder, max_tokens=5).splits  # noqa: B018
    cut = read(folder, max_tokens=5, long_text="cut")
    assert cut.everything().texts[2] == "it�s "
    assert cut.notes.cut == 1
    assert "1 texts cut to 5 tokens" in cut.notes.lines(cut.config)
    skipped = read(folder, max_tokens=5, long_text="skip")
    assert len(skipped.everything()) == 7
    assert skipped.notes.left_out[0]["clip"] == "T002"
    assert read(folder, max_tokens=7).notes.cut == 0
    with pytest.raises(WorkingsError, match="outside the alphabet"):  # that is not skipped
        read(folder, long_text="skip", unknown="error").splits  # noqa: B018


def test_long_clips_name_the_limit(folder: Path) -> None:
    with pytest.raises(WorkingsError, match=r"T002: has 7 frames, more than the 5 of data\.max_fr"):
        read(folder, max_frames=5).splits  # noqa: B018
    assert len(read(folder, max_frames=5, skip_bad=True).everything()) == 7
    assert len(read(folder, max_frames=7).everything()) == 8


def spoil(folder: Path) -> dict[str, str]:
    """Five clips that cannot be used, and what is said of each."""
    wavs = folder / "wavs"
    (wavs / "T000.wav").write_bytes(b"RIFF?")
    (wavs / "T001.wav").unlink()
    soundfile.write(wavs / "T003.wav", np.zeros(900), RATE)
    soundfile.write(wavs / "T004.wav", np.zeros(0), RATE)
    table = folder / "metadata.csv"
    table.write_text(table.read_text().replace("T005|add|add", "T005||"))
    soundfile.write(wavs / "other.wav", tone("ab"), RATE)
    return {
        "T000": "cannot be read as sound",
        "T001": "has no sound",
        "T003": "is silent",
        "T004": "length is zero",
        "T005": "has no text",
    }


def test_bad_clips_are_refused_in_one_line(folder: Path) -> None:
    spoil(folder)
    with pytest.raises(WorkingsError) as error:
        read(folder).splits  # noqa: B018
    said = str(error.value)
    assert "\n" not in said
    assert said.startswith("T000: cannot be read as sound")
    assert "(and 4 more clips are bad)" in said
    assert "data.skip_bad=true" in said


def test_bad_clips_are_left_out_and_listed(folder: Path) -> None:
    expected = spoil(folder)
    heard = read(folder, skip_bad=True, valid_share=0.125, test_share=0.125)
    found = {one["clip"]: one["why"] for one in heard.notes.left_out}
    assert found.keys() == expected.keys()
    assert all(expected[name] in why for name, why in found.items())
    # The others stay in the split that their position gives them.
    assert [list(clips.texts) for clips in heard.splits.values()] == [["it�s �"], ["bed"], ["fed"]]
    lines = heard.notes.lines(heard.config)
    assert any("left out: T000" in line and "and 2 more" in line for line in lines)
    assert "1 sound files without text not read: other.wav" in lines


def test_all_bad(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "bad", ["...", "ab"])
    (folder / "metadata.csv").write_text("T000|5|5\nT001|7|7\n")
    with pytest.raises(WorkingsError, match="T000: has no text; no clip can be used"):
        read(folder, unknown="drop", skip_bad=True).splits  # noqa: B018


def test_first_clips_only(tmp_path: Path) -> None:
    heard = read(lj_speech(tmp_path / "many", words(20)), clips=8)
    assert len(heard.everything()) == 8


def test_first_clips_of_every_split_where_the_set_has_its_own(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "many", words(20))
    (folder / "about.json").write_text('{"splits": {"train": 12, "valid": 4, "test": 4}}')
    every = list(read(folder).everything().texts)
    for clips, sizes in ((0, [12, 4, 4]), (10, [6, 2, 2]), (1, [1, 1, 1]), (90, [12, 4, 4])):
        splits = read(folder, clips=clips).splits
        assert [len(splits[split]) for split in SPLITS] == sizes
        assert list(splits["test"].texts) == every[16 : 16 + sizes[2]]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"name": "spoken", "path": "x"}, "not both"),
        ({"name": "audiomnst"}, "did you mean audiomnist"),
        ({"name": "ptb"}, "a set of the language task"),
        ({"path": "x", "valid_share": 0.5, "test_share": 0.5}, "leave nothing to train on"),
        ({"name": "spoken", "clips": 0}, "say how many"),
        ({"speed": 0.9}, "data.speed"),
    ],
)
def test_keys_that_cannot_be(values: dict[str, Any], said: str) -> None:
    with pytest.raises(WorkingsError, match=said):
        build(SpeechData, values, "data")


def test_paths(tmp_path: Path) -> None:
    assert from_paths([Path("audiomnist")]) == {"name": "audiomnist"}
    assert from_paths([tmp_path]) == {"path": str(tmp_path)}
    with pytest.raises(WorkingsError, match=r"no such file, folder or data set.*ljspeech"):
        from_paths([Path("ljspech")])
    with pytest.raises(WorkingsError, match="give one folder"):
        from_paths([tmp_path, tmp_path])


def test_about_that_is_damaged(folder: Path) -> None:
    for content in ("{", "[]", '{"splits": {"train": 3}}'):
        (folder / "about.json").write_text(content)
        with pytest.raises(WorkingsError, match="not as `workings data speak` writes it"):
            read(folder)


@pytest.mark.parametrize("count", [1, 2])
def test_one_clip_or_two_are_too_few_for_three_splits(count: int, tmp_path: Path) -> None:
    speech = read(lj_speech(tmp_path / "set", ["ab"] * count))
    with pytest.raises(WorkingsError, match=rf"has {count} clip\(s\), too few"):
        speech.splits  # noqa: B018
    assert len(speech.everything()) == count  # which another run can be evaluated on


@pytest.mark.parametrize(
    "content",
    [
        '{"splits": {"train": 1, "valid": 1, "test": "1"}}',
        '{"splits": ["train", "valid", "test"]}',
        '{"rate": ' + "9" * 4301 + "}",
        "[" * 100_000,
        "[]",
    ],
)
def test_an_about_file_that_is_none(content: str, tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "set", ["ab", "cd", "ef"])
    (folder / "about.json").write_text(content)
    with pytest.raises(WorkingsError, match=r"about\.json: is not as `workings data speak`"):
        read(folder)
