"""Images as text, for a terminal."""

# N images, K classes

from collections.abc import Sequence

from torch import Tensor
from torch.nn import functional as F

from workings.tasks.images.dataset import Images

SHADES = " ░▒▓█"
WIDE = 28  # most characters that an image takes from left to right


def drawn(pixels_CHW: Tensor) -> list[str]:
    """Lines of shades, bright ones full; a character is twice as tall as it is wide."""
    grey_HW = pixels_CHW.float().mean(0)
    height, width = grey_HW.shape
    columns = min(WIDE, width)
    rows = max(1, round(height * columns / width / 2))
    grey = F.interpolate(grey_HW[None, None], (rows, columns), mode="bilinear", antialias=True)
    level = (grey[0, 0] / 256 * len(SHADES)).long().clamp_(0, len(SHADES) - 1)
    return ["".join(SHADES[shade] for shade in row) for row in level.tolist()]


def caption(p_K: Tensor, label: int, names: Sequence[str]) -> str:
    """What the image was taken for, how surely, and what it is if not that."""
    best = int(p_K.argmax())
    wrong = "" if best == label else f", is {names[label]}"
    return f"{names[best]} {p_K[best]:.0%}{wrong}"


def side_by_side(examples: Images, p_NK: Tensor, names: Sequence[str], gap: str = "   ") -> str:
    """The images in a row, their captions below."""
    columns = [
        [*drawn(pixels), caption(p_K, int(label), names)]
        for pixels, p_K, label in zip(examples.pixels, p_NK, examples.labels, strict=True)
    ]
    widths = [max(map(len, column)) for column in columns]
    lines = [
        gap.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*columns, strict=True)
    ]
    return "\n  ".join(lines)
