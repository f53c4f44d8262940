"""Nested values that hold tensors: mapped, taken apart and put together again."""

import json
from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from workings.tree import flatten, map_tensors, unflatten

KEYS = st.text("abcdef_", min_size=1, max_size=4)
TENSORS = st.lists(st.integers(-9, 9), max_size=3).map(torch.tensor)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | TENSORS
)
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=3)
    ),
    max_leaves=8,
)


def same(a: Any, b: Any) -> bool:
    """Equal in value and in type, at every depth."""
    if type(a) is not type(b):
        return False
    if isinstance(a, Tensor):
        return a.dtype == b.dtype and torch.equal(a, b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return a == b


@settings(max_examples=60, deadline=None, derandomize=True)
@given(TREES)
def test_what_was_taken_apart_comes_back_even_through_json(tree: Any) -> None:
    tensors: dict[str, Tensor] = {}
    rest = json.loads(json.dumps(flatten(tree, "root", tensors)))
    assert same(unflatten(rest, tensors), tree)


def test_a_tensor_is_kept_under_the_path_that_leads_to_it() -> None:
    tensors: dict[str, Tensor] = {}
    flatten({"a": [1, (torch.tensor(5),)]}, "state", tensors)
    assert {path: t.item() for path, t in tensors.items()} == {"state.a.1.0": 5}


def test_whole_number_keys_stay_whole_numbers() -> None:
    tensors: dict[str, Tensor] = {}
    rest = json.loads(json.dumps(flatten({0: "a", 1: "b"}, "root", tensors)))
    assert unflatten(rest, tensors) == {0: "a", 1: "b"}


def test_a_kept_tensor_has_no_gradient() -> None:
    tensors: dict[str, Tensor] = {}
    flatten(torch.ones(2, requires_grad=True) * 2, "root", tensors)
    assert not tensors["root"].requires_grad


def test_what_comes_back_is_a_copy() -> None:
    tensors: dict[str, Tensor] = {}
    rest = flatten([torch.zeros(2)], "root", tensors)
    unflatten(rest, tensors)[0].add_(1)
    assert tensors["root.0"].tolist() == [0, 0]


def test_a_tensor_has_one_place() -> None:
    """A few bytes for each further one would be a copy of the whole."""
    with pytest.raises(KeyError):
        unflatten({"list": [{"tensor": "root.0"}] * 2}, {"root.0": torch.zeros(2)})


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", object(), 1j])
def test_a_type_that_cannot_be_kept_is_named_with_its_path(value: Any) -> None:
    with pytest.raises(TypeError, match=rf"root\.a\.0: a {type(value).__name__} cannot be kept"):
        flatten({"a": [value]}, "root", {})


def test_mapping_changes_every_tensor_and_nothing_else() -> None:
    tree = {"h": [torch.tensor(1), (torch.tensor(2), "word")], "n": 3, "none": None}
    doubled = map_tensors(lambda t: t * 2, tree)
    expected = {"h": [torch.tensor(2), (torch.tensor(4), "word")], "n": 3, "none": None}
    assert same(doubled, expected)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(TREES)
def test_mapping_the_identity_keeps_the_nesting(tree: Any) -> None:
    assert same(map_tensors(lambda t: t, tree), tree)


def test_two_tensors_cannot_have_one_path() -> None:
    with pytest.raises(TypeError, match="two tensors"):
        flatten({"a.b": torch.ones(1), "a": {"b": torch.zeros(1)}}, "x", {})


def test_a_namedtuple_is_mapped_but_not_kept() -> None:
    class State(NamedTuple):
        h: torch.Tensor

    assert map_tensors(lambda t: t + 1, State(torch.zeros(1))).h.item() == 1
    with pytest.raises(TypeError, match="State"):
        flatten(State(torch.zeros(1)), "x", {})
