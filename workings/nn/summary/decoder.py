"""The decoder of the summariser: an LSTM with attention, which writes words or copies tokens."""

# B snippets, S tokens, L words, D width, V words that can be written, X with those to be copied

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.nn.dropout import Dropout
from workings.nn.recurrent.lstm import LSTM, State

LEAST = 1e-30  # of a copied word's probability, so that its logarithm is finite


class SummaryDecoder(nn.Module):
    """A pointer-generator (See et al., 2017), with bilinear attention (Luong et al., 2015).

    s_l = LSTM(E[w_{l-1}], s_{l-1}), s_0 from the mean of h;
    a_l = softmax_i(s_l A h_iᵀ);  c_l = Σ_i a_li h_i;  o_l = tanh([s_l; c_l] W + b);
    g_l = σ([s_l; c_l; E[w_{l-1}]] u + d), how likely a word is written and not copied;
    P(w) = g_l softmax(o_l Eᵀ + e)_w + (1 - g_l) Σ_{i: token i is w} a_li.

    outputs: V; E holds their embeddings first. copy_tokens: false: g_l = 1.

    Shapes: x_BLD embedded words, each after the one before, h_BSD, inside_BS which of S are tokens,
    copies_BS the word that each token is, below X; returns log P, B×L×X.
    """

    def __init__(self, width: int, outputs: int, copy_tokens: bool, dropout: float) -> None:
        super().__init__()
        self.outputs, self.copy_tokens = outputs, copy_tokens
        self.lstm = LSTM(width, width)
        self.first = nn.Linear(width, 2 * width)
        self.A = nn.Linear(width, width, bias=False)
        self.W = nn.Linear(2 * width, width)
        self.gate = nn.Linear(3 * width, 1)
        self.bias_V = nn.Parameter(torch.zeros(outputs))
        self.dropout = Dropout(dropout)

    def start(self, h_BSD: Tensor, inside_BS: Tensor) -> State:
        """(h, c) before the first word, each 1×B×D."""
        weights_BS = inside_BS / inside_BS.sum(1, keepdim=True).clamp_min(1)
        mean_BD = (weights_BS[:, None] @ h_BSD)[:, 0]
        h_BD, c_BD = self.first(mean_BD).tanh().chunk(2, 1)
        return h_BD[None].contiguous(), c_BD[None].contiguous()

    def forward(
        self,
        x_BLD: Tensor,
        h_BSD: Tensor,
        inside_BS: Tensor,
        copies_BS: Tensor,
        extended: int,
        embedding_VD: Tensor,
        state: State,
    ) -> tuple[Tensor, Tensor, Tensor, State]:
        """log P B×L×X (X = extended), the attention B×L×S, g B×L, and the state afterwards."""
        x_BLD = self.dropout(x_BLD)
        s_LBD, state = self.lstm(x_BLD.transpose(0, 1), state)
        s_BLD = s_LBD.transpose(0, 1)
        scores_BLS = self.A(s_BLD) @ h_BSD.transpose(1, 2)
        a_BLS = scores_BLS.masked_fill(~inside_BS[:, None], -torch.inf).softmax(2)
        both_BL2D = torch.cat([s_BLD, a_BLS @ h_BSD], 2)
        o_BLD = self.dropout(self.W(both_BL2D).tanh())
        written_BLV = F.linear(o_BLD, embedding_VD[: self.outputs], self.bias_V).log_softmax(2)
        written_BLX = F.pad(written_BLV, (0, extended - self.outputs), value=-torch.inf)
        gate_BL1 = self.gate(torch.cat([both_BL2D, x_BLD], 2))
        if not self.copy_tokens:
            return written_BLX, a_BLS, torch.ones_like(gate_BL1)[..., 0], state
        index_BLS = copies_BS[:, None].expand_as(a_BLS)
        copied_BLX = torch.zeros_like(written_BLX).scatter_add(2, index_BLS, a_BLS)
        log_BLX = torch.logaddexp(
            F.logsigmoid(gate_BL1) + written_BLX,
            F.logsigmoid(-gate_BL1) + copied_BLX.clamp_min(LEAST).log(),
        )
        return log_BLX, a_BLS, gate_BL1.sigmoid()[..., 0], state
