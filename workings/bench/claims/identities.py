"""Random identities of matrix calculus, right and wrong, held against torch.

Traces, determinants, inverses, gradients, Hessians, kinks, kinds of matrices, formulas by entries
and chain rules in all conventions, each with random formulas in the place of its letters.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from workings.bench.claims.trees import M, Misfit, O, T, Tree, call, latex, minus, plus, value

SYMBOLS = {
    "A": "n x n", "B": "n x n", "S": "symmetric n x n", "P": "definite n x n",
    "Q": "orthogonal n x n", "D": "diagonal n x n", "R": "permutation n x n",
    "X": "n x n", "F": "m x n", "x": "n x 1", "y": "n x 1", "p": "probability n x 1",
    "b": "m x 1", "c": "scalar", "k": "positive scalar",
}  # fmt: skip
SQUARE = ("A", "B", "S", "P", "Q", "D", "R")
SIZES = ((3, 2), (2, 4), (4, 3), (5, 2))
Leaves = Mapping[str, Tensor]
Ways = list[tuple[dict[str, Tensor], Tensor]]


@dataclass(frozen=True)
class Identity:
    """A left side, the tree that it equals, and what it is worth as torch computes it."""

    left: str
    right: Tree
    worth: Callable[[Leaves], Ways]
    """for each convention: what names stand for in it, and the value of the left side"""
    equations: tuple[str, ...] = ()
    write: Callable[[Tree], str] = latex

    def symbols(self) -> dict[str, str]:
        """All that may be used."""
        return dict(SYMBOLS)

    def claim(self, tree: Tree) -> str:
        """That the left side equals a tree."""
        return f"{self.left} = {self.write(tree)}"

    def is_right(self, tree: Tree, draws: int, transposed: bool = False) -> bool | None:
        """Whether the tree is the left side at every draw, in one convention.

        None where the left side has a value at no draw, as the inverse of B - QB has where Q turns.
        """
        possible: set[int] | None = None
        for seed in range(draws):
            leaves, sizes = draw(seed)
            right = set()
            try:
                ways = self.worth(leaves)
            except Misfit:
                continue  # no value there, as of an inverse at a singular draw
            for way, (given, target) in enumerate(ways):
                try:
                    claimed = value(tree, {**leaves, **given}, sizes)
                except Misfit:
                    continue
                claimed = claimed.t() if transposed and claimed.ndim == 2 else claimed
                if _equal(claimed, target):
                    right.add(way)
            possible = right if possible is None else possible & right
            if not possible:
                return False
        return None if possible is None else True


def draw(seed: int) -> tuple[dict[str, Tensor], dict[str, int]]:
    """A value of every symbol, of its kind."""
    rng = torch.Generator().manual_seed(seed)
    n, m = SIZES[seed % len(SIZES)]
    leaves = {}
    for name, text in SYMBOLS.items():
        *kinds, shape = text.split(" ", 1) if text.split(" ")[0] in KINDS else [text]
        sides = [] if shape == "scalar" else [{"n": n, "m": m, "1": 1}[s] for s in shape[::4]]
        x = torch.randn(sides, generator=rng, dtype=torch.float64)
        leaves[name] = KINDS[kinds[0]](x) if kinds else x
    return leaves, {"n": n, "m": m}


def orthogonal(x: Tensor) -> Tensor:
    """A turn or a reflection: by itself, QR gives only one of them at each size."""
    q = torch.linalg.qr(x)[0]
    return torch.cat([q[:, :1] * torch.sign(x[0, 0]), q[:, 1:]], 1)


KINDS: dict[str, Callable[[Tensor], Tensor]] = {
    "symmetric": lambda x: x + x.t(),
    "definite": lambda x: x @ x.t() + 0.1 * torch.eye(len(x), dtype=x.dtype),
    "orthogonal": orthogonal,
    "diagonal": lambda x: torch.diag(x.diagonal() + torch.sign(x.diagonal())),
    "permutation": lambda x: torch.eye(len(x), dtype=x.dtype)[x[0].argsort()],
    "probability": lambda x: torch.softmax(x, 0),
    "positive": lambda x: x.abs() + 0.1,
}


def _equal(a: Tensor, b: Tensor) -> bool:
    if a.numel() == b.numel() == 1:
        a, b = a.reshape(()), b.reshape(())
    # What cancels to nothing, as the determinant of a singular difference, is rounding alone.
    allowed = 1e-7 * float(b.abs().max()) + 1e-11
    return a.shape == b.shape and float((a - b).abs().max()) <= allowed


def _square(rng: random.Random, depth: int = 2) -> Tree:
    """A random square matrix."""
    kind = rng.random()
    if depth == 0 or kind < 0.4:
        name: Tree = rng.choice(SQUARE)
        return T(name) if rng.random() < 0.3 else name
    parts = (_square(rng, depth - 1), _square(rng, depth - 1))
    if kind < 0.7:
        return M(*parts)
    return plus(*parts) if kind < 0.9 else minus(*parts)


def _is(tree: Tree) -> Callable[[Leaves], Ways]:
    """Just what a tree is worth: for left sides without a derivative."""
    return lambda leaves: [({}, value(tree, leaves, {}))]


def _gradient(of: Callable[[Tensor, Leaves], Tensor], by: str) -> Callable[[Leaves], Ways]:
    """Autograd's gradient of a number."""

    def worth(leaves: Leaves) -> Ways:
        point = leaves[by].clone().requires_grad_()
        (gradient,) = torch.autograd.grad(of(point, leaves).sum(), point)
        return [({}, gradient)]

    return worth


