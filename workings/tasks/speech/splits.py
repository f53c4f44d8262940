"""Which recordings are for training, validation and test: by position, at random, or by speaker."""

from collections.abc import Sequence

import numpy as np

from workings.errors import WorkingsError
from workings.tasks.speech.config import SPLITS, SpeechData
from workings.tasks.speech.recordings import Recording


def fitting(recordings: Sequence[Recording]) -> str:
    """The split that fits: by speaker where there are as many as splits or more, else random."""
    speakers = {recording.speaker for recording in recordings}
    return "speaker" if "" not in speakers and len(speakers) >= len(SPLITS) else "random"


def ordered(
    recordings: Sequence[Recording], config: SpeechData
) -> tuple[dict[str, int], list[Recording]]:
    """The recordings with those of training first, then valid, then test; and how many of each."""
    sizes = config.sizes(len(recordings))
    if config.split in ("auto", "position"):
        return sizes, list(recordings)
    draw = np.random.default_rng(config.split_seed)
    if config.split == "random":
        return sizes, [recordings[number] for number in draw.permutation(len(recordings))]
    return _by_speaker(recordings, sizes, draw)


def _by_speaker(
    recordings: Sequence[Recording], sizes: dict[str, int], draw: np.random.Generator
) -> tuple[dict[str, int], list[Recording]]:
    """Speakers drawn for test until it has its share, then for valid; all the others train."""
    by_speaker: dict[str, list[Recording]] = {}
    for recording in recordings:
        by_speaker.setdefault(recording.speaker, []).append(recording)
    if len(by_speaker) < len(SPLITS) or "" in by_speaker:
        raise WorkingsError(
            f"data.split: {len(by_speaker)} speakers are known, too few for train, valid and test; "
            "name them in a column speaker of the table, or set data.split = random"
        )
    waiting = [sorted(by_speaker)[number] for number in draw.permutation(len(by_speaker))]
    parts: dict[str, list[Recording]] = {"test": [], "valid": []}
    for number, part in enumerate(parts.values()):
        left = len(parts) - number  # speakers that the splits after this one need at least
        while not part or (len(waiting) > left and len(part) < sizes[list(parts)[number]]):
            part += by_speaker[waiting.pop()]
    parts["train"] = [recording for speaker in waiting for recording in by_speaker[speaker]]
    return (
        {split: len(parts[split]) for split in SPLITS},
        [recording for split in SPLITS for recording in parts[split]],
    )
