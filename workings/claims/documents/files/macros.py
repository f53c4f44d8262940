r"""The author's own commands (\newcommand, \def, \DeclareMathOperator …), read and expanded.

Expansion is bounded: what a command expands to may be so long, so deep and so many commands; one
that has no end stays as it is written.
"""

import re
from dataclasses import dataclass

from workings.claims.documents.files.sources import Builder, Text, constant

DEEPEST = 40  # commands within commands
MOST_CALLS = 2_000  # commands expanded for one that the author wrote
LONGEST = 50_000  # characters that one may expand to
LONGEST_GROUP = 20_000  # characters between two braces
MOST_INCOMPLETE = 500  # calls without their arguments before a command is given up
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
_NAME = re.compile(r"\s*\{?\s*\\([A-Za-z@]+|.)\s*\}?", re.DOTALL)
_COUNT = re.compile(r"\s*\[\s*([0-9])\s*\]")
_DEFAULT = re.compile(r"\s*\[([^\[\]]*)\]")
_PARAMETERS = re.compile(r"\s*((?:#[1-9])*)\s*(?=\{)")
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|.)", re.DOTALL)
_ARGUMENT = re.compile(r"#([1-9])")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*\n?[ \t]*")


class Endless(Exception):
    """An expansion that passes its bounds."""


class Incomplete(Exception):
    """A call whose arguments are not there."""


@dataclass(frozen=True)
class Macro:
    """A command of the author's: how many arguments it takes and what it stands for."""

    body: str
    arguments: int = 0
    default: str | None = None
    """of the first argument, where that is optional"""


COMMON = {  # of packages, where the author gives them no other meaning
    "ensuremath": Macro("#1", 1),
    "xspace": Macro(""),
    "pdv": Macro(r"\frac{\partial #1}{\partial #2}", 2),
    "dv": Macro(r"\frac{d #1}{d #2}", 2),
    "pderiv": Macro(r"\frac{\partial #1}{\partial #2}", 2),
    "grad": Macro(r"\nabla"),
    "cancel": Macro("#1", 1),
    "bcancel": Macro("#1", 1),
    "abs": Macro(r"\left|#1\right|", 1),
    "qty": Macro(""),
    "R": Macro(r"\mathbb{R}"),
    "reals": Macro(r"\mathbb{R}"),
}


def group(text: str, at: int) -> tuple[int, int, int] | None:
    """The argument that begins at `at`: where its content starts and ends, and where it is over."""
    while at < len(text) and text[at].isspace():
        at += 1
    if at >= len(text):
        return None
    if text[at] != "{":
        match = _COMMAND.match(text, at)
        end = match.end() if match else at + 1
        return (at, end, end) if text[at] != "}" else None
    depth = 0
    for match in _BRACES.finditer(text, at, at + LONGEST_GROUP):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth == 0:
                return at + 1, match.start(), match.end()
    return None


def read_definition(kind: str, text: str, at: int) -> tuple[str, Macro | None, int]:
    """The command that a definition names, what it stands for, and where the definition is over.

    None where the definition is of a form that is not read, such as one with delimited arguments.
    """
    name = _NAME.match(text, at)
    if name is None:
        return "", None, at
    at = name.end()
    arguments, default = 0, None
    if kind in ("def", "gdef", "edef", "xdef"):
        parameters = _PARAMETERS.match(text, at)
        if parameters is None:
            return name[1], None, at
        arguments, at = len(parameters[1]) // 2, parameters.end()
    elif kind != "DeclareMathOperator" and (count := _COUNT.match(text, at)):
        arguments, at = int(count[1]), count.end()
        if given := _DEFAULT.match(text, at):
            default, at = given[1], given.end()
    found = group(text, at)
    if found is None:
        return name[1], None, at
    start, end, over = found
    body = _COMMENT.sub("", text[start:end])
    if kind == "DeclareMathOperator":
        body = rf"\operatorname{{{body}}}"
    return name[1], Macro(body, arguments, default), over


class Expander:
    """Expands calls of the author's commands, as many as are known so far."""

    def __init__(self) -> None:
        self.macros: dict[str, Macro] = dict(COMMON)
        self.endless: set[str] = set()
        self.calls = 0
        self.incomplete = 0

    def define(self, name: str, macro: Macro | None, keep: bool = False) -> None:
        """A new meaning of a command; a definition that is not read takes the old one away."""
        if macro is None:
            self.macros.pop(name, None)
        elif not (keep and name in self.macros):
            self.macros[name] = macro
            self.endless.discard(name)

    def knows(self, name: str) -> bool:
        """Whether a macro can be expanded; one that would never end cannot."""
        return name in self.macros and name not in self.endless

    def call(self, name: str, text: Text, start: int, at: int) -> tuple[Text, int] | None:
        """What a call expands to, and where it is over; None if it has no end or no arguments."""
        self.calls, builder = 0, Builder()
        try:
            over = self._call(name, text, start, at, builder, 0)
        except (Endless, Incomplete) as error:
            self.incomplete += 1
            if isinstance(error, Endless) or self.incomplete > MOST_INCOMPLETE:
                self.endless.add(name)
            return None
        return builder.build(), over

    def _call(
        self, name: str, text: Text, start: int, at: int, builder: Builder, depth: int
    ) -> int:
        self.calls += 1
        if self.calls > MOST_CALLS or depth > DEEPEST:
            raise Endless(name)
        macro = self.macros[name]
        given: list[Text] = []
        over = at
        if macro.default is not None and macro.arguments:
            optional = _DEFAULT.match(text.text, over)
            if optional:
                given.append(text[optional.start(1) : optional.end(1)])
                over = optional.end()
            else:
                given.append(constant(macro.default, text.offset_of(start), text.offset_of(over)))
        while len(given) < macro.arguments:
            found = group(text.text, over)
            if found is None:
                raise Incomplete
            given.append(text[found[0] : found[1]])
            over = found[2]
        first, last = text.offset_of(start), text.ends[over - 1]
        self._expand(_filled(macro.body, given, first, last), builder, depth)
        return over

    def _expand(self, text: Text, builder: Builder, depth: int) -> None:
        at = 0
        for _ in range(MOST_CALLS):
            match = _COMMAND.search(text.text, at)
            if match is None:
                break
            builder.add(text[at : match.start()])
            name, at = match[0][1:], match.end()
            if self.knows(name):
                at = self._call(name, text, match.start(), at, builder, depth + 1)
            else:
                builder.add(text[match.start() : at])
            if len(builder) > LONGEST:
                raise Endless(name)
        else:
            raise Endless
        builder.add(text[at:])


def _filled(body: str, given: list[Text], start: int, end: int) -> Text:
    """A body with its arguments in their places; they keep their own positions."""
    builder, at = Builder(), 0
    for match in _ARGUMENT.finditer(body):
        builder.add(constant(body[at : match.start()], start, end))
        number = int(match[1])
        if number <= len(given):
            builder.add(given[number - 1])
        at = match.end()
        if len(builder) > LONGEST:
            raise Endless
    builder.add(constant(body[at:], start, end))
    return builder.build()
