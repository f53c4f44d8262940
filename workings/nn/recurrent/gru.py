"""The gated recurrent unit, h_t = (1 - z) ⊙ n + z ⊙ h_{t-1} (Cho et al., 2014)."""

# T time, N rows, B batch, d inputs, D hidden

import torch
from torch import Tensor, nn

from workings.nn.recurrent.small_steps import small_steps


class GRU(nn.GRU):
    """One layer: h_t = (1-u) ⊙ n + u ⊙ h_{t-1}, n = tanh(x_t W + b + r ⊙ (h_{t-1} V + c)).

    The gates are r, u = σ(z), each of a z = x_t W + b + h_{t-1} V + c of its own; those of W, V and
    the biases stand one after the other, r, u, n.

    `step` is the equation as it is written; torch's own kernel computes the whole window.

    inputs: the width d of x; hidden: the units D.

    Shapes: x_TBd and h_1BD (zeros if not given); returns h_TBD and the last h_1BD.
    """

    weight_ih_l0: nn.Parameter
    weight_hh_l0: nn.Parameter
    bias_ih_l0: nn.Parameter
    bias_hh_l0: nn.Parameter

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__(inputs, hidden)

    def forward(  # type: ignore[override]  # torch's takes packed sequences too
        self, x_TBd: Tensor, h_1BD: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        with small_steps(x_TBd.shape[1] * 3 * self.hidden_size**2):
            h_TBD, last_1BD = super().forward(x_TBd, h_1BD)
        return h_TBD, last_1BD

    def project(self, x_Nd: Tensor) -> Tensor:
        """x W + b of all three gates, N×3D: the part that does not wait for the step before."""
        return torch.addmm(self.bias_ih_l0, x_Nd, self.weight_ih_l0.t())

    def step(self, z_B3D: Tensor, h_BD: Tensor | None) -> tuple[Tensor, Tensor]:
        """One step from its projected input: the output and the state, which here are the same."""
        if h_BD is None:
            h_BD = z_B3D.new_zeros(len(z_B3D), self.hidden_size)
        v_B3D = torch.addmm(self.bias_hh_l0, h_BD, self.weight_hh_l0.t())
        z_r, z_u, z_n = z_B3D.chunk(3, 1)
        v_r, v_u, v_n = v_B3D.chunk(3, 1)
        r, u = (z_r + v_r).sigmoid(), (z_u + v_u).sigmoid()
        n = torch.addcmul(z_n, r, v_n).tanh()
        h_BD = torch.lerp(n, h_BD, u)
        return h_BD, h_BD
