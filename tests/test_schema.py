"""Config sections: what they refuse, and how the refusal reads."""

import math
from typing import Any

import pytest
from pydantic import ValidationError, model_validator

from workings.errors import WorkingsError
from workings.schema import Config, Count, NonNegative, Positive, Probability, Share, Size, build
from workings.tasks.language.models import RNNConfig


class Oven(Config):
    """An oven."""

    trays: Size = 2
    """how many fit"""
    heat: NonNegative = 180.0
    door: Count = 0
    drop: Probability = 0.0
    share: Share = 0.1
    volume: Positive = 60.0

    @model_validator(mode="after")
    def _enough_heat(self) -> "Oven":
        if self.trays > 9 and self.heat < 100:
            raise ValueError("Ten trays need more heat")
        return self


class Named(Config):
    """A section with a key that must be given."""

    name: str


def refusal(values: dict[str, Any], section: str = "oven", kind: type[Config] = Oven) -> str:
    with pytest.raises(WorkingsError) as caught:
        build(kind, values, section)
    return str(caught.value)


def test_given_values_replace_the_defaults_and_the_rest_stay() -> None:
    oven = build(Oven, {"trays": 3}, "oven")
    assert (oven.trays, oven.heat) == (3, 180.0)


def test_an_unknown_key_offers_the_nearest_with_its_section() -> None:
    assert refusal({"tray": 3}) == "oven.tray: unknown key (did you mean oven.trays?)"


def test_an_unknown_key_like_no_other_offers_nothing() -> None:
    assert refusal({"xyzzy": 3}) == "oven.xyzzy: unknown key"


def test_without_a_section_the_key_stands_alone() -> None:
    assert refusal({"tray": 3}, section="") == "tray: unknown key (did you mean trays?)"


def test_a_wrong_type_names_the_field_and_the_value() -> None:
    message = refusal({"trays": "many"})
    assert message.startswith("oven.trays: ")
    assert message.endswith("(got 'many')")


def test_a_missing_key_is_named() -> None:
    assert refusal({}, "section", Named) == "section.name: is required"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused(value: float) -> None:
    assert refusal({"heat": value}).startswith("oven.heat: ")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("trays", 0),
        ("heat", -0.1),
        ("door", -1),
        ("drop", 1.0),
        ("drop", -0.1),
        ("share", 0.51),
        ("volume", 0.0),
    ],
)
def test_a_value_out_of_its_range_is_refused_by_name(key: str, value: float) -> None:
    message = refusal({key: value})
    assert message.startswith(f"oven.{key}: ")
    assert message.endswith(f"(got {value!r})")


@pytest.mark.parametrize(
    ("key", "value"),
    [("trays", 1), ("heat", 0.0), ("door", 0), ("drop", 0.99), ("share", 0.5), ("volume", 0.1)],
)
def test_the_end_of_a_range_is_allowed(key: str, value: float) -> None:
    assert getattr(build(Oven, {key: value}, "oven"), key) == value


def test_a_rule_between_fields_keeps_its_words_in_one_line() -> None:
    message = refusal({"trays": 10, "heat": 50})
    assert message.endswith(": ten trays need more heat")
    assert message.startswith("oven")
    assert "\n" not in message


def test_several_errors_are_still_one_line() -> None:
    assert "\n" not in refusal({"trays": "many", "heat": "hot", "colour": 1})


def test_a_section_cannot_be_changed() -> None:
    oven = build(Oven, {}, "oven")
    with pytest.raises(ValidationError, match="frozen"):
        oven.trays = 5
    assert oven.trays == 2


def test_the_text_under_a_field_is_its_description() -> None:
    assert Oven.model_fields["trays"].description == "how many fit"


def test_a_rule_between_fields_names_the_section() -> None:
    with pytest.raises(WorkingsError, match=r"^model: tied weights"):
        build(RNNConfig, {"tied": True, "embed": 2, "hidden": 3}, "model")


@pytest.mark.parametrize("value", [True, "12", 12.0])
def test_types_are_strict(value: object) -> None:
    with pytest.raises(WorkingsError, match=r"^model\.hidden: "):
        build(RNNConfig, {"hidden": value}, "model")


@pytest.mark.parametrize("values", [{"trays": 2**63}, {"trays": [{"a": -(10**400)}]}])
def test_a_number_that_only_python_has_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(WorkingsError, match=r"^oven.trays[.0a]*: a number of more than 64 bits$"):
        build(Oven, values, "oven")
