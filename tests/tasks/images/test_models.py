"""The image classifiers' configs: one value for all convolutions or one for each, and no other."""

from typing import Any

import pytest

from workings.errors import WorkingsError
from workings.nn.conv import CNN
from workings.schema import build
from workings.tasks.images.models import ConvConfig


def network(**values: Any) -> CNN:
    return build(ConvConfig, {"channels": [3, 4], **values}, "model").build(1, 28, 28, 4)


def test_pool_and_padding_are_of_all_layers_or_of_each() -> None:
    model = network(pool=["none", "max"], padding=[2, 1])
    assert [layer.pool for layer in model.convolutions] == ["none", "max"]
    assert [layer.padding for layer in model.convolutions] == [2, 1]
    model = network(pool="average", padding=2)
    assert [layer.pool for layer in model.convolutions] == ["average"] * 2
    assert [layer.padding for layer in model.convolutions] == [2, 2]


def test_other_than_two_convolutions_are_padded_by_one_pixel_each() -> None:
    assert [layer.padding for layer in network().convolutions] == [1, 0]
    assert [layer.padding for layer in network(channels=[5]).convolutions] == [1]
    assert [layer.padding for layer in network(channels=[2, 2, 2]).convolutions] == [1, 1, 1]


def test_the_fields_are_the_network() -> None:
    model = network(kernel=5, dense=9, dropout=0.25, batch_norm=True)
    assert [tuple(c.conv.weight.shape) for c in model.convolutions] == [(3, 1, 5, 5), (4, 3, 5, 5)]
    assert [layer.out_features for layer in model.dense] == [9]
    assert model.dropout.p == 0.25
    assert all(layer.norm is not None for layer in model.convolutions)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"pool": ["max"] * 3}, "pool has 3 entries for 2 convolutions"),
        ({"padding": [1, 1, 1]}, "padding has 3 entries for 2 convolutions"),
        ({"channels": []}, "channels names no convolution"),
        ({"pool": "median"}, "model.pool.0"),
        ({"kernel": 0}, "model.kernel"),
        ({"dropout": 1.0}, "model.dropout"),
    ],
)
def test_a_config_that_fits_nothing_is_refused(values: dict[str, Any], said: str) -> None:
    with pytest.raises(WorkingsError, match=said):
        build(ConvConfig, values, "model")
