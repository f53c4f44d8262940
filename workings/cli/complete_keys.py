"""Completion of `--set`: the keys of every task's config, read from its source, without torch."""

import ast
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

# The files that hold config classes, and the section that their fields belong to.
FILES = {
    "tasks/config.py": "train",
    "tasks/split_files.py": "data",
    "tasks/*/config.py": "data",
    "tasks/*/models.py": "model",
}
OWN_MODEL = "OwnModel"  # the class in tasks/config.py whose fields are a model's


def keys(incomplete: str) -> list[tuple[str, str]]:
    """`section.key=` with what it means, of the keys that begin so."""
    known: dict[str, str] = {}
    for pattern, section in FILES.items():
        for path in sorted(Path(str(resources.files("workings"))).glob(pattern)):
            for name, field, meaning in _fields(path):
                of = "train" if "Train" in name else "model" if name == OWN_MODEL else section
                known.setdefault(f"{of}.{field}", meaning)
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
