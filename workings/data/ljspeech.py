"""LJ Speech's official archive: fetched, checked, and unpacked without trusting it."""

import os
import shutil
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

from workings.data import sources
from workings.data.named import Source
from workings.errors import WorkingsError
from workings.files import explain

CHECKSUM = "sha256:be1a30453f28eb8dd26af4101ae40cbf2c50413b1bb21936cbcdc6fae3de8aa5"


def fetch_ljspeech(source: Source, folder: Path) -> None:
    """The archive into the folder's neighbourhood, unpacked to the folder, and removed."""
    if (folder / "metadata.csv").is_file():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    archive = sources.retrieve(source, "", CHECKSUM, folder.parent)
    unpack(archive, folder)
    archive.unlink()


def unpack(archive: Path, folder: Path) -> None:
    """The archive's one folder, under a name of ours, there whole or not at all.

    Only plain files and folders inside that one: no links, no devices, nothing outside it.
    """
    with explain(folder):
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            with tarfile.open(archive) as file:
                for member in file:
                    _place(file, member, archive, temporary)
            temporary.chmod(0o755)
            os.rename(temporary, folder)  # noqa: PTH104
        except (tarfile.TarError, EOFError) as error:
            raise WorkingsError(f"{archive}: cannot be unpacked ({error}); get it anew") from None
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _place(file: tarfile.TarFile, member: tarfile.TarInfo, archive: Path, folder: Path) -> None:
    path = PurePosixPath(member.name)
    inside = path.parts[1:]  # without the archive's own folder
    if path.is_absolute() or ".." in path.parts or not (member.isfile() or member.isdir()):
        raise WorkingsError(
            f"{archive}: holds {member.name!r}, which is no plain file inside its folder: "
            "it is not the published archive"
        )
    target = folder.joinpath(*inside)
    if member.isdir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    content = file.extractfile(member)
    assert content is not None
    with content, target.open("wb") as out:
        shutil.copyfileobj(content, out)
