"""TOML of anybody's: read, or refused in one line."""

import tomllib

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


@pytest.mark.parametrize("part", ["a", '"a"', "'a.b'", "a ", "1-2"])
def test_a_key_of_very_many_parts_is_refused_before_it_is_parsed(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tomllib, "loads", lambda text: pytest.fail("it was parsed"))
    key = ".".join([part] * 200_000)
    for text in (f"{key} = 1", f"x = 1\n[{key}]", f"x = [{{a = ''''b'''', {key} = 1}}]"):
        with pytest.raises(WrongToml, match="is nested too deeply"):
            parse(text)


@pytest.mark.parametrize(
    "value",
    [
        *('"{}"', "'{}'", '"""\n{}"""', "'''{}'''", '"\\"{}"', '"""\\"""{}"""', '""""{}"""""'),
        *("[1.5, 2.5] # {}", '"" # "{}'),
    ],
)
def test_dots_in_a_text_or_a_comment_are_no_key(value: str) -> None:
    dots = ".".join(["a"] * 100)
    assert list(parse(f"k = {value.format(dots)}\nb = 1")) == ["k", "b"]


@pytest.mark.parametrize("opening", ['"', "'", '"""', "'''", '\\"', '"""\\"', '"\\'])
def test_text_without_an_end_takes_no_time_that_grows_with_its_square(opening: str) -> None:
    with pytest.raises(WrongToml):
        parse("k = " + opening * 500_000)
