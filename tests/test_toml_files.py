"""TOML of anybody's: read, or refused in one line."""

import pytest

from workings.toml_files import WrongToml, parse


def test_values_are_read() -> None:
    assert parse("a = [{b = 1}]\n[c.d]\ne = 'x'\n") == {"a": [{"b": 1}], "c": {"d": {"e": "x"}}}


@pytest.mark.parametrize(
    "text", ["a." * 3000 + "b = 1", "a = " + "[" * 60 + "]" * 60, "a = " + "[" * 5000, "[" * 5000]
)
def test_nesting_without_end_is_refused(text: str) -> None:
    with pytest.raises(WrongToml, match=r"is nested too deeply|is not TOML") as refused:
        parse(text)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["a = ", "a = 1\na = 2", "a = " + "7" * 5000, "[a]\n[a]"])
def test_damaged_text_is_refused(text: str) -> None:
    with pytest.raises(WrongToml, match="is not TOML: "):
        parse(text)
