"""Speech made with espeak-ng: the same bytes whenever it is made, and voices in one split only."""

import importlib.util
import json
from pathlib import Path

import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.errors import WorkingsError
from workings.tasks.speech import corpus
from workings.tasks.speech import number_phrases as spoken
from workings.tasks.speech import synthesis as speak
from workings.tasks.speech.config import SPLITS, SpeechData

LINES = {"train": ["forty two", "seven", "ninety nine"], "valid": ["eleven"], "test": ["sixty"]}
needs_espeak = pytest.mark.skipif(
    importlib.util.find_spec("espeakng_loader") is None, reason="espeakng-loader absent"
)


def content(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@needs_espeak
def test_made_twice_is_the_same_bytes(tmp_path: Path) -> None:
    for name, seed in (("one", 3), ("two", 3), ("three", 4)):
        speak.make(tmp_path / name, LINES, speak.voices(12, seed), seed)
    one, two, three = (content(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two
    assert one.keys() == three.keys()
    assert all(one[name] != three[name] for name in one if name.endswith(".wav"))


@needs_espeak
def test_is_in_lj_speechs_form_and_labelled(tmp_path: Path) -> None:
    about = speak.make(tmp_path / "set", LINES, speak.voices(8, 1), 1)
    assert about["synthetic"] is True
    assert "espeak-ng" in about["made_by"]
    assert "GPL-3" in about["made_by"]
    heard = corpus.read(SpeechData(path=str(tmp_path / "set")))
    assert {split: list(heard.splits[split].texts) for split in SPLITS} == LINES
    assert heard.rate == 22050
    assert heard.about["synthetic"]
    for number in range(5):
        sound, rate = soundfile.read(tmp_path / "set" / "wavs" / f"S0000{number}.wav")
        assert 0.3 < len(sound) / rate < 3
        assert abs(sound).max() > 0.05
    clips = json.loads((tmp_path / "set" / "about.json").read_bytes())["clips"]
    assert [one["voice"] in about["voices"]["train"] for one in clips[:3]] == [True] * 3
    assert clips[3]["voice"] in about["voices"]["valid"]
    assert len({one["rate"] for one in clips}) > 1


@needs_espeak
def test_spoken_is_made_once_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKINGS_CACHE", str(tmp_path))
    config = SpeechData(name="spoken", clips=12)
    folder = spoken.folder(config)
    assert folder.is_relative_to(tmp_path)
    monkeypatch.setattr(speak, "make", lambda *_: pytest.fail("made again"))
    assert spoken.folder(config) == folder
    heard = corpus.read(config)
    assert [len(heard.splits[split]) for split in SPLITS] == [9, 1, 2]
    with pytest.raises(WorkingsError, match=r"data\.clips: 2 are too few"):
        spoken.folder(SpeechData(name="spoken", clips=2))


@needs_espeak
def test_every_voice_there_is_speaks(tmp_path: Path) -> None:
    """A variant that espeak-ng does not know would silently be its default."""
    import espeakng_loader

    files = {path.name for path in (Path(espeakng_loader.get_data_path()) / "voices/!v").iterdir()}
    assert set(speak.VARIANTS) <= files
    voices = [f"{accent}+f2" for accent in speak.ACCENTS]  # one that is unknown is an error
    lines = {**LINES, "train": ["one"] * len(voices)}
    speak.make(tmp_path / "all", lines, {**dict.fromkeys(SPLITS, voices[:1]), "train": voices}, 1)


@needs_espeak
def test_what_espeak_cannot_do_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    voices = {split: ["xx-nowhere"] for split in SPLITS}
    with pytest.raises(WorkingsError, match=r"espeak-ng failed: .*no voice 'xx-nowhere'") as error:
        speak.make(tmp_path / "set", LINES, voices, 1)
    assert "\n" not in str(error.value)
    assert not list(tmp_path.iterdir())


def test_without_espeak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(WorkingsError, match=r"pip install 'workings\[speak\]'"):
        speak.make(tmp_path / "set", LINES, speak.voices(3, 1), 1)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(3, speak.MOST_VOICES), st.integers(0, 5))
def test_no_voice_in_two_splits(count: int, seed: int) -> None:
    found = speak.voices(count, seed)
    every = [voice for split in SPLITS for voice in found[split]]
    assert len(every) == len(set(every)) == count
    assert min(map(len, found.values())) >= 1
    if count <= len(speak.VARIANTS):
        assert len({voice.partition("+")[2] for voice in every}) == count


@pytest.mark.parametrize("count", [0, 2, speak.MOST_VOICES + 1])
def test_too_few_and_too_many_voices(count: int) -> None:
    with pytest.raises(WorkingsError, match=f"--voices {count}"):
        speak.voices(count, 1)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text("ab .?\n|'5", max_size=300), st.integers(3, 40))
def test_sentences_keep_the_words_and_fit(text: str, most: int) -> None:
    found = speak.sentences(text, most)
    assert all(0 < len(one) <= most for one in found)
    assert not any("|" in one or "\n" in one for one in found)
    assert "".join("".join(found).split()).count("b") <= text.count("b")
    if all(len(word) <= most for word in text.split()):
        assert "".join(found).count("b") == text.count("b")


def test_sentences_by_hand() -> None:
    text = "One two. Three four?\nfive\n\n---\nsix seven eight nine"
    expected = ["one two.", "three four?", "five", "six seven", "eight nine"]
    assert speak.sentences(text, 13) == expected


def test_divided() -> None:
    lines = [str(number) for number in range(40)]
    parts = speak.divided(lines, 2, 1)
    assert [len(parts[split]) for split in SPLITS] == [64, 8, 8]
    assert len({line for some in parts.values() for line in some}) == 40
    assert not set(parts["train"]) & set(parts["test"])
    with pytest.raises(WorkingsError, match="2 sentences to say"):
        speak.divided(["a", "b"], 1, 1)


def test_numbers_in_words() -> None:
    assert [spoken.in_words(n) for n in (0, 13, 20, 42, 99)] == [
        *("zero", "thirteen", "twenty", "forty two", "ninety nine")
    ]
    some = spoken.phrases(250, 1)
    assert len(set(some)) == 100
    assert some == spoken.phrases(250, 1)
