"""Small Python sources and JSON lines that tests of the summary task read."""

import json
from pathlib import Path

NOUNS = ("file", "name", "page", "list", "node", "key", "user", "row")
VERBS = {
    "read": "    with open(path) as stream:\n        return stream.{n}()\n",
    "check": "    if self.{n} is None:\n        raise ValueError(self.{n})\n",
    "add": "    self.{n}s.append({n})\n    return len(self.{n}s)\n",
    "count": "    total = 0\n    for {n} in self.{n}s:\n        total += 1\n    return total\n",
}


def module(noun: str) -> str:
    """A module with a function for every verb."""
    return "\n\n".join(
        f'def {verb}_{noun}(self, path, {noun}):\n    """The {verb} of a {noun}. More."""\n'
        + body.format(n=noun)
        for verb, body in VERBS.items()
    )


def folder(root: Path) -> Path:
    """Eight modules of four functions."""
    root.mkdir(parents=True, exist_ok=True)
    for noun in NOUNS:
        (root / f"{noun}.py").write_text(module(noun))
    return root


def jsonl(path: Path, *objects: object) -> Path:
    """A file of JSON lines."""
    path.write_text("".join(json.dumps(each) + "\n" for each in objects))
    return path
