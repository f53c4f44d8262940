import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.tasks.speech import alphabet
from workings.tasks.speech.alphabet import LETTERS, PUBLISHED, Alphabet, fitting, normalise

SYMBOLS = PUBLISHED.symbols
decode, encode, outside, within = (
    *(PUBLISHED.decode, PUBLISHED.encode),
    *(PUBLISHED.outside, PUBLISHED.within),
)


def test_thirty_five_symbols() -> None:
    assert len(SYMBOLS) == len(set(SYMBOLS)) == 35
    assert "".join(SYMBOLS[4:]) == " ,.?-abcdefghijklmnopqrstuvwxyz"


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text(LETTERS))
def test_there_and_back(text: str) -> None:
    assert decode(encode(text)) == text
    assert all(4 <= number < 35 for number in encode(text))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text())
def test_anything_becomes_something_in_the_alphabet(text: str) -> None:
    plain = normalise(text)
    for handling in ("unknown", "drop"):
        kept = within(plain, handling)
        assert all(number >= 4 or number == alphabet.UNKNOWN for number in encode(kept))
        assert (handling == "drop") <= (alphabet.MARK not in kept)
        assert kept == " ".join(kept.split())
    assert outside(plain).total() == sum(symbol not in LETTERS for symbol in plain)


@pytest.mark.parametrize(
    ("text", "plain", "unknown", "dropped"),
    [
        ("Hello,  World?", "hello, world?", "hello, world?", "hello, world?"),
        ("Café naïve", "cafe naive", "cafe naive", "cafe naive"),
        ("it's 5!", "it's 5!", "it�s ��", "its"),
        ("a\tb\n c", "a b c", "a b c", "a b c"),
    ],
)
def test_by_hand(text: str, plain: str, unknown: str, dropped: str) -> None:
    assert normalise(text) == plain
    assert within(plain, "unknown") == unknown
    assert within(plain, "drop") == dropped


def test_the_end_ends() -> None:
    ids = [alphabet.BEGIN, *encode("ab"), alphabet.UNKNOWN, alphabet.END, *encode("c")]
    assert decode(ids) == "ab�"


def test_the_alphabet_of_some_texts() -> None:
    letters = fitting(["It's 12 o’clock (now)"] * 3 + ["one # mark"])
    assert letters == LETTERS + "'12"
    own = Alphabet(letters)
    assert own.decode(own.encode("it's 12")) == "it's 12"
    assert own.within("it's 3", "drop") == "it's"
