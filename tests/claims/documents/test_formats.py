"""What is printed of a document: nothing that is not checked goes unsaid."""

from pathlib import Path

import pytest

from workings.claims.documents import read_document
from workings.claims.documents.check import check_document
from workings.claims.documents.finding import Checked
from workings.claims.documents.formats import as_json, as_text, summary

NOTES = r"""<!-- workings: x n x 1, A n x n -->
$$E = x^T A x$$
$$E \approx 3$$
<!-- workings: skip -->
$$E = 4$$
$$x = x - A x$$
$$x^T A x = 0$$
So $x^T x = x^T I x$ and $n = 3$.
$$\frac{\partial E}{\partial x} = A x + A^T x$$
"""


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    path = tmp_path_factory.mktemp("notes") / "notes.md"
    path.write_text(NOTES)
    return check_document(read_document(path))


def test_the_summary_counts_and_lists_what_is_not_checked(notes: Checked) -> None:
    *lines, last = summary([notes]).splitlines()
    assert last == "1 document, 1 definition, 1 claim: 1 hold, 0 wrong, 0 not read"
    shown = "\n".join(lines)
    assert "1 equation defined: E (line 2)" in shown
    for line in (3, 5, 6, 7):
        assert f"line {line}" in shown
    assert "a comment skips it" in shown
    assert "1 equation in the running text not checked" in shown
    assert '"why": "a comment skips it"' in as_json([notes])


def test_explaining_shows_every_statement(notes: Checked) -> None:
    shown = [as_text(finding, explain=True) for finding in notes.findings]
    assert any("defines E" in each for each in shown)
    assert any("holds" in each and "    read  " in each for each in shown)


@pytest.mark.parametrize(
    ("formula", "verdicts"),
    [
        (r"z = \frac{x}{\|x\|}$$ $$\|z\|^2 = 1", ["holds"]),
        (r"z = \frac{x}{\|x\|}$$ $$\|z\|^2 = 2", ["holds up to a constant factor"]),
        (r"z = \frac{x}{\|x\|}$$ $$z^T x = 1", []),  # may be to be solved for x
        (r"\|x\|^2 = 1", []),
        (r"\mathrm{KL}(\mathcal{N}(x, S) \| \mathcal{N}(y, S)) = \frac12 (x - y)^T S^{-1} (x - y)",
         ["holds"]),
        (r"\mathrm{KL}(\mathcal{N}(x, S) \| \mathcal{N}(y, S)) = (x - y)^T S^{-1} (x - y)",
         ["holds up to a constant factor"]),
    ],
)  # fmt: skip
def test_what_is_known_on_both_sides_is_a_claim(
    tmp_path: Path, formula: str, verdicts: list[str]
) -> None:
    path = tmp_path / "notes.md"
    path.write_text(f"<!-- workings: x n x 1, y n x 1, S definite n x n -->\n$${formula}$$\n")
    checked = check_document(read_document(path))
    assert [str(finding.verdict) for finding in checked.claims] == verdicts


def test_programs_get_names_as_the_author_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(r"$$\log p(y \mid x) + p(y \mid x) q(x \mid y) = \unknown$$" + "\n")
    text = as_json([check_document(read_document(path))])
    assert "zoz" not in text
