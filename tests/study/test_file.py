"""Study files: what they may say, and what is wrong with those that do not make sense."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.study.tiny import write_study
from workings.errors import WorkingsError
from workings.run import config as configs
from workings.study.file import StudyFile, label, load, shipped

ROWS: dict[str, Any] = {"title": "t", "base": "language", "metric": "test.perplexity"}


def test_a_grid_is_every_combination_after_the_rows() -> None:
    file = StudyFile.model_validate(
        ROWS
        | {"row": [{"name": "first"}], "grid": {"train.lr": [0.1, 0.01], "model.kind": ["rnn"]}}
    )
    assert [row.name for row in file.rows()] == ["first", "lr 0.1, kind rnn", "lr 0.01, kind rnn"]
    assert file.rows()[2].set == {"train.lr": 0.01, "model.kind": "rnn"}


def test_labels_are_short() -> None:
    assert label({"train.lr": 0.0123456789, "model.tied": True, "data.level": "char"}) == (
        "lr 0.01235, tied true, level char"
    )
    assert label({}) == "base"


BAD: list[tuple[dict[str, Any], str]] = [
    ({"row": None}, "has no rows"),
    ({"row": [{"name": "a"}, {"name": "a"}]}, "row 'a': two rows have this name"),
    (
        {"row": None, "grid": {f"train.{n}": list(range(10)) for n in range(6)}},
        "has 1,000,000 rows; at most 10,000",
    ),
    ({"seeds": [1, 1]}, "seeds must be different"),
    ({"seeds": [-1]}, "seeds must be different"),
    ({"seeds": []}, "seeds"),
    ({"metric": None}, "give `metric`"),
    ({"base": None}, "give `base`, a config to vary, or `measure`"),
    ({"measure": "vanishing"}, "give `base`, a config to vary, or `measure`"),
    ({"parts": ["tour"]}, "a study of parts has no rows"),
    ({"titel": "x"}, "titel: unknown key (did you mean title?)"),
    ({"tolerance": -1.0}, "tolerance"),
    ({"row": [{"published": {"test.perplexity": "low"}}]}, "published"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[message[:24] for _, message in BAD])
def test_a_bad_file_is_one_line(
    changes: dict[str, Any], message: str, book: Path, tmp_path: Path
) -> None:
    with pytest.raises(WorkingsError) as raised:
        load(write_study(tmp_path, book, **changes))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_unknown_studies_offer_the_nearest() -> None:
    with pytest.raises(WorkingsError, match=r"no study 'ptb-rn' \(did you mean ptb-rnn\?\)"):
        load("ptb-rn")
    with pytest.raises(WorkingsError, match="no such config file"):
        load("./none.toml")


@pytest.mark.parametrize("name", shipped())
def test_shipped_studies_say_what_they_ask(name: str) -> None:
    found, file = load(name)
    assert found == name
    assert file.question.endswith("?")
    published = [row for row in file.rows() if row.published]
    assert not published or file.source or all(row.source for row in published)


def test_the_published_table_is_the_one_that_the_configs_name() -> None:
    """Each config's first comment repeats its row's figures, which were written down apart."""
    rows = load("ptb-rnn")[1].rows()
    assert len(rows) == 12
    for row in rows:
        text = configs.shipped()[row.base].read_text().replace("\n# ", " ")
        figures = re.search(r"train (\d+\.\d+), validation (\d+\.\d+), test (\d+\.\d+)", text)
        assert figures, row.base
        named = dict(zip(("train", "valid", "test"), map(float, figures.groups()), strict=True))
        published = {k.partition(".")[0]: v for k, v in row.published.items() if "." in k}
        assert published == named
