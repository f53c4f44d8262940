"""A generated graph of notes: six topics, each with words and links; texts and structure both tell.

Nobody wrote them: everything is drawn from a fixed seed, so that the graph needs no file. The
topics come in pairs that share their words: within a pair only the order of the words differs, or
only whom a note links to. So a bag of words cannot tell all topics apart, nor can links alone.
"""

import numpy as np

from workings.tasks.graph.graph import Graph, build

NOTES, TOPICS, WORDS = 900, 6, 40
LINKS = 3  # of a note
OWN = 0.7  # the share of a note's links that stay within its topic, or its topic's group
SEED = 7


def notes() -> Graph:
    """900 notes; 20 of each topic are for training, 30 for validation."""
    draw = np.random.default_rng(SEED)
    topic_N = draw.integers(0, TOPICS, NOTES)
    texts = [_text(int(topic), draw) for topic in topic_N]
    # Links do not tell topics 4 and 5 apart, which have words of their own.
    group_N = np.minimum(topic_N, TOPICS - 2)
    pairs = []
    for note in range(NOTES):
        for _ in range(LINKS):
            own = np.flatnonzero(group_N == group_N[note])
            chosen = draw.choice(own) if draw.random() < OWN else draw.integers(NOTES)
            if chosen != note:
                pairs.append((note, int(chosen)))
    return build(
        "notes",
        NOTES,
        np.array(pairs).T,
        False,
        labels=topic_N,
        classes=tuple(f"topic {number}" for number in range(TOPICS)),
        notes=["generated: nobody wrote these notes"],
        texts=texts,
    )


def _text(topic: int, draw: np.random.Generator) -> str:
    """Topics 0 and 1, and 2 and 3, share their words; those of an even one come in rising order."""
    shared = topic // 2 * WORDS if topic < 4 else (topic - 2) * WORDS
    length = int(draw.integers(8, 16))
    own = draw.integers(shared, shared + WORDS, length)
    if topic < 4:
        own = np.sort(own) if topic % 2 == 0 else np.sort(own)[::-1]
    common = draw.integers(1000, 1000 + WORDS, length)
    kept = draw.random(length) < 0.6
    return " ".join(f"w{word}" for word in np.where(kept, own, common))
