"""Lines, paragraphs, streams: told from how a text is written, and read so."""

import textwrap
from pathlib import Path

import pytest

from workings.errors import WorkingsError
from workings.run import config as configs
from workings.run import train
from workings.run.folder.stored_config import resolve_stored
from workings.schema import build
from workings.tasks.language import LanguageTask
from workings.tasks.language.config import TextConfig, from_paths
from workings.tasks.language.files import pieces, whole
from workings.tasks.language.lines import fitting, text_blocks
from workings.tasks.language.nearest_words import nearest_words

SENTENCES = [
    f"It was the {day}th day of the journey, and the {what} had not yet come into sight. "
    for day in range(4, 40)
    for what in ("ship", "town of the lake", "bird")
]
PARAGRAPHS = ["".join(SENTENCES[start : start + 6]).strip() for start in range(0, 108, 6)]
WRAPPED = "\n\n".join(textwrap.fill(paragraph, 70) for paragraph in PARAGRAPHS) + "\n"
VERSE = "\n\n".join(["Shall I compare thee\nTo a long and very bright\nday in May\nOr not"] * 9)
BOOK = (
    "\ufeffThe Project Gutenberg eBook of A Journey\r\n\r\n"
    f"*** START OF THE PROJECT GUTENBERG EBOOK A JOURNEY ***\r\n{WRAPPED}"
    "*** END OF THE PROJECT GUTENBERG EBOOK A JOURNEY ***\r\nThe licence, long.\r\n"
)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (WRAPPED, "paragraph"),
        (WRAPPED.replace("\n", "\r\n"), "paragraph"),
        (WRAPPED.replace("\n\n", "\n"), "stream"),
        ("\n".join(PARAGRAPHS), "line"),
        ("\n".join(SENTENCES), "line"),
        (VERSE, "line"),
    ],
)
def test_how_a_text_is_written(tmp_path: Path, text: str, lines: str) -> None:
    assert fitting([whole(written(tmp_path / "a.txt", text))]) == lines


def test_paragraphs_are_joined_whatever_the_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workings.tasks.language import files

    path = written(tmp_path / "a.txt", WRAPPED)
    config = TextConfig(train=(str(path),), lines="paragraph")
    for block in (1 << 23, 100):
        monkeypatch.setattr(files, "BLOCK", block)
        text = "".join(text_blocks(whole(path), config))
        assert text.split("\n")[: len(PARAGRAPHS)] == PARAGRAPHS
    stream = "".join(text_blocks(whole(path), config.model_copy(update={"lines": "stream"})))
    assert stream.split() == WRAPPED.split()
    assert "\n" not in stream


def test_a_book_is_read_without_what_is_around_it(tmp_path: Path) -> None:
    path = written(tmp_path / "book.txt", BOOK)
    task = LanguageTask(TextConfig(train=(str(path),)), None, LanguageTask.Train(), 1, {})
    assert task.settle()[:2] == [
        "Project Gutenberg's header and licence left out (data.licence = skip)",
        "hard-wrapped lines joined into paragraphs (data.lines = paragraph)",
    ]
    text = "\n".join(
        block
        for parts in pieces(task.data).values()
        for piece in parts
        for block in text_blocks(piece, task.data)
    )
    assert " ".join(text.split()) == " ".join(WRAPPED.split())
    assert task.splits["train"].all.tolist().count(task.vocabulary.start) < 20


def test_a_run_keeps_what_it_chose_and_goes_on_past_the_end(tmp_path: Path) -> None:
    path = written(tmp_path / "book.txt", BOOK)
    values = {
        "task": "language",
        "data": {"train": [str(path)]},
        "model": {"kind": "attention", "width": 8, "heads": 2, "layers": 1, "context": 16},
        "train": {"epochs": 1},
    }
    run = train(values, str(tmp_path / "run"))
    data, how = run.config.data.model_dump(), run.config.train.model_dump()
    assert (data["lines"], data["licence"]) == ("paragraph", "skip")
    assert how["window"] == 48  # three blocks of the context, no less than 35
    assert how["batch"] == 1  # not 64: there would be no step
    assert configs.resolve(run.config.model_dump(mode="json")) == run.config
    (text,) = run.generate("The ship", length=200, past_end=True)
    assert (len(text.tokens), text.ended) == (200, False)
    (text,) = run.generate("The shipp", length=1)
    assert text.nearest["shipp"][0] == "ship"


def test_a_window_that_is_no_multiple_of_the_context_is_refused_at_once() -> None:
    values = {"task": "language", "model": {"kind": "attention"}, "train": {"window": 35}}
    with pytest.raises(WorkingsError, match=r"train.window: 35 is no multiple of .*context = 128"):
        configs.resolve(values)


def test_copies_in_one_folder_are_refused(tmp_path: Path) -> None:
    written(tmp_path / "book.txt", WRAPPED)
    assert from_paths([tmp_path]) == {"train": [str(tmp_path / "book.txt")]}
    written(tmp_path / "part.txt", WRAPPED[2000:5000])
    with pytest.raises(WorkingsError, match=r"part.txt: its text stands in book.txt too"):
        from_paths([tmp_path])


def test_old_folders_and_named_sets_are_read_as_they_were() -> None:
    config = build(TextConfig, {"name": "ptb"}, "data")
    assert (config.lines, config.licence) == ("line", "keep")
    stored = resolve_stored({"task": "language", "data": {"train": ["a.txt"]}})
    assert stored.data.lines == "line"  # type: ignore[attr-defined]


def test_the_nearest_words() -> None:
    known = ["the", "café", "Ship", "shop", "journey"]
    assert nearest_words("cafe", known) == ["café"]
    assert nearest_words("ship", known)[:2] == ["Ship", "shop"]
    assert nearest_words("xylophone", known) == []


@pytest.mark.parametrize("lines", ["paragraph", "stream"])
@pytest.mark.parametrize("space", [" ", "\t", " \t"])
def test_a_long_gap_takes_no_longer_than_a_text(tmp_path: Path, lines: str, space: str) -> None:
    """A look from each of its spaces on would take a minute."""
    gap = space * (200_000 // len(space))
    path = written(tmp_path / "a.txt", f"one\ntwo{gap}three\n\nfour{gap}\nfive {gap}\n{gap}\nsix")
    config = build(TextConfig, {"train": (str(path),), "lines": lines}, "data")
    text = "".join(text_blocks(whole(path), config))
    end = "\nfour five\nsix" if lines == "paragraph" else " four five six"
    assert text == f"one two{gap}three{end}"
