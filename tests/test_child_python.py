"""A Python that we start imports nothing from the current folder, which may be a stranger's."""

import subprocess
import sys
from pathlib import Path

import pytest

from workings import child_python
from workings.page.worker import Worker

ROOT = Path(__file__).parents[1] / "workings"
STARTS_PYTHON = {"child_python.py", "bench/busy.py"}  # the second runs a loop of nothing


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with modules of well-known names, as the current one."""
    for name in ("workings", "torch", "json", "multiprocessing", "selectors"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_module_is_run_from_where_ours_is(stranger: Path) -> None:
    command = [*child_python.command("workings"), "--version"]
    done = subprocess.run(command, env=child_python.environment(), capture_output=True, check=True)
    assert done.stdout.startswith(b"workings ")
    assert not (stranger / "ran").exists()


def test_a_process_of_the_page_imports_nothing_from_there(stranger: Path) -> None:
    asked = [*child_python.command("tests.test_child_python"), "page"]
    subprocess.run(asked, env=child_python.environment(), check=True)
    assert not (stranger / "ran").exists()


def test_an_empty_entry_is_the_current_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["", "/elsewhere"])
    assert child_python.environment()["PYTHONPATH"] == f"{Path.cwd()}:/elsewhere"


def test_no_other_file_starts_python_by_itself() -> None:
    sources = {str(path.relative_to(ROOT)): path.read_text() for path in ROOT.rglob("*.py")}
    assert {name for name, text in sources.items() if "sys.executable" in text} == STARTS_PYTHON
    methods = {name for name, text in sources.items() if "get_context(" in text}
    assert all("child_python.environment()" in sources[name] for name in methods)


if __name__ == "__main__":
    worker = Worker()
    assert list(worker.ask("workings.names:escaped", 60, "x")) == ["x"]
    worker.end()
