import os
from pathlib import Path

import pytest
import soundfile

from tests.tasks.speech.speech_sets import RATE, lj_speech, tone
from workings.errors import WorkingsError
from workings.tasks import SpeechTask, reader_of
from workings.tasks.speech.recordings import checksum, listed, recognised


def test_lj_speech(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "set", ["one", "two"], ".flac")
    table = folder / "metadata.csv"
    table.write_text("T000|Mr. 1|mister one\nT001|Two|\n")
    found = listed(folder)
    assert [(one.name, one.path.name, one.text) for one in found.recordings] == [
        ("T000", "T000.flac", "mister one"),  # the normalised text
        ("T001", "T001.flac", "Two"),  # where there is one
    ]
    assert listed(table) == found
    assert recognised(folder)


def test_what_lacks_sound_or_text(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "set", ["one", "two", "three"])
    (folder / "metadata.csv").write_text("T000|one|one\nT001||\nT009|nine|nine\n")
    found = listed(folder)
    assert [one.problem[:12] for one in found.recordings] == ["", "has no text", "has no sound"]
    assert found.without_text == ["T002.wav"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("T000 one\n", "line 1: expected a path and a text"),
        ("T000|one\n|two\n", r"line 2: expected id\|text"),
        ("T000|one\n\nT000|two\n", "line 3: T000 is there twice"),
        ("\n \n", "it is empty"),
        (b"T000|caf\xe9\n", "not UTF-8 at byte 8"),
    ],
)
def test_lines_that_are_none(tmp_path: Path, content: str | bytes, said: str) -> None:
    folder = lj_speech(tmp_path / "set", ["one"])
    raw = content if isinstance(content, bytes) else content.encode()
    (folder / "metadata.csv").write_bytes(raw)
    with pytest.raises(WorkingsError, match=said):
        listed(folder)


def test_folders_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(WorkingsError, match=r"a table \(\.csv, \.tsv\) with the columns path and"):
        listed(tmp_path)
    (tmp_path / "metadata.csv").write_text("a|b|b\n")
    with pytest.raises(WorkingsError, match="no folder wavs"):
        listed(tmp_path)
    with pytest.raises(WorkingsError, match="no such file"):
        listed(tmp_path / "absent.csv")


@pytest.mark.parametrize("headed", [True, False])
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_tables(tmp_path: Path, headed: bool, suffix: str) -> None:
    import soundfile

    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        soundfile.write(tmp_path / "in" / f"{name}.wav", tone("ab"), 4000)
    rows = [["text", "path"]] if headed else []
    rows += [[f'"hello, {name}"', f"in/{name}.wav"] for name in "ab"]
    rows = rows if headed else [row[::-1] for row in rows]
    table = tmp_path / f"speech{suffix}"
    table.write_text("\n".join(("\t" if suffix == ".tsv" else ",").join(row) for row in rows))
    found = listed(table).recordings
    assert [one.text for one in found] == ["hello, a", "hello, b"]
    assert [one.path for one in found] == [tmp_path / "in" / f"{name}.wav" for name in "ab"]
    assert recognised(table)
    assert not any(one.problem for one in found)
    table.write_text("in/a.wav,hello\nin/none.wav,there\n,x\n")
    with pytest.raises(WorkingsError, match="line 3: expected a path and a text"):
        listed(table)
    table.write_text("in/a.wav,hello\nin/none.wav,there\nin/b.wav,\n")
    problems = [one.problem for one in listed(table).recordings]
    assert problems[0] == ""
    assert "there is no file" in problems[1]
    assert problems[2] == "has no text"


