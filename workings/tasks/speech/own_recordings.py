"""What the user's own recordings are read with, where the config does not say."""

from collections.abc import Mapping, Sized
from pathlib import Path

from workings.tasks.speech import alphabet, recordings, splits
from workings.tasks.speech.config import SpeechData
from workings.tasks.speech.feature_cache import common_rate

RATE = 16_000  # samples a second: speech has little above 8,000 Hz
WINDOW_MS, HOP_MS = 25.0, 10.0
FEW_VALID = 20  # clips for validation, below which more than the usual share are taken,
LARGER_SHARE = 0.15  # up to this one
LONGEST = 1000  # tokens of a text, up to which max_tokens is raised by itself


def settle_recordings(data: SpeechData) -> tuple[SpeechData, list[str]]:
    """The config with rate, windows, alphabet, split and text length settled; what was chosen."""
    every, given = recordings.listed(Path(data.path)).recordings, data.model_fields_set
    settled: dict[str, object] = {}
    chosen: list[str] = []
    rate = data.rate
    if not given & {"rate", "window", "hop"}:  # windows in samples are of the recordings' own rate
        rate = settled["rate"] = RATE
        chosen.append(f"sound at {RATE:,} samples a second (data.rate)")
    rate = rate or common_rate(every)
    for key, usual in (("window", WINDOW_MS), ("hop", HOP_MS)):
        asked = getattr(data, f"{key}_ms")
        if asked or key not in given:
            settled[key] = max(1, round((asked or usual) * rate / 1000))
    if not data.alphabet:
        letters = alphabet.fitting(recording.text for recording in every)
        settled["alphabet"] = letters
        others = letters.removeprefix(alphabet.LETTERS)
        if others:
            chosen.append(f"letters besides a to z: {' '.join(others)} (data.alphabet)")
    if "unknown" not in given:
        settled["unknown"] = "drop"  # marks that nobody hears
    if (Path(data.path) / "about.json").is_file():  # it says what the splits are
        settled["split"] = "position"
    elif data.split == "auto":
        settled["split"] = splits.fitting(every)
        chosen.append(f"clips split {SPLIT_WORDS[str(settled['split'])]} (data.split)")
    usual = data.sizes(len(every))["valid"] if every else FEW_VALID
    if "valid_share" not in given and usual < FEW_VALID and settled.get("split") != "position":
        share = min(LARGER_SHARE, FEW_VALID / len(every))
        valid = data.model_copy(update={"valid_share": share}).sizes(len(every))["valid"]
        if valid > usual:
            settled["valid_share"] = share
    longest = max((len(alphabet.normalise(recording.text)) + 1 for recording in every), default=0)
    if "max_tokens" not in given and data.max_tokens < longest <= LONGEST:
        settled["max_tokens"] = longest
        chosen.append(f"texts of up to {longest} symbols (data.max_tokens)")
    return data.model_copy(update=settled), chosen


def validation(data: SpeechData, settled: SpeechData, splits: Mapping[str, Sized]) -> list[str]:
    """How many of the clips that are used are for validation, where more were taken than usual."""
    if data.valid_share == settled.valid_share:
        return []
    total = sum(map(len, splits.values()))
    return [f"{len(splits['valid'])} of {total} clips for validation (data.valid_share)"]


SPLIT_WORDS = {"random": "at random", "speaker": "by speaker"}
