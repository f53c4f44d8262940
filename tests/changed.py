"""Names the tests of what changed since the main branch, for `make quick`.

`workings/run/loop.py` is tested in `tests/run/test_loop.py`; where no test file has a source's
name, the folder's test files stand for it. On the main branch itself: what is not committed, or
else the last commit. The tests of the whole layout, which take a second, always come along.
"""

import subprocess
from pathlib import Path

ALWAYS = ("tests/test_imports.py", "tests/test_map.py")
ROOT = Path(__file__).parents[1]


def mirrored_by(path: str) -> list[str]:
    """The test files of one file of the project, by their paths."""
    parts = Path(path).parts
    if path.endswith((".md", "docs/make_map.py")) or parts[0] == "examples":
        return ["tests/test_documents.py", "tests/test_examples.py"]
    if parts[:2] == ("tests", "stored"):
        return ["tests/run/test_stored_folders.py"]
    if parts[0] == "tests":
        named = [path] if Path(path).name.startswith("test_") and path.endswith(".py") else []
        return named or _folder(ROOT.joinpath(*parts[:-1]))
    if parts[0] != "workings":
        return []
    mirrored = Path("tests", *parts[1:-1])
    return _existing([str(mirrored / f"test_{Path(path).stem}.py")]) or _folder(ROOT / mirrored)


def _folder(folder: Path) -> list[str]:
    """The test files right in a folder; the whole suite is no quick answer."""
    return [str(path.relative_to(ROOT)) for path in sorted(folder.glob("test_*.py"))]


def _existing(paths: list[str]) -> list[str]:
    return [path for path in paths if (ROOT / path).is_file()]


def changed() -> list[str]:
    """The files that differ from the main branch, untracked ones included."""
    since = _git("merge-base", "HEAD", "main")[:1] or ["HEAD"]
    files = _git("diff", "--name-only", *since)
    files += _git("ls-files", "--others", "--exclude-standard")
    return files or _git("diff", "--name-only", "HEAD~1")


def _git(*args: str) -> list[str]:
    done = subprocess.run(["git", *args], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


if __name__ == "__main__":
    tests = [test for path in changed() for test in mirrored_by(path)]
    print(*_existing(sorted({*ALWAYS, *tests})), sep="\n")
