"""Every public class, function and method has a docstring: one sentence that its name does not say.

Read from the syntax tree. Left out are names with an underscore and what is inside of them,
functions inside functions, `__init__` and its like, overloads, and methods that are documented
where they come from: in a class of the package, or in a library's (a module's forward, whose
equation is in the docstring of its class).
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "workings"
# What a class outside of the package documents, by the last word of its name.
LIBRARIES = {
    "Module": {"forward", "extra_repr"},
    "LSTM": {"forward"},
    "GRU": {"forward"},
    "Function": {"forward", "backward"},
    "TyperCommand": {"parse_args", "format_epilog"},
    "TyperGroup": {"format_commands", "format_epilog"},
    "File": {"collect"},
    "Item": {"runtest", "repr_failure", "reportinfo"},
}
Classes = dict[str, list[ast.ClassDef]]


def base_names(kind: ast.ClassDef) -> list[str]:
    """The last word of each base: Task for `task.Task[Data, Batch]`."""
    bases = [base.value if isinstance(base, ast.Subscript) else base for base in kind.bases]
    return [ast.unparse(base).rpartition(".")[2] for base in bases]


def methods(kind: ast.ClassDef) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a class."""
    yield from (x for x in kind.body if isinstance(x, ast.FunctionDef | ast.AsyncFunctionDef))


def is_documented_above(kind: ast.ClassDef, name: str, classes: Classes) -> bool:
    """Whether a base of the class, or a base of one, documents a method of that name."""
    return any(
        name in LIBRARIES.get(base, ())
        or any(
            (each.name == name and ast.get_docstring(each))
            for above in known
            for each in methods(above)
        )
        or any(is_documented_above(above, name, classes) for above in known)
        for base in base_names(kind)
        for known in [classes.get(base, [])]
    )


def is_overload(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether it is one of the signatures of a function, which documents itself once."""
    return any("overload" in ast.unparse(each) for each in node.decorator_list)


def undocumented(path: str, tree: ast.Module, classes: Classes) -> Iterator[str]:
    """The public names of a file that have no docstring, as "file: Class.method"."""
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if node.name.startswith("_") or is_overload(node):
            continue
        if not ast.get_docstring(node):
            yield f"{path}: {node.name}"
        if isinstance(node, ast.ClassDef):
            for method in methods(node):
                if method.name.startswith("_") or is_overload(method) or ast.get_docstring(method):
                    continue
                if not is_documented_above(node, method.name, classes):
                    yield f"{path}: {node.name}.{method.name}"


def all_classes(trees: dict[str, ast.Module]) -> Classes:
    """Every class at the top of a file, by its name; several may have one name."""
    classes: Classes = {}
    for tree in trees.values():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(node)
    return classes


def test_everything_public_has_a_docstring() -> None:
    paths = {str(p.relative_to(PACKAGE.parent)): p for p in sorted(PACKAGE.rglob("*.py"))}
    trees = {name: ast.parse(path.read_text()) for name, path in paths.items()}
    classes = all_classes(trees)
    assert [
        line for name, tree in trees.items() for line in undocumented(name, tree, classes)
    ] == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(): pass", ["x.py: f"]),
        ('def f():\n    "Says."\n    def inner(): pass', []),
        ("def _f(): pass\nclass _C:\n    def m(self): pass", []),
        ('class C:\n    "Says."\n    def m(self): pass\n    def __len__(self): pass',
         ["x.py: C.m"]),
        ('class C:\n    "Says."\n    def m(self):\n        "Says."\n'
         'class D(C):\n    "Says."\n    def m(self): pass', []),
        ('class N(nn.Module):\n    "Says."\n    def forward(self): pass\n    def build(self): pass',
         ["x.py: N.build"]),
    ],
)  # fmt: skip
def test_what_is_asked_for_and_what_is_left_out(source: str, expected: list[str]) -> None:
    tree = ast.parse(source)
    assert list(undocumented("x.py", tree, all_classes({"x.py": tree}))) == expected
