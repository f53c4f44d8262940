"""Odd inputs by name, each of which once ended in a traceback, a hang or a full memory."""

import time
from pathlib import Path

import pytest

from tests.command import Command
from tests.fuzz.data_targets import IMAGE_ARRAYS, npz
from tests.fuzz.target import SECONDS, Kind, judge
from tests.fuzz.targets import CORPUS, TARGETS
from workings.claims.check import check, find
from workings.claims.documents import is_document, read_document
from workings.errors import WorkingsError

DEEP = 2_000


def refusal(target: str, content: bytes) -> str:
    outcome = judge(TARGETS[target], content)
    assert outcome.kind is Kind.REFUSED, outcome
    return outcome.detail


@pytest.mark.parametrize(
    ("count", "message"),
    [("1/0", "'1/0': has no value"), ("(-N_h)!", "factorial"), ("0/0", ""), ("N_h!!!!", "")],
)
def test_a_count_without_a_value_is_refused(count: str, message: str) -> None:
    with pytest.raises(WorkingsError) as refused:
        check(claims=[{"count": count, "model": "gru"}])
    assert message in str(refused.value)


@pytest.mark.parametrize("opening", ["(", "[", "{", r"\left(", r"\frac{", "|(", "-", r"\sqrt{"])
def test_deep_nesting_in_a_formula(opening: str) -> None:
    closing = {"(": ")", "[": "]", "{": "}", "|(": ")|"}.get(opening, "")
    formula = opening * DEEP + "x" + closing * DEEP
    assert judge(TARGETS["formula"], formula.encode()).held


@pytest.mark.parametrize("bars", ["|" * 50 + "x" + "|" * 50, "|x + " * 50 + "x" + "|" * 50])
def test_fifty_bars_take_no_time_that_doubles_with_each(bars: str) -> None:
    assert judge(TARGETS["formula"], bars.encode()).held


@pytest.mark.parametrize("opening", ["[", "{a=", '{"a":'])
@pytest.mark.parametrize(
    "target",
    [
        "claims",
        "config",
        "study",
        "ipynb",
        "gml",
        "graphml",
        "lj-speech",
        "snippets",
        "python",
        "edge-list",
        "settings",
    ],
)
def test_deep_nesting_in_a_file(target: str, opening: str) -> None:
    before = "language\ndata.vocabulary=" if target == "settings" else ""
    for content in (opening * DEEP, f"a = {opening * DEEP}", f'graph [ a "{opening * DEEP}'):
        assert judge(TARGETS[target], (before + content).encode()).held


def test_claims_with_38_000_names_are_read_in_linear_time() -> None:
    text = "".join(f"[[claims]]\nname='n{i}'\nclaim='x=x'\n" for i in range(38_000))
    start = time.process_time()
    (claim_set,) = find(text)
    assert len(claim_set.claims) == 38_000
    assert time.process_time() - start < SECONDS
    with pytest.raises(WorkingsError, match="two claims are named 'n7'"):
        find(text + "[[claims]]\nname='n7'\nclaim='x=x'\n")


@pytest.mark.parametrize("label", [10**9, 10**18, 2**63 - 1])
def test_a_label_beyond_all_classes_is_refused_before_the_classes_are_named(label: int) -> None:
    labels = IMAGE_ARRAYS["train_labels"].copy()
    labels[-1] = label
    message = refusal("npz-images", npz({**IMAGE_ARRAYS, "train_labels": labels}))
    assert f"has label {label:,} and only 20 images" in message
    rows = [f"{','.join(['7'] * 16)},{value}" for value in labels]
    assert f"has label {label:,}" in refusal("pixel-table", "\n".join(rows).encode())


@pytest.mark.parametrize("name", ["document-type-in-utf-16", "document-type-in-ebcdic"])
def test_a_document_type_is_refused_in_any_encoding(name: str) -> None:
    content = (CORPUS / "graphml" / name).read_bytes()
    assert b"<!DOCTYPE" not in content
    message = refusal("graphml", content)
    assert "declares a document type" in message or "unknown encoding" in message


def test_no_escape_of_a_file_reaches_the_terminal(tmp_path: Path, workings: Command) -> None:
    path = tmp_path / "a.toml"
    path.write_text(
        """source = "\\u001b[2J"\n[symbols]\nx = "scalar"\n[[claims]]\nname = "\\u001b]0;a\\nb"\n"""
        """statement = "\\u009b31m"\nclaim = "x = \\u001b"\n"""
    )
    _, out, err = workings("check", path)
    assert r"\x1b]0;a\nb  [\x1b[2J]" in out
    assert all(character.isprintable() or character == "\n" for character in out + err)


def test_a_formula_that_is_not_understood_gets_no_verdict(
    tmp_path: Path, workings: Command
) -> None:
    path = tmp_path / "a.toml"
    path.write_text('[symbols]\nx = "scalar"\n[[claims]]\nclaim = "x = \\\\frac{x}{2} § 1"\n')
    code, out, err = workings("check", path)
    assert (code, err) == (3, "")
    assert "? not read" in out
    assert "§" in out


@pytest.mark.parametrize("path", ["~nobody-of-that-name/x", "a\\u0000b/x", "a\\nb/x", "/dev/zero"])
@pytest.mark.parametrize(
    "line",
    [
        'task = "language"\ndata = {{ train = ["{}"] }}',
        'task = "images"\ndata = {{ train = ["{}"] }}',
        'task = "graph"\ndata = {{ path = "{}" }}',
        'task = "speech"\ndata = {{ path = "{}" }}',
        'task = "summary"\ndata = {{ path = "{}" }}',
    ],
)
def test_a_path_that_nobody_has(line: str, path: str) -> None:
    assert judge(TARGETS["config"], line.format(path).encode()).held


def test_a_study_of_a_config_that_nobody_has() -> None:
    row = 'metric = "test.loss"\n[[row]]\nname = "a"'
    message = refusal("study", f'title = "t"\nbase = "a\\u0000b/x.toml"\n{row}'.encode())
    assert "zero byte" in message


@pytest.mark.parametrize("name", ["a\0b.tex", "a\0b.toml", "./a\0b.ipynb"])
def test_a_zero_byte_in_the_name_of_a_document(name: str) -> None:
    with pytest.raises(WorkingsError):
        read_document(Path(name)) if is_document(name) else find(name)
