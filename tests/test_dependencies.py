"""The lock file and the page of licences: whole, and without a host or a path of any machine."""

import re
import tomllib

from packaging.requirements import Requirement

from docs.make_dependencies import LOCK, PAGE, ROOT, canonical

LOCKED = [line for line in LOCK.read_text().splitlines() if not line.startswith("#")]


def test_the_lock_names_versions_and_nothing_else() -> None:
    names = [line.partition("==")[0] for line in LOCKED]
    assert names == sorted(names)
    for line in LOCKED:
        assert re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", line), line


def test_all_that_the_project_asks_for_is_in_it_in_a_version_that_it_allows() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    versions = dict(line.split("==") for line in LOCKED)
    for line in [*project["dependencies"], *project["optional-dependencies"]["dev"]]:
        requirement = Requirement(line)
        assert requirement.specifier.contains(versions[canonical(requirement.name)]), line


def test_every_locked_package_has_its_licence_on_the_page() -> None:
    rows = re.findall(r"^\| ([a-z0-9-]+) \| \d\S* \| [^|]+ \| (.+) \|$", PAGE.read_text(), re.M)
    assert [name for name, _ in rows] == [line.partition("==")[0] for line in LOCKED]
    for name, licence in rows:
        assert licence != "not stated", name


def test_no_package_that_is_always_installed_is_under_the_gpl() -> None:
    always = re.findall(r"^\| (\S+) \| \S+ \| all \| (.+) \|$", PAGE.read_text(), re.M)
    assert len(always) > 20
    assert [name for name, licence in always if re.search(r"\bA?GPL", licence)] == []
