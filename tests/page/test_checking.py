"""The Check page's answers: formulas drawn and judged, documents, repairs, and what is refused."""

import time
from pathlib import Path
from threading import Thread

import pytest

from tests.page.conftest import Answer, Server
from workings.claims.sets import from_toml
from workings.page import checking
from workings.page.drawn import drawn, in_signs, marked

GRADIENT = {
    "kind": "formulas",
    "symbols": "x: 1 x d\nW = d x k\n\ny: 1 x k",
    "equations": r"E = \frac{1}{2} \|x W - y\|^2",
    "claims": "\\frac{\\partial E}{\\partial W} = (x W - y)^T x\n\nE = E + 1",
}


def test_a_wrong_gradient_is_drawn_judged_and_repaired() -> None:
    parts = list(checking.check(GRADIENT, trust=False))
    drawn_lines = [(part["field"], part["line"]) for part in parts if "field" in part]
    assert drawn_lines == [("equations", 0), ("claims", 0), ("claims", 2)]
    gradient, other = [part for part in parts if "verdict" in part]
    assert (gradient["line"], gradient["tone"]) == (0, "wrong")
    assert gradient["repair"]["formula"] == r"\frac{\partial E}{\partial W} = x^T (x W - y)"
    assert 'class="new"' in gradient["repair"]["math"]
    assert (other["line"], other["verdict"]) == (2, "wrong value")
    again = {**GRADIENT, "claims": gradient["repair"]["formula"]}
    (right,) = [part for part in checking.check(again, trust=False) if "verdict" in part]
    assert (right["verdict"], right["tone"]) == ("holds", "right")


def test_what_is_not_understood_says_so_line_by_line() -> None:
    asked = {"kind": "formulas", "symbols": "x 1 d", "equations": r"y = \frac{x", "claims": "y = y"}
    symbols, equation, claim = checking.check(asked, trust=False)
    assert "x: 1 x d" in symbols["why"]
    assert (equation["field"], "math" in equation) == ("equations", False)
    assert "<mi>y</mi>" in claim["math"]


@pytest.mark.parametrize("kind", ["markdown", "latex"])
def test_a_document_comes_back_with_the_repair_written_in(kind: str) -> None:
    text = (
        "Let $X \\in \\mathbb{R}^{n \\times d}$, $w \\in \\mathbb{R}^{d \\times 1}$.\n\n"
        "\\[ E = \\frac{1}{2} \\|X w\\|^2 \\]\nThen\n"
        "\\[ \\frac{\\partial E}{\\partial w} = X X w. \\]\n"
    )
    parts = list(checking.check({"kind": kind, "text": text}, trust=False))
    (wrong,) = [part for part in parts if part.get("tone") == "wrong"]
    assert wrong["line"] == 4
    (fixed,) = [part for part in parts if "fixes" in part]
    assert fixed["fixes"] == wrong["claim"]
    repaired = text.replace("= X X w", "= X^\\top X w")
    assert fixed["text"].replace(" ", "") == repaired.replace(" ", "")


def test_a_set_comes_back_with_each_repair_written_in() -> None:
    text = (
        'symbols = { a = "1 x n", b = "1 x n" }  # rows\n\n[[claims]]\nclaim = \'a b^T = b a\'\n'
        "[[claims]]\nmodel = \"attention\"\ncount = '3d^2' # of all\n"
    )
    parts = list(checking.check({"kind": "claims", "text": text}, trust=False))
    fixed = {part["fixes"]: part["text"] for part in parts if "fixes" in part}
    assert fixed[0] == text.replace("b a'", "b a^T'")
    assert fixed[1] == text.replace("3d^2", "4·d²")
    (_, count) = [
        part
        for part in checking.check({"kind": "claims", "text": fixed[1]}, False)
        if "tone" in part
    ]
    assert count["tone"] == "right"


def test_a_repair_is_not_written_where_it_would_say_something_else() -> None:
    text = '[[claims]]\nsame = ["jaccard", "cosine"]\n'
    assert checking.toml_with(text, from_toml(text), 0, "jaccard") == ""


def test_a_document_includes_no_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.tex"
    secret.write_text(r"\[ a = b \]")
    for path in (secret, secret.with_suffix(""), "/etc/passwd", "../../etc/passwd"):
        asked = {"kind": "latex", "text": f"\\input{{{path}}}\\include{{{path}}}"}
        parts = list(checking.check(asked, trust=False))
        assert not any("formula" in part for part in parts)


