"""Mutations: good bytes, text and plain values made odd, at random but repeatably."""

import json
import re
import string
from collections.abc import Sequence
from random import Random
from typing import Any

LARGEST = 1 << 17  # bytes of a mutated input: small enough that many are tried

# What readers are known to trip over.
NUMBERS = (
    *("0", "-1", "1", "255", "256", "65536", "2147483647", "2147483648", "4294967296"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775809", "1" + "0" * 30),
    *("9" * 400, "7" * 4301, "1e308", "1e400", "-1e30", "1e-320", "nan", "inf", "-inf", "NaN"),
    *("0.5", "-0.0", "00", "0x10", "1_000", "1.", ".5", "٣", "²", "true", "null", "[]", "{}"),
)
STRINGS = (
    *("", " ", "\n", "\r", "\r\n", "\t", "\0", "\x1b[31m", "\u2028", "\ufeff", "é", "𝛼", "\x7f"),
    *("../outside/keep.txt", "/dev/zero", "/dev/stdin", "/etc/passwd", ".", "..", "/", "~", "%s"),
    *("{0}", "<b>", "&amp;", '"', "'", "`", "\\", "|", "#", ",", ";", "=", "a" * 300, "(" * 2100),
    *(
        "[" * 2100,
        "{" * 2100,
        "[" * 2100 + "]" * 2100,
        "((",
        "))",
        "subprocess:getoutput",
        "os:_exit",
    ),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 2**31, 2**63, 2**64, 10**30, -(10**30)),
    *(0.0, -0.0, 0.5, 1e-320, 1e30, 1e308, float("inf"), float("nan")),
    *("", "x", "\n", "\0", "\u2028", "\udc80", "0", "1", "/", "..", "../outside/keep.txt"),
    *("/dev/zero", "a" * 5000, [], {}, [[]], [None], {"": None}, {"a": {"a": {}}}, [0] * 1000),
)


def bytes_(random: Random, seeds: Sequence[bytes], words: Sequence[bytes] = ()) -> bytes:
    """One of the seeds after one to six changes of its bytes."""
    content = bytearray(random.choice(seeds))
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        _change(random, content, seeds, words)
    return bytes(content[:LARGEST])


def _change(
    random: Random, content: bytearray, seeds: Sequence[bytes], words: Sequence[bytes]
) -> None:
    start = random.randrange(len(content) + 1)
    end = min(len(content), start + random.choice((0, 1, 1, 2, 4, 8, 40, 1000)))
    match random.choice((0, 0, 0, *range(9), 8)):
        case 0 if content:
            content[min(start, len(content) - 1)] ^= 1 << random.randrange(8)
        case 1:
            del content[start:end]
        case 2:
            content[start:start] = content[start:end] * random.choice((1, 2, 50))
        case 3:
            content[start:end] = random.randbytes(random.choice((1, 2, 4, 8)))
        case 4:
            content[start:end] = random.choice(NUMBERS).encode()
        case 5:
            content[start:end] = random.choice(STRINGS).encode("utf-8", "surrogatepass")
        case 6:
            del content[start:]
        case 7:
            other = random.choice(seeds)
            at = random.randrange(len(other) + 1)
            content[start:end] = other[at : at + random.choice((4, 40, 400))]
        case _:
            chosen = random.choice(words) if words else random.randbytes(2)
            content[start:end] = chosen


def numbers(random: Random, content: bytes) -> bytes:
    """The text with one or two of its numbers replaced by odd ones."""
    places = list(re.finditer(rb"-?\d+(?:\.\d+)?", content))
    changed = bytearray(content)
    chosen = random.sample(places, min(len(places), random.choice((1, 1, 2))))
    for match in sorted(chosen, key=lambda match: -match.start()):
        changed[match.start() : match.end()] = random.choice(NUMBERS).encode()
    return bytes(changed)


def values(random: Random, value: Any, odd: Sequence[Any] = VALUES) -> Any:
    """The nested value with one to three of its parts replaced, left out or put in."""
    for _ in range(random.choice((1, 1, 2, 3))):
        value = _replaced(random, value, odd)
    return value


def _replaced(random: Random, value: Any, odd: Sequence[Any]) -> Any:
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = random.choice(list(value))
        inside = dict(value)
        match random.randrange(8):
            case 0:
                del inside[key]
            case 1:
                inside[word(random)] = random.choice(odd)
            case _:
                inside[key] = _replaced(random, value[key], odd)
        return inside
    if isinstance(value, list) and value and random.random() < 0.8:
        index = random.randrange(len(value))
        match random.randrange(6):
            case 0:
                return value[:index] + value[index + 1 :]
            case 1:
                return [*value, *value[: index + 1]]
            case _:
                changed = _replaced(random, value[index], odd)
                return [*value[:index], changed, *value[index + 1 :]]
    return random.choice(odd)


def json_(random: Random, content: bytes) -> bytes:
    """A JSON text with some of its values replaced, or some of its bytes."""
    if random.random() < 0.3:
        return bytes_(random, [content])
    return json.dumps(values(random, json.loads(content))).encode()


def word(random: Random) -> str:
    """A short name."""
    return "".join(random.choices(string.ascii_lowercase + "._-0", k=random.choice((1, 3, 8))))
