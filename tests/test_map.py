"""The map in docs/design.md is that of the sources."""

import re

from docs.make_map import BEGIN, DESIGN, END, ROOT, first_line, made_map, with_map

MOST_LINES = 300
SOURCES = sorted((ROOT / "workings").rglob("*.py"))


def test_the_map_is_true() -> None:
    text = DESIGN.read_text()
    assert text.count(BEGIN) == text.count(END) == 1
    assert text == with_map(text), "docs/design.md: run `make map`"


def test_it_names_every_file_once() -> None:
    named = re.findall(r"^- `([\w/]+\.py)`: .", made_map(), re.MULTILINE)
    files = [path for path in SOURCES if path.name != "__init__.py"]
    assert sorted(named) == sorted(str(path.relative_to(ROOT)) for path in files)


def test_the_first_line_of_every_file_says_what_it_is_for() -> None:
    assert [str(path.relative_to(ROOT)) for path in SOURCES if len(first_line(path)) < 15] == []


def test_every_file_that_the_text_names_exists() -> None:
    text = DESIGN.read_text().partition(BEGIN)[0]
    for name in re.findall(r"`(?:workings/)?((?:\w+/)+(?:\w+\.\w+)?)`", text):
        folder = name.partition("/")[0]
        if folder not in ("runs", "studies", "checkpoint", "figures"):
            inside = ROOT if folder in ("docs", "tests", "examples") else ROOT / "workings"
            assert (inside / name).exists(), name


def test_no_file_is_too_long_to_be_read_in_one_sitting() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in SOURCES}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}
