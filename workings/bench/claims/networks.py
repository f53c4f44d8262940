"""Random networks with right and wrong gradients, held against torch's own modules.

Whether a gradient is right is decided by autograd through torch.nn modules that are built apart
from the claim, at draws of their own.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

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

ACTIVATIONS = ("tanh", "sigmoid", "relu", "abs", "softplus", "")
LOSSES = ("square", "softmax", "absolute", "hinge", "relu")
SIZES = ("d", "m", "k", "q")


@dataclass(frozen=True)
class Network:
    """A network: how it is written, and how torch computes it."""

    columns: bool
    activations: tuple[str, ...]
    loss: str
    bias: bool
    decay: bool

    # As it is written

    def linear(self, layer: int) -> Tree:
        """W h + b in columns, h W + b in rows."""
        below, weight = self.below(layer), f"W_{layer}"
        product = M(weight, below) if self.columns else M(below, weight)
        return plus(product, f"b_{layer}") if self.bias else product

    def below(self, layer: int) -> str:
        """What a layer is applied to."""
        return "x" if layer == 1 else f"h_{layer - 1}"

    @property
    def depth(self) -> int:
        """How many layers it has."""
        return len(self.activations)

    def shape(self, size: str) -> str:
        """A vector of this size, as a column or a row."""
        return f"{size} x 1" if self.columns else f"1 x {size}"

    @property
    def widths(self) -> list[str]:
        """The sizes of the input and of every layer."""
        last = "1" if self.loss == "hinge" else SIZES[self.depth]
        return [*SIZES[: self.depth], last]

    def symbols(self) -> dict[str, str]:
        """What is declared."""
        shapes = {"x": self.shape(self.widths[0])}
        for layer in range(1, self.depth + 1):
            before, after = self.widths[layer - 1], self.widths[layer]
            shapes[f"W_{layer}"] = f"{after} x {before}" if self.columns else f"{before} x {after}"
            if self.bias:
                shapes[f"b_{layer}"] = "scalar" if after == "1" else self.shape(after)
        kind = {"softmax": "onehot "}.get(self.loss, "")
        if self.loss == "hinge":
            shapes["y"] = "scalar"
        elif self.loss != "relu":
            shapes["y"] = kind + self.shape(self.widths[-1])
        return shapes | ({"c": "scalar"} if self.decay else {})

    def equations(self) -> dict[str, Tree]:
        """The layers and the loss, by name."""
        bodies: dict[str, Tree] = {}
        for layer, activation in enumerate(self.activations, start=1):
            bodies[f"z_{layer}"] = self.linear(layer)
            bodies[f"h_{layer}"] = call(activation, f"z_{layer}") if activation else f"z_{layer}"
        out = f"h_{self.depth}"
        if self.loss == "hinge":
            bodies["u"] = minus(1, M("y", out))
            loss: Tree = call("relu", "u")
        elif self.loss == "relu":
            loss = call("sum", call("relu", out))
        elif self.loss == "softmax":
            bodies["p"] = call("softmax", out)
            loss = ("minus", call("sum", O("y", call("log", "p"))))
        else:
            bodies["r"] = minus(out, "y")
            of = O("r", "r") if self.loss == "square" else call("abs", "r")
            loss = M(("over", 1, 2), call("sum", of))
        if self.decay:
            loss = plus(loss, M(("over", "c", 2), call("sum", O("W_1", "W_1"))))
        return bodies | {"L": loss}

    def gradients(self) -> Iterator[tuple[str, Tree]]:
        """By every parameter and the input, by the chain rule."""
        delta = self.outer()
        for layer in range(self.depth, 0, -1):
            delta = self.through(delta, layer)
            below, weight = self.below(layer), f"W_{layer}"
            of_weight = M(delta, T(below)) if self.columns else M(T(below), delta)
            if self.decay and layer == 1:
                of_weight = plus(of_weight, M("c", weight))
            yield weight, of_weight
            if self.bias:
                yield f"b_{layer}", delta
            delta = M(T(weight), delta) if self.columns else M(delta, T(weight))
        yield "x", delta

    def outer(self) -> Tree:
        """The gradient of the loss by the last layer."""
        out = f"h_{self.depth}"
        return {
            "square": "r",
            "absolute": M(("over", 1, 2), call("sign", "r")),
            "softmax": minus("p", "y"),
            "hinge": ("minus", M("y", ("slope", "relu", "u"))),
            "relu": ("slope", "relu", out),
        }[self.loss]

    def through(self, delta: Tree, layer: int) -> Tree:
        """A gradient sent back through an activation."""
        z, h = f"z_{layer}", f"h_{layer}"
        slope = {
            "tanh": minus(1, O(h, h)),
            "sigmoid": O(h, minus(1, h)),
            "relu": ("slope", "relu", z),
            "abs": call("sign", z),
            "softplus": call("sigmoid", z),
            "": None,
        }[self.activations[layer - 1]]
        return delta if slope is None else O(delta, slope)

    # As torch computes it

    def values(self, seed: int) -> tuple[dict[str, Tensor], dict[str, int]]:
        """Leaves for torch's modules, at sizes and scales of this file's own."""
        rng = torch.Generator().manual_seed(seed)
        sizes = dict(zip(SIZES, [(3, 4, 2, 5), (2, 5, 4, 3), (5, 3, 6, 2)][seed % 3], strict=True))
        scale = (1.0, 0.3, 3.0)[seed % 5 % 3]
        leaves = {}
        for name, text in self.symbols().items():
            shape = text.rpartition("onehot ")[2]
            sides = (
                [] if shape == "scalar" else [sizes.get(s) or int(s) for s in shape.split(" x ")]
            )
            x = torch.randn(sides, generator=rng, dtype=torch.float64) * scale
            if "onehot" in text:
                x = torch.zeros(x.numel(), dtype=x.dtype)
                x[int(torch.randint(x.numel(), (), generator=rng))] = 1.0
                x = x.reshape(sides)
            leaves[name] = x
        return leaves, sizes

    def module(self, leaves: dict[str, Tensor]) -> tuple[nn.Sequential, dict[str, nn.Parameter]]:
        """The same network of torch's own modules, with its parameters."""
        layers: list[nn.Module] = []
        parameters = {}
        for layer, activation in enumerate(self.activations, start=1):
            weight = leaves[f"W_{layer}"] if self.columns else leaves[f"W_{layer}"].t()
            linear = nn.Linear(weight.shape[1], weight.shape[0], bias=self.bias).double()
            linear.weight = nn.Parameter(weight.clone())
            parameters[f"W_{layer}"] = linear.weight
            if self.bias:
                linear.bias = nn.Parameter(leaves[f"b_{layer}"].reshape(-1).clone())
                parameters[f"b_{layer}"] = linear.bias
            layers += [linear, MODULES[activation]()]
        return nn.Sequential(*layers), parameters

    def gradient(self, by: str, leaves: dict[str, Tensor]) -> Tensor:
        """Autograd's, in the shape of what it is taken by."""
        module, parameters = self.module(leaves)
        x = leaves["x"].reshape(1, -1).clone().requires_grad_()
        out = module(x)
        loss = self.torch_loss(out, leaves, parameters["W_1"])
        (grad,) = torch.autograd.grad(loss, x if by == "x" else parameters[by])
        if by.startswith("W"):
            return grad if self.columns else grad.t()
        return grad.reshape(leaves[by].shape)

    def torch_loss(self, out: Tensor, leaves: dict[str, Tensor], weight: Tensor) -> Tensor:
        """The loss by torch's own modules."""
        y = leaves.get("y", torch.zeros(1)).reshape(1, -1)
        loss = {
            "square": lambda: nn.MSELoss(reduction="sum")(out, y) / 2,
            "absolute": lambda: nn.L1Loss(reduction="sum")(out, y) / 2,
            "softmax": lambda: nn.CrossEntropyLoss()(out, y.argmax(1)),
            "hinge": lambda: nn.ReLU()(1 - y * out).sum(),
            "relu": lambda: nn.ReLU()(out).sum(),
        }[self.loss]()
        return loss + (leaves["c"] / 2 * weight.pow(2).sum() if self.decay else 0)

    def is_right(self, by: str, tree: Tree, draws: int, transposed: bool = False) -> bool:
        """Whether a formula is the gradient, at every draw."""
        for seed in range(draws):
            leaves, sizes = self.values(seed)
            right = self.gradient(by, leaves)
            given = dict(leaves)
            try:
                for name, body in self.equations().items():
                    given[name] = value(body, given, sizes)
                claimed = value(tree, given, sizes)
            except Misfit:
                return False
            claimed = claimed.t() if transposed and claimed.ndim == 2 else claimed
            if claimed.numel() == right.numel() == 1:
                claimed, right = claimed.reshape(()), right.reshape(())
            if claimed.shape != right.shape:
                return False
            if not torch.allclose(claimed, right, rtol=1e-6, atol=1e-9):
                return False
        return True


