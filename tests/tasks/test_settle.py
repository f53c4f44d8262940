"""What the data decides: nothing of shipped configs, whose figures are published or measured."""

import pytest

from workings.run import config as configs
from workings.run.config import resolve


@pytest.mark.parametrize("name", configs.shipped())
def test_shipped_configs_leave_nothing_to_the_data(name: str) -> None:
    config = resolve(configs.load(name))
    settled, _, chosen = config.settled()  # without reading anything: the data may not be here
    assert chosen == []
    assert settled == config
    data = config.data.model_dump()
    as_published = {
        "graph": {"normalise_features": "sum"},
        "images": {"resize": 0, "skip_bad": False},
        "language": {"lines": "line", "licence": "keep"},
        "summary": {"split": "project"},
        "speech": {"split": "position", "alphabet": " ,.?-abcdefghijklmnopqrstuvwxyz"},
    }[config.task]
    if data.get("name") == "sotu-eras":  # one-hot words, as they are
        as_published = {"normalise_features": "none"}
    if data.get("name") == "wikitext-2":  # an <eos> for every line
        as_published["lines"] = "every"
    assert {key: data[key] for key in as_published} == as_published
