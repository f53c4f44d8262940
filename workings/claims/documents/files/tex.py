r"""Reading a LaTeX document: commands and included files expanded, comments taken out.

A stranger's document is data. \input and \include lead only to files in the document's own folder
and below it, links resolved; their number, depth and size are bounded.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from workings.claims.documents.files.document import Directive, Display, Document, Heading, Inline
from workings.claims.documents.files.macros import Expander, Macro, group, read_definition
from workings.claims.documents.files.sources import LARGEST, Builder, Source, Text, read_text
from workings.errors import WorkingsError

DEEPEST = 10  # files within files
MOST_FILES = 200
MOST_EXPANDED = 2 * LARGEST  # characters of a document after expansion
LEAD = 200  # characters before a display that are looked at
LONGEST_INLINE = 2_000  # characters between two $
_TOKEN = re.compile(r"%[^\n]*\n?[ \t]*|\\(?:[A-Za-z@]+|.)", re.DOTALL)
_DIRECTIVE = re.compile(r"%+\s*workings:\s*(.*\S)")
_DEFINES = ("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand",
            "DeclareMathOperator", "def", "gdef", "edef", "xdef")  # fmt: skip
_INCLUDES = ("input", "include", "subfile")
_VERBATIM = ("verbatim", "Verbatim", "lstlisting", "minted", "comment", "filecontents",
             "alltt", "algorithmic", "tikzpicture")  # fmt: skip
ENVIRONMENTS = ("equation", "align", "gather", "multline", "eqnarray", "flalign", "alignat",
                "displaymath", "dmath")  # fmt: skip
PROBLEM = r"(?:Problem|Exercise|Question|Aufgabe|Exercice)\s+\d"  # of a homework: as a section
_ENVIRONMENT = re.compile(r"\{([A-Za-z]+\*?)\}")
_PATH = re.compile(r"\s*\{([^{}\n]{1,300})\}|\s+([^\s{}\\]{1,300})")
_LET = re.compile(r"\s*\\([A-Za-z@]+|.)\s*+=?\s*\\([A-Za-z@]+|.)", re.DOTALL)
_ITEM = re.compile(
    r"\\begin\{(?P<environment>" + "|".join(ENVIRONMENTS) + r")(?P<star>\*?)\}(?:\{\d+\})?"
    r"|\\\\|(?P<open>\\\[|\$\$|\\\(|\$)"
    r"|\\(?P<heading>(?:part|chapter|section|subsection|subsubsection)\*?\s*[\[{]"
    r"|(?:paragraph|subparagraph|textbf)\*?\s*\{\s*"
    + PROBLEM
    + r"|begin\{(?:problem|exercise)s?\})"
    r"|(?P<over>\\end\{document\})|\\.",
    re.DOTALL,
)
_IN_WORDS = re.compile(r"\\(?:text\w*|mbox|hbox|intertext|shortintertext|tag\*?)\s*\{[^{}]*\}")
_IN_BOX = re.compile(r"\\(?:f?colorbox|fbox|mbox)[^$]{0,80}\$([^$]*)\$(?=\s*\})")
_BEGUN = re.compile(r"\\begin\{((?:" + "|".join(ENVIRONMENTS) + r")\*?)\}")
_OUTSIDE = re.compile(
    r"(?<!\\)\$|\\(?:part|chapter|(?:sub)*section|paragraph|item|documentclass)(?![A-Za-z])"
    r"|^\#{1,6}[ \t]|\\(?:begin|end)\{document\}",
    re.MULTILINE,
)
_PROSE = re.compile(r"(?:(?<![\\A-Za-z{_^])[A-Za-z]{2,}[,.;:]?\s+){5,}")
_CLOSING = {r"\[": r"\]", "$$": "$$", r"\(": r"\)"}


def read_tex(path: Path, texts: Mapping[Path, str] | None = None) -> Document:
    """A .tex file with all that it includes."""
    document = Document(path)
    reader = TexReader(document, path.parent, texts)
    text = document.sources.add(Source(path, read_text(path, texts)))
    reader.open.append(path.resolve())
    reader.expand(text)
    find_items(document, reader.builder.build(), reader.directives)
    return document


class TexReader:
    """Expands LaTeX into one text whose characters remember where they stand."""

    def __init__(
        self, document: Document, root: Path | None = None, texts: Mapping[Path, str] | None = None
    ) -> None:
        self.document = document
        self.texts = texts
        self.root = root and root.resolve()
        """where included files may lie; None: none are read"""
        self.expander = Expander()
        self.environments: dict[str, tuple[Macro, Macro]] = {}
        self.builder = Builder()
        self.directives: list[tuple[int, Directive]] = []
        """with the index in the expanded text at which each stands"""
        self.open: list[Path] = []
        """the files that are being read, each within the one before"""
        self.characters = 0

    def expand(self, text: Text) -> None:
        """Add a text to what was read so far."""
        at = 0
        while match := _TOKEN.search(text.text, at):
            self.builder.add(text[at : match.start()])
            if match[0][0] == "%":
                if said := _DIRECTIVE.match(match[0]):
                    directive = Directive(said[1], text.offset_of(match.start()))
                    self.directives.append((len(self.builder), directive))
                self.builder.add(text[match.end() - 1 : match.end()])  # the words stay apart
                at = match.end()
            else:
                at = self._command(match[0][1:], text, match.start(), match.end())
            if len(self.builder) > MOST_EXPANDED:
                raise WorkingsError(
                    f"{self.document.path}: expands to over {MOST_EXPANDED:,} characters"
                )
        self.builder.add(text[at:])

    def _command(self, name: str, text: Text, start: int, at: int) -> int:
        """Handle the command that stands between `start` and `at`; where to go on."""
        if name in _DEFINES:
            return self._define(name, text, at)
        if name == "let" and (match := _LET.match(text.text, at)):
            self.expander.define(
                match[1], self.expander.macros.get(match[2], Macro("\\" + match[2]))
            )
            return match.end()
        if name == "newenvironment" or name == "renewenvironment":
            return self._define_environment(text, at)
        if name in _INCLUDES and self.root and (match := _PATH.match(text.text, at)):
            self._include((match[1] or match[2]).strip(), text.offset_of(start))
            return match.end()
        if name in ("begin", "end") and (match := _ENVIRONMENT.match(text.text, at)):
            return self._environment(name, match[1], text, start, match.end())
        if name == "iffalse":
            over = text.text.find(r"\fi", at)
            return over + 3 if over >= 0 else len(text)
        if name == "verb" and at < len(text):
            over = text.text.find(text.text[at], at + 1, at + LONGEST_INLINE)
            return over + 1 if over >= 0 else at
        if self.expander.knows(name) and (called := self.expander.call(name, text, start, at)):
            self.builder.add(called[0])
            return called[1]
        self.builder.add(text[start:at])
        return at

    def _define(self, kind: str, text: Text, at: int) -> int:
        if text.text[at : at + 1] == "*":
            at += 1
        name, macro, over = read_definition(kind, text.text, at)
        if name:
            self.expander.define(name, macro, keep=kind == "providecommand")
        return over

    def _define_environment(self, text: Text, at: int) -> int:
        groups = []
        for _ in range(3):
            found = group(text.text, at)
            if found is None:
                return at
            groups.append(text.text[found[0] : found[1]])
            at = found[2]
        name, begin, end = groups
        self.environments[name] = (Macro(begin), Macro(end))
        return at

    def _environment(self, side: str, name: str, text: Text, start: int, at: int) -> int:
        if side == "begin" and name.rstrip("*") in _VERBATIM:
            over = text.text.find(rf"\end{{{name}}}", at)
            return over + len(rf"\end{{{name}}}") if over >= 0 else len(text)
        if name in self.environments:
            key = f"{side} {name}"  # no command can have a name with a space in it
            self.expander.define(key, self.environments[name][side == "end"])
            if called := self.expander.call(key, text, start, at):
                self.builder.add(called[0])
                return called[1]
        self.builder.add(text[start:at])
        return at

    def _include(self, name: str, offset: int) -> None:
        """Read a file in its place, if it lies in the document's folder."""
        assert self.root is not None
        written = Path(name)
        try:
            path = self.root / (written if written.suffix else written.with_suffix(".tex"))
            found = path.resolve()
            inside = found.is_relative_to(self.root)
            exists = inside and found.is_file()
        except (OSError, ValueError, RuntimeError):  # no name, one too long, a circle of links
            inside, exists = True, False
        if not inside:
            self.document.note(offset, f"{name} lies outside the document's folder; it is not read")
        elif not exists:
            self.document.note(offset, f"{name} is not in the document's folder; it is left out")
        elif found in self.open or len(self.open) > DEEPEST:
            self.document.note(offset, f"{name} includes itself, or too deep; it is left out")
        elif len(self.document.sources.files) > MOST_FILES:
            self.document.note(offset, f"{name} is the {MOST_FILES}th file; it is left out")
        else:
            self._read(name, found, offset)

    def _read(self, name: str, path: Path, offset: int) -> None:
        try:
            text = read_text(path, self.texts)
        except WorkingsError as error:
            self.document.note(offset, str(error))
            return
        self.characters += len(text)
        if self.characters > LARGEST:
            raise WorkingsError(
                f"{self.document.path}: over {LARGEST:,} characters with the files it includes"
            )
        assert self.root is not None
        shown = self.document.path.parent / path.relative_to(self.root)
        self.open.append(path)
        self.expand(self.document.sources.add(Source(shown, text)))
        self.open.pop()


