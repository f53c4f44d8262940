"""A published tar archive of one folder, unpacked without trusting the names in it."""

import shutil
import tarfile
from pathlib import Path, PurePosixPath

from workings.errors import WorkingsError, first_line
from workings.files import new_folder


def unpack(archive: Path, folder: Path) -> None:
    """Unpack the archive's one folder under the given name; it appears whole or not at all.

    Only plain files and folders inside that one are accepted: no links, no devices, nothing
    outside it.
    """
    with new_folder(folder) as temporary:
        try:
            with tarfile.open(archive) as file:
                for member in file:
                    _extract(file, member, archive, temporary)
        except (tarfile.TarError, EOFError) as error:
            raise WorkingsError(
                f"{archive}: cannot be unpacked ({first_line(error)}); download it again"
            ) from None


def _extract(file: tarfile.TarFile, member: tarfile.TarInfo, archive: Path, folder: Path) -> None:
    path = PurePosixPath(member.name)
    plain = (member.isfile() and not member.issparse()) or member.isdir()
    if path.is_absolute() or ".." in path.parts or "\0" in member.name or not plain:
        raise WorkingsError(
            f"{archive}: holds {member.name!r}, which is no plain file inside its folder: "
            "it is not the published archive"
        )
    target = folder.joinpath(*path.parts[1:])  # without the name of the archive's own folder
    if member.isdir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    content = file.extractfile(member)
    assert content is not None
    with content, target.open("wb") as out:
        shutil.copyfileobj(content, out)
