"""Which encoding a text is taken to be in: an older book is read, a damaged text is not."""

from pathlib import Path

import pytest

from workings.errors import WorkingsError
from workings.schema import build
from workings.tasks.language import encodings
from workings.tasks.language.config import LanguageTrain, TextConfig
from workings.tasks.language.task import LanguageTask

FRENCH = "Nous étions à l’étude, quand le Proviseur entra « et dit » : ça, naïve cœur ! — Où ?\n"
POLISH = "Był to chłopiec, mała główka, całkiem zwykły, śmiał się i płakał, kłamał też.\n"
RUSSIAN = "Все счастливые семьи похожи друг на друга\n"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (FRENCH.encode("windows-1252"), "windows-1252"),
        (FRENCH.encode(), "utf-8"),
        ("plain words\n".encode("ascii"), "utf-8"),
        (FRENCH.encode() * 9 + b"caf\xe9\n", "utf-8"),  # UTF-8 with a damaged byte
        (b"caf\x81\n", "utf-8"),  # a byte that Windows-1252 has not
        (POLISH.encode("windows-1250"), "utf-8"),
        (RUSSIAN.encode("koi8-r"), "utf-8"),
    ],
)
def test_what_reads_well_as_windows_1252(content: bytes, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_bytes(content * 3)
    assert encodings.of(path) == encoding
    path.write_bytes(FRENCH.encode())  # asked again of a file that has changed
    assert encodings.of(path) == "utf-8"


def read(path: Path, **data: str) -> tuple[str, list[str]]:
    config = build(TextConfig, {"train": [str(path)], "level": "char", **data}, "data")
    task = LanguageTask(config, None, LanguageTrain(), 1, {})
    chosen = task.settle()
    return task.vocabulary.join(task.splits["train"].all[1:].tolist()), chosen


def test_an_older_book_is_read_and_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_bytes((FRENCH * 60).encode("windows-1252"))
    text, chosen = read(path)
    assert text.startswith(FRENCH)
    assert chosen[0] == "book.txt read as Windows-1252, not being UTF-8 (data.encoding)"
    path.write_text(FRENCH * 60, encoding="utf-8")
    assert read(path)[0] == text
    assert not any("Windows" in choice for choice in read(path)[1])


def test_another_encoding_is_named_or_the_byte_is(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_bytes((RUSSIAN * 60).encode("koi8-r"))
    with pytest.raises(WorkingsError, match=r"not UTF-8 at byte 0 .*--set data.encoding="):
        read(path)
    assert read(path, encoding="koi8-r")[0].startswith(RUSSIAN)
    for name in ("klingon", "utf-16"):
        with pytest.raises(WorkingsError, match=f"no encoding '{name}'"):
            read(path, encoding=name)
