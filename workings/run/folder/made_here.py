"""Whether a run was made by this user on this machine, so that its class may be imported again.

A run folder may come from a stranger, and its config may name any class. A run that trains a class
of the user's own is therefore signed when it is made, with a key that never leaves the cache.
Signed is what is imported and from which file: a run that comes back with another file of the same
name is not what the user trained.
"""

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import tempfile
from pathlib import Path

from workings.data.sources import cache
from workings.errors import WorkingsError
from workings.files import explain
from workings.own_class import names_in, refuse_own
from workings.own_source import origin
from workings.run.config import RunConfig
from workings.run.folder.run_folder import RunFolder
from workings.tasks.config import OwnModel

FIELD = "own_class_signature"  # in run.json


def signature(config: RunConfig) -> dict[str, str]:
    """The entry for run.json; none where model and functions are ours."""
    return {FIELD: _sign(config, _key())} if names_in(config.model_dump()) else {}


def require(folder: RunFolder, trust: bool) -> None:
    """Refuse a run that names a class or function of somebody's own, unless ours or trusted."""
    config = folder.config()
    named = names_in(config.model_dump())
    if trust or not named:
        return
    signed = str(folder.about().get(FIELD, ""))
    if not hmac.compare_digest(signed.encode(), _sign(config, _key()).encode()):
        refuse_own(
            config.model_dump(), f"{folder.path}: was not made here by you, from that file; its "
        )


def _sign(config: RunConfig, key: bytes) -> str:
    signed: dict[str, object] = {}
    if isinstance(config.model, OwnModel):
        signed = {"kind": config.model.kind, "args": config.model.args}
    functions = names_in({"train": config.train.model_dump()})
    origins = [origin(name) for name in names_in(config.model_dump()).values()]
    content = json.dumps([signed | functions, origins], sort_keys=True, default=str)
    return hmac.new(key, content.encode(), hashlib.sha256).hexdigest()


def _key() -> bytes:
    """This user's secret, made when it is first needed; of two processes at once, the first's."""
    path = Path(cache()) / "signing-key"
    with explain(path):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent) as temporary:  # readable by us alone
                temporary.write(secrets.token_hex(32).encode())
                temporary.flush()
                os.fsync(temporary.fileno())
                with contextlib.suppress(FileExistsError):
                    os.link(temporary.name, path)
        key = path.read_bytes()
    if len(key) != 64:
        raise WorkingsError(f"{path}: is damaged; remove it, and trust your runs once with --trust")
    return key
