"""result.json read back: its figures are ones that an evaluation can give, or it is damaged.

A share is from 0 to 1 and a perplexity at least 1, whoever wrote the file. Not a number are such
figures only where the loss of their split is none either: a model may overflow on test data alone.
"""

import math
import re
from collections.abc import Mapping
from pathlib import Path

from workings import json_files, toml_files
from workings.errors import WorkingsError
from workings.files import read_file
from workings.run.folder.records import Metrics, Result

NAME = "result.json"
SHARES = frozenset(
    (
        *("accuracy", "balanced_accuracy", "roc_auc", "average_precision", "calibration_error"),
        *("mrr", "hits_1", "hits_3", "hits_10", "unknown_share", "known_words"),
        *("f1", "f1_code2seq", "exact_match", "rouge_l", "bleu"),
        *("jaccard_characters", "cosine_characters", "damerau_levenshtein_characters"),
        *("jaccard_words", "cosine_words", "damerau_levenshtein_words"),
    )
)
LEAST = {
    **dict.fromkeys(("perplexity", "perplexity_per_word"), 1.0),
    **dict.fromkeys(("bits_per_char", "bits_per_byte"), 0.0),
    **dict.fromkeys(("character_error_rate", "word_error_rate", "digit_error_rate"), 0.0),
    **dict.fromkeys(("tokens", "images", "nodes", "graphs", "edges", "clips", "summaries"), 0.0),
}
SHIFTED = re.compile(r"(?<=^accuracy)_shifted_\d+$")  # of images moved by so many pixels
ROUNDED = 1e-6  # by which sums of rounded numbers may miss the ends of a range


def read_result(path: Path | str) -> Result:
    """The figures of a finished run; one line names the file and what cannot be in it.

    Raises FileNotFoundError where there is no file.
    """
    result = json_files.read(path, Result)
    tables = {"metrics": result["metrics"]}
    tables |= {f"baselines.{name}": each for name, each in result.get("baselines", {}).items()}
    for table, metrics in tables.items():
        for name, value in metrics.items():
            wanted = _wanted(name, value, metrics)
            if wanted and name.partition(".")[2] not in _own_metrics(Path(path).parent):
                raise WorkingsError(
                    f"{path}: damaged: {table}.{name}: expected {wanted}, found {value:g}"
                )
    return result


def _wanted(name: str, value: float, metrics: Metrics) -> str:
    """What a figure, by full name, would have to be; nothing where it can be what it is."""
    split, _, metric = name.partition(".")
    metric = SHIFTED.sub("", metric)
    if metric not in SHARES and metric not in LEAST:
        return ""
    if math.isnan(value) and not math.isfinite(metrics.get(f"{split}.loss", 0.0)):
        return ""
    if metric in SHARES:
        return "" if -ROUNDED <= value <= 1 + ROUNDED else "a share from 0 to 1"
    return "" if value >= LEAST[metric] - ROUNDED else f"at least {LEAST[metric]:g}"


def _own_metrics(folder: Path) -> set[str]:
    """The names of the user's own metrics, which may give any number; read once one is doubted."""
    try:
        config = toml_files.parse(read_file(folder / "config.toml").decode())
    except (OSError, ValueError):
        return set()
    train = config.get("train")
    given = train.get("metrics") if isinstance(train, Mapping) else None
    names = given if isinstance(given, list) else [given]
    return {str(name).rpartition(":")[2] for name in names if ":" in str(name)}
