"""Every kind of input: good ones work, changed ones work or are refused in one line.

The same inputs in every run of the suite, a few of each target; `make fuzz MINUTES=30` tries
others, and what it finds is kept in the corpus.
"""

from pathlib import Path

import pytest

from tests.fuzz.target import Kind, judge
from tests.fuzz.targets import CORPUS, TARGETS, corpus

INPUTS = 60  # of a target, times its share
KEPT = [(name, path) for name, target in TARGETS.items() for path in corpus(target)]


@pytest.mark.parametrize("name", TARGETS)
def test_good_inputs_work(name: str) -> None:
    target = TARGETS[name]
    assert target.good
    for content in target.good[:4]:
        outcome = judge(target, content)
        assert outcome.kind is Kind.WORKED, outcome.detail


@pytest.mark.parametrize("name", TARGETS)
def test_changed_inputs_work_or_are_refused_in_one_line(name: str) -> None:
    target = TARGETS[name]
    for number in range(round(INPUTS * target.share)):
        outcome = judge(target, target.input(number))
        assert outcome.held, f"input {number}: {outcome.kind}: {outcome.detail}"


@pytest.mark.parametrize(("name", "path"), KEPT, ids=[f"{n}/{p.name}" for n, p in KEPT])
def test_what_once_failed_holds(name: str, path: Path) -> None:
    outcome = judge(TARGETS[name], path.read_bytes())
    assert outcome.held, f"{outcome.kind}: {outcome.detail}"


def test_every_folder_of_the_corpus_is_a_target() -> None:
    assert {path.name for path in CORPUS.iterdir() if path.is_dir()} <= set(TARGETS)
