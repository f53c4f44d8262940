"""Blanking parts of what is heard, so that a model learns not to rely on any one of them."""

# B clips, T frames, F bands

import torch
from torch import Tensor


def blank(x_BTF: Tensor, frames_B: Tensor, bands: int, frames: int) -> Tensor:
    """SpecAugment (Park et al., 2019): two masks of bands and two of frames, each of its own width.

    Widths are uniform from 0 to the given one, places uniform; a mask of frames covers a tenth of
    a clip at most. Blanked is the clip's mean.
    """
    if not bands and not frames:
        return x_BTF
    B, T, F = x_BTF.shape
    hidden = torch.zeros(B, T, F, dtype=torch.bool, device=x_BTF.device)
    all_B = torch.full_like(frames_B, F)
    for _ in range(2):
        hidden |= _stretch(F, all_B, torch.full_like(frames_B, min(bands, F)))[:, None, :]
        hidden |= _stretch(T, frames_B, (frames_B // 10).clamp(max=frames))[:, :, None]
    mean_B = x_BTF.sum((1, 2)) / (frames_B * F)
    return torch.where(hidden, mean_B[:, None, None], x_BTF)


def _stretch(size: int, lengths_B: Tensor, most_B: Tensor) -> Tensor:
    """A random stretch of 0 to most_B places within the first lengths_B, B×size."""
    chance = torch.rand(2, len(lengths_B), device=lengths_B.device)
    width_B = (chance[0] * (most_B + 1)).floor()
    start_B = (chance[1] * (lengths_B - width_B + 1)).floor()
    places = torch.arange(size, device=lengths_B.device)
    return (places >= start_B[:, None]) & (places < (start_B + width_B)[:, None])
