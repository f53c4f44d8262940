"""Definitions that say more than they write: by entries z_k = …, and for one layer of many."""

import re
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from workings.claims.documents.files.sources import constant
from workings.claims.documents.inference.uses import is_index, letters_of, symbols_in
from workings.claims.documents.outline.layers import at_layer, labels_in
from workings.claims.documents.outline.statements import Statement
from workings.claims.system.left_sides import name_of
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.printing.latex import plain_latex

if TYPE_CHECKING:
    from workings.claims.documents.outline.definitions import Definitions


def define_by_entries(definitions: "Definitions") -> None:
    """z_k = … with an entry of index k on its right gives z, if nothing else does."""
    for table in (definitions.by_name, definitions.mentions):
        for name in list(table):
            symbol = named(name)
            whole = replace(symbol, sub="").name
            letters = letters_of(symbol.sub)
            (number, statement), *_ = table[name]
            indices = all(is_index(letter, definitions.known) for letter in letters)
            if not 1 <= len(letters) <= 2 or not indices or statement.parameters:
                continue
            if not {*letters} <= _free_indices(definitions, statement):
                continue
            del table[name]
            known = {**definitions.mentions, **definitions.by_name}.get(whole)
            if whole in definitions.outline.declared or (known and known[0][0] < number):
                continue  # it is said for the whole before
            statement.name = whole
            definitions.entries[id(statement)] = letters
            table[whole] = [(number, statement)]
            _with_whole_derivative(definitions, statement, letters)


def define_declared_entries(definitions: "Definitions") -> None:
    r"""p_k \in (0, 1) of a p that is defined is one of its entries, and no name of its own."""
    outline, known = definitions.outline, definitions.known
    defined = {*definitions.by_name, *definitions.mentions}
    for table in (outline.declared, *outline.in_sections.values()):
        for name in [name for name, each in table.items() if not each.sides]:
            whole, _, index = name.partition("_")
            if index and whole in defined - {name} and is_index(index, known):
                del table[name]


def _with_whole_derivative(
    definitions: "Definitions", statement: Statement, letters: tuple[str, ...]
) -> None:
    r"""δ = ∂C/∂z of δ_j = ∂C/∂z_j."""
    body = definitions.body(statement)
    if not isinstance(body, f.Derivative) or not isinstance(body.wrt, f.Symbol):
        return
    of, wrt = body.of, body.wrt
    if isinstance(of, f.Symbol) and letters_of(wrt.sub) == letters:
        del definitions.entries[id(statement)]
        top, bottom = plain_latex(of.name), plain_latex(replace(wrt, sub="").name)
        right = rf"\frac{{\partial {top}}}{{\partial {bottom}}}"
        text = f"{plain_latex(statement.name)} = {right}"
        at = statement.row.text.offset
        statement.row = replace(statement.row, text=constant(text, at, at))


def _free_indices(definitions: "Definitions", statement: Statement) -> set[str]:
    """The letters by which entries are taken on the right side, bound by no sum."""
    try:
        body = definitions.body(statement)
    except WorkingsError:
        return set()
    return {
        letter
        for symbol, bound in symbols_in(body)
        for letter in letters_of(symbol.sub)
        if letter not in bound and symbol.name not in definitions.by_name
    }


def define_for_all_layers(definitions: "Definitions") -> None:
    """What is defined for layer l is defined for every layer that the document speaks of."""
    letters = definitions.outline.layers
    texts = [each.text for each in definitions.outline.statements]
    labels = labels_in(texts, letters) if letters else set()
    for table in (definitions.by_name, definitions.mentions):
        for name, (first, *_) in list(table.items()):
            number, statement = first
            symbol = named(name)
            letter = symbol.label[1:-1]
            if letter not in letters - {"L"} or statement.parameters:
                continue
            for layer in labels - {letter}:
                label = symbol.label[0] + layer + symbol.label[-1]
                other = f.Symbol(symbol.base, symbol.marks, symbol.sub, label).name
                if other not in definitions.by_name and other not in definitions.mentions:
                    row = replace(statement.row, text=at_layer(statement.row.text, layer))
                    instance = replace(statement, row=row, name=other)
                    if id(statement) in definitions.entries:
                        definitions.entries[id(instance)] = definitions.entries[id(statement)]
                    definitions.numbers[id(instance)] = number
                    table[other] = [(number, instance)]


def at_all_layers(definitions: "Definitions", names: Collection[str]) -> frozenset[str]:
    """These names, and those of layer l for every layer that the document speaks of."""
    letters = definitions.outline.layers
    labels = labels_in([each.text for each in definitions.outline.statements], letters)
    found = set(names)
    of_a_layer = [name for name in names if re.search(r"\^[(\[]", name)]
    for symbol in map(named, of_a_layer) if labels else ():
        if symbol.label[1:-1] in labels:
            ends = symbol.label[0], symbol.label[-1]
            found |= {replace(symbol, label=layer.join(ends)).name for layer in labels}
    return frozenset(found)


def named(name: str) -> f.Symbol:
    """The symbol that a name is spelt by."""
    return name_of(plain_latex(name))
