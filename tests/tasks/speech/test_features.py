"""Log-mel features against a direct Fourier sum, and against kaldi-native-fbank."""

import math

import numpy as np
import pytest
import torch

from workings.tasks.speech.features import filters, frames_of, hertz, log_mel, mel


def tones(samples: int, rate: int) -> np.ndarray:
    t = np.arange(samples) / rate
    chance = np.random.default_rng(0)
    sound = 0.4 * np.sin(2 * np.pi * 440 * t) + 0.2 * np.sin(2 * np.pi * (900 + 600 * t) * t)
    return (sound * np.hanning(samples) + 0.001 * chance.standard_normal(samples)).astype("f4")


def slow_filters(rate: int, bands: int, window: int) -> np.ndarray:
    """Slaney's triangles, one number at a time."""

    def to_mel(f: float) -> float:
        return f * 3 / 200 if f < 1000 else 15 + math.log(f / 1000) / (math.log(6.4) / 27)

    def to_hertz(m: float) -> float:
        return m * 200 / 3 if m < 15 else 1000 * math.exp((m - 15) * math.log(6.4) / 27)

    top = to_mel(rate / 2)
    edges = [to_hertz(top * i / (bands + 1)) for i in range(bands + 2)]
    table = np.zeros((window // 2 + 1, bands))
    for k in range(window // 2 + 1):
        f = k * rate / window
        for b in range(bands):
            low, middle, high = edges[b : b + 3]
            height = 2 / (high - low)
            if low < f <= middle:
                table[k, b] = height * (f - low) / (middle - low)
            elif middle < f < high:
                table[k, b] = height * (high - f) / (high - middle)
    return table


def slow_log_mel(sound: np.ndarray, rate: int, bands: int, window: int, hop: int) -> np.ndarray:
    """Every frame's Fourier sums written out, in 64 bits."""
    half = window // 2
    padded = np.concatenate([sound[half:0:-1], sound, sound[-2 : -half - 2 : -1]]).astype(float)
    n = np.arange(window)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * n / window)
    waves = np.exp(-2j * np.pi * np.outer(np.arange(half + 1), n) / window)
    rows = []
    for t in range(len(sound) // hop):
        power = np.abs(waves @ (padded[t * hop : t * hop + window] * hann)) ** 2
        rows.append(np.log10(np.maximum(power @ slow_filters(rate, bands, window), 1e-10)))
    log = np.array(rows)
    return (np.maximum(log, log.max() - 8) + 4) / 4


@pytest.mark.parametrize(
    ("rate", "bands", "window", "hop"),
    [(22050, 80, 400, 160), (8000, 80, 400, 160), (16000, 40, 256, 100)],
)
def test_is_the_fourier_sum(rate: int, bands: int, window: int, hop: int) -> None:
    sound = tones(2345, rate)
    given = log_mel(sound, rate, bands, window, hop).numpy()
    expected = slow_log_mel(sound, rate, bands, window, hop)
    assert given.shape == expected.shape == (frames_of(2345, window, hop), bands)
    np.testing.assert_allclose(given, expected, atol=2e-3)
    assert np.abs(given - expected).mean() < 1e-5


def test_filters_are_slaneys() -> None:
    np.testing.assert_allclose(filters(16000).numpy(), slow_filters(16000, 80, 400), atol=1e-8)
    hz = np.array([0.0, 500, 999, 1000, 1001, 4000, 11025])
    np.testing.assert_allclose(hertz(mel(hz)), hz, atol=1e-9)


def test_is_what_kaldi_native_fbank_gives() -> None:
    """Its Whisper features are the mel power of windows centred half a hop later than ours."""
    knf = pytest.importorskip("kaldi_native_fbank")
    sound = tones(16000, 16000)
    options = knf.WhisperFeatureOptions()
    options.dim = 80
    reader = knf.OnlineWhisperFbank(options)
    reader.accept_waveform(16000, np.pad(sound, (80, 0)).tolist())
    reader.input_finished()
    power = np.stack([reader.get_frame(i) for i in range(98)])
    log = np.log10(np.maximum(power, 1e-10))
    log = (np.maximum(log, log.max() - 8) + 4) / 4
    inner = slice(2, 98)  # the ends are filled otherwise
    np.testing.assert_allclose(log_mel(sound, 16000).numpy()[inner], log[inner], atol=2e-3)


def test_louder_is_higher_by_its_power() -> None:
    """Ten times the amplitude is a hundred times the power: 2 in log₁₀, 0.5 in the features."""
    sound = tones(4000, 8000) / 20
    quiet, loud = log_mel(sound, 8000), log_mel(10 * sound, 8000)
    torch.testing.assert_close(loud - quiet, torch.full_like(loud, 0.5), atol=1e-4, rtol=0)


def test_floor_and_shortest() -> None:
    sound = np.zeros(3000, np.float32)
    sound[:200] = tones(200, 8000)
    features = log_mel(sound, 8000)
    assert features.min() == pytest.approx(features.max().item() - 2, abs=1e-6)  # 8 in log₁₀
    for samples in (1, 7, 399, 400, 401):
        short = log_mel(np.ones(samples, np.float32) * 0.1, 8000)
        assert short.shape == (frames_of(samples), 80)
        assert short.isfinite().all()
        assert len(short) >= 1
