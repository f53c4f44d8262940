"""Text files of one folder that hold the same text: learned twice, or learned and tested."""

from itertools import combinations
from pathlib import Path

from workings.errors import WorkingsError

SAMPLE = 400  # bytes; so much of the same text is a copy
PLACES = (0.2, 0.5, 0.8)  # of the shorter file, where samples are taken
MOST_FILES, MOST_BYTES = 60, 100_000_000  # beyond which nothing is compared


def refuse_copies(files: list[Path]) -> None:
    """An error where the text of one file stands in another one too."""
    sizes = {file: file.stat().st_size for file in files}
    if len(files) > MOST_FILES or sum(sizes.values()) > MOST_BYTES:
        return
    contents = {file: file.read_bytes() for file in files}
    for pair in combinations(files, 2):
        short, long = sorted(pair, key=sizes.__getitem__)
        text, size = contents[short], sizes[short]
        samples = [text[int(place * size) :][:SAMPLE] for place in PLACES]
        if size >= SAMPLE and sum(sample in contents[long] for sample in samples) >= 2:
            raise WorkingsError(
                f"{short}: its text stands in {long.name} too; name the files that you mean, one "
                "--data for each"
            )
