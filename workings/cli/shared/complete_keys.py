"""Completion of `--set`: the keys of every task's config, read from its source, without torch."""

import ast
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import typer

from workings.cli.shared.complete import TASKS

# The files that hold config classes, and the section that their fields belong to.
FILES = {
    "tasks/config.py": "train",
    "tasks/split_files.py": "data",
    "tasks/*/config.py": "data",
    "tasks/*/models.py": "model",
}
OWN_MODEL = "OwnModel"  # the class in tasks/config.py whose fields are a model's


def keys_of(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """The keys of the task, or of the shipped config's, that the command names; else all."""
    # An argument before an option that is being typed is not among the parameters yet.
    words = [context.params.get("task"), context.params.get("what"), *context.args]
    named = next((str(word) for word in words if word), "")
    return keys(incomplete, named if named in TASKS else _task_of(named))


def _task_of(config: str) -> str:
    path = Path(str(resources.files("workings"))) / "configs" / f"{Path(config).name}.toml"
    if not config or not path.is_file():
        return "*"
    found = re.search(r'^task = "(\w+)"', path.read_text(encoding="utf-8"), re.M)
    return found[1] if found else "*"


def keys(incomplete: str, task: str = "*") -> list[tuple[str, str]]:
    """`section.key=` with what it means, of the keys that begin so; task: one, or all."""
    known: dict[str, str] = {}
    for pattern, section in FILES.items():
        of_task = pattern.replace("*", task)
        for path in sorted(Path(str(resources.files("workings"))).glob(of_task)):
            for name, field, meaning in _fields(path):
                of = "train" if "Train" in name else "model" if name == OWN_MODEL else section
                if task == "*" or not meaning:
                    known.setdefault(f"{of}.{field}", meaning)
                else:  # what a field means to the task, below what it means to all
                    known[f"{of}.{field}"] = meaning
    return [(f"{key}=", meaning) for key, meaning in known.items() if key.startswith(incomplete)]


def _fields(path: Path) -> Iterator[tuple[str, str, str]]:
    """The class, name and first line of meaning of each field: the text below an annotation."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for field, below in zip(node.body, [*node.body[1:], None], strict=True):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                text = ""
                if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                    text = str(below.value.value)
                yield node.name, field.target.id, text.partition("\n")[0]
