"""The command lets OpenMP's threads wait asleep; a library does not; the user's word holds."""

import subprocess
import sys

import pytest

from workings import openmp

SHOW = "import os; print(os.environ.get('OMP_WAIT_POLICY'))"


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in openmp.SETTINGS:
        monkeypatch.setenv(name, "")  # so that it is there again afterwards
        monkeypatch.delenv(name)


def test_threads_wait_asleep(monkeypatch: pytest.MonkeyPatch) -> None:
    openmp.wait_asleep()
    assert openmp.os.environ["OMP_WAIT_POLICY"] == "PASSIVE"


@pytest.mark.parametrize("name", openmp.SETTINGS)
def test_what_the_user_has_set_stays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "0")
    openmp.wait_asleep()
    assert openmp.os.environ.get("OMP_WAIT_POLICY") == ("0" if "WAIT" in name else None)


@pytest.mark.parametrize(
    ("code", "policy"),
    [
        (f"import workings; {SHOW}", "None"),
        (
            f"import sys; sys.argv[1:] = ['--version']\nfrom workings.__main__ import main\n"
            f"try: main()\nexcept SystemExit: {SHOW}",
            "PASSIVE",
        ),
    ],
    ids=["as a library", "as a command"],
)
def test_only_the_command_sets_it(code: str, policy: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == policy


@pytest.mark.parametrize(
    ("value", "limit"), [("1", 1), ("4,2", 4), (" 3 ", 3), ("", None), ("0", None), ("many", None)]
)
def test_the_limit_of_threads(
    value: str, limit: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert openmp.thread_limit() == limit
