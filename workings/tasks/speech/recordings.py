"""Recordings with their transcripts: LJ Speech's form, a table of paths, a text beside each."""

import csv
import hashlib
from dataclasses import dataclass
from pathlib import Path

from workings.data.readers.unpack import memory_budget
from workings.errors import WorkingsError
from workings.files import read_file
from workings.tasks.speech.sound_files import (
    PATH_HEADS,
    SPEAKER_HEADS,
    SUFFIXES,
    TEXT_HEADS,
    SoundFolder,
    delimiter_of,
    heads,
    is_file,
    is_sound,
    sounds_in,
    table_of,
    texts_beside,
    unknown_tables,
)

LARGEST_TABLE = 1 << 30  # bytes


@dataclass(frozen=True)
class Recording:
    """A sound file and what is said in it; `problem`: why it cannot be used, if so."""

    name: str
    path: Path
    text: str
    problem: str = ""
    speaker: str = ""  # empty: not known


@dataclass(frozen=True)
class Listing:
    """The recordings of a folder or table, and the sound files there that have no text."""

    table: Path  # or the folder, where a text lies beside each sound
    recordings: list[Recording]
    without_text: list[str]


def listed(path: Path) -> Listing:
    """What a folder or a table names; a line that is no line of a table is an error."""
    if path.is_dir():
        table = table_of(path)
        if table is None:
            return _texts_beside(path)
    else:
        table = path
    if table.exists() and not table.is_file():
        raise WorkingsError(f"{table}: is not a regular file")
    lines = [(n, line) for n, line in enumerate(_text(table).splitlines(), 1) if line.strip()]
    if not lines:
        raise WorkingsError(f"{table}: names no recording; it is empty")
    if "|" in lines[0][1]:
        return _lj_speech(table, lines)
    return _table(table, lines)


def _text(table: Path) -> str:
    try:
        return read_file(table, LARGEST_TABLE).decode("utf-8-sig")
    except FileNotFoundError:
        raise WorkingsError(f"{table}: no such file") from None
    except UnicodeDecodeError as error:
        raise WorkingsError(
            f"{table}: not UTF-8 at byte {error.start}; convert it: iconv -f WINDOWS-1252 -t UTF-8"
        ) from None
    except OSError as error:
        raise WorkingsError(f"{table}: cannot be read ({error.strerror})") from None


def _texts_beside(folder: Path) -> Listing:
    """Every a.wav with its a.txt."""
    pairs = texts_beside(folder)
    if not pairs:
        if tables := unknown_tables(folder):
            raise WorkingsError(
                f"{folder}: {tables}; call the one of the sound files path, that of what is said "
                "in them text, and that of who says it speaker"
            )
        raise WorkingsError(
            f"{folder}: holds recordings in none of the forms that are known: a table (.csv, .tsv) "
            "with the columns path and text; metadata.csv with lines id|text beside a folder wavs; "
            "or a.txt beside every a.wav"
        )
    recordings = []
    for sound, file in pairs:
        text = " ".join(_text(file).split())
        name = str(sound.relative_to(folder))
        recordings.append(Recording(name, sound, text, "" if text else "has no text"))
    named = {sound for sound, _ in pairs}
    others = [file.name for file in sounds_in(folder) if file not in named]
    return Listing(folder, recordings, others)


def _lj_speech(table: Path, lines: list[tuple[int, str]]) -> Listing:
    """Lines id|text|normalised text (the last one is read), sound in wavs/ID.wav, or beside it."""
    wavs = table.parent / "wavs"
    wavs = wavs if wavs.is_dir() else table.parent
    files = {file.stem: file for file in sorted(wavs.iterdir()) if is_sound(file)}
    if not files:
        raise WorkingsError(f"{table.parent}: has no folder wavs with sound beside {table.name}")
    by_name: dict[str, Recording] = {}
    for number, line in lines:
        name, *texts = (cell.strip() for cell in line.split("|"))
        if not name or not texts:
            raise WorkingsError(f"{table}, line {number}: expected id|text|normalised text")
        if name not in files and Path(name).suffix.lower() in SUFFIXES:
            name = Path(name).stem  # as wavs/ID.wav|text
        if name in by_name:
            raise WorkingsError(f"{table}, line {number}: {name} is there twice")
        text = next((text for text in reversed(texts) if text), "")
        problem = "" if text else "has no text"
        if name not in files:
            problem = f"has no sound: there is no {name}.wav or .flac in {wavs}"
        by_name[name] = Recording(name, files.get(name, wavs / f"{name}.wav"), text, problem)
    without = [file.name for stem, file in files.items() if stem not in by_name]
    return Listing(table, list(by_name.values()), without)