def _second(of: Callable[[Tensor, Leaves], Tensor], by: str) -> Callable[[Leaves], Ways]:
    """Autograd's Hessian of a number."""

    def worth(leaves: Leaves) -> Ways:
        size = leaves[by].numel()
        hessian = torch.autograd.functional.hessian(lambda x: of(x, leaves).sum(), leaves[by])
        return [({}, torch.as_tensor(hessian).reshape(size, size))]

    return worth


def _chained(matrix: Tree) -> Callable[[Leaves], Ways]:
    """L = ½ zᵀz with z = E x: its derivatives in each convention."""
    by_z, jacobian = r"\frac{\partial L}{\partial z}", r"\frac{\partial z}{\partial x}"

    def worth(leaves: Leaves) -> Ways:
        e = value(matrix, leaves, {})
        z = e @ leaves["x"]
        slope = e.t() @ z
        return [
            ({by_z: z.t(), jacobian: e, "z": z}, slope.t()),
            ({by_z: z, jacobian: e, "z": z}, slope),
            ({by_z: z, jacobian: e.t(), "z": z}, slope),
        ]

    return worth


def entries(tree: Tree, row: str = "i", column: str = "j", depth: int = 0) -> str:
    """The entry in this row and column, with the sums of products written out."""
    if not isinstance(tree, tuple):
        return f"{tree}_{{{row}{column}}}"
    operation, *parts = tree
    if operation == "T":
        return entries(parts[0], column, row, depth)
    if operation == "minus":
        return f"-({entries(parts[0], row, column, depth)})"
    if operation == "matmul":
        inner = "lrst"[depth]
        first, *rest = parts
        other = rest[0] if len(rest) == 1 else ("matmul", *rest)
        left = entries(first, row, inner, depth + 1)
        return rf"\sum_{inner} ({left}) ({entries(other, inner, column, depth + 1)})"
    sign = " + " if operation == "plus" else " "
    return sign.join(f"({entries(part, row, column, depth + 1)})" for part in parts)


