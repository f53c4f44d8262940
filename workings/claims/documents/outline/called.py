"""How a document calls its functions: with which arguments, and whether it names them alone."""

import re
from collections.abc import Iterable, Iterator, Sequence

_FONT = re.compile(r"\\(?:mathcal|mathrm|mathbf|text|operatorname|boldsymbol|bm)\s*\{([^{}]*)\}")
_SIZED = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])")


def arguments_of(name: str, texts: Iterable[str]) -> Iterator[str]:
    """What stands in brackets behind a name, wherever it does; nothing where none stands there."""
    letter = re.compile(rf"(?<![A-Za-z\\]){re.escape(name)}(?![A-Za-z])\s*('*)\s*(\()?")
    for text in texts:
        plain = _SIZED.sub("", _FONT.sub(r"\1", text))
        for match in letter.finditer(plain):
            yield _inside(plain, match.end()) if match[2] else ""


def is_called_otherwise(name: str, parameters: Sequence[str], texts: Iterable[str]) -> bool:
    """Whether f(x) is written with something else in the place of x, too."""
    own = ",".join(parameters)
    given = {"".join(re.split(r"[\s{}]+", each)) for each in arguments_of(name, texts)}
    return bool(given - {own.replace(" ", ""), ""})


def stands_alone(name: str, texts: Iterable[str]) -> bool:
    """Whether a name is written without arguments somewhere."""
    return any(not each for each in arguments_of(name, texts))


def _inside(text: str, at: int) -> str:
    """The text up to the bracket that closes the one before it."""
    depth = 1
    for end in range(at, len(text)):
        depth += (text[end] == "(") - (text[end] == ")")
        if depth == 0:
            return text[at:end]
    return ""
