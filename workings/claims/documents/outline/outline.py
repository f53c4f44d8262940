"""A document's statements in their order: its declarations are read, then roles are told."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from workings.claims.documents.files.document import Directive, Display, Document, Heading, Inline
from workings.claims.documents.files.sources import constant
from workings.claims.documents.outline.called import is_called_otherwise, stands_alone
from workings.claims.documents.outline.class_labels import class_labels
from workings.claims.documents.outline.declarations import Declared, Said, read_comment
from workings.claims.documents.outline.feature_maps import feature_maps
from workings.claims.documents.outline.gradient_names import gradient_names
from workings.claims.documents.outline.hypotheses import read_hypotheses, read_scalars
from workings.claims.documents.outline.layers import (
    counts_layers_below,
    layer_letters,
    spelling_of,
)
from workings.claims.documents.outline.left_names import call_of
from workings.claims.documents.outline.listed import read_list
from workings.claims.documents.outline.numbered_functions import numbered_functions
from workings.claims.documents.outline.own_meanings import own_meanings
from workings.claims.documents.outline.plain_signs import in_plain_signs
from workings.claims.documents.outline.probabilities import conditionals
from workings.claims.documents.outline.problems import constrained_from
from workings.claims.documents.outline.roles import Roles
from workings.claims.documents.outline.rows import rows_of
from workings.claims.documents.outline.shape_signs import index_letters
from workings.claims.documents.outline.sides import Row, is_equality, split_sides
from workings.claims.documents.outline.spelling import (
    arrow_letters,
    example_letters,
    function_subscripts,
    running_letters,
    with_examples_below,
)
from workings.claims.documents.outline.squares import named_squares, rooted_squares
from workings.claims.documents.outline.statements import Outline, Role, Statement
from workings.errors import WorkingsError
from workings.formula.printing.latex import plain_latex

_CLOSING = re.compile(r"\$\$|\\\]|\\end\s*\{[^{}]*\}")
_UP_TO = re.compile(
    r"\\sum(?:\s*\\limits)?\s*_\s*\{[^{}]*\}\s*\^\s*\{?\s*([A-Za-z](?:_\w)?)(?![A-Za-z])"
)
MOST_WORDS_BETWEEN = 3  # of two displays of which the second goes on with the first


def outline(document: Document, base: str = "", sigma: str = "", below: bool = False) -> Outline:
    r"""Read a document's declarations, then tell its statements apart.

    base: of a \\log that is written without one; e if none is given.
    """
    notes = [(note.offset, note.message) for note in document.notes]
    result = Outline(document, notes=notes, base=base, below=below)
    texts = document.formulas
    result.layers_below = counts_layers_below(texts)
    result.layers = frozenset("lL") if result.layers_below else layer_letters(texts)
    result.families = index_letters(texts)
    result.examples = example_letters(texts, result.layers)
    result.running = running_letters(texts)
    plain = [
        with_examples_below(in_plain_signs(constant(text, 0, 0)), result.examples).text
        for text in texts
    ]
    result.labels = class_labels(plain)
    result.arrows = arrow_letters(texts)
    result.features = feature_maps(plain)
    result.subscripts = function_subscripts(texts)
    result.conditionals = conditionals(texts)
    result.gradients = gradient_names(texts)
    displayed = list(_first_sides(document))
    equations = [*displayed, *_in_sentences(document)]
    result.numbered = numbered_functions(equations, texts)
    result.squares = named_squares(displayed, texts)
    result.rooted = rooted_squares(equations, texts, result.squares)
    result.own = own_meanings(equations, texts, (each.text for each in document.sources.files))
    result.own = replace(result.own, sigma=sigma or result.own.sigma)
    formulas = (item.text for item in document.items if isinstance(item, Display | Inline))
    result.texts = ["\n".join(result.spelt(text).text for text in formulas)]
    result.lengths = frozenset(match[1] for match in _UP_TO.finditer(result.texts[0]))
    sources = document.sources
    bases = zip(sources.bases, sources.files, strict=True)
    result.hypotheses = read_hypotheses((base, each.text) for base, each in bases)
    comments = _declarations(document, result)
    section, mode = 0, ""
    reader = Roles(result)
    for item in document.items:
        if isinstance(item, Display) and not item.unclosed:
            for row in rows_of(item):
                reader.note_derivative(Row(result.spelt(row.text)))
        elif isinstance(item, Inline):
            reader.note_derivative(Row(result.spelt(item.text)))
    for item in document.items:
        match item:
            case Heading():
                section += 1
            case Directive():
                said = comments.get(item.offset, Said())
                mode = said.mode or mode
                for equation in said.equations:
                    text = constant(equation, item.offset, item.offset)
                    reader.add(Row(text, "define"), section)
            case Display(text, unclosed=opening) if opening:
                why = f"{opening} is never closed"
                result.statements.append(Statement(Row(text), Role.NOT_READ, section, why=why))
            case Display(lead=lead):
                reader.adjacent = len(_CLOSING.split(lead)[-1].split()) <= MOST_WORDS_BETWEEN
                reader.constrained_from = constrained_from(item)
                for row in rows_of(item):
                    text = result.spelt(row.text)
                    reader.add(Row(text, row.mode or mode, row.condition), section)
                mode = ""
            case Inline(text):
                reader.mention(result.spelt(text), section)
    _without_arguments(result)
    return result


# A sentence says what a name is, z = w^T x + b: declared in a later section, it is another one.
_EQUATED = re.compile(r"\s*(\\?[A-Za-z]+(?:_\w)?)\s*=")


def _first_sides(document: Document) -> Iterator[tuple[str, str]]:
    """The first two sides of every displayed equation."""
    for display in document.displays:
        for row in rows_of(display) if not display.unclosed else ():
            sides = row.sides
            if len(sides) > 1 and is_equality(sides[1]):
                yield sides[0].text.text, sides[1].text.text


def _in_sentences(document: Document) -> Iterator[tuple[str, str]]:
    """The first two sides of every equation in the running text."""
    for item in document.items:
        if isinstance(item, Inline) and "=" in item.text.text:
            sides = split_sides(item.text)
            if len(sides) > 1 and is_equality(sides[1]):
                yield sides[0].text.text, sides[1].text.text


def _without_arguments(outline: Outline) -> None:
    """h(x) = … is no function where the document says h alone, and never h of something else."""
    for each in outline.statements:
        if not each.parameters or not stands_alone(each.name, outline.texts):
            continue
        if not is_called_otherwise(each.name, each.parameters, outline.texts):
            each.parameters = ()


def _declarations(document: Document, outline: Outline) -> dict[int, Said]:
    """Take in all that comments and the text declare; what each comment says, by its place."""
    comments: dict[int, Said] = {}
    from_text: dict[str, Declared] = {}
    listed: dict[str, Declared] = {}
    section, equated = 0, dict[str, int]()
    in_sections: dict[int, dict[str, Declared]] = {}
    for item in document.items:
        match item:
            case Heading():
                section += 1
            case Inline(text):
                spelling = outline.spelt(text).text
                if equals := _EQUATED.match(spelling):
                    equated.setdefault(equals[1], section)
                members = outline.members(spelling)
                outline.contradicted |= {
                    name for name in members if equated.get(name, section) < section
                }
                _declare(from_text, members, outline, text.offset)
                in_sections.setdefault(section, {}).update(members)
                listed = {**read_list(spelling), **listed}
            case Display(text, _, inside):
                for each in inside:
                    _take(each, comments, outline)
                for row in rows_of(item):
                    shown = outline.spelt(row.text)
                    _declare(from_text, outline.members(shown.text), outline, shown.offset)
                    listed = {**read_list(shown.text), **listed}
            case Directive():
                _take(item, comments, outline)
    for name in outline.contradicted:
        from_text.pop(name, None)
    outline.in_sections, outline.by_comments = in_sections, dict(outline.declared)
    for name in read_scalars(each.text for each in document.sources.files):
        from_text.setdefault(name, Declared(plain_latex(name), ()))
    for name in _roots_of_arguments(document, outline):
        from_text.setdefault(name, Declared(plain_latex(name), (), ("positive",)))
    # A comment is for the checker, so it decides; a list with dots only says how long it is.
    outline.declared = {**listed, **from_text, **outline.declared}
    return comments


def _roots_of_arguments(document: Document, outline: Outline) -> set[str]:
    r"""The numbers σ of functions such as \ell(\mu, \sigma^2), where σ is no function itself."""
    lefts = [left for left, _ in _first_sides(document)]
    calls = [called for left in lefts if (called := call_of(left))]
    roots = {match[1] for _, arguments in calls for match in _SQUARED.finditer(arguments)}
    is_called = {root for root in roots if any(f"{root}(" in text for text in outline.texts)}
    return roots - is_called


_SQUARED = re.compile(r"(?:^|,)\s*(\\?[A-Za-z]+)\s*\^\s*(?:2|\{2\})\s*(?:,|$)")


def _take(directive: Directive, comments: dict[int, Said], outline: Outline) -> None:
    try:
        said = read_comment(spelling_of(directive.text, outline.layers))
    except WorkingsError as error:
        outline.notes.append((directive.offset, str(error).partition("\n")[0]))
        return
    comments[directive.offset] = said
    _declare(outline.declared, said.symbols, outline, directive.offset)
    outline.sizes |= said.sizes
    outline.steps = outline.steps if said.steps is None else said.steps


def _declare(
    known: dict[str, Declared], new: Mapping[str, Declared], outline: Outline, offset: int
) -> None:
    """Add declarations; the first stays where a later one says otherwise, and that is reported."""
    for name, declared in new.items():
        before = known.setdefault(name, declared)
        if before.sides != declared.sides:
            shown = [" x ".join(each.sides) or "a number" for each in (before, declared)]
            outline.notes.append((offset, f"{name} is {shown[1]} here and {shown[0]} before"))
            outline.contradicted.add(name)
