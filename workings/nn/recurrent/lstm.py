"""Long short-term memory, c_t = f ⊙ c_{t-1} + i ⊙ g (Hochreiter and Schmidhuber, 1997)."""

# T time, N rows, B batch, d inputs, D hidden

import torch
from torch import Tensor, nn

from workings.nn.dropout import dropout_mask
from workings.nn.recurrent.small_steps import backward_on_one_thread, small_steps

State = tuple[Tensor, Tensor]  # h and c


class LSTM(nn.LSTM):
    """One layer: c_t = f ⊙ c_{t-1} + i ⊙ g, h_t = o ⊙ tanh(c_t).

    The gates are i, f, o = σ(z) and g = tanh(z), each of a z = x_t W + b + h_{t-1} V + b' of its
    own; those of W, V and the biases stand one after the other, i, f, g, o.

    `step` is the equation as it is written; torch's own kernel computes the whole window.

    inputs: the width d of x; hidden: the units D; forget_bias: the forget gate's bias before
    training (a gate that starts open lets the gradient through). The other biases start at zero.
    dropout_recurrent: the probability of dropping an entry of V in training, the same ones in every
    step of a window (DropConnect; Merity, Keskar and Socher, 2018).

    Shapes: x_TBd and (h_1BD, c_1BD), zeros if not given; returns h_TBD and the last (h, c).
    """

    weight_ih_l0: nn.Parameter
    weight_hh_l0: nn.Parameter
    bias_ih_l0: nn.Parameter
    bias_hh_l0: nn.Parameter

    def __init__(
        self,
        inputs: int,
        hidden: int,
        forget_bias: float = 1.0,
        *,
        dropout_recurrent: float = 0.0,
    ) -> None:
        super().__init__(inputs, hidden)
        self.dropout_recurrent = dropout_recurrent
        nn.init.zeros_(self.bias_ih_l0)
        nn.init.zeros_(self.bias_hh_l0)
        nn.init.constant_(self.bias_ih_l0.data[hidden : 2 * hidden], forget_bias)  # i f g o

    def forward(  # type: ignore[override]  # torch's takes packed sequences too
        self, x_TBd: Tensor, state: State | None = None
    ) -> tuple[Tensor, State]:
        step = x_TBd.shape[1] * 4 * self.hidden_size**2  # multiply-adds of h V
        with small_steps(step):
            if self.training and self.dropout_recurrent:
                h_TBD, after = self._with_dropped_weights(x_TBd, state)
            else:
                h_TBD, after = super().forward(x_TBd, state)
        backward_on_one_thread(h_TBD, step)
        if h_TBD.dtype == self.weight_hh_l0.dtype:
            return h_TBD, after
        # Under autocast: what is carried through a whole text is not to be of few bits.
        h_TBD, h_1BD, c_1BD = (each.to(self.weight_hh_l0.dtype) for each in (h_TBD, *after))
        return h_TBD, (h_1BD, c_1BD)

    def _with_dropped_weights(self, x_TBd: Tensor, state: State | None) -> tuple[Tensor, State]:
        V = self.weight_hh_l0
        dropped_V = V * dropout_mask(V.shape, self.dropout_recurrent, V)
        if state is None:
            zeros_1BD = x_TBd.new_zeros(1, x_TBd.shape[1], self.hidden_size)
            state = (zeros_1BD, zeros_1BD)
        weights = (self.weight_ih_l0, dropped_V, self.bias_ih_l0, self.bias_hh_l0)
        h_TBD, h_1BD, c_1BD = torch.lstm(x_TBd, state, weights, True, 1, 0.0, True, False, False)
        return h_TBD, (h_1BD, c_1BD)

    def project(self, x_Nd: Tensor) -> Tensor:
        """x W + b of all four gates, N×4D: the part that does not wait for the step before."""
        return torch.addmm(self.bias_ih_l0 + self.bias_hh_l0, x_Nd, self.weight_ih_l0.t())

    def step(self, z_B4D: Tensor, state: State | None) -> tuple[Tensor, State]:
        """One step from its projected input: the output and the state (h, c), each B×D."""
        if state is not None:
            z_B4D = torch.addmm(z_B4D, state[0], self.weight_hh_l0.t())
        i, f, g, o = z_B4D.chunk(4, 1)
        c_BD = i.sigmoid() * g.tanh()
        if state is not None:
            c_BD = torch.addcmul(c_BD, f.sigmoid(), state[1])
        h_BD = o.sigmoid() * c_BD.tanh()
        return h_BD, (h_BD, c_BD)