def test_other_things_are_not_recordings(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("a,b\nb,c\n")
    (tmp_path / "x.txt").write_text("hello")
    assert not any(map(recognised, (tmp_path, tmp_path / "edges.csv", tmp_path / "x.txt")))


def test_checksum_is_of_all_of_it(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "set", ["one", "two"])
    seen = {checksum(listed(folder))}
    wav = folder / "wavs" / "T001.wav"
    content = wav.read_bytes()
    wav.write_bytes(content[:-2] + b"\x01\x01")
    seen.add(checksum(listed(folder)))
    wav.unlink()
    seen.add(checksum(listed(folder)))
    wav.write_bytes(content)
    (folder / "metadata.csv").write_text("T000|one|one\nT001|too|too\n")
    seen.add(checksum(listed(folder)))
    assert len(seen) == 4


def test_a_pipe_is_no_recording_and_not_waited_for(tmp_path: Path) -> None:
    folder = lj_speech(tmp_path / "set", ["one", "two"])
    (folder / "wavs" / "T001.wav").unlink()
    os.mkfifo(folder / "wavs" / "T001.wav")
    listing = listed(folder)
    assert [recording.problem[:12] for recording in listing.recordings] == ["", "has no sound"]
    (folder / "metadata.csv").unlink()
    os.mkfifo(folder / "metadata.csv")
    with pytest.raises(WorkingsError, match=r"metadata\.csv: is not a regular file"):
        listed(folder)


def test_a_huge_field_and_a_nul_byte_in_a_table(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("path,text\na.wav," + "b" * 131_073 + "\n")
    with pytest.raises(WorkingsError, match="field larger than field limit"):
        listed(table)
    table.write_text("path,text\na\0.wav,b\n")
    listing = listed(table)
    assert listing.recordings[0].problem.startswith("has no sound")
    assert len(checksum(listing)) == 64


def test_a_folder_is_read_by_the_table_in_it_wherever_the_sounds_lie(tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir()
    for name in ("a.WAV", "b.wav"):
        (tmp_path / "clips" / name).touch()
    (tmp_path / "notes.csv").write_text("day,weather\n1,fine\n")
    (tmp_path / "transcripts.tsv").write_text("file_name\ttranscript\na.WAV\tone\nb\ttwo\nc\tx\n")
    assert recognised(tmp_path)
    one, two, none = listed(tmp_path).recordings
    assert (one.path.name, one.text, one.problem) == ("a.WAV", "one", "")
    assert (two.path.name, two.text, two.problem) == ("b.wav", "two", "")
    assert none.problem.startswith("has no sound")
    (tmp_path / "more.csv").write_text("path,text\n")
    with pytest.raises(WorkingsError, match=r"several tables of transcripts \(more\.csv, trans"):
        listed(tmp_path)


def test_a_text_beside_every_sound(tmp_path: Path) -> None:
    (tmp_path / "anna").mkdir()
    for name in ("anna/a", "anna/b", "c"):
        (tmp_path / f"{name}.flac").touch()
    (tmp_path / "anna" / "a.txt").write_text("good\nmorning\n")
    (tmp_path / "c.txt").write_text("")
    listing = listed(tmp_path)
    assert [(each.name, each.text, each.problem) for each in listing.recordings] == [
        ("anna/a.flac", "good morning", ""),
        ("c.flac", "", "has no text"),
    ]
    assert listing.without_text == ["b.flac"]
    assert reader_of(tmp_path) is SpeechTask  # and not text
    before = checksum(listing)
    (tmp_path / "anna" / "a.txt").write_text("good evening")
    assert checksum(listed(tmp_path)) != before


def test_lines_with_bars_name_sounds_beside_them_and_with_their_endings(tmp_path: Path) -> None:
    (tmp_path / "a.wav").touch()
    (tmp_path / "metadata.csv").write_text("wavs/a.wav|one\n")
    (recording,) = listed(tmp_path).recordings
    assert (recording.path, recording.problem) == (tmp_path / "a.wav", "")


@pytest.mark.parametrize("text", ['"ab', '"ab\ncd"'])
def test_a_quote_that_its_line_does_not_close_takes_no_other_line_along(
    tmp_path: Path, text: str
) -> None:
    table = tmp_path / "clips.csv"
    table.write_text(f"path,text\na.wav,one\nb.wav,{text}\nc.wav,three\n")
    with pytest.raises(WorkingsError, match="line 3: a text begins with a quote"):
        listed(table)
    table.write_text('path,text\na.wav,"one, ""two"""\n')
    assert [one.text for one in listed(table).recordings] == ['one, "two"']


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_tables_between_commas_semicolons_or_tabs(tmp_path: Path, between: str) -> None:
    (tmp_path / "a").mkdir()
    soundfile.write(tmp_path / "a" / "one.wav", tone("one"), RATE)
    rows = [("words", "recording", "who", "text"), ("1", "a/one.wav", "eve", "one")]
    (tmp_path / "table.csv").write_text("\n".join(between.join(row) for row in rows))
    (found,) = listed(tmp_path).recordings
    assert (found.text, found.speaker, found.problem) == ("one", "eve", "")


def test_a_folder_of_sound_says_which_columns_it_has(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "one.wav", tone("one"), RATE)
    assert recognised(tmp_path)
    (tmp_path / "table.csv").write_text("Tonspur;Wortlaut\none.wav;one\n")
    with pytest.raises(WorkingsError, match=r"table\.csv has the columns tonspur, wortlaut; call"):
        listed(tmp_path)
