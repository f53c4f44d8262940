"""SpecAugment: masking bands and frames in training, so that a model relies on none of them."""

# B clips, T frames, F bands

import torch
from torch import Tensor


def blank(x_BTF: Tensor, frames_B: Tensor, bands: int, frames: int) -> Tensor:
    """SpecAugment (Park et al., 2019): two masks of bands, two of frames, of random widths.

    Widths are uniform from 0 to the given one, positions too; a mask of frames covers a tenth of
    a clip at most. What is masked becomes the clip's mean.
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
    """A mask of a random stretch, 0 to most_B long, within the first lengths_B, B×size."""
    uniform = torch.rand(2, len(lengths_B), device=lengths_B.device)
    width_B = (uniform[0] * (most_B + 1)).floor()
    start_B = (uniform[1] * (lengths_B - width_B + 1)).floor()
    positions = torch.arange(size, device=lengths_B.device)
    return (positions >= start_B[:, None]) & (positions < (start_B + width_B)[:, None])
