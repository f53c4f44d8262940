r"""Signs that authors write in several ways, put in the one that the parser reads: {a \over b}."""

import re
from collections.abc import Callable

from workings.claims.documents.files.sources import Builder, Text, constant, join

_IN_TEXT = re.compile(r"\\(text|mbox|textrm)\s*\{([^{}$]*)\$([^$]*)\$([^{}$]*)\}")
_EQUAL = re.compile(r"==")
_ASSIGNS = re.compile(r":\s+=")  # \theta : = \theta - g
_SEMICOLON = re.compile(r"(?<!\\);(?=[^()]*\))(?<=[\w} ];)")  # J(w; X, y)
_ONE_IF = re.compile(r"(?<![\w.})])1\s*\(\s*([a-z])\s*==?\s*([a-z])\s*\)")
_SAME_COMMAND = {"mathds": r"\mathbb", "mathbbm": r"\mathbb", "bbone": r"\mathbb{1}",
                 "operatornamewithlimits": r"\operatorname",
                 "operatorname*": r"\operatorname"}  # fmt: skip
_OTHER_NAMES = re.compile(
    r"\\(mathds|mathbbm|bbone|operatornamewithlimits|operatorname\*)(?![A-Za-z])"
)
_SILENT = re.compile(r"\\(?:therefore|because|blacksquare|square|qed|hfill)(?![A-Za-z])")
_NOTHING_MARKED = re.compile(r"\\partial\s*\{\s*\}")  # \frac{\partial{}}{\partial{x}}(x y)
_PRIME = re.compile(r"\^\s*\{\s*(?:'|\\prime)\s*\}(?=\s*(?:\\left)?\s*\()")  # f^{'}(x)
_CODE_NAME = re.compile(  # learning\_rate, learning{\_}rate
    r"(?<![A-Za-z\\])[A-Za-z]+(?:\s?(?:\{\s*\\_\s*\}|\\_|\{\\_[A-Za-z]+\})\s?[A-Za-z]*)+"
)
_CROSS_ENTROPY = re.compile(
    r"(?<![A-Za-z\\])(?:\\(?:text|mathrm|operatorname|textrm)\s*\{\s*)?"
    r"(?:CE|[Cc]ross-?\s?(?:\{?\\_\}?)?[Ee]ntropy)(?:\s*\})?\s*(?:\\left)?\s*"
    r"\((?P<first>[^(),]*),(?P<second>[^(),]*?)(?:\\right)?\s*\)"
)
_THOUSANDS = re.compile(  # 10\,000, 10{,}000
    r"(?<![\d.,])(?P<first>[1-9]\d{0,2})(?P<rest>(?:(?:\{,\}|\\[,;: ]|~)\d{3})+)(?![\d.])"
)
_DECIMAL_COMMA = re.compile(  # 0{,}125
    r"(?<![\d.,}])(?<![_^]\{)(?P<whole>0(?=\{,\})|\d{1,3}(?=\{,\}(?:\d{1,2}|\d{4,})(?!\d)))\{,\}(?P<rest>\d+)(?!\d|\{,\})"
)
_WITH_COMMAS = re.compile(
    r"(?<![\d.,({\[])(?P<first>[1-9]\d{0,2})(?P<rest>(?:,\d{3})+)(?![\d,.)}\]])"
)
_TEN_TO = re.compile(  # 1\mathrm{e}{-3}, 1e-3
    r"(?P<digits>\d+(?:\.\d+)?|\.\d+)(?:\\(?:mathrm|text|rm)\s*\{\s*[eE]\s*\}|[eE](?=-?\d))\s*\{?(?P<power>-?\d+)\}?"
)
_EULER = re.compile(r"(?<=\\pi)\s*(?:e|\\mathrm\{e\})(?![A-Za-z_^])")  # \log(2\pi e \sigma^2)
_OVER = re.compile(r"\\over(?![A-Za-z])")
_BARE_SUM = re.compile(r"(\\sum\s*_)\s*([i-n])")  # \sum_ky_k sums y_k over k
_MEAN = re.compile(  # the mean over all i: \frac1n \sum_{i}
    r"\\[dt]?frac\s*(?:\{\s*1\s*\}|1)\s*\{?\s*(?P<count>[A-Za-z])\s*\}?\s*"
    r"\\sum\s*_\s*\{\s*[i-n]\s*\}(?!\s*\^)"
)
_IN_BRACKETS = re.compile(  # W[i, j] of programs
    r"(?<![A-Za-z\\])([A-DF-Za-z])\[\s*([i-nrst0-9](?:\s*,\s*[i-nrst0-9])?)\s*\]"
)
_BOLD = re.compile(r"\\(?:b|bf|bs|v|vec|mat)(?P<letter>[a-zA-Z])(?![A-Za-z])(?!\s*\{)")
_BM = re.compile(r"\\bm\s+(?=\\?[A-Za-z])")  # of the package bm, as in \bm x, and no bold m
_FONT = re.compile(r"\\(?:bs|bb|bsym|vect|mat)(?=\s*\{)")  # \bs{x}
_EMPTY = re.compile(r"[\^_]\s*\{(?:\s|\\[,;:! ]|,)*\}")  # v^{\,} sets a sign lower, no more


