"""The documentation: links lead somewhere, the reference is whole, notebooks and blocks run."""

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from docs import make_reference
from tests.command import command

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md"]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)[^)]*\)")


def slug(heading: str) -> str:
    plain = re.sub(r"[^\w\- ]", "", heading.lower())
    return plain.strip().replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_to_something(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    text = re.sub(r"`[^`]*`", "code", text)
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        there = (page.parent / file) if file else page
        assert there.exists(), f"{page.name}: {target}"
        if anchor and there.suffix == ".md":
            headings = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.M)
            assert anchor in map(slug, headings), f"{page.name}: {target}"


def test_the_site_names_pages_that_are_there() -> None:
    text = (ROOT / "mkdocs.yml").read_text()
    pages = re.findall(r"[\w/-]+\.md", text.partition("nav:")[2])
    assert len(pages) > 20
    for page in pages:
        made = page.removeprefix("reference/").removesuffix(".md") in make_reference.PAGES
        assert made or (ROOT / "docs" / page).is_file(), page


def test_the_reference_has_every_command_function_and_field() -> None:
    import workings
    from workings.cli.shared.groups import GROUPS

    commands = make_reference.commands()
    for group in GROUPS.values():
        for name in group:
            assert f"\n## workings {name}\n" in commands
    python = make_reference.python()
    for name in ("train", "open", "check", "cost", "study", "assert_gradient"):
        assert f"\n## workings.{name}\n" in python
    assert "## Run.export" in python
    assert workings.train.__doc__.splitlines()[0] in python  # type: ignore[union-attr]
    config = make_reference.config()
    assert "## language: model, kind = lstm" in config
    assert "`forget_bias` | `1.0`" in config


@pytest.mark.parametrize("name", ["check", "cost", "study"])
def test_notebooks_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((ROOT / "docs" / "notebooks" / f"{name}.ipynb").read_text())
    names: dict[str, object] = {}
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                assert cell["outputs"] == []
                exec(compile("".join(cell["source"]), name, "exec"), names)
    if name == "check":
        assert said.getvalue().splitlines() == ["holds", "holds with the sign flipped"]
    if name == "cost":
        assert "4·d² + 4·d" in said.getvalue()
    if name == "study":
        assert names["study"] is not None


def test_functions_of_one_s_own_as_the_page_shows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "how-to" / "own.md").read_text()
    (block,) = re.findall(r"^```python\n# mine\.py\n(.*?)^```$", text, re.M | re.S)
    Path("own_page_mine.py").write_text(block)
    (line,) = re.findall(r"workings (train graph .*?mine:lion)", text, re.S)
    words = line.replace("\\\n", " ").replace("mine:", "own_page_mine:").split()
    done = command(*words, "--set", "train.epochs=2", "--run", "r", "--json")
    assert done.code == 0, done.err
    assert 0 <= json.loads(done.out[done.out.index("{") :])["metrics"]["test.worst_class"] <= 1