MODULES: dict[str, type[nn.Module]] = {
    "tanh": nn.Tanh,
    "sigmoid": nn.Sigmoid,
    "relu": nn.ReLU,
    "softplus": nn.Softplus,
    "": nn.Identity,
    "abs": type("Abs", (nn.Module,), {"forward": lambda self, x: x.abs()}),
}


def network(rng: random.Random) -> Network:
    """A random network."""
    depth = rng.choice((1, 1, 2, 2, 3))
    return Network(
        columns=rng.random() < 0.5,
        activations=tuple(rng.choice(ACTIVATIONS) for _ in range(depth)),
        loss=rng.choice(LOSSES),
        bias=rng.random() < 0.7,
        decay=rng.random() < 0.3,
    )


@dataclass(frozen=True)
class Gradient:
    """The gradient of a network's loss by one of its names."""

    network: Network
    by: str
    right: Tree

    @property
    def equations(self) -> tuple[str, ...]:
        """The network, as it is written."""
        return tuple(f"{name} = {latex(body)}" for name, body in self.network.equations().items())

    def symbols(self) -> dict[str, str]:
        """The network's input, target and parameters."""
        return self.network.symbols()

    def claim(self, tree: Tree) -> str:
        """That a tree is the gradient."""
        return rf"\frac{{\partial L}}{{\partial {self.by}}} = {latex(tree)}"

    def is_right(self, tree: Tree, draws: int, transposed: bool = False) -> bool:
        """Whether it is, at every draw."""
        return self.network.is_right(self.by, tree, draws, transposed)


def gradients(rng: random.Random) -> Gradient:
    """A gradient of a random network."""
    chosen = network(rng)
    return Gradient(chosen, *rng.choice(list(chosen.gradients())))
