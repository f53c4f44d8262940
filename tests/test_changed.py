"""Which tests `make quick` runs for a changed file."""

import pytest

from tests.changed import mirrored_by


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("workings/run/loop.py", {"tests/run/test_loop.py"}),
        ("tests/run/test_loop.py", {"tests/run/test_loop.py"}),
        ("workings/configs/cora-gcn.toml", set()),
        ("Makefile", set()),
        ("tests/stored/0.1/book.txt", {"tests/run/test_stored_folders.py"}),
    ],
)
def test_those_of_the_same_name(path: str, tests: set[str]) -> None:
    assert set(mirrored_by(path)) == tests


def test_those_of_the_folder_where_none_has_the_name() -> None:
    tests = mirrored_by("workings/run/inherit.py")
    assert "tests/run/test_loop.py" in tests
    assert all(test.startswith("tests/run/test_") for test in tests)
