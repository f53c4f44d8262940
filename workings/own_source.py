"""The source of a class of the user's own, and of all that it imports from the user's folders.

It is found by reading, and nothing is run: what stands on the disk is what the next process will
import. Installed packages, Python's own modules and this package are left out; of a class that is
itself installed, only its own module is kept.
"""

import ast
import hashlib
import importlib
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.machinery import SOURCE_SUFFIXES
from pathlib import Path
from weakref import WeakKeyDictionary

from workings.own_class import find_spec

STANDARD = tuple(Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "platstdlib"))
OURS = Path(__file__).resolve().parent


@dataclass(frozen=True)
class OwnSource:
    """The files that a class is made of, by their place below the folder they are imported from."""

    files: Mapping[str, bytes]

    @property
    def digest(self) -> str:
        """The SHA-256 of all files and their places; empty where none could be read."""
        if not self.files:
            return ""
        lines = (f"{name} {_sha256(self.files[name])}" for name in sorted(self.files))
        return _sha256("\n".join(lines).encode())

    def unlike(self, other: "OwnSource") -> list[str]:
        """The files that are not in both, or not the same in both."""
        names = sorted({*self.files, *other.files})
        return [name for name in names if self.files.get(name) != other.files.get(name)]


# What each class was made of when it was first seen here: Python imports a module only once.
_imported: WeakKeyDictionary[object, OwnSource] = WeakKeyDictionary()


def imported_source(target: object, kind: str) -> OwnSource:
    """The source of a class of this process, as it was when the class was first asked about."""
    return _imported.setdefault(target, own_source(kind))


def own_source(kind: str) -> OwnSource:
    """The source of `package.module:Class`, as it stands on the disk now."""
    importlib.invalidate_caches()  # a file may be as young as this second
    first = kind.partition(":")[0]
    files: dict[str, bytes] = {}
    waiting, met = [first], set[str]()
    while waiting:
        for name in _with_packages(waiting.pop()):
            if name not in met:
                met.add(name)
                waiting += _read(name, name == first, files)
    return OwnSource(files)


def origin(kind: str) -> str:
    """The user's file that importing `package.module:Class` would run; empty for an installed one.

    What is installed, and Python's own, may move with the Python that is used.
    """
    spec = find_spec(kind.partition(":")[0])
    path = Path(spec.origin) if spec and spec.origin else None
    return str(path.resolve()) if path and _of_the_user(path) else ""


def _read(module: str, first: bool, files: dict[str, bytes]) -> list[str]:
    """Add a module's file, if it is the user's or the first; returns what it imports."""
    spec = find_spec(module)
    path = Path(spec.origin) if spec and spec.origin else None
    if spec is None or path is None or not path.is_file():
        return []
    users = _of_the_user(path)
    if not (users or first):
        return []
    package = spec.submodule_search_locations is not None
    content = path.read_bytes()
    files[module.replace(".", "/") + ("/__init__" if package else "") + path.suffix] = content
    if not users or path.suffix not in SOURCE_SUFFIXES:
        return []
    return list(_imports(content, module.split(".") if package else module.split(".")[:-1]))


def _with_packages(module: str) -> list[str]:
    """`a`, `a.b`, `a.b.c`: importing the last runs the others first."""
    parts = module.split(".")
    return [".".join(parts[: number + 1]) for number in range(len(parts))]


def _of_the_user(path: Path) -> bool:
    """Whether a file is neither installed, nor Python's, nor ours."""
    path = path.resolve()
    installed = {"site-packages", "dist-packages"} & set(path.parts)
    return not installed and not any(path.is_relative_to(each) for each in (*STANDARD, OURS))


def _imports(content: bytes, package: list[str]) -> Iterator[str]:
    """Every module that a file of a package may import, at its top or inside a function."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):  # importing it will say so
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            base = [*above, *([node.module] if node.module else [])]
            yield ".".join(base)
            # What is imported from a package may be a module of it.
            yield from (".".join([*base, alias.name]) for alias in node.names)
        elif isinstance(node, ast.Call) and _is_import(node.func) and node.args:
            named = node.args[0]
            if isinstance(named, ast.Constant) and isinstance(named.value, str):
                yield named.value.lstrip(".")


def _is_import(function: ast.expr) -> bool:
    """`importlib.import_module(…)`, `import_module(…)` or `__import__(…)`."""
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("import_module", "__import__")


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
