from pathlib import Path

import workings

REGRESSION = {
    "symbols": {"x": "1 x d", "W": "d x k", "y": "1 x k"},
    "equations": [r"r = x W - y", r"E = \frac{1}{2} r r^T"],
}


def check(*claims):
    return workings.check(**REGRESSION, claims=list(claims))


def test_the_python_call_gives_a_report():
    report = check(r"\frac{\partial E}{\partial W} = x^T r", r"dE/dW = r^T x")
    assert [result.verdict for result in report] == ["holds", "holds transposed"]
    assert not report.holds
    assert report[1].repair.formula.endswith(r"x^\top r")
    assert "holds transposed" in str(report)


def test_a_notebook_shows_a_table_with_formulas_escaped():
    html = check(r"dE/dW = x' r")._repr_html_()
    assert html.startswith("<table>")
    assert "holds" in html
    other = workings.check(symbols={"a": "scalar"}, claims=[{"claim": "a < a + 1", "name": "<b>"}])
    assert "&lt;b&gt;" in other._repr_html_()


def test_a_mapping_a_text_and_a_file_give_the_same(tmp_path):
    text = """
equations = ['r = x W - y', 'E = \\frac{1}{2} r r^T']
[symbols]
x = "1 x d"
W = "d x k"
y = "1 x k"
[[claims]]
claim = 'dE/dW = x^T r'
"""
    (tmp_path / "a.toml").write_text(text)
    (tmp_path / "a.md").write_text(f"# A write-up\n\n```claims\n{text}```\n")
    mapping = {**REGRESSION, "claims": [{"claim": "dE/dW = x^T r"}]}
    sources = [mapping, text, tmp_path / "a.toml", tmp_path / "a.md"]
    assert [workings.check(source)[0].verdict for source in sources] == ["holds"] * 4


def test_a_shipped_entry_by_name():
    (result,) = workings.check("perplexity-log")
    assert (result.verdict, result.source) == ("holds", "000, 001")
    assert set(result.to_dict()) >= {
        "name", "source", "statement", "verdict", "evidence", "repair", "formula"
    }  # fmt: skip


def test_what_is_not_read_gets_no_verdict_and_the_others_do():
    report = workings.check(
        **REGRESSION,
        claims=["dE/dW = x^T r", {"name": "second", "claim": "dE/dW = q"}, "dE/dW = (", "r x^T"],
    )
    assert [result.verdict for result in report] == ["holds", *["not read"] * 3]
    assert "q is not declared" in report[1].why
    assert [row["verdict"] for row in map(workings.claims.Result.to_dict, report)][1] == "not read"
    assert not report.holds


def test_lists_and_tuples_give_the_same():
    for kind in (list, tuple):
        report = workings.check(
            symbols=REGRESSION["symbols"],
            equations=kind(REGRESSION["equations"]),
            claims=kind(["dE/dW = x^T r", {"claim": "x = x"}]),
        )
        assert [result.verdict for result in report] == ["holds", "trivial"]
        given = {**REGRESSION, "claims": kind([{"claim": "dE/dW = x^T r"}])}
        assert workings.check(given)[0].holds


def test_a_seed_repeats_the_draws_and_another_is_taken_each_time():
    first, again = (workings.check(**REGRESSION, claims=["dE/dW = x^T x W"], seed=5) for _ in "ab")
    assert first[0].evidence == again[0].evidence
    others = {workings.check(**REGRESSION, claims=["x = x"]).seed for _ in range(5)}
    assert len(others) > 1
    assert first.seed == 5


def test_how_a_claim_was_read_is_said():
    (result,) = workings.check(
        symbols={"A": "n x n", "x": "n x 1"}, claims=[r"\|A x\|^2 = x^T A^T A x"]
    )
    assert result.verdict == "holds"
    assert (
        result.reading[0] == r"\left\|A x\right\|^{2} = x^\top A^\top A x"
        or "A x" in result.reading[0]
    )
    assert any("transpose" in line for line in result.reading)
    assert result.to_dict()["reading"][0] == result.reading[0]


def test_the_examples_of_the_page_on_claims_hold() -> None:
    page = Path(__file__).parents[2] / "docs" / "claims.md"
    report = workings.check(page, seed=3)
    assert len(report) > 15
    assert report.holds, report


def test_a_document_is_checked_where_it_stands(tmp_path):
    (tmp_path / "notes.tex").write_text(
        r"""\begin{document}
Let $x \in \mathbb{R}^{1 \times d}$ and $W \in \mathbb{R}^{d \times k}$.
\[ E = \frac{1}{2} \|x W\|^2 \]
\[ \frac{\partial E}{\partial W} = x^\top x W \]
\[ \frac{\partial E}{\partial x} = x W W^\top + x \]
\end{document}
"""
    )
    report = workings.check(tmp_path / "notes.tex")
    assert [result.verdict for result in report] == ["holds", "wrong value"]
    assert report[1].location.startswith(f"{tmp_path / 'notes.tex'}:5:")
    assert not report.holds
    (tmp_path / "a.md").write_text("$$E = x^2$$\n\n$$dE/dx = 2 x$$\n")
    assert workings.check(str(tmp_path / "a.md")).holds
