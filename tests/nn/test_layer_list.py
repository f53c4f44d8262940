"""Layers of one class are had as such, and another one among them is named."""

import pytest
from torch import nn

from workings.nn.layer_list import layers_of


def test_the_layers_themselves_are_given_in_their_order() -> None:
    layers = nn.ModuleList([nn.Linear(2, 3), nn.Linear(3, 1)])
    assert [id(layer) for layer in layers_of(nn.Linear, layers)] == [id(each) for each in layers]


def test_another_class_among_them_is_named() -> None:
    with pytest.raises(TypeError, match=r"ReLU.*Linear"):
        layers_of(nn.Linear, [nn.Linear(2, 3), nn.ReLU()])