def identities(rng: random.Random) -> Identity:
    """A random identity."""
    e, g = _square(rng), _square(rng)
    written, other = f"({latex(e)})", f"({latex(g)})"
    product = call("relu", plus(M("F", "x"), "b"))
    affine = plus(M("F", "x"), "b")
    hinge = minus(1, M("c", T("x"), "y"))
    chain, link = r"\frac{\partial L}{\partial z}", r"\frac{\partial z}{\partial x}"
    model = (f"z = {written} x", r"L = \frac{1}{2} z^T z")

    def at(tree: Tree, by: str) -> Callable[[Tensor, Leaves], Tensor]:
        return lambda point, leaves: value(tree, {**leaves, by: point}, {})

    quadratic, square = M(T("x"), e, "x"), M(T(M(e, "x")), M(e, "x"))
    rooms: Sequence[Callable[[], Identity]] = (
        lambda: Identity(rf"\mathrm{{tr}}({written} {other})", call("tr", M(g, e)),
                         _is(call("tr", M(e, g)))),
        lambda: Identity(f"({written} {other})^T", M(T(g), T(e)), _is(T(M(e, g)))),
        lambda: Identity(f"({written} {other})^{{-1}}", M(("inv", g), ("inv", e)),
                         _is(("inv", M(e, g)))),
        lambda: Identity(rf"\det({written} {other})", M(call("det", e), call("det", g)),
                         _is(call("det", M(e, g)))),
        lambda: Identity(rf"\|{written}\|_F^2", call("tr", M(T(e), e)),
                         _is(call("sum", O(e, e)))),
        lambda: Identity(rf"\|{written} x\|^2", M(T("x"), T(e), e, "x"), _is(square)),
        lambda: Identity(rf"\sum ({written} \odot {other})", call("tr", M(T(e), g)),
                         _is(call("sum", O(e, g)))),
        lambda: Identity(rf"\nabla_x x^T {written} x", M(plus(e, T(e)), "x"),
                         _gradient(at(quadratic, "x"), "x")),
        lambda: Identity(rf"\nabla_x \|{written} x\|^2", M(2, T(e), e, "x"),
                         _gradient(at(square, "x"), "x")),
        lambda: Identity(rf"\frac{{\partial}}{{\partial X}} \mathrm{{tr}}({written} X {other})",
                         M(T(e), T(g)), _gradient(at(call("tr", M(e, "X", g)), "X"), "X")),
        lambda: Identity(rf"\frac{{\partial}}{{\partial X}} \mathrm{{tr}}(X^T {written} X)",
                         M(plus(e, T(e)), "X"),
                         _gradient(at(call("tr", M(T("X"), e, "X")), "X"), "X")),
        lambda: Identity(r"\frac{\partial \det(X)}{\partial X}",
                         M(call("det", "X"), T(("inv", "X"))),
                         _gradient(at(call("det", "X"), "X"), "X")),
        lambda: Identity(rf"\nabla_x^2 (x^T {written} x)", plus(e, T(e)),
                         _second(at(quadratic, "x"), "x")),
        lambda: Identity(rf"\nabla_x^2 \left(\frac{{1}}{{2}} \|{written} x\|^2\right)", M(T(e), e),
                         _second(at(M(("over", 1, 2), square), "x"), "x")),
        lambda: Identity(r"\nabla_x \sum \mathrm{relu}(F x + b)",
                         M(T("F"), ("slope", "relu", affine)),
                         _gradient(at(call("sum", product), "x"), "x")),
        lambda: Identity(rf"\nabla_x \sum |{written} x - y|",
                         M(T(e), call("sign", minus(M(e, "x"), "y"))),
                         _gradient(at(call("sum", call("abs", minus(M(e, "x"), "y"))), "x"), "x")),
        lambda: Identity(r"\nabla_x \max(0, 1 - c x^T y)",
                         ("minus", M("c", ("slope", "relu", hinge), "y")),
                         _gradient(at(call("relu", hinge), "x"), "x")),
        lambda: _by_entries(M(rng.choice(SQUARE), T(rng.choice(SQUARE)))),
        lambda: _by_entries(plus(rng.choice(SQUARE), M(rng.choice(SQUARE), rng.choice(SQUARE)))),
        lambda: Identity(r"\frac{\partial L}{\partial x}", M(T(e), chain), _chained(e), model),
        lambda: Identity(r"\frac{\partial L}{\partial x}", M(chain, link), _chained(e), model),
        lambda: Identity(r"\frac{\partial L}{\partial x}", M(link, chain), _chained(e), model),
        lambda: Identity(r"\frac{\partial L}{\partial x}", M(T(link), chain), _chained(e), model),
        lambda: Identity("Q^T Q " + written, e, _is(e)),
        lambda: Identity("R R^T S", T("S"), _is("S")),
        lambda: Identity(rf"{written} P^{{-1}} P", e, _is(e)),
    )  # fmt: skip
    return rng.choice(rooms)()


def _by_entries(tree: Tree) -> Identity:
    """A formula in letters, with its entries written out on the right."""
    return Identity(f"[{latex(tree)}]_{{ij}}", tree, _is(tree), write=entries)
