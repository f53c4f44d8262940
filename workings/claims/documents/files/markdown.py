r"""Reading a Markdown document: $$…$$, \[…\], ```math fences; code is passed over."""

import re
from collections.abc import Mapping
from pathlib import Path

from workings.claims.documents.files.document import Directive, Display, Document, Heading, Inline
from workings.claims.documents.files.sources import Source, Text, read_text
from workings.claims.documents.files.tex import (
    ENVIRONMENTS,
    LEAD,
    LONGEST_INLINE,
    PROBLEM,
    TexReader,
    runs_into_text,
)

_ITEM = re.compile(
    r"^(?P<fence>[ \t]{0,3}(?:`{3,}+|~{3,}+))[ \t]*+(?P<language>[^\s`]*+)[^\n]*+\n"
    r"|(?P<code>`+)|(?P<tag><(?P<element>pre|code|script|style)\b[^<>]{0,200}>)"
    r"|(?P<indented>(?:\A|(?<=\n))[ \t]*\r?\n(?=(?: {4}|\t)[ \t]*\S))"
    r"|(?P<matter>\A---[ \t]*\r?\n(?=[\w-]+:))"
    r"|(?P<comment><!--)"
    r"|^(?P<heading>\#{1,6}[ \t]|\*\*" + PROBLEM + ")"
    r"|(?P<display>\$\$)|\\{1,2}(?P<bracket>\[)|\\{1,2}(?P<round>\()|(?P<inline>\$)(?=\S)"
    r"|\\begin\{(?P<environment>" + "|".join(ENVIRONMENTS) + r")(?P<star>\*?)\}"
    r"|\\.",
    re.MULTILINE | re.DOTALL,
)
_SAID = re.compile(r"\s*workings:\s*(.*\S)\s*", re.DOTALL)
_INDENTED_BLOCK = re.compile(r"(?:(?: {4}|\t)[^\n]*(?:\n|\Z)|[ \t]*\r?\n(?= {4}|\t))+")
_LAST_NOT_INDENTED = re.compile(r"^ {0,3}[^\s][^\n]*(?=\n(?:[ \t][^\n]*\n|\r?\n)*\Z)", re.MULTILINE)
_LIST_ITEM = re.compile(r" {0,3}(?:[-*+]|\(?\w{1,3}[.)])[ \t]")
_BEGINS_DISPLAY = re.compile(r"\$\$|\\\[|\\begin")
_END_OF_MATTER = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[ \t]*\r?\n")


def read_markdown(path: Path, texts: Mapping[Path, str] | None = None) -> Document:
    """A Markdown file."""
    document = Document(path)
    text = document.sources.add(Source(path, read_text(path, texts)))
    find_in_markdown(document, text, TexReader(document))
    return document


def find_in_markdown(document: Document, text: Text, tex: TexReader) -> None:
    """Find the formulas, headings and comments; `tex` keeps the commands defined so far."""
    whole, at = text.text, 0
    unclosed: set[str] = set()
    while match := _ITEM.search(whole, at):
        start, at = match.start(), match.end()
        if match["fence"]:
            at = _fence(document, text, tex, match)
        elif match["code"]:
            over = whole.find(match["code"], at, at + LONGEST_INLINE)
            at = over + len(match["code"]) if over >= 0 else at
        elif match["tag"]:
            closing = f"</{match['element']}>"
            end = None if closing in unclosed else re.compile(closing, re.I).search(whole, at)
            if end is None:
                unclosed.add(closing)
            else:
                at = end.end()
        elif match["indented"]:
            at = _past_indented(whole, at)
        elif match["matter"]:
            closing_line = _END_OF_MATTER.search(whole, at)
            at = closing_line.end() if closing_line else at
        elif match["comment"]:
            over = -1 if "-->" in unclosed else whole.find("-->", at)
            if over < 0:
                unclosed.add("-->")
                continue
            if said := _SAID.fullmatch(whole, at, over):
                document.items.append(Directive(said[1], text.offset_of(start)))
            at = over + len("-->")
        elif match["heading"]:
            document.items.append(Heading(text.offset_of(start)))
        elif match["inline"] or match["round"]:
            closing = "$" if match["inline"] else match[0].replace("(", ")")
            over = whole.find(closing, at, at + LONGEST_INLINE)
            if over >= 0 and not _PARAGRAPH.search(whole, at, over):
                inside = text[at:over].strip("`")  # $`x`$ of some hosts
                document.items.append(Inline(_expanded(tex, inside)[0]))
                at = over + len(closing)
        elif match["display"] or match["bracket"] or match["environment"]:
            at = _display(document, text, tex, match, unclosed)


def _past_indented(whole: str, at: int) -> int:
    """Behind a block of code that is set in by four spaces; here, if it is a list's or a display's.

    What stands so far in below an item of a list is text, and so are displays, in any place.
    """
    block = _INDENTED_BLOCK.match(whole, at)
    before = _LAST_NOT_INDENTED.search(whole[max(0, at - LONGEST_INLINE) : at])
    is_listed = before is not None and _LIST_ITEM.match(before[0])
    if block is None or is_listed or _BEGINS_DISPLAY.search(block[0]):
        return at
    return block.end()


def _display(
    document: Document, text: Text, tex: TexReader, match: "re.Match[str]", unclosed: set[str]
) -> int:
    environment = match["environment"] or "displaymath"
    if match["bracket"]:
        closing = match[0].replace("[", "]")
    else:
        closing = "$$" if match["display"] else rf"\end{{{environment}{match['star']}}}"
    at = match.end()
    over = -1 if closing in unclosed else text.text.find(closing, at)
    runs_on = over >= 0 and runs_into_text(text.text[at:over])
    if over < 0 or runs_on:
        if closing not in unclosed:
            document.items.append(Display(text[match.start() : at], "", unclosed=match[0]))
        unclosed |= set() if runs_on else {closing}
        return at
    lead = text.text[max(0, match.start() - LEAD) : match.start()]
    _add(document, tex, text[at:over], environment, lead)
    return over + len(closing)


def _fence(document: Document, text: Text, tex: TexReader, match: "re.Match[str]") -> int:
    """```math is a display; any other code is passed over."""
    fence = match["fence"].strip()
    closing = re.compile(rf"^[ \t]{{0,3}}{re.escape(fence)}{fence[0]}*[ \t]*\r?$", re.MULTILINE)
    end = closing.search(text.text, match.end())
    over = end.start() if end else len(text)
    if match["language"] == "math":
        lead = text.text[max(0, match.start() - LEAD) : match.start()]
        _add(document, tex, text[match.end() : over], "displaymath", lead)
    return end.end() if end else over


def _add(document: Document, tex: TexReader, text: Text, environment: str, lead: str) -> None:
    body, directives = _expanded(tex, text)
    if body.text.strip():
        document.items.append(Display(body, environment, directives, lead))


def _expanded(tex: TexReader, text: Text) -> tuple[Text, tuple[Directive, ...]]:
    """The text with the author's commands expanded and without comments."""
    if "\\" not in text.text and "%" not in text.text:
        return text, ()
    start = len(tex.directives)
    before = tex.builder
    tex.builder = type(before)()
    tex.expand(text)
    found, tex.builder = tex.builder.build(), before
    return found, tuple(directive for _, directive in tex.directives[start:])
