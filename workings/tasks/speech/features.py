"""Feature extraction: log-mel spectrograms, on torch.stft."""

# N samples, T frames, K frequencies, F bands

import functools
import math

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

BANDS, WINDOW, HOP = 80, 400, 160  # bands, samples of a window (n_fft), samples between windows
LINEAR = 200 / 3  # hertz a mel below 1,000 Hz; above, 27 mels are a factor of 6.4
KNEE = 1000.0


def mel(hertz: np.ndarray) -> np.ndarray:
    """Slaney's scale: linear up to 1,000 Hz, logarithmic from there."""
    above = KNEE / LINEAR + np.log(np.maximum(hertz, KNEE) / KNEE) * 27 / math.log(6.4)
    return np.where(hertz < KNEE, hertz / LINEAR, above)


def hertz(mels: np.ndarray) -> np.ndarray:
    """The inverse of `mel`."""
    above = KNEE * np.exp((mels - KNEE / LINEAR) * math.log(6.4) / 27)
    return np.where(mels < KNEE / LINEAR, mels * LINEAR, above)


@functools.lru_cache(8)
def filters(rate: int, bands: int = BANDS, window: int = WINDOW) -> Tensor:
    """Triangles of area 1 (Slaney's norm), evenly spaced in mels from 0 to half the rate; K×F."""
    edges = hertz(np.linspace(0, mel(np.array(rate / 2)), bands + 2))
    frequencies = np.arange(window // 2 + 1) * rate / window
    rising = (frequencies[:, None] - edges[:-2]) / np.diff(edges)[:-1]
    falling = (edges[2:] - frequencies[:, None]) / np.diff(edges)[1:]
    triangles = np.maximum(0, np.minimum(rising, falling))
    return torch.from_numpy(triangles * 2 / (edges[2:] - edges[:-2])).float()


def frames_of(samples: int, window: int = WINDOW, hop: int = HOP) -> int:
    """Frames that so many samples become: one a whole hop; less than a window counts as one."""
    return max(samples, window) // hop


def log_mel(
    samples: np.ndarray, rate: int, bands: int = BANDS, window: int = WINDOW, hop: int = HOP
) -> Tensor:
    """(max(log₁₀ max(mel power, 1e-10), greatest - 8) + 4) / 4.

    Hann windows, centred, with the sound reflected at its ends; the last frame is left out, so
    that there is one for every whole hop. What is shorter than a window is filled with silence.

    Shapes: samples N, between -1 and 1; returns T×F with T = `frames_of(N)`.
    """
    sound = torch.from_numpy(np.ascontiguousarray(samples, np.float32))
    sound = F.pad(sound, (0, max(0, window - len(sound))))
    spectrum = torch.stft(
        sound, window, hop, window=torch.hann_window(window), return_complex=True
    )[:, :-1]
    power_KT = spectrum.abs() ** 2
    log = (power_KT.T @ filters(rate, bands, window)).clamp(min=1e-10).log10()
    return (torch.maximum(log, log.max() - 8) + 4) / 4
