"""Studies through the server: the table of one that has run, its report in a sandbox."""

import shutil
from pathlib import Path

import pytest

from tests.page.conftest import Server
from tests.study.tiny import study_here, write_study
from workings.errors import WorkingsError
from workings.page import studies_api, studying


@pytest.fixture(scope="module")
def study(server: Server) -> Path:
    """A tiny study that has run, with a report."""
    book = server.folder / "book-of-the-study.txt"
    book.write_text("the old fox saw the hen .\na red dog bit the cow .\n" * 40)
    folder = server.folder / "studies" / "tiny"
    folder.parent.mkdir(exist_ok=True)
    study_here(write_study(server.folder, book), folder)
    (folder / "report.html").write_text("<script>fetch('/api/about')</script>")
    return folder


def test_the_table_has_every_row_with_its_figure(server: Server, study: Path) -> None:
    (expected,) = studying.table(str(study))
    found = server.post("/api/study", {"study": "tiny"}).json
    assert found["rows"] == expected["rows"]
    assert found["done"] == found["runs"] > 0
    assert [row["cells"][1] for row in found["rows"]] == ["finished"] * len(found["rows"])
    begun = server.get("/api/studies").json["begun"]
    assert {"name": "tiny", "running": False, "report": True} in begun


def test_a_report_is_a_stranger_to_the_server(server: Server, study: Path) -> None:
    answer = server.get("/report/tiny")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy
    assert "connect-src" not in policy  # so that the default, none, holds
    assert answer.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("name", ["runs", "study.toml", "runs/{}/result.json", "runs/{}"])
def test_a_study_that_leads_elsewhere_is_not_read(study: Path, tmp_path: Path, name: str) -> None:
    copy = shutil.copytree(study, tmp_path / "copy")
    linked = copy / name.format(next((copy / "runs").iterdir()).name)
    linked.rename(tmp_path / "elsewhere")
    linked.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkingsError, match="is a symbolic link"):
        next(iter(studying.table(str(copy))))


@pytest.mark.parametrize("name", ["..", "%2e%2e", "..%2fruns", "none", ".hidden", "linked"])
def test_no_report_from_elsewhere(server: Server, study: Path, name: str) -> None:
    link = study.parent / "linked"
    if not link.is_symlink():
        link.symlink_to(study)
    assert server.get(f"/report/{name}").status in (400, 404)
    for path in ("study", "study/stop", "study/start"):
        assert server.post(f"/api/{path}", {"study": name}).status == 400


@pytest.mark.parametrize(
    "wrong",
    [{"rows": ["none"]}, {"rows": "1"}, {"rows": [1]}, {"seeds": [-1]}, {"seeds": ["--trust"]},
     {"seeds": [True]}, {"jobs": 0}, {"jobs": 65}, {"jobs": "2"}, {"study": "--help"}],
)  # fmt: skip
def test_a_study_is_started_with_its_own_rows_and_numbers_only(
    server: Server, wrong: dict[str, object]
) -> None:
    answer = server.post("/api/study/start", {"study": "ptb-rnn"} | wrong)
    assert answer.status == 400
    assert not (server.folder / "studies" / "ptb-rnn").exists()


def test_rows_are_named_to_the_command_by_their_numbers() -> None:
    rows = ["gain 2, lr 0.1", "gain 4", "base"]
    assert studies_api._numbers_of(rows, ["base", "gain 2, lr 0.1"]) == [1, 3]


def test_the_plan_has_the_rows_of_the_file_with_their_published_figures() -> None:
    (known,) = studying.known()
    table = next(each for each in known if each["name"] == "ptb-rnn")
    assert len(table["rows"]) == 12
    last = table["rows"][-1]
    assert last["published"]["test perplexity"] == 138.38
    assert table["seeds"] == [1]
