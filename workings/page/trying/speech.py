"""A clip that was recorded or dropped: its transcript, and where the model listened."""

import base64
import io
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch

from workings.data.readers import audio
from workings.errors import WorkingsError
from workings.page.trying.opened import run_at
from workings.run.run import Run
from workings.tasks.speech.corpus import DigitSpeech
from workings.tasks.speech.features import log_mel
from workings.tasks.speech.task import SpeechTask

EXAMPLES = 6
COLUMNS = 240  # of a drawn spectrogram
LONGEST = 120.0  # seconds


def _task(run: Run) -> SpeechTask:
    if not isinstance(run.task, SpeechTask):
        raise WorkingsError(f"{run.folder.path}: is no speech run")
    return run.task


def first(run: Run) -> dict[str, object]:
    """Some test clips to try, where the recordings are at hand."""
    try:
        said, _ = _examples(_task(run))
    except WorkingsError as error:
        return {"examples": [], "without": str(error)}
    return {"examples": said}


def _examples(task: SpeechTask) -> tuple[list[str], Callable[[int, Path], Path]]:
    """What is said in some test clips, and the file of each; joined digits go into a folder."""
    heard = task.heard
    if isinstance(heard, DigitSpeech):
        joined = heard.drawn("test", EXAMPLES)

        def written(number: int, folder: Path) -> Path:
            import soundfile

            file = folder / "digits.wav"
            soundfile.write(file, joined.samples(number), joined.rate, subtype="FLOAT")
            return file

        return list(joined.texts), written
    clips = heard.recordings()["test"][:EXAMPLES]
    return [each.text for each in clips], lambda number, folder: clips[number].path


def example(path: str, trust: bool, number: int) -> Iterator[dict[str, object]]:
    """What is heard in a test clip, with its sound."""
    run = run_at(path, trust)
    said, file_of = _examples(_task(run))
    if not 0 <= number < len(said):
        raise WorkingsError(f"{number}: there are {len(said)} clips to choose from")
    with tempfile.TemporaryDirectory() as folder:
        file = file_of(number, Path(folder))
        yield {**_heard(run, file), "said": said[number], "wav": _wav(file)}


def clip(path: str, trust: bool, file: str) -> Iterator[dict[str, object]]:
    """What is heard in a sound file."""
    run = run_at(path, trust)
    try:
        yield _heard(run, Path(file))
    except WorkingsError as error:
        raise WorkingsError(str(error).replace(file, "the clip")) from None


def _heard(run: Run, file: Path) -> dict[str, object]:
    task = _task(run)
    sound = audio.read(file, task.about["rate"])
    if sound.seconds > LONGEST:
        raise WorkingsError(f"the clip: is {sound.seconds:.0f} s long; at most {LONGEST:.0f} s")
    aligns = hasattr(run.model, "alignment")
    heard = run.transcribe(file, alignment=aligns)
    data = task.data
    with torch.inference_mode():
        mel_TF = log_mel(sound.samples, sound.rate, data.bands, data.window, data.hop)
    pieces = []
    for number, piece in enumerate(heard.pieces):
        _, starts, weights = heard.alignment[number] if aligns else ([], [], [])
        pieces.append(
            {
                "start": piece.start,
                "end": piece.end,
                "tokens": piece.tokens,
                "times": [starts[int(np.argmax(row))] for row in weights],
                "weights": [[round(value, 3) for value in row] for row in weights],
            }
        )
    return {
        "text": heard.text,
        "seconds": heard.seconds,
        "silent": heard.silent,
        "pieces": pieces,
        "spectrogram": _drawn(mel_TF.numpy()),
    }


def _drawn(mel_TF: np.ndarray) -> list[list[int]]:
    """The spectrogram by band and moment, 0 to 255, with so many columns at most."""
    every = max(1, -(-len(mel_TF) // COLUMNS))
    thin = np.stack([mel_TF[at : at + every].mean(0) for at in range(0, len(mel_TF), every)], 1)
    low, high = np.percentile(thin, [2, 99.5])
    scaled: list[list[int]] = (
        (255 * ((thin - low) / max(high - low, 1e-9)).clip(0, 1)).astype(int).tolist()
    )
    return scaled


def _wav(file: Path) -> str:
    import soundfile

    sound, written = audio.read(file), io.BytesIO()
    soundfile.write(written, sound.samples, sound.rate, format="WAV", subtype="PCM_16")
    return base64.b64encode(written.getvalue()).decode()
