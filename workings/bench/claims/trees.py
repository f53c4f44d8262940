"""Formulas as small trees, apart from the checker's: written, mutated and computed here.

A tree is a name or a number, or (operation, parts…). Nothing of the checker is used, so that a
slip in its parser, its evaluator or its edits cannot hide behind the same slip here.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import torch
from torch import Tensor

Tree: TypeAlias = "str | int | tuple[Tree, ...]"  # of a tuple the first is the operation


class Misfit(Exception):
    """Shapes that do not fit."""


def M(*parts: Tree) -> Tree:
    """A matrix product."""
    return ("matmul", *parts)


def O(*parts: Tree) -> Tree:  # noqa: E743
    """An elementwise product."""
    return ("times", *parts)


def T(part: Tree) -> Tree:
    """The transposed."""
    return ("T", part)


def plus(*parts: Tree) -> Tree:
    """A sum."""
    return ("plus", *parts)


def minus(a: Tree, b: Tree) -> Tree:
    """A difference."""
    return ("plus", a, ("minus", b))


def call(name: str, part: Tree) -> Tree:
    """A function of a tree."""
    return ("call", name, part)


# As LaTeX, with every bracket written


def latex(tree: Tree) -> str:
    """The tree as LaTeX, with every bracket written."""
    if not isinstance(tree, tuple):
        return str(tree)
    operation, *parts = tree
    if operation in _WRITTEN:
        return _WRITTEN[operation](*parts)
    if operation == "plus":
        text = " + ".join(_bracketed(part, ("matmul", "times", "minus")) for part in parts)
        return text.replace("+ -", "- ")
    sign = r" \odot " if operation == "times" else " "
    return sign.join(_bracketed(part) for part in parts)


def _bracketed(tree: Tree, bare: tuple[str, ...] = ()) -> str:
    free = not isinstance(tree, tuple) or tree[0] in ("call", "over", "ones", *bare)
    plain = free and "^" not in latex(tree)
    if plain or (isinstance(tree, tuple) and tree[0] in bare):
        return latex(tree)
    return rf"\left({latex(tree)}\right)"


_WRITTEN: dict[str, Callable[..., str]] = {
    "call": lambda name, part: rf"\mathrm{{{name}}}({latex(part)})",
    "slope": lambda name, part: rf"\{name}'({latex(part)})",
    "over": lambda top, bottom: rf"\frac{{{latex(top)}}}{{{latex(bottom)}}}",
    "ones": lambda rows, columns: rf"\mathbf{{1}}_{{{rows} \times {columns}}}",
    "T": lambda part: f"{_bracketed(part)}^T",
    "inv": lambda part: f"{_bracketed(part)}^{{-1}}",
    "minus": lambda part: f"-{_bracketed(part)}",
}


# Its value, with strict shapes


def value(tree: Tree, given: Mapping[str, Tensor], sizes: Mapping[str, int]) -> Tensor:
    """The value of a tree; shapes that do not fit are a Misfit."""
    if isinstance(tree, str):
        return given[tree] if tree in given else torch.tensor(float(sizes[tree])).double()
    if isinstance(tree, int):
        return torch.tensor(float(tree), dtype=torch.float64)
    operation, *rest = tree
    if operation == "ones":
        return torch.ones([_side(side, sizes) for side in rest], dtype=torch.float64)
    if operation == "call":
        return FUNCTIONS[str(rest[0])](value(rest[1], given, sizes))
    if operation == "slope":
        return SLOPES[str(rest[0])](value(rest[1], given, sizes))
    parts = [value(part, given, sizes) for part in rest]
    if operation == "T":
        return parts[0].t() if parts[0].ndim == 2 else parts[0]
    if operation == "inv":
        if parts[0].ndim != 2 or parts[0].shape[0] != parts[0].shape[1]:
            raise Misfit
        if not float(torch.linalg.cond(parts[0])) <= 1e12:  # not a number, of a matrix of zeros
            raise Misfit
        return torch.linalg.inv(parts[0])
    if operation == "minus":
        return -parts[0]
    if operation == "over":
        return parts[0] / parts[1].reshape(())
    result = parts[0]
    for part in parts[1:]:
        result = _pair(str(operation), result, part)
    return result


def _side(side: Tree, sizes: Mapping[str, int]) -> int:
    return sizes[str(side)] if str(side) in sizes else int(str(side))


def _pair(operation: str, a: Tensor, b: Tensor) -> Tensor:
    if operation == "matmul" and a.numel() > 1 and b.numel() > 1:
        if a.shape[1] != b.shape[0]:
            raise Misfit
        return a @ b
    if operation == "plus" and a.shape != b.shape and a.numel() > 1 and b.numel() > 1:
        for small, large in ((a, b), (b, a)):
            rows, columns = small.shape
            if (rows, columns) in ((1, large.shape[1]), (large.shape[0], 1)):
                return a + b  # a row under every row, a column beside every column
        raise Misfit
    if a.numel() == 1 or b.numel() == 1:
        a, b = (a.reshape(()) if a.numel() == 1 else a), (b.reshape(()) if b.numel() == 1 else b)
    elif a.shape != b.shape:
        raise Misfit
    return a + b if operation == "plus" else a * b


def _square(x: Tensor) -> Tensor:
    if x.ndim != 2 or x.shape[0] != x.shape[1]:
        raise Misfit
    return x


def _determinant(x: Tensor) -> Tensor:
    """0 of a matrix that is singular but for rounding: far below the product of its rows' norms."""
    determinant = torch.linalg.det(_square(x))
    return determinant * (determinant.abs() > 1e-12 * x.norm(dim=1).prod())


