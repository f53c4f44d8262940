"""What a pass keeps and does where a module hides it: in checkpoints, attributes, caught errors."""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from workings.cost.counts.tally import Example, Tally, tally


def counted(module: nn.Module, n: int = 3, d: int = 5) -> Tally:
    return tally(lambda sizes: Example(module, (torch.empty(n, d),)), {})


def total(tallied: Tally, quantity: str) -> int:
    return sum(count for (name, _), count in tallied.counts.items() if name == quantity)


class Checkpointed(nn.Module):
    def __init__(self, reentrant: bool) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(5, 5), nn.Tanh(), nn.Linear(5, 5))
        self.reentrant = reentrant

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = checkpoint(self.inner, 2 * x, use_reentrant=self.reentrant)
        return y


def test_what_a_checkpoint_keeps_by_itself_is_not_said() -> None:
    hidden = counted(Checkpointed(reentrant=False))
    assert "as a checkpoint does" in hidden.uncounted["memory"]
    assert total(hidden, "forward") == 2 * 3 * 5 * 5
    assert total(hidden, "backward") == 5 * 3 * 5 * 5  # the first layer is run again
    saved = counted(Checkpointed(reentrant=True))
    assert total(saved, "memory") >= 4 * 3 * 5


class Kept(torch.autograd.Function):
    """x W, which keeps 2x as an attribute."""

    @staticmethod
    def forward(ctx, x, weight):  # type: ignore[no-untyped-def]
        ctx.twice, ctx.weight = [2 * x], weight
        return ctx.twice[0] @ weight

    @staticmethod
    def backward(ctx, gradient):  # type: ignore[no-untyped-def]
        return 2 * gradient @ ctx.weight.t(), ctx.twice[0].t() @ gradient


class KeepsAttributes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(5, 7))

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = Kept.apply(x, self.weight)
        return y


def test_what_a_function_keeps_as_an_attribute_is_memory() -> None:
    assert total(counted(KeepsAttributes()), "memory") == 4 * 3 * 5


class Catches(nn.Module):
    """Asks for a value, and goes on in another way where there is none."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(5, 5)

    def forward(self, x: Tensor) -> Tensor:
        try:
            times = 2 if x.sum().item() == x.sum().item() else 1
        except RuntimeError:
            times = 9
        for _ in range(times):
            x = self.layer(x)
        return x


def test_a_caught_error_of_the_meta_device_is_no_result() -> None:
    result = tally(lambda sizes: Example(Catches(), (torch.ones(3, 5),)), {})
    assert result.real
    assert total(result, "forward") == 2 * 3 * 5 * 5
