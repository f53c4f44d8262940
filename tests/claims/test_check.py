import pytest

import workings
from workings.errors import WorkingsError

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


def test_an_error_names_the_claim():
    with pytest.raises(WorkingsError, match="second: q is not declared"):
        workings.check(
            **REGRESSION, claims=[r"dE/dW = x^T r", {"name": "second", "claim": "dE/dW = q"}]
        )
