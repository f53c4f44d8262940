"""The encoder of the speech model: two convolutions, positions, blocks of self-attention."""

# B batch, T frames, F bands, S encoded frames, D width

from torch import Tensor, nn
from torch.nn import functional as F

from workings.nn.attention.softmax import Attention
from workings.nn.dropout import Dropout
from workings.nn.speech.positions import sinusoids
from workings.nn.speech.residual import Residual, feedforward


def inside(length: int, lengths_B: Tensor) -> Tensor:
    """Which of `length` positions belong to each row, B×length: the first lengths_B of them."""
    positions = lengths_B.new_tensor(range(length))
    return positions < lengths_B[:, None]


class EncoderBlock(nn.Module):
    """Two sub-blocks: self-attention among all frames, then feed-forward in each.

    y = LN(x + SelfAttention(LN(x))), then LN(y + W_2 GELU(W_1 LN(y))), the W with biases.

    Shapes: x_BSD; returns B×S×D.
    """

    def __init__(self, width: int, heads: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.attention = Attention(width, heads, bias=True)
        self.feedforward = feedforward(width, inner)
        self.around_attention = Residual(width, dropout)
        self.around_feedforward = Residual(width, dropout)

    def forward(self, x_BSD: Tensor, mask: Tensor | None) -> Tensor:
        x_BSD = self.around_attention(x_BSD, lambda x: self.attention(x, mask=mask))
        return self.around_feedforward(x_BSD, self.feedforward)


class SpeechEncoder(nn.Module):
    """conv k3 · GELU · conv k3 stride 2 · GELU · + positions · blocks · LayerNorm.

    A convolution is y_t = x_{t-1} K_1 + x_t K_2 + x_{t+1} K_3 + b.

    A row's padding is as if it were not there: it is zero before each convolution, as beyond the
    end of a clip, and nothing attends to it.

    Shapes: x_BTF features, frames_B of each; returns h_BSD with S = ⌈T/stride⌉, and S of each, B.
    """

    def __init__(
        self,
        bands: int,
        width: int,
        heads: int,
        blocks: int,
        inner: int,
        dropout: float,
        stride: int = 2,
    ) -> None:
        super().__init__()
        self.width, self.stride = width, stride
        self.first = nn.Conv1d(bands, width, 3, padding=1)
        self.second = nn.Conv1d(width, width, 3, padding=1, stride=stride)
        self.blocks = nn.ModuleList(
            EncoderBlock(width, heads, inner, dropout) for _ in range(blocks)
        )
        self.norm = nn.LayerNorm(width)
        self.dropout = Dropout(dropout)

    def forward(self, x_BTF: Tensor, frames_B: Tensor) -> tuple[Tensor, Tensor]:
        ragged = bool((frames_B < x_BTF.shape[1]).any())
        within = inside(x_BTF.shape[1], frames_B)[:, None] if ragged else None
        x_BDT = x_BTF.transpose(1, 2)
        x_BDT = self.first(x_BDT if within is None else x_BDT * within)
        x_BDT = F.gelu(x_BDT if within is None else x_BDT * within)  # GELU keeps zero
        h_BSD = F.gelu(self.second(x_BDT)).transpose(1, 2)
        S = h_BSD.shape[1]
        encoded_B = (frames_B + self.stride - 1) // self.stride
        h_BSD = self.dropout(h_BSD + sinusoids(0, S, self.width, self.norm.weight))
        mask = inside(S, encoded_B)[:, None, None] if ragged else None
        for block in self.blocks:
            h_BSD = block(h_BSD, mask)
        return self.norm(h_BSD), encoded_B