def _softmax(x: Tensor) -> Tensor:
    return torch.softmax(x, 0 if x.shape[1] == 1 else 1)


FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
    "abs": torch.abs,
    "sign": torch.sign,
    "softplus": torch.nn.functional.softplus,
    "exp": torch.exp,
    "log": torch.log,
    "softmax": _softmax,
    "sum": torch.sum,
    "tr": lambda x: torch.trace(_square(x)),
    "det": _determinant,
    "diag": lambda x: torch.diag(x.reshape(-1)),
}
SLOPES: dict[str, Callable[[Tensor], Tensor]] = {"relu": lambda x: (x > 0).double()}


# Mutations


def mutants(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Every tree one mutation away, with the kind of mutation."""
    yield from _here(tree)
    if isinstance(tree, tuple) and tree[0] not in ("ones", "over"):
        for at in range(1, len(tree)):
            if tree[0] in ("call", "slope") and at == 1:
                continue
            for kind, part in mutants(tree[at]):
                yield kind, (*tree[:at], part, *tree[at + 1 :])


def _here(tree: Tree) -> Iterator[tuple[str, Tree]]:
    if not isinstance(tree, tuple):
        if isinstance(tree, str):
            yield "transpose added", T(tree)
        return
    operation = str(tree[0])
    if operation == "T":
        yield "transpose removed", tree[1]
    elif operation not in ("over", "plus", "minus"):
        yield "transpose added", T(tree)
    if operation in ("matmul", "times"):
        parts = tree[1:]
        other = {"matmul": "times", "times": "matmul"}[operation]
        kind = "matrix for elementwise" if operation == "times" else "elementwise for matrix"
        for cut in range(1, len(parts)):
            left, right = _joined(operation, parts[:cut]), _joined(operation, parts[cut:])
            yield kind, (other, left, right)
        for at in range(len(parts)):
            rest = parts[:at] + parts[at + 1 :]
            yield "factor dropped", _joined(operation, rest)
    if operation == "minus":
        yield "sign flipped", tree[1]
    elif operation == "plus":
        for at in range(1, len(tree)):
            part = tree[at]
            flipped = part[1] if isinstance(part, tuple) and part[0] == "minus" else ("minus", part)
            yield "sign flipped", (*tree[:at], flipped, *tree[at + 1 :])
    elif operation in ("matmul", "times"):
        yield "sign flipped", ("minus", tree)


def _joined(operation: str, parts: tuple[Tree, ...]) -> Tree:
    return parts[0] if len(parts) == 1 else (operation, *parts)
