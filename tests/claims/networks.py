"""Networks with right gradients, as small trees that are computed apart from the checker."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from workings.bench.claims.trees import (
    M,
    Misfit,
    O,
    T,
    Tree,
    call,
    latex,
    minus,
    plus,
    value,
)

# Networks


@dataclass(frozen=True)
class Network:
    name: str
    symbols: dict[str, str]
    equations: dict[str, Tree]
    loss: str
    gradients: dict[str, Tree]

    def draw(self, seed: int) -> tuple[dict[str, Tensor], dict[str, int]]:
        """Random leaves and distinct sizes."""
        random = torch.Generator().manual_seed(seed)
        names = dict.fromkeys(re.findall(r"\b[a-z]\b", " ".join(self._shapes().values())))
        names.pop("x", None)
        primes = [(2, 5, 3, 7, 11), (7, 3, 5, 2, 13), (3, 7, 2, 5, 11)][seed % 3]
        sizes = dict(zip(names, primes, strict=False))
        leaves = {}
        for name, shape in self._shapes().items():
            sides = [sizes.get(part) or int(part) for part in shape.split(" x ")]
            leaves[name] = torch.randn(sides, generator=random, dtype=torch.float64)
            if self.symbols[name].startswith("symmetric"):
                leaves[name] = leaves[name] + leaves[name].t()
            if self.symbols[name].startswith("onehot"):
                leaves[name] = torch.eye(max(sides), dtype=torch.float64)[:1].reshape(sides)
        return leaves, sizes

    def _shapes(self) -> dict[str, str]:
        return {
            name: re.sub(r"^(onehot|symmetric) ", "", shape).replace("scalar", "1 x 1")
            for name, shape in self.symbols.items()
        }

    def run(self, leaves: Mapping[str, Tensor], sizes: Mapping[str, int]) -> dict[str, Tensor]:
        given = dict(leaves)
        for name, body in self.equations.items():
            given[name] = value(body, given, sizes)
        return given

    def gradient(self, by: str, seed: int) -> Tensor:
        """By autograd."""
        leaves, sizes = self.draw(seed)
        leaf = leaves[by].clone().requires_grad_()
        loss = self.run({**leaves, by: leaf}, sizes)[self.loss]
        (gradient,) = torch.autograd.grad(loss.sum(), leaf)
        return gradient

    def claimed(self, tree: Tree, seed: int) -> Tensor | None:
        """The value of a formula for a gradient; None where its shapes do not fit."""
        leaves, sizes = self.draw(seed)
        try:
            return value(tree, self.run(leaves, sizes), sizes)
        except Misfit:
            return None

    def is_right(self, by: str, tree: Tree) -> bool:
        for seed in (1, 2, 3):
            claimed, right = self.claimed(tree, seed), self.gradient(by, seed)
            if claimed is None:
                return False
            if claimed.numel() == right.numel() == 1:
                claimed, right = claimed.reshape(()), right.reshape(())
            if claimed.shape != right.shape or not torch.allclose(
                claimed, right, rtol=1e-7, atol=1e-9
            ):
                return False
        return True

    def statement(self, by: str, tree: Tree) -> str:
        return rf"\frac{{\partial {self.loss}}}{{\partial {by}}} = {latex(tree)}"

    def toml(self) -> str:
        lines = [f"'{name} = {latex(body)}'," for name, body in self.equations.items()]
        declared = [f'"{name}" = "{shape}"' for name, shape in self.symbols.items()]
        return "\n".join(["equations = [", *lines, "]", "[symbols]", *declared])


def half_square(x: Tree) -> Tree:
    """½ Σ x², of a row."""
    return M(("over", 1, 2), x, T(x))


def _one_minus_square(x: Tree) -> Tree:
    return minus(1, O(x, x))


def _slope(s: Tree) -> Tree:
    return O(s, minus(1, s))


def regression() -> Network:
    """Ridge regression with an intercept, columns."""
    r = minus(plus(M("X", "w"), "b"), "y")
    return Network(
        "regression",
        {"X": "n x d", "w": "d x 1", "b": "scalar", "y": "n x 1", "c": "scalar"},
        {"r": r, "L": plus(M(("over", 1, "n"), T("r"), "r"), M("c", T("w"), "w"))},
        "L",
        {
            "w": plus(M(("over", 2, "n"), T("X"), "r"), M(2, "c", "w")),
            "b": M(("over", 2, "n"), ("ones", 1, "n"), "r"),
            "y": ("minus", M(("over", 2, "n"), "r")),
            "c": M(T("w"), "w"),
            "X": M(("over", 2, "n"), "r", T("w")),
        },
    )


def perceptron() -> Network:
    """An MLP with a softmax, one example, columns."""
    delta = O(M(T("W_2"), minus("p", "y")), _one_minus_square("a"))
    return Network(
        "perceptron",
        {
            "x": "d x 1", "W_1": "h x d", "b_1": "h x 1", "W_2": "k x h", "b_2": "k x 1",
            "y": "onehot k x 1",
        },
        {
            "a": call("tanh", plus(M("W_1", "x"), "b_1")),
            "p": call("softmax", plus(M("W_2", "a"), "b_2")),
            "L": ("minus", M(T("y"), call("log", "p"))),
        },
        "L",
        {
            "W_2": M(minus("p", "y"), T("a")),
            "b_2": minus("p", "y"),
            "W_1": M(delta, T("x")),
            "b_1": delta,
            "x": M(T("W_1"), delta),
        },
    )  # fmt: skip


def batched() -> Network:
    """An MLP with relu and squares, a batch of rows."""
    residual = minus(M("A", "W_2"), "Y")
    inner = O(M("R", T("W_2")), ("slope", "relu", "Z"))
    return Network(
        "batched",
        {"X": "n x d", "W_1": "d x h", "W_2": "h x k", "Y": "n x k"},
        {
            "Z": M("X", "W_1"),
            "A": call("relu", "Z"),
            "R": residual,
            "L": M(("over", 1, 2), call("sum", O("R", "R"))),
        },
        "L",
        {
            "W_2": M(T("A"), "R"),
            "W_1": M(T("X"), inner),
            "X": M(inner, T("W_1")),
        },
    )


def gated() -> Network:
    """A GRU-like cell: s = z ⊙ h + (1 - z) ⊙ c, rows."""
    by_z = O("g", minus("h", "c"), "z", minus(1, "z"))
    by_c = O("g", minus(1, "z"), _one_minus_square("c"))
    return Network(
        "gated",
        {
            "x": "1 x d", "h": "1 x k", "W_z": "d x k", "U_z": "k x k", "W_c": "d x k",
            "U_c": "k x k", "b_z": "1 x k", "y": "1 x k",
        },
        {
            "z": call("sigmoid", plus(M("x", "W_z"), M("h", "U_z"), "b_z")),
            "c": call("tanh", plus(M("x", "W_c"), M("h", "U_c"))),
            "s": plus(O("z", "h"), O(minus(1, "z"), "c")),
            "g": minus("s", "y"),
            "L": half_square("g"),
        },
        "L",
        {
            "U_z": M(T("h"), by_z),
            "W_c": M(T("x"), by_c),
            "b_z": by_z,
            "h": plus(O("g", "z"), M(by_z, T("U_z")), M(by_c, T("U_c"))),
        },
    )  # fmt: skip


def memory() -> Network:
    """An LSTM-like cell with a forget, an input and an output gate, columns."""
    by_state = O("g", "o", _one_minus_square("u"))
    return Network(
        "memory",
        {
            "x": "d x 1", "m": "k x 1", "W_f": "k x d", "W_i": "k x d", "W_o": "k x d",
            "W_j": "k x d", "y": "k x 1",
        },
        {
            "f": call("sigmoid", M("W_f", "x")),
            "i": call("sigmoid", M("W_i", "x")),
            "o": call("sigmoid", M("W_o", "x")),
            "j": call("tanh", M("W_j", "x")),
            "u": call("tanh", plus(O("f", "m"), O("i", "j"))),
            "g": minus(O("o", "u"), "y"),
            "L": M(("over", 1, 2), T("g"), "g"),
        },
        "L",
        {
            "W_f": M(O(by_state, "m", _slope("f")), T("x")),
            "W_o": M(O("g", "u", _slope("o")), T("x")),
            "W_j": M(O(by_state, "i", _one_minus_square("j")), T("x")),
            "m": O(by_state, "f"),
        },
    )  # fmt: skip


def attention() -> Network:
    """One query over n keys, rows."""
    into = M("g", T("V"))
    scores = M(into, minus(call("diag", "a"), M(T("a"), "a")))
    return Network(
        "attention",
        {"q": "1 x d", "K": "n x d", "V": "n x m", "y": "1 x m"},
        {
            "a": call("softmax", M("q", T("K"))),
            "o": M("a", "V"),
            "g": minus("o", "y"),
            "L": half_square("g"),
        },
        "L",
        {
            "V": M(T("a"), "g"),
            "q": M(scores, "K"),
            "K": M(T(scores), "q"),
        },
    )


def graph() -> Network:
    """A graph layer, tanh(Â X W), all nodes."""
    inner = O(minus("H", "Y"), _one_minus_square("H"))
    return Network(
        "graph",
        {"A": "symmetric n x n", "X": "n x d", "W": "d x k", "Y": "n x k"},
        {
            "H": call("tanh", M("A", "X", "W")),
            "L": M(("over", 1, 2), call("tr", M(T(minus("H", "Y")), minus("H", "Y")))),
        },
        "L",
        {
            "W": M(T("X"), "A", inner),
            "X": M("A", inner, T("W")),
        },
    )


NETWORKS = [
    regression(), perceptron(), batched(), gated(), memory(), attention(), graph(),
]  # fmt: skip
RIGHT = [(net, by, tree) for net in NETWORKS for by, tree in net.gradients.items()]
