"""The sound files of a folder: which file has their texts, and which sound a line of it names."""

import csv
import os
from functools import cached_property
from pathlib import Path

from workings.errors import WorkingsError

SUFFIXES = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".aiff", ".aif")
# Headings of a table's columns; of several that are there, the first of these is meant.
PATH_HEADS = ("path", "file", "filename", "file_name", "audio", "wav", "clip", "recording", "sound")
TEXT_HEADS = ("text", "transcript", "transcription", "sentence", "utterance", "said", "words")
SPEAKER_HEADS = ("speaker", "speaker_id", "client_id", "speaker_name", "voice", "person", "who")
LONGEST_HEADING = 10_000  # characters of a table's first line
LJ_SPEECH = "metadata.csv"  # the table that goes before others


def is_sound(file: Path) -> bool:
    """Whether it is a regular file with the name of a sound file."""
    return file.suffix.lower() in SUFFIXES and is_file(file)


def is_file(path: Path) -> bool:
    """Whether it is a regular file: a pipe would be waited for, a device read without end."""
    return os.path.isfile(path)  # noqa: PTH113 - Path's own raises where a name is too long


def sounds_in(folder: Path) -> list[Path]:
    """The sound files of a folder and of two levels of folders in it, in order."""
    levels = ("*", "*/*", "*/*/*")
    return sorted(file for level in levels for file in folder.glob(level) if is_sound(file))


class SoundFolder:
    """The sound files in a folder and the folders in it, by path and by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def _by_name(self) -> dict[str, list[Path]]:
        """Under the file's whole name, and without its ending."""
        known: dict[str, list[Path]] = {}
        for file in sounds_in(self.folder):
            for name in (file.name, file.stem):
                known.setdefault(name, []).append(file)
        return known

    def file(self, name: str) -> Path:
        """The sound of that path; where there is none, the only one of that name in the folder."""
        path = self.folder / name
        if is_file(path):
            return path
        alike = self._by_name.get(Path(name).name, [])
        return alike[0] if len(alike) == 1 else path


def delimiter_of(line: str) -> str:
    """What stands between the cells of a table, by its first line."""
    if "\t" in line:
        return "\t"
    return ";" if ";" in line and "," not in line else ","


def heads(line: str) -> list[str]:
    """The headings of a table, in small letters."""
    delimiter = delimiter_of(line)
    try:
        return [cell.strip().lower() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return []


def table_of(folder: Path) -> Path | None:
    """metadata.csv, or else the table of path and text that lies in the folder, if one does."""
    if (folder / LJ_SPEECH).exists():
        return folder / LJ_SPEECH
    tables = [file for file in sorted(folder.iterdir()) if _is_transcripts(file)]
    if len(tables) > 1:
        names = ", ".join(table.name for table in tables)
        raise WorkingsError(f"{folder}: holds several tables of transcripts ({names}); name one")
    return tables[0] if tables else None


def texts_beside(folder: Path) -> list[tuple[Path, Path]]:
    """Every sound with the text of the same name beside it, as a.wav and a.txt."""
    pairs = ((sound, sound.with_suffix(".txt")) for sound in sounds_in(folder))
    return [(sound, text) for sound, text in pairs if is_file(text)]


def unknown_tables(folder: Path) -> str:
    """The tables of a folder with their columns, none of which are a path and a text."""
    found = [(file.name, _heads_of(file)) for file in sorted(folder.iterdir())]
    named = [f"{name} has the columns {', '.join(known)}" for name, known in found if known]
    return "; ".join(named[:3])


def _is_transcripts(file: Path) -> bool:
    first = set(_heads_of(file))
    return bool(first.intersection(PATH_HEADS) and first.intersection(TEXT_HEADS))


def _heads_of(file: Path) -> list[str]:
    """The headings of a table; of any other file none."""
    if file.suffix.lower() not in (".csv", ".tsv") or not is_file(file):
        return []
    try:
        with file.open(encoding="utf-8-sig") as lines:
            return heads(lines.readline(LONGEST_HEADING))
    except (OSError, UnicodeDecodeError):
        return []
