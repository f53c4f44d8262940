"""manifest.json: the SHA-256s of a run folder's files outside checkpoint/, to notice a change.

A file that the manifest does not name is not checked. So it is rewritten without a file's name
before that file is replaced, and with it afterwards: a process killed between leaves no false
alarm. Folders of older versions have none.
"""

import hashlib
import json
from pathlib import Path
from typing import TypedDict

from workings import json_files
from workings.errors import WorkingsError
from workings.files import write_file

NAME = "manifest.json"


class ManifestRecord(TypedDict):
    """What manifest.json holds."""

    files: dict[str, str]  # the SHA-256 of each, by name
    fixed_config: str  # of what no edit of config.toml may change in a run that has begun


class Manifest:
    """The checksums of the files in a run folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self) -> ManifestRecord:
        """What it says; of an older folder, nothing."""
        try:
            return json_files.read(f"{self.folder}/{NAME}", ManifestRecord)
        except FileNotFoundError:
            return {"files": {}, "fixed_config": ""}

    def changed(self, name: str, content: bytes) -> bool:
        """Whether a file's content is not what was written under that name."""
        return self.read()["files"].get(name, sha256(content)) != sha256(content)

    def require(self, name: str, content: bytes, way_out: str) -> None:
        """Refuse a changed file."""
        if self.changed(name, content):
            raise WorkingsError(
                f"{self.folder / name}: changed since the run wrote it (its checksum in {NAME} "
                f"differs); {way_out}"
            )

    def replace(self, name: str, content: bytes, fixed_config: str = "") -> None:
        """Write a file of the folder, and its checksum."""
        self.forget(name)
        write_file(self.folder / name, content)
        record = self.read()
        record["files"][name] = sha256(content)
        record["fixed_config"] = fixed_config or record["fixed_config"]
        self._write(record)

    def forget(self, name: str) -> None:
        """Check a file no longer, which is to be replaced or removed."""
        record = self.read()
        if record["files"].pop(name, None):
            self._write(record)

    def _write(self, record: ManifestRecord) -> None:
        write_file(self.folder / NAME, written(record["files"], record["fixed_config"]))


def written(digests: dict[str, str], fixed_config: str) -> bytes:
    """A manifest's file."""
    record: ManifestRecord = {"files": digests, "fixed_config": fixed_config}
    return (json.dumps(record, indent=2) + "\n").encode()


def sha256(content: bytes) -> str:
    """In hexadecimal."""
    return hashlib.sha256(content).hexdigest()
