"""Speech to characters: sound to states, text so far to the next character; torch alone."""

# B batch, T frames, F bands, S encoded frames, L tokens, W width, H heads, D = W/H, V symbols

import math
from typing import TypedDict

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Sound(TypedDict):
    """How sound becomes features, as config.json has it."""

    window: int
    hop: int
    filters: list[list[float]]


class Config(TypedDict):
    """The sizes of the model, as config.json has them."""

    bands: int
    symbols: int
    width: int
    heads: int
    blocks: int
    feedforward: int
    stride: int
    layers: int
    decoder: str


def log_mel(samples_N: Tensor, config: Sound) -> Tensor:
    """The features T×F of a sound: log power in mel bands, the greatest less 8 at least.

    config: rate, window and hop in samples, and `filters`, the weight of every frequency in every
    band. samples: between -1 and 1, of that rate.
    """
    window, filters_KF = config["window"], torch.tensor(config["filters"])
    sound = F.pad(samples_N, (0, max(0, window - len(samples_N))))
    hann = torch.hann_window(window)
    spectrum = torch.stft(sound, window, config["hop"], window=hann, return_complex=True)
    power_KT = spectrum[:, :-1].abs() ** 2
    log_TF = (power_KT.T @ filters_KF).clamp(min=1e-10).log10()
    return (torch.maximum(log_TF, log_TF.max() - 8) + 4) / 4


def sinusoids(like_BLW: Tensor) -> Tensor:
    """sin(t ω_i) in the first half of the width, cos(t ω_i) in the second; L×W."""
    length, width = like_BLW.shape[1:]
    half = torch.arange(width // 2, dtype=torch.float64)
    angles = torch.arange(length)[:, None] * torch.exp(half * (-2 * math.log(10_000) / width))
    return torch.cat([angles.sin(), angles.cos()], 1).to(like_BLW.dtype)


class Attention(nn.Module):
    """softmax(Q Kᵀ/√D) V with heads; keys and values of x, or of a context.

    Shapes: x B×L×W, context B×S×W; returns B×L×W.
    """

    def __init__(self, width: int, heads: int, causal: bool = False) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.query, self.output = nn.Linear(width, width), nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)

    def forward(self, x: Tensor, context: Tensor) -> Tensor:
        made = (self.query(x), *self.key_value(context).chunk(2, -1))
        q, k, v = (each.unflatten(-1, (self.heads, -1)).transpose(1, 2) for each in made)
        s = q @ k.mT * q.shape[-1] ** -0.5
        if self.causal:
            here = torch.arange(x.shape[1])
            s = s.masked_fill(here[None, :] > here[:, None], -torch.inf)
        return self.output((s.softmax(-1) @ v).transpose(1, 2).flatten(-2))


class Residual(nn.Module):
    """LN(x + f(LN(x)))."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)


class LSTM(nn.LSTM):
    """c_t = f ⊙ c_{t-1} + i ⊙ g, h_t = o ⊙ tanh(c_t)."""

    weight_ih_l0: Tensor
    weight_hh_l0: Tensor
    bias_ih_l0: Tensor
    bias_hh_l0: Tensor

    def step(self, x_BD: Tensor, h_BD: Tensor, c_BD: Tensor) -> tuple[Tensor, ...]:
        """One token further."""
        z = x_BD @ self.weight_ih_l0.t() + self.bias_ih_l0
        i, f, g, o = (z + h_BD @ self.weight_hh_l0.t() + self.bias_hh_l0).chunk(4, 1)
        c_BD = f.sigmoid() * c_BD + i.sigmoid() * g.tanh()
        return o.sigmoid() * c_BD.tanh(), c_BD


class Block(nn.Module):
    """x = LN(x + Attention(LN(x))), then LN(x + W_2 GELU(W_1 LN(x))): a block of the encoder.

    Shapes: x B×S×W; returns the same.
    """

    def __init__(self, width: int, heads: int, inner: int) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        inside, outside = nn.Linear(width, inner), nn.Linear(inner, width)
        self.feedforward = nn.Sequential(inside, nn.GELU(), outside)
        self.around_attention, self.around_feedforward = Residual(width), Residual(width)

    def forward(self, x: Tensor) -> Tensor:
        around, y = self.around_attention, self.around_attention.before(x)
        x = around.after(x + self.attention(y, y))
        around = self.around_feedforward
        return around.after(x + self.feedforward(around.before(x)))


class Encoder(nn.Module):
    """Two convolutions, positions, blocks; features B×T×F to states B×S×W."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        width = config["width"]
        self.first = nn.Conv1d(config["bands"], width, 3, padding=1)
        self.second = nn.Conv1d(width, width, 3, padding=1, stride=config["stride"])
        sizes = width, config["heads"], config["feedforward"]
        self.blocks = nn.ModuleList(Block(*sizes) for _ in range(config["blocks"]))
        self.norm = nn.LayerNorm(width)

    def forward(self, features_BTF: Tensor) -> Tensor:
        x_BWS = F.gelu(self.second(F.gelu(self.first(features_BTF.transpose(1, 2)))))
        h_BSW = x_BWS.transpose(1, 2)
        h_BSW = h_BSW + sinusoids(h_BSW)
        for block in self.blocks:
            h_BSW = block(h_BSW)
        return self.norm(h_BSW)


