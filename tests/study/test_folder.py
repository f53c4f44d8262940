"""study.json, read back: the key that is wrong is named."""

import json
from pathlib import Path

import pytest

from tests.command import Command
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


@pytest.mark.parametrize("name", ["../x", "/tmp", "", "..", "a/b"])
def test_a_run_lies_in_its_study(name: str, tmp_path: Path) -> None:
    jobs = [{"row": "x", "seed": 1, "folder": name}]
    (tmp_path / "study.json").write_text(json.dumps(GOOD | {"jobs": jobs}))
    with pytest.raises(WorkingsError, match=r"study.json: damaged: .* is no run's name"):
        StudyFolder(tmp_path).about()


@pytest.mark.parametrize("name", ["lock", "runs", "runs/a", "failed/a.txt", "parts"])
def test_a_study_that_leads_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "study" / name
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path)
    with pytest.raises(WorkingsError, match=f"{path}: is a symbolic link"):
        StudyFolder(tmp_path / "study").hold()


@pytest.mark.parametrize("claims", ["{}", "[1]", '[{"verdict": "x"}]', "[" * 9999])
def test_damaged_verdicts_are_named(claims: str, tmp_path: Path) -> None:
    (tmp_path / "study.json").write_text(json.dumps(GOOD | {"jobs": []}))
    (tmp_path / "study.toml").write_text('title = "A"\nbook = true\n')
    (tmp_path / "claims.json").write_text(claims)
    with pytest.raises(WorkingsError, match=r"claims.json: "):
        StudyFolder(tmp_path).summary()


def test_no_report_is_written_where_a_study_leads(tmp_path: Path, workings: Command) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.json").write_text(json.dumps(GOOD))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "study" / "figures").symlink_to(tmp_path / "elsewhere")
    code, _, err = workings("report", tmp_path / "study")
    assert code == 2
    assert "figures: is a symbolic link" in err
    assert not list((tmp_path / "elsewhere").iterdir())
