"""study.json, read back: the key that is wrong is named."""

import json
from pathlib import Path

import pytest

from workings.errors import WorkingsError
from workings.study.folder import StudyFolder

GOOD = {
    "name": "a",
    "title": "A",
    "workings": "0",
    "command": "",
    "narrowed": [],
    "jobs": [{"row": "x", "seed": 1, "folder": "x-1"}],
    "rows": ["x"],
    "parts": [],
}


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"title": 3}, "title"),
        ({"jobs": [{"row": "x"}]}, "jobs.0."),
        ({"jobs": [{"row": "x", "seed": "1", "folder": "x"}]}, "jobs.0.seed"),
        ({"jobs": {}}, "jobs"),
        ({"parts": [None]}, "parts.0"),
    ],
)
def test_the_wrong_key_is_named(change: dict[str, object], key: str, tmp_path: Path) -> None:
    path = tmp_path / "study.json"
    path.write_text(json.dumps(GOOD))
    assert StudyFolder(tmp_path).about() == GOOD
    path.write_text(json.dumps(GOOD | change))
    with pytest.raises(WorkingsError, match=f"study.json: damaged: {key}"):
        StudyFolder(tmp_path).about()
