"""Splits of summaries: groups stay whole, shares are about right, baselines are simple."""

import numpy as np
import pytest

from workings.errors import WorkingsError
from workings.tasks.summary import baselines
from workings.tasks.summary.config import SummaryData
from workings.tasks.summary.snippet import Snippet
from workings.tasks.summary.splits import divide, kept_together_in, without_duplicates


def snippets(projects: int, each: int) -> list[Snippet]:
    return [
        Snippet((f"t{p}-{n}",), {}, ("a",), project=f"p{p}", module=f"p{p}.m{n % 3}")
        for p in range(projects)
        for n in range(each)
    ]


def data(**keys: object) -> SummaryData:
    return SummaryData(**keys)  # type: ignore[arg-type]


@pytest.mark.parametrize(("projects", "kind"), [(30, "project"), (8, "module"), (2, "random")])
def test_what_is_kept_together_follows_from_how_many_there_are(projects: int, kind: str) -> None:
    given = snippets(projects, 20)
    assert kept_together_in(given, data()) == kind
    splits = divide(given, kind, data())
    assert sum(map(len, splits.values())) == len(given)
    for split in ("valid", "test"):
        assert 0.05 < len(splits[split]) / len(given) < 0.15
    if kind != "random":
        groups = [{getattr(each, kind) for each in part} for part in splits.values()]
        assert not groups[0] & groups[1]
        assert not groups[0] & groups[2]
        assert not groups[1] & groups[2]


def test_the_split_is_by_its_own_seed() -> None:
    given = snippets(30, 20)
    one, same, other = (divide(given, "project", data(split_seed=seed)) for seed in (1, 1, 2))
    assert one == same != other


def test_every_split_of_a_few_has_one() -> None:
    splits = divide(snippets(3, 1), "random", data())
    assert {split: len(part) for split, part in splits.items()} == {
        "train": 1,
        "valid": 1,
        "test": 1,
    }


def test_of_duplicates_the_one_in_test_stays() -> None:
    same = Snippet(("a",), {}, ("x",))
    other = Snippet(("b",), {}, ("y",))
    splits, removed = without_duplicates(
        {"train": [same, other, other], "valid": [], "test": [same]}
    )
    assert (splits, removed) == ({"train": [other], "valid": [], "test": [same]}, 2)


def test_the_nearest_neighbour_has_the_highest_cosine_of_tf_idf() -> None:
    draw = np.random.default_rng(1)
    train = [
        Snippet(tuple(draw.choice(list("abcdefgh"), 6)), {}, (str(number),)) for number in range(20)
    ]
    asked = [Snippet(tuple(draw.choice(list("abcdefghz"), 5)), {}, ()) for _ in range(7)]

    def vector(snippet: Snippet) -> np.ndarray:
        tf = np.array([snippet.tokens.count(letter) for letter in "abcdefgh"], float)
        seen = [sum(letter in each.tokens for each in train) for letter in "abcdefgh"]
        return tf * np.log(len(train) / np.array(seen))

    def cosine(one: np.ndarray, other: np.ndarray) -> float:
        return one @ other / np.sqrt((one @ one) * (other @ other))

    for snippet, given in zip(asked, baselines.nearest(train, asked), strict=True):
        similar = [cosine(vector(snippet), vector(each)) for each in train]
        assert similar[int(given[0])] == pytest.approx(max(similar), rel=1e-5)
    assert baselines.most_frequent([*train, train[7]]) == ("7",)


def test_a_split_that_cannot_be_made_is_said_in_one_line() -> None:
    with pytest.raises(WorkingsError, match=r"data.split: 2 project\(s\) are too few"):
        divide(snippets(2, 9), "project", data(split="project"))
    given = [*snippets(1, 2), Snippet(("x",), {}, ("y",), split="test")]
    with pytest.raises(WorkingsError, match="2 of 3 lines have no split"):
        kept_together_in(given, data())
