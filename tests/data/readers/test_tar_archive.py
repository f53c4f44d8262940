"""A tar archive: unpacked whole, and nothing of it outside its folder."""

import io
import tarfile
from pathlib import Path

import pytest

from workings.data import sources
from workings.data.readers import tar_archive
from workings.errors import WorkingsError


def packed(path: Path, members: list[tuple[str, bytes, bytes]]) -> Path:
    """A tar of (name, kind, content); the content of a link is its target."""
    with tarfile.open(path, "w:bz2") as file:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type = kind
            if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
                info.linkname = content.decode()
                file.addfile(info)
            else:
                info.size = len(content)
                file.addfile(info, io.BytesIO(content))
    return path


GOOD = [
    ("LJSpeech-1.1", tarfile.DIRTYPE, b""),
    ("LJSpeech-1.1/metadata.csv", tarfile.REGTYPE, b"a|b|b\n"),
    ("LJSpeech-1.1/wavs/a.wav", tarfile.REGTYPE, b"sound"),
]


def test_unpacked(tmp_path: Path) -> None:
    tar_archive.unpack(packed(tmp_path / "a.tar.bz2", GOOD), tmp_path / "lj")
    assert (tmp_path / "lj" / "metadata.csv").read_bytes() == b"a|b|b\n"
    assert (tmp_path / "lj" / "wavs" / "a.wav").read_bytes() == b"sound"


@pytest.mark.parametrize(
    "bad",
    [
        ("../outside", tarfile.REGTYPE, b"x"),
        ("LJSpeech-1.1/../../outside", tarfile.REGTYPE, b"x"),
        ("/tmp/outside", tarfile.REGTYPE, b"x"),
        ("LJSpeech-1.1/link", tarfile.SYMTYPE, b"/etc"),
        ("LJSpeech-1.1/link", tarfile.LNKTYPE, b"../outside"),
        ("LJSpeech-1.1/device", tarfile.FIFOTYPE, b""),
    ],
)
def test_nothing_outside_and_no_links(tmp_path: Path, bad: tuple[str, bytes, bytes]) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    file = packed(folder / "a.tar.bz2", [*GOOD, bad])
    with pytest.raises(WorkingsError, match="no plain file inside its folder"):
        tar_archive.unpack(file, folder / "lj")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    assert [path.name for path in folder.iterdir()] == ["a.tar.bz2"]  # nothing half unpacked


def test_damaged(tmp_path: Path) -> None:
    file = packed(tmp_path / "a.tar.bz2", GOOD)
    file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(WorkingsError, match=r"a\.tar\.bz2: cannot be unpacked"):
        tar_archive.unpack(file, tmp_path / "lj")
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.bz2"]


def test_ljspeech_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checked against the published checksum, unpacked where the set is looked for, removed."""
    monkeypatch.setenv("WORKINGS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("WORKINGS_DATA", raising=False)
    asked = []

    def retrieve(source: object, file: str, checksum: str, folder: Path) -> Path:
        asked.append(checksum)
        return packed(folder / "LJSpeech-1.1.tar.bz2", GOOD)

    monkeypatch.setattr(sources, "retrieve", retrieve)
    sources.download("ljspeech")
    assert asked == [sources.SOURCES["ljspeech"].archive]
    folder = sources.find("ljspeech")
    assert folder is not None
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    sources.download("ljspeech")  # it is there: nothing is fetched
    assert len(asked) == 1


def test_a_sparse_file_would_fill_the_disk(tmp_path: Path) -> None:
    header = bytearray(tarfile.TarInfo("set/a").tobuf(tarfile.GNU_FORMAT))
    header[156:157] = tarfile.GNUTYPE_SPARSE
    header[483:495] = b"%011o\0" % (1 << 32)  # its size once it is unpacked
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path = tmp_path / "a.tar"
    path.write_bytes(bytes(header) + bytes(1024))
    with pytest.raises(WorkingsError, match="no plain file inside its folder"):
        tar_archive.unpack(path, tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_a_zero_byte_in_a_name(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as file:
        entry = tarfile.TarInfo("set/a")
        entry.pax_headers = {"path": "set/a\0b"}
        file.addfile(entry)
    with pytest.raises(WorkingsError, match="no plain file inside its folder"):
        tar_archive.unpack(path, tmp_path / "b")