def _table(table: Path, lines: list[tuple[int, str]]) -> Listing:
    """Rows of path and text, between tabs, commas or semicolons; paths relative to the table."""
    delimiter = delimiter_of(lines[0][1])
    rows = _rows(table, lines, delimiter)
    headings = heads(lines[0][1])
    path_column, text_column, speaker_column = (
        next((headings.index(head) for head in known if head in headings), None)
        for known in (PATH_HEADS, TEXT_HEADS, SPEAKER_HEADS)
    )
    headed = path_column is not None and text_column is not None
    first, second = (path_column or 0, text_column or 0) if headed else (0, 1)
    recordings, sounds = [], SoundFolder(table.parent)
    for (number, _), row in list(zip(lines, rows, strict=True))[1 if headed else 0 :]:
        if len(row) <= max(first, second) or not row[first].strip():
            raise WorkingsError(
                f"{table}, line {number}: expected a path and a text, separated by "
                + ("a tab" if delimiter == "\t" else "a comma or a semicolon")
            )
        path, text = sounds.file(row[first].strip()), row[second].strip()
        problem = "" if text else "has no text"
        if not is_file(path):
            problem = f"has no sound: there is no file {path}"
        speaker = ""
        if headed and speaker_column is not None and speaker_column < len(row):
            speaker = row[speaker_column].strip()
        recordings.append(Recording(row[first].strip(), path, text, problem, speaker))
    if not recordings:
        raise WorkingsError(f"{table}: names no recording below its heading")
    return Listing(table, recordings, [])


def _rows(table: Path, lines: list[tuple[int, str]], delimiter: str) -> list[list[str]]:
    """The cells of every line; a quote that is not closed would take the lines after it along."""
    reader, rows = csv.reader([line for _, line in lines], delimiter=delimiter), []
    try:
        for row in reader:
            rows.append(row)
            if len(rows) < reader.line_num:
                raise WorkingsError(
                    f"{table}, line {lines[len(rows) - 1][0]}: a text begins with a quote that its "
                    "line does not close; write each text on one line, and a quote in it twice"
                )
    except csv.Error as error:  # a field of more than 131,072 characters
        raise WorkingsError(f"{table}: is no table of path and text ({error})") from None
    return rows


def checksum(listing: Listing) -> str:
    """SHA-256 over the table, or the texts, and every sound file that there is."""
    total = hashlib.sha256()
    if listing.table.is_dir():
        total.update("\n".join(each.text for each in listing.recordings).encode())
    for path in (listing.table, *(recording.path for recording in listing.recordings)):
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise OSError(f"{path}: is not a regular file")
            if path.stat().st_size > memory_budget():  # which its reader will refuse
                raise OSError(f"{path}: is no sound file")
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except (OSError, ValueError) as error:  # a NUL byte in a path is a ValueError
            digest = type(error).__name__
        total.update(f"{digest}\n".encode())
    return total.hexdigest()


def recognised(path: Path) -> bool:
    """Whether this looks like recordings with their text."""
    if path.is_dir():
        try:
            return table_of(path) is not None or bool(sounds_in(path))
        except WorkingsError:  # several tables of transcripts
            return True
    if path.suffix not in (".csv", ".tsv"):
        return False
    try:
        return any(each.path.suffix.lower() in SUFFIXES for each in listed(path).recordings[:3])
    except WorkingsError:
        return False
