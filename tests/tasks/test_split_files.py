"""Paths in a [data] section."""

import pytest

from workings.errors import WorkingsError
from workings.schema import build
from workings.tasks.graph.config import GraphConfig
from workings.tasks.language.config import TextConfig


@pytest.mark.parametrize(
    ("config", "key"), [(GraphConfig, "path"), (TextConfig, "train")], ids=["path", "files"]
)
@pytest.mark.parametrize(
    ("path", "why"),
    [("7" * 300, "File name too long"), ("~nobody-of-that-name/x", "no such user's folder")],
)
def test_a_path_that_cannot_be_is_named(config: type, key: str, path: str, why: str) -> None:
    with pytest.raises(WorkingsError, match=why):
        build(config, {key: path}, "data")
