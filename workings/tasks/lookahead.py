"""Whether a model's output depends on tokens that come later: each must be predicted unseen."""

# B batch, T time, V vocabulary

import copy
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

ROUNDING = 1e-4  # of the largest output: float32 may differ by less, as a causal FFT's sums do
NOISE = 0.05  # added to the weights: a leak through weights that begin as zero would not be seen

Forward = Callable[[nn.Module, Tensor], Tensor]  # tokens B×T in, outputs B×T×… out


@dataclass(frozen=True)
class Dependence:
    """What outputs depend on that they should not."""

    later: int | None = None  # a position whose output changes when only later tokens do
    streams: bool = False  # the output of one sequence of a batch changes when only another does


def dependence(
    model: nn.Module,
    forward: Forward,
    steps: int,
    vocabulary: int,
    noise: bool,
    training: bool = False,
) -> Dependence:
    """Change later tokens, and the other sequence, and see whether outputs change before them.

    Asked in evaluation mode, or as it trains (with the same dropout every time). noise: of a copy
    with a little noise on its weights. A model whose output is not the same twice tells nothing.
    """
    if steps < 2 or vocabulary < 2:
        return Dependence()
    devices = [p.device for p in model.parameters() if p.device.type == "cuda"][:1]
    with torch.random.fork_rng(devices), torch.no_grad():
        draw = torch.Generator().manual_seed(1)
        x_BT = torch.randint(vocabulary, (2, steps), generator=draw)
        asked = _Asked(_noisy(model) if noise else model, forward, training)
        if noise and not torch.isfinite(asked(x_BT)).all():
            asked = _Asked(model, forward, training)
        return _ask(asked, x_BT, vocabulary, draw)


def _noisy(model: nn.Module) -> nn.Module:
    torch.manual_seed(0)
    model = copy.deepcopy(model)
    for parameter in model.parameters():
        if parameter.is_floating_point():
            parameter.add_(torch.randn_like(parameter), alpha=NOISE)
    return model


class _Asked:
    """A model that is asked again and again, and remembers nothing of it."""

    def __init__(self, model: nn.Module, forward: Forward, training: bool) -> None:
        self.model, self.forward, self.training = model, forward, training

    def __call__(self, x_BT: Tensor) -> Tensor:
        # A copy that shares the weights: what a call leaves in the others is gone with it.
        shared = {id(parameter): parameter for parameter in self.model.parameters()}
        model = copy.deepcopy(self.model, shared).train(self.training)
        torch.manual_seed(0)
        return self.forward(model, x_BT).double().cpu()


def _ask(asked: _Asked, x_BT: Tensor, vocabulary: int, draw: torch.Generator) -> Dependence:
    first, steps = asked(x_BT), x_BT.shape[1]
    if not torch.isfinite(first).all() or not torch.equal(first, asked(x_BT)):
        return Dependence()
    most = ROUNDING * float(first.abs().max())

    def changes(tokens_BT: Tensor) -> Tensor:
        """Where else the output changes when these tokens (true or false) become others, B×T."""
        other = (x_BT + torch.randint(1, vocabulary, x_BT.shape, generator=draw)) % vocabulary
        after = asked(torch.where(tokens_BT, other, x_BT))
        return ((after - first).abs().flatten(2).amax(2) > most) & ~tokens_BT

    for cut in sorted({0, steps // 2 - 1, steps - 2}):
        before = changes((torch.arange(steps) > cut).expand(2, steps)).any(0).nonzero()
        if len(before):
            return Dependence(later=int(before[-1]))
    return Dependence(streams=bool(changes(torch.tensor([[True], [False]]).expand(2, steps)).any()))
