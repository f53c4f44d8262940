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
    r"|(?P<code>`+)"
    r"|(?P<comment><!--)"
    r"|^(?P<heading>\#{1,6}[ \t]|\*\*" + PROBLEM + ")"
    r"|(?P<display>\$\$)|\\{1,2}(?P<bracket>\[)|\\{1,2}(?P<round>\()|(?P<inline>\$)(?=\S)"
    r"|\\begin\{(?P<environment>" + "|".join(ENVIRONMENTS) + r")(?P<star>\*?)\}"
    r"|\\.",
    re.MULTILINE | re.DOTALL,
)
_SAID = re.compile(r"\s*workings:\s*(.*\S)\s*", re.DOTALL)
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