def test_a_class_is_imported_only_where_it_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "attack_on_the_page.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    text = '[[claims]]\ncount = "d"\nmodel = "attack_on_the_page:Model"\n'
    with pytest.raises(checking.WorkingsError, match="--trust"):
        list(checking.check({"kind": "claims", "text": text}, trust=False))


def test_names_are_escaped_in_what_is_drawn() -> None:
    assert "<b>" not in drawn(r"W_{<b>} = \text{<script>}")
    before, after = marked("<mi>a</mi><mo>+</mo>", "<mi>b</mi><mo>+</mo>")
    assert before == '<mi class="gone">a</mi><mo>+</mo>'
    assert after == '<mi class="new">b</mi><mo>+</mo>'


def test_the_book_s_examples_can_be_checked_as_they_are_given() -> None:
    (chapters,) = checking.examples()
    claims = {claim["name"]: claim for chapter in chapters for claim in chapter["claims"]}
    assert claims["graph-degrees"]["kind"] == "formulas"
    counted = claims["attention-parameters-with-output"]
    parts = list(checking.check(counted, trust=False))
    (wrong,) = [part for part in parts if "repair" in part]
    assert wrong["repair"]["formula"] == "4·d²"


def test_an_example_means_on_the_page_what_it_means_in_the_book() -> None:
    (chapters,) = checking.examples()
    formulas = [c for chapter in chapters for c in chapter["claims"] if c["kind"] == "formulas"]
    assert len(formulas) > 50
    for claim in formulas:  # of one step each: others are given as TOML
        symbols = [line.partition(":")[0] for line in claim["symbols"].splitlines()]
        assert not checking._goes_through_time(symbols, claim["equations"].splitlines())
    wrong = next(claim for claim in formulas if claim["name"] == "rnn-dE-db1")
    assert list(checking.check(wrong, trust=False))[-1]["verdict"] == "wrong value"


def test_equations_that_need_the_step_before_go_through_time() -> None:
    content = {
        "kind": "formulas",
        "symbols": "x^{(t)}: 1 x d\nW: d x D\nH: D x D\nh^{(0)}: 1 x D",
        "equations": r"h^{(t)} = x^{(t)} W + h^{(t-1)} H" + "\n" + r"E = \sum_t \|h^{(t)}\|^2",
        "claims": r"h^{(t)} = h^{(t-1)} H + x^{(t)} W",
    }
    assert list(checking.check(content, trust=False))[-1]["verdict"] == "holds"


def test_the_newest_request_of_a_window_wins_and_other_windows_are_not_disturbed(
    server: Server,
) -> None:
    answers: dict[str, Answer] = {}

    def ask(name: str, client: str) -> None:
        answers[name] = server.post("/api/check", {**GRADIENT, "client": client})

    long = {"kind": "claims", "client": "one"}
    claims = "\n".join(f"[[claims]]\ncost = 'O(n^{i})'\nmodel = 'attention'" for i in range(1, 99))
    long["text"] = claims
    slow = Thread(target=lambda: answers.update(slow=server.post("/api/check", long)))
    slow.start()
    time.sleep(0.3)
    other = Thread(target=ask, args=("other window", "two"))
    other.start()
    ask("newest", "one")
    slow.join()
    other.join()
    for name in ("newest", "other window"):
        assert [line["tone"] for line in answers[name].lines if "tone" in line] == [
            "wrong",
            "wrong",
        ]
    assert answers["slow"].lines[-1] == {"stopped": True}


def test_a_worker_that_takes_too_long_or_dies_is_replaced(tmp_path: Path) -> None:
    from workings.page.worker import Defect, Worker

    worker = Worker()
    try:
        with pytest.raises(checking.WorkingsError, match=r"not done within 0.5 s"):
            list(worker.ask("time:sleep", 0.5, 30))
        with pytest.raises(checking.WorkingsError, match="has ended"):
            list(worker.ask("os:_exit", 240.0, 1))
        with pytest.raises(Defect, match="ZeroDivisionError"):
            list(worker.ask("operator:floordiv", 240.0, 1, 0))
        assert list(worker.ask("itertools:repeat", 240.0, "a", 2)) == ["a", "a"]
    finally:
        worker.end()


def test_what_a_repair_changes_is_said_in_signs() -> None:
    said = (
        r"with the factor \mathrm{ReLU}'(W_1 x) and 1 - h \odot h; \mathbf{1}_{1 \times D} W^\top"
    )
    assert in_signs(said) == "with the factor ReLU'(W_1 x) and 1 - h ⊙ h; 1_{1 × D} Wᵀ"
    assert in_signs(r"\frac{1}{n}") == r"\frac{1}{n}"
    assert in_signs(r"the sign of \sigma(x) and \log p") == "the sign of σ(x) and log p"
