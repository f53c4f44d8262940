"""Changing images at random while training on them, a whole batch at a time.

All random numbers come from torch's global generator, which a run's checkpoint holds.
"""

# B batch, C channels, H height, W width

import math

import torch
from torch import Tensor
from torch.nn import functional as F


def flip(x_BCHW: Tensor) -> Tensor:
    """Each image mirrored left to right, or not, with probability 1/2."""
    mirrored_B111 = torch.rand(len(x_BCHW), 1, 1, 1, device=x_BCHW.device) < 0.5
    return torch.where(mirrored_B111, x_BCHW.flip(3), x_BCHW)


def shift(x_BCHW: Tensor, most: int, fill: Tensor) -> Tensor:
    """Each image moved by up to `most` whole pixels down or up and right or left, alike likely.

    fill: C values, of the pixels that come in at the edges.
    """
    B, C, H, W = x_BCHW.shape
    wide = fill.to(x_BCHW).view(1, C, 1, 1).expand(B, C, H + 2 * most, W + 2 * most).clone()
    wide[:, :, most : most + H, most : most + W] = x_BCHW
    by_2B = torch.randint(0, 2 * most + 1, (2, B), device=x_BCHW.device)
    rows_BH = by_2B[0, :, None] + torch.arange(H, device=x_BCHW.device)
    columns_BW = by_2B[1, :, None] + torch.arange(W, device=x_BCHW.device)
    taken = wide.gather(2, rows_BH[:, None, :, None].expand(B, C, H, wide.shape[3]))
    return taken.gather(3, columns_BW[:, None, None, :].expand(B, C, H, W))


def four_ways(pixels_NCHW: Tensor, by: int) -> list[Tensor]:
    """All images moved by so many whole pixels down, up, right, left; black comes in at the edge.

    pixels_NCHW: as files have them, where black is 0.
    """
    down, right = torch.zeros_like(pixels_NCHW), torch.zeros_like(pixels_NCHW)
    up, left = torch.zeros_like(pixels_NCHW), torch.zeros_like(pixels_NCHW)
    down[:, :, by:], up[:, :, :-by] = pixels_NCHW[:, :, :-by], pixels_NCHW[:, :, by:]
    right[..., by:], left[..., :-by] = pixels_NCHW[..., :-by], pixels_NCHW[..., by:]
    return [down, up, right, left]


def cutout(x_BCHW: Tensor, side: int, fill: Tensor) -> Tensor:
    """Each image with a square of that side blanked, its middle anywhere (DeVries et al., 2017).

    fill: C values, of the blanked pixels. At the edges a part of the square is outside.
    """
    B, C, H, W = x_BCHW.shape
    device = x_BCHW.device
    top_B11 = torch.randint(0, H, (B, 1, 1), device=device) - side // 2
    left_B11 = torch.randint(0, W, (B, 1, 1), device=device) - side // 2
    row_H1, column_W = torch.arange(H, device=device)[:, None], torch.arange(W, device=device)
    blank_BHW = (row_H1 >= top_B11) & (row_H1 < top_B11 + side)
    blank_BHW = blank_BHW & (column_W >= left_B11) & (column_W < left_B11 + side)
    return torch.where(blank_BHW[:, None], fill.to(x_BCHW).view(1, C, 1, 1), x_BCHW)


def mixing(batch: int, alpha: float, device: torch.device) -> tuple[float, Tensor]:
    """What mixup draws (Zhang et al., 2018): the share λ from Beta(α, α), and a new order."""
    share = torch.distributions.Beta(alpha, alpha).sample().item()
    return share, torch.randperm(batch, device=device)


def rotate(x_BCHW: Tensor, most: float, fill: Tensor) -> Tensor:
    """Each image turned about its middle by up to `most` degrees either way, all alike likely."""
    B, C, H, W = x_BCHW.shape
    angle_B = (2 * torch.rand(B, device=x_BCHW.device) - 1) * math.radians(most)
    cos, sin, zero = angle_B.cos(), angle_B.sin(), torch.zeros_like(angle_B)
    # In the grid's coordinates both sides are 2 long: a turn of an oblong needs their ratio.
    turn_B23 = torch.stack([cos, -sin * (H / W), zero, sin * (W / H), cos, zero], 1).view(B, 2, 3)
    grid = F.affine_grid(turn_B23.to(x_BCHW.dtype), [B, C, H, W], align_corners=False)
    black = fill.to(x_BCHW).view(1, C, 1, 1)
    return F.grid_sample(x_BCHW - black, grid, align_corners=False) + black
