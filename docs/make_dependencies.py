"""Write requirements-dev.lock and docs/dependencies.md from what is installed here.

The lock has the version of every package that the project, its extras and its development bring;
the page has their licences, as the packages themselves state them.
"""

import re
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
LOCK, PAGE = ROOT / "requirements-dev.lock", ROOT / "docs" / "dependencies.md"
EXTRAS = ("dev", "search", "cluster", "tensorboard", "mcp", "export", "docs", "speak", "subwords")

STATED = {"espeakng-loader": "none stated; espeak-ng itself: GPL-3.0-or-later"}
PAGE_TEXT = """# Dependencies and their licences

Made by `make lock` from what is installed; the same versions are in `requirements-dev.lock`:
`pip install -r requirements-dev.lock`, then `pip install --no-deps -e .`. Workings itself is under
the MIT licence. One library is under the GPL, version 3: espeak-ng, which `espeakng-loader` brings.
It only comes with the extra `speak` (and with development), is run in a process of its own, and
nothing else needs it. soxr is under the LGPL, version 2.1, and is used as it is published.

| package | version | needed by | licence |
|---|---|---|---|
"""


def closure(extras: tuple[str, ...]) -> dict[str, metadata.Distribution]:
    """Every installed package that the project with these extras needs, by name."""
    found: dict[str, metadata.Distribution] = {}
    asked = {("workings", extra) for extra in ("", *extras)}
    waiting = sorted(asked)
    while waiting:
        name, extra = waiting.pop()
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system, or another version of Python
        found[canonical(name)] = package
        for line in package.requires or ():
            requirement = Requirement(line)
            if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                continue
            if not extra and requirement.marker and "extra" in str(requirement.marker):
                continue
            for wanted in ("", *requirement.extras):
                key = (canonical(requirement.name), wanted)
                if key not in asked:
                    asked.add(key)
                    waiting.append(key)
    del found["workings"]
    return dict(sorted(found.items()))


def canonical(name: str) -> str:
    """A package's name as the index writes it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence(package: metadata.Distribution) -> str:
    """What a package says of its licence: the expression, the classifiers, or the field."""
    about = package.metadata
    if canonical(about["Name"]) in STATED:
        return STATED[canonical(about["Name"])]
    if expression := about.get("License-Expression"):
        return str(expression)
    classifiers = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier") or ()
        if line.startswith("License ::") and not line.endswith("OSI Approved")
    ]
    stated = (about.get("License") or "").strip().partition("\n")[0][:60]
    return ", ".join(classifiers) or stated or "not stated"


def lock(packages: dict[str, metadata.Distribution]) -> str:
    """One line a package; a build's own mark (+cpu) is left to the index that is used."""
    lines = [f"{name}=={Version(package.version).public}" for name, package in packages.items()]
    return "# Made by `make lock`; see docs/dependencies.md.\n" + "\n".join(lines) + "\n"


def page(packages: dict[str, metadata.Distribution], always: set[str]) -> str:
    """The table of licences."""
    rows = [
        f"| {name} | {package.version} | {'all' if name in always else 'development, extras'} | "
        f"{licence(package)} |"
        for name, package in packages.items()
    ]
    return PAGE_TEXT + "\n".join(rows) + "\n"


if __name__ == "__main__":
    every = closure(EXTRAS)
    LOCK.write_text(lock(every))
    PAGE.write_text(page(every, set(closure(()))))