def find_items(document: Document, text: Text, directives: list[tuple[int, Directive]]) -> None:
    """Find the formulas and headings of an expanded text, and put the comments between them."""
    whole, at = text.text, 0
    waiting = list(reversed(directives))
    unclosed: set[str] = set()

    def take(until: int) -> list[Directive]:
        taken = []
        while waiting and waiting[-1][0] <= until:
            taken.append(waiting.pop()[1])
        return taken

    while match := _ITEM.search(whole, at):
        at = match.end()
        if match["over"]:
            break
        if match["heading"]:
            document.items += take(match.start())
            document.items.append(Heading(text.offset_of(match.start())))
        opening = match["open"] or match["environment"]
        if opening is None:
            continue
        closing = _CLOSING.get(opening) or rf"\end{{{opening}{match['star']}}}"
        if opening == "$":
            over = _inline_end(whole, at)
        else:
            over = -1 if closing in unclosed else whole.find(closing, at)
        runs_on = over >= 0 and opening not in ("$", r"\(") and runs_into_text(whole[at:over])
        if over < 0 or runs_on:
            if opening not in ("$", r"\(") and closing not in unclosed:
                unclosed |= set() if runs_on else {closing}
                document.items += take(match.start())
                document.items.append(Display(text[match.start() : at], "", unclosed=match[0]))
            continue
        document.items += take(match.start())
        if opening in ("$", r"\("):
            document.items.append(Inline(text[at:over]))
            at = over + len("$" if opening == "$" else closing)
            continue
        inside = tuple(take(over))
        environment = match["environment"] or "displaymath"
        lead = whole[max(0, match.start() - LEAD) : match.start()]
        document.items.append(Display(text[at:over], environment, inside, lead))
        at = over + len(closing)
    document.items += take(len(whole))


def runs_into_text(body: str) -> bool:
    """Whether what stands between two marks is no formula: the first was never closed."""
    bare = _IN_BOX.sub(r"\1", _IN_WORDS.sub("", body))
    begun = [match[1] for match in _BEGUN.finditer(bare)]
    return (
        _OUTSIDE.search(bare) is not None
        or _PROSE.search(bare) is not None
        or any(f"\\end{{{each}}}" not in bare for each in begun)
    )


def _inline_end(text: str, at: int) -> int:
    """Where $…$ ends: before the paragraph does."""
    over = text.find("$", at, at + LONGEST_INLINE)
    while over > 0 and text[over - 1] == "\\":
        over = text.find("$", over + 1, at + LONGEST_INLINE)
    return -1 if over < 0 or "\n\n" in text[at:over] else over
