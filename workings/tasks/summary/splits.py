"""Which snippets are for training, validation and test: whole projects or modules, or at random."""

from collections.abc import Sequence

import numpy as np

from workings.errors import WorkingsError
from workings.tasks.summary.config import SPLITS, SummaryData
from workings.tasks.summary.snippet import Snippet

FEWEST_GROUPS = 20  # projects or modules, from which on a split keeps them whole
ROOM = 1.25  # how much more than its share a split may have, so that its last group is whole

Splits = dict[str, list[Snippet]]


def kept_together_in(snippets: Sequence[Snippet], config: SummaryData) -> str:
    """What a split keeps together: projects, modules, nothing (random); empty: the file says it."""
    without = sum(not each.split for each in snippets)
    if not without:
        return ""
    if without < len(snippets):
        raise WorkingsError(
            f"{config.path}: {without:,} of {len(snippets):,} lines have no split; give it of all, "
            "or of none"
        )
    if config.split != "auto":
        return config.split
    for kind in ("project", "module"):
        groups = {getattr(each, kind) for each in snippets}
        if "" not in groups and len(groups) >= FEWEST_GROUPS:
            return kind
    return "random"


def divide(snippets: Sequence[Snippet], kind: str, config: SummaryData) -> Splits:
    """The snippets by split, what `kept_together_in` gave being whole."""
    splits: Splits = {split: [] for split in SPLITS}
    if not kind:
        for each in snippets:
            splits[each.split].append(each)
        return splits
    draw = np.random.default_rng(config.split_seed)
    groups: dict[str, list[Snippet]] = {}
    for number, each in enumerate(snippets):
        name = str(number) if kind == "random" else getattr(each, kind)
        groups.setdefault(name, []).append(each)
    if kind != "random" and len(groups) < len(SPLITS):
        raise WorkingsError(
            f"data.split: {len(groups)} {kind}(s) are too few for train, valid and test; "
            "set data.split = random"
        )
    names = [list(groups)[number] for number in draw.permutation(len(groups))]
    shares = {"test": config.test_share, "valid": config.valid_share}
    wanted = {split: max(1.0, share * len(snippets)) for split, share in shares.items()}
    for left, name in zip(range(len(names), 0, -1), names, strict=True):
        splits[_place(splits, wanted, len(groups[name]), left)] += groups[name]
    return splits


def _place(splits: Splits, wanted: dict[str, float], size: int, left: int) -> str:
    """The first split that still needs so many; those without any come before the last groups."""
    for split, share in wanted.items():
        have = len(splits[split])
        if have < share and have + size <= max(ROOM * share, 1):
            return split
    empty = [split for split in (*wanted, "train") if not splits[split]]
    return empty[0] if len(empty) >= left else "train"


def without_duplicates(splits: Splits) -> tuple[Splits, int]:
    """Each sequence of tokens once, that of test before valid before train; how many are gone."""
    seen: set[tuple[str, ...]] = set()
    kept: Splits = {}
    removed = 0
    for split in reversed(SPLITS):
        kept[split] = []
        for each in splits[split]:
            if each.tokens in seen:
                removed += 1
            else:
                seen.add(each.tokens)
                kept[split].append(each)
    return {split: kept[split] for split in SPLITS}, removed
