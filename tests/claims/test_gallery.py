"""The gallery: its data are whole, and no verdict on a part of it is what reading did not find."""

from collections import Counter
from pathlib import Path

import pytest

from workings.claims import gallery
from workings.claims.gallery import Checked, check_entry
from workings.claims.result import Result
from workings.claims.verdict import Verdict
from workings.cli.gallery import _kind, gallery_page

ENTRIES = list(gallery.entries())
WRONG = [entry for entry in ENTRIES if entry.statement.expected == "wrong"]
# a few of every source, so that the test stays a matter of seconds; the command checks them all
SAMPLE = [*ENTRIES[::8], *WRONG[1::3]]
PAGE = Path(__file__).parents[2] / "docs" / "gallery.md"


def test_at_least_two_hundred_statements_of_ten_sources_stand_word_for_word():
    assert sum(entry.statement.verbatim for entry in ENTRIES) >= 200
    assert len({entry.source.repository for entry in ENTRIES}) >= 10


def test_every_source_is_cited_by_repository_commit_and_licence():
    for entry in ENTRIES:
        assert entry.source.repository.count("/") == 1
        assert len(entry.source.commit) == 40
        assert set(entry.source.commit) <= set("0123456789abcdef")
        assert entry.source.licence
        assert entry.passage.file


def test_a_statement_stands_in_a_passage_once():
    for passage in {id(entry.passage): entry.passage for entry in ENTRIES}.values():
        counts = Counter(
            (statement.claim, statement.equations, tuple(statement.symbols))
            for statement in passage.claims
        )
        assert max(counts.values()) == 1


def test_a_wrong_statement_says_how_it_is_right_and_why():
    for entry in ENTRIES:
        statement = entry.statement
        assert (statement.expected == "wrong") == bool(statement.right)
        assert statement.note or statement.expected == "right"
        assert statement.expected == "wrong" or not statement.deliberate


@pytest.mark.parametrize("entry", SAMPLE, ids=lambda entry: entry.place)
def test_a_verdict_is_what_reading_found_or_is_not_given(entry):
    checked = check_entry(entry)
    assert checked.agrees or not checked.decided, checked.result


@pytest.mark.parametrize("entry", WRONG[2::3], ids=lambda entry: entry.place)
def test_what_a_wrong_statement_should_say_is_not_called_wrong(entry):
    checked = check_entry(entry, entry.statement.right)
    assert checked.result is None or checked.result.holds, checked.result


@pytest.mark.parametrize(
    ("expected", "verdict", "agrees"),
    [
        ("right", Verdict.HOLDS, True),
        ("right", Verdict.TRANSPOSED, True),
        ("right", Verdict.WRONG_VALUE, False),
        ("right", Verdict.UNDEFINED, False),
        ("wrong", Verdict.HOLDS, False),
        ("wrong", Verdict.TRIVIAL, False),
        ("wrong", Verdict.SCALED, True),
    ],
)
def test_a_verdict_agrees_with_what_reading_found(expected, verdict, agrees):
    entry = next(each for each in ENTRIES if each.statement.expected == expected)
    assert Checked(entry, Result(verdict)).agrees is agrees


def test_what_is_not_read_agrees_with_nothing():
    checked = Checked(ENTRIES[0], None, "F is not declared")
    assert not checked.decided
    assert not checked.agrees


def test_reasons_of_one_kind_are_counted_together():
    assert _kind("F is not declared (did you mean f?)") == _kind("A_{:,i} is not declared")
    assert _kind("F is not declared") != _kind("the claim takes too long to check")


def test_the_page_counts_sources_wrong_ones_and_what_was_not_read():
    right = next(entry for entry in ENTRIES if entry.statement.expected == "right")
    page = gallery_page(
        [
            Checked(right, Result(Verdict.HOLDS)),
            Checked(WRONG[0], Result(Verdict.WRONG_VALUE)),
            Checked(right, None, "F is not declared"),
            Checked(right, Result(Verdict.WRONG_SHAPE)),
        ]
    )
    assert "4 statements: 3 decided (75%), 2 of them as reading found, 1 not; 1 not read." in page
    assert WRONG[0].statement.right in page
    assert "| … is not declared | 1 |" in page
    assert f"wrong shape, but it is right: \n  `{right.statement.claim}`" in page


def test_the_kept_page_is_of_these_statements():
    text = PAGE.read_text(encoding="utf-8")
    assert f"**{len(ENTRIES)} statements:" in text
    assert f"## Wrong in the sources ({len(WRONG)}, of which" in text
    for entry in ENTRIES:
        assert f"{entry.source.repository}/tree/{entry.source.commit}" in text
    for entry in WRONG:
        assert entry.statement.right in text
