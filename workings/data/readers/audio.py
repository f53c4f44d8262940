"""Sound files of any format as one channel of samples at one sample rate."""

# N samples, C channels

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workings.data.readers import unpack
from workings.errors import WorkingsError

LOWEST_RATE = 1_000  # samples a second: less is no speech, and would be resampled to gigabytes
LOUDEST = 1e6  # sample: of more the spectrum is infinite; some programs write up to 2¹⁵
SILENT = 1e-4  # greatest sample below which there is nothing to hear: -80 dB


@dataclass(frozen=True)
class Sound:
    """One channel of sound.

    Shapes: samples N, between -1 and 1.
    """

    samples: np.ndarray
    rate: int  # samples a second

    @property
    def seconds(self) -> float:
        """How long the sound is."""
        return len(self.samples) / self.rate


def read(path: Path, rate: int = 0) -> Sound:
    """A file's sound: channels averaged, resampled to `rate` (0: as it is), or a one-line error."""
    samples, own = _read_file(path)
    if not len(samples):
        raise WorkingsError(f"{path}: holds no sound, its length is zero")
    if not np.isfinite(samples).all():
        raise WorkingsError(f"{path}: holds samples that are not finite numbers")
    if (loudest := np.abs(samples).max()) > LOUDEST:
        raise WorkingsError(f"{path}: holds a sample of {loudest:g}; they lie between -1 and 1")
    unpack.require_sane(f"{path} at {rate:,} Hz", samples.nbytes, _bytes(len(samples), own, rate))
    mono = samples.mean(axis=1, dtype=np.float32)
    return Sound(resample(mono, own, rate), rate or own)


def own_rate(path: Path) -> int:
    """Samples a second in the file, from its header."""
    import soundfile

    _require_regular(path)
    try:
        return int(soundfile.info(str(path)).samplerate)
    except (soundfile.LibsndfileError, RuntimeError, OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def cut_short(path: Path) -> bool:
    """Whether a WAV file ends before the sound that its header promises.

    A program that did not know the length as it began left the largest number there, or 0.
    """
    try:
        with path.open("rb") as file:
            head = file.read(12)
            held = path.stat().st_size - 8
    except OSError:
        return False
    promised = int.from_bytes(head[4:8], "little")
    is_wav = len(head) == 12 and head[:4] == b"RIFF" and head[8:] == b"WAVE"
    return is_wav and held < promised < 0xFFFFFFFF


def _read_file(path: Path) -> tuple[np.ndarray, int]:
    import soundfile

    _require_regular(path)
    try:
        with soundfile.SoundFile(str(path)) as file:
            if file.samplerate < LOWEST_RATE:
                raise WorkingsError(
                    f"{path}: has a sample rate of {file.samplerate} Hz, too low for speech"
                )
            size = 4 * file.frames * file.channels
            unpack.require_sane(str(path), path.stat().st_size, size)
            return file.read(dtype="float32", always_2d=True), int(file.samplerate)
    except (soundfile.LibsndfileError, RuntimeError, OSError, ValueError, TypeError) as error:
        raise _unreadable(path, error) from None


def _require_regular(path: Path) -> None:
    """A pipe would be waited for, a device read without end."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise WorkingsError(f"{path}: is not a regular file")


def _bytes(samples: int, rate: int, wanted: int) -> int:
    """What one channel takes once it is resampled."""
    return 4 * samples * (wanted or rate) // rate


def _unreadable(path: Path, error: Exception) -> WorkingsError:
    if not path.exists():
        return WorkingsError(f"{path}: no such sound file")
    if path.is_dir():
        return WorkingsError(f"{path}: is a folder, not a sound file")
    reason = str(getattr(error, "error_string", error)).strip().rstrip(".").partition("\n")[0]
    return WorkingsError(
        f"{path}: cannot be read as sound ({reason}); give a WAV, FLAC, OGG, MP3 or AIFF file"
    )


def resample(samples: np.ndarray, rate: int, wanted: int) -> np.ndarray:
    """At another rate, band-limited; 0 or the same rate leaves it alone."""
    if not wanted or wanted == rate:
        return samples
    import soxr

    resampled: object = soxr.resample(samples, rate, wanted)
    return np.asarray(resampled, np.float32)


def is_silent(samples: np.ndarray) -> bool:
    """Whether there is nothing to hear: digital silence, or as good as that."""
    return bool(np.abs(samples).max(initial=0.0) < SILENT)


def trimmed(samples: np.ndarray, rate: int) -> tuple[int, int]:
    """Where the sound begins and ends: what is quieter than 1% of its loudest sample (-40 dB) at
    its ends is silence, of which 50 ms are left."""
    loud = np.flatnonzero(np.abs(samples) > 0.01 * np.abs(samples).max(initial=0.0))
    if not len(loud):
        return 0, len(samples)
    margin = rate // 20
    return max(0, int(loud[0]) - margin), min(len(samples), int(loud[-1]) + 1 + margin)


def cuts(sound: Sound, longest: int) -> list[tuple[int, int]]:
    """Pieces of at most `longest` samples that cover the sound, cut where it is quietest.

    Each cut lies in the later half of what may be taken, in the middle of the quietest 50 ms
    there.
    """
    pieces, start, N = [], 0, len(sound.samples)
    width = max(1, sound.rate // 20)
    while N - start > longest:
        first, last = start + longest // 2, start + longest
        energy = np.convolve(sound.samples[first:last] ** 2, np.ones(min(width, last - first)))
        inner = energy[min(width, last - first) - 1 : last - first]
        cut = first + int(inner.argmin()) + min(width, last - first) // 2
        pieces.append((start, cut))
        start = cut
    return [*pieces, (start, N)]
