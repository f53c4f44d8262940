"""The simple recurrent layer, h_t = f(h_{t-1} H + x_t I + b)."""

# T time, N rows, B batch, d inputs, D hidden

from typing import Literal, Protocol

import torch
from torch import Tensor, nn

from workings.nn.function_context import FunctionContext
from workings.nn.precision import product_type, without_autocast
from workings.nn.recurrent.small_steps import small_steps

Activation = Literal["sigmoid", "tanh", "relu"]
HALF_PAYS = 256  # units from which the product of a single step is faster in bfloat16; measured


class RNN(nn.Module):
    """Simple recurrent layer, h_t = f(h_{t-1} H + x_t I + b), f a sigmoid, tanh or ReLU.

    `step` is the equation as it is written; `forward` computes a window with a hand-written
    backward. Glorot-uniform H and I, zero b. Row vectors throughout.

    inputs: the width d of x; hidden: the units D; activation: f.

    Shapes: x_TBd, h_BD (zeros if not given); returns h_TBD and the last h_BD.
    """

    def __init__(self, inputs: int, hidden: int, activation: Activation = "sigmoid") -> None:
        super().__init__()
        self.activation = activation
        self.H = nn.Parameter(torch.empty(hidden, hidden))
        self.I = nn.Parameter(torch.empty(inputs, hidden))
        self.b = nn.Parameter(torch.zeros(hidden))
        nn.init.xavier_uniform_(self.H)
        nn.init.xavier_uniform_(self.I)

    def forward(self, x_TBd: Tensor, h_BD: Tensor | None = None) -> tuple[Tensor, Tensor]:
        T, B, _ = x_TBd.shape
        if h_BD is None:
            h_BD = self.b.new_zeros(B, len(self.b))
        # One product for all steps of the window; only h H has to wait for the step before.
        z_TBD = self.project(x_TBd.reshape(T * B, -1)).view(T, B, -1)
        # In so small a product the conversions cost more than they gain.
        dtype = product_type(self.H) if len(self.b) >= HALF_PAYS else self.H.dtype
        z_TBD = z_TBD.to(self.H.dtype)
        h_TBD = _Recurrence.apply(z_TBD, h_BD, self.H, self.activation, dtype)
        return h_TBD, h_TBD[-1]

    def project(self, x_Nd: Tensor) -> Tensor:
        """x I + b, N×D: the part that does not wait for the step before."""
        return torch.addmm(self.b, x_Nd, self.I)

    def step(self, z_BD: Tensor, h_BD: Tensor | None) -> tuple[Tensor, Tensor]:
        """One step from its projected input: the output and the state, which here are the same."""
        z_BD = z_BD if h_BD is None else torch.addmm(z_BD, h_BD, self.H)
        h_BD = getattr(torch, self.activation)(z_BD)
        return h_BD, h_BD

    def extra_repr(self) -> str:
        return f"{self.I.shape[0]}, {self.I.shape[1]}, activation={self.activation}"


class _RecurrenceContext(FunctionContext, Protocol):
    activation: str
    dtype: torch.dtype


class _Recurrence(torch.autograd.Function):
    """h_t = f(z_t + h_{t-1} H).

    Backward, from the last step to the first, with g_t = ∂E/∂(z_t + h_{t-1} H):
    g_t = (∂E/∂h_t + g_{t+1} Hᵀ) ⊙ f'(t);  ∂E/∂z = g;  ∂E/∂H = Σ_t h_{t-1}ᵀ g_t.
    """

    @staticmethod
    @without_autocast
    def forward(
        ctx: _RecurrenceContext,
        z_TBD: Tensor,
        h_BD: Tensor,
        H: Tensor,
        activation: str,
        dtype: torch.dtype,
    ) -> Tensor:
        # Row 0 is the state before the window, so that rows 0..T-1 are every h_{t-1}.
        T, B, D = z_TBD.shape
        states = z_TBD.new_empty(T + 1, B, D)
        states[0] = h_BD
        f = {"sigmoid": torch.sigmoid_, "tanh": torch.tanh_, "relu": torch.relu_}[activation]
        product = H.to(dtype)
        with small_steps(B * D * D):
            for z, previous, h in zip(z_TBD, states[:-1], states[1:], strict=True):
                f(_add_product(z, previous, product, out=h))
        ctx.save_for_backward(states, H)
        ctx.activation, ctx.dtype = activation, dtype
        return states[1:]

    @staticmethod
    @without_autocast
    def backward(ctx: _RecurrenceContext, *grad: Tensor) -> tuple[Tensor | None, ...]:
        states, H = ctx.saved_tensors
        h_TBD, H_t = states[1:], H.to(ctx.dtype).t()
        # f' from f's own value: σ' = σ(1-σ), tanh' = 1-tanh², relu' = [h > 0].
        slope = {
            "sigmoid": lambda h: torch.addcmul(h, h, h, value=-1),
            "tanh": lambda h: 1 - h * h,
            "relu": lambda h: (h > 0).to(h.dtype),
        }[ctx.activation](h_TBD)
        g_TBD = torch.empty_like(slope)
        torch.mul(grad[0][-1], slope[-1], out=g_TBD[-1])
        _, B, D = g_TBD.shape
        with small_steps(B * D * D):
            for t in range(len(g_TBD) - 2, -1, -1):
                _add_product(grad[0][t], g_TBD[t + 1], H_t, out=g_TBD[t]).mul_(slope[t])
        h_ND, g_ND = (x.reshape(-1, D).to(ctx.dtype) for x in (states[:-1], g_TBD))
        dH, dh_BD = h_ND.t() @ g_ND, g_TBD[0].to(ctx.dtype) @ H_t
        return g_TBD, dh_BD.to(H.dtype), dH.to(H.dtype), None, None


def _add_product(z: Tensor, x: Tensor, w: Tensor, out: Tensor) -> Tensor:
    """z + x w, the product in the type of w."""
    if x.dtype == w.dtype:
        return torch.addmm(z, x, w, out=out)
    return torch.add(z, x.to(w.dtype) @ w, out=out)