class DecoderLayer(nn.Module):
    """What has been written, by an LSTM or self-attention; then what is heard."""

    def __init__(self, recurrent: bool, width: int, heads: int) -> None:
        super().__init__()
        self.recurrent = recurrent
        if recurrent:
            self.lstm = LSTM(width, width)
        else:
            self.attention, self.around_attention = Attention(width, heads, True), Residual(width)
        self.cross, self.around_cross = Attention(width, heads), Residual(width)


class Decoder(nn.Module):
    """Logits B×L×V of the token after each, from tokens B×L and states of the sound B×S×W."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        width, self.recurrent = config["width"], config["decoder"] == "recurrent"
        self.embedding = nn.Embedding(config["symbols"], width)
        if self.recurrent:
            self.norm_embedding = nn.LayerNorm(width)
        self.layers = nn.ModuleList(
            DecoderLayer(self.recurrent, width, config["heads"]) for _ in range(config["layers"])
        )
        self.norm, self.output = nn.LayerNorm(width), nn.Linear(width, config["symbols"])

    def forward(self, tokens_BL: Tensor, sound_BSW: Tensor) -> Tensor:
        x_BLW = self.embedding(tokens_BL)
        x_BLW = self.norm_embedding(x_BLW) if self.recurrent else x_BLW + sinusoids(x_BLW)
        for layer in self.layers:
            assert isinstance(layer, DecoderLayer)
            if self.recurrent:
                zeros, x_LBW = torch.zeros_like(x_BLW[:, 0]), x_BLW.transpose(0, 1)
                x_BLW = self.recur(layer.lstm, x_LBW, (zeros, zeros))[0].transpose(0, 1)
            else:
                around, y_BLW = layer.around_attention, layer.around_attention.before(x_BLW)
                x_BLW = around.after(x_BLW + layer.attention(y_BLW, y_BLW))
            around = layer.around_cross
            x_BLW = around.after(x_BLW + layer.cross(around.before(x_BLW), sound_BSW))
        return self.output(self.norm(x_BLW))

    @staticmethod
    def recur(layer: LSTM, x_LBW: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, list[Tensor]]:
        """All steps of one layer, one after the other."""
        outputs = []
        for x_BW in x_LBW:
            state = layer.step(x_BW, *state)
            outputs.append(state[0])
        return torch.stack(outputs), list(state)


class Model(nn.Module):
    """The likeliest text of a sound, character by character.

    config: bands F, symbols V, width W, heads, blocks, feedforward, stride, layers, decoder
    (recurrent, attention).

    Shapes: features_BTF, tokens_BL; returns logits B×L×V.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.encoder, self.decoder = Encoder(config), Decoder(config)

    def forward(self, features_BTF: Tensor, tokens_BL: Tensor) -> Tensor:
        return self.decoder(tokens_BL, self.encoder(features_BTF))

    @torch.no_grad()
    def write(self, features_TF: Tensor, symbols: list[str], most: int) -> str:
        """The likeliest next character each time, from <begin> (1) to <end> (2)."""
        sound, tokens = self.encoder(features_TF[None]), [1]
        while len(tokens) <= most:
            logits_V = self.decoder(torch.tensor([tokens]), sound)[0, -1]
            logits_V[:2] = -torch.inf  # neither <pad> nor <begin>
            tokens.append(int(logits_V.argmax()))
            if tokens[-1] == 2:
                break
        return "".join(symbols[token] for token in tokens[1:] if token > 3)
