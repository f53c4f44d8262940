"""A study of small trainings, shared by the tests of this folder."""

from pathlib import Path
from typing import Any

import tomlkit

CONFIG: dict[str, Any] = {
    "task": "language",
    "model": {"kind": "rnn", "embed": 6, "hidden": 6},
    "train": {"epochs": 2, "batch": 8, "window": 20, "device": "cpu", "patience": 9},
}


def write_study(folder: Path, book: Path, **changes: Any) -> str:
    """A study file beside its config; returns its path."""
    config = CONFIG | {"data": {"train": [str(book)], "valid_share": 0.1, "test_share": 0.1}}
    (folder / "tiny.toml").write_text(tomlkit.dumps(config))
    own = config | {"model": {"kind": "own_model:Net"}}
    (folder / "own.toml").write_text(tomlkit.dumps(own))
    study = {
        "title": "Tiny",
        "base": str(folder / "tiny.toml"),
        "metric": "test.perplexity",
        "row": [
            {"name": "rnn", "published": {"test.perplexity": 20.0}},
            {"name": "lstm", "set": {"model.kind": "lstm"}},
        ],
    } | changes
    path = folder / "study.toml"
    path.write_text(tomlkit.dumps({k: v for k, v in study.items() if v is not None}))
    return str(path)