def in_plain_signs(text: Text) -> Text:
    r"""A formula with \text{if $x > 0$} as words and a formula, and k == i as an equation."""
    text = over_as_fractions(text)
    for pattern, by in (
        (_DECIMAL_COMMA, lambda match: f"{match['whole']}.{match['rest']}"),
        (_THOUSANDS, _whole_number),
        (_WITH_COMMAS, _whole_number),
        (_TEN_TO, lambda match: rf"{{{match['digits']} \cdot 10^{{{match['power']}}}}}"),
        (_EULER, lambda _: r"\exp(1)"),
        (_IN_TEXT, lambda match: rf"\{match[1]}{{{match[2]}}} {match[3]} {_words(match)}"),
        (_ONE_IF, lambda match: rf"\mathbb{{1}}({match[1]} = {match[2]})"),
        (_EQUAL, lambda _: "="),
        (_ASSIGNS, lambda _: ":="),
        (_OTHER_NAMES, lambda match: _SAME_COMMAND[match[1]]),
        (_SILENT, lambda _: " "),
        (_NOTHING_MARKED, lambda _: r"\partial "),
        (_PRIME, lambda _: "'"),
        (_CODE_NAME, lambda match: rf"\mathrm{{{re.sub('[^A-Za-z]', '', match[0])}}}"),
        (_CROSS_ENTROPY, _cross_entropy),
        (_EMPTY, lambda _: ""),
        (_BARE_SUM, lambda match: rf"{match[1]}{{{match[2]}}}"),
        (_MEAN, lambda match: f"{match[0].rstrip(' }')}=1}}^{{{match['count']}}}"),
        (_IN_BRACKETS, lambda match: rf"{match[1]}_{{{match[2]}}}"),
        (_SEMICOLON, lambda _: ","),
        (_FONT, lambda _: r"\boldsymbol"),
        (_BM, lambda _: r"\boldsymbol "),
        (_BOLD, _bold),
    ):
        if pattern.search(text.text):
            text = replaced(text, pattern, by)
    return text


def over_as_fractions(text: Text) -> Text:
    r"""A formula with \frac{a}{b} for {a \over b}."""
    while match := _OVER.search(text.text):
        start, end = _around(text.text, match.start())
        if start < 0 or end == len(text.text):
            break
        here = text.offset_of(match.start())
        opens, between, closes = (constant(each, here, here) for each in (r"\frac{", "}{", "}"))
        top, bottom = text[start + 1 : match.start()], text[match.end() : end]
        text = join([text[:start], opens, top, between, bottom, closes, text[end + 1 :]])
    return text


def _around(text: str, at: int) -> tuple[int, int]:
    """The places of the braces around a place; -1 and the length where there are none."""
    depth, start = 0, at - 1
    while start >= 0 and (depth or text[start] != "{"):
        depth += (text[start] == "}") - (text[start] == "{")
        start -= 1
    depth, end = 0, at
    while end < len(text) and (depth or text[end] != "}"):
        depth += (text[end] == "{") - (text[end] == "}")
        end += 1
    return start, end


def _cross_entropy(match: "re.Match[str]") -> str | None:
    r"""-\sum y \log \hat y of CE(y, \hat y), where a hat tells which of the two is predicted."""
    first, second = match["first"].strip(), match["second"].strip()
    hats = [r"\hat" in each for each in (first, second)]
    if hats[0] == hats[1]:
        return None
    target, predicted = (second, first) if hats[0] else (first, second)
    return rf"-\sum {target} \odot \log({predicted})"


def _whole_number(match: "re.Match[str]") -> str:
    """A number without what parts its thousands."""
    return match["first"] + "".join(re.findall(r"\d", match["rest"]))


def _words(match: "re.Match[str]") -> str:
    return rf"\{match[1]}{{{match[4]}}}" if match[4].strip() else ""


def _bold(match: "re.Match[str]") -> str | None:
    r"""\bx and \vx of a macro that stands in another file: x in bold, as everybody means it."""
    return None if match[0] in _NOT_BOLD else rf"\mathbf{{{match['letter']}}}"


_NOT_BOLD = frozenset([r"\bf", r"\vd"])


def replaced(
    text: Text,
    pattern: "re.Pattern[str]",
    by: Callable[["re.Match[str]"], str | None],
) -> Text:
    """A text with what a pattern finds replaced; None leaves it as it is."""
    builder, at = Builder(), 0
    for match in pattern.finditer(text.text):
        new = by(match)
        if new is None or match.start() == match.end():
            continue
        start, end = match.span()
        builder.add(text[at:start])
        builder.add(constant(new, text.offset_of(start), text.ends[end - 1]))
        at = end
    builder.add(text[at:])
    return builder.build() if at else text
