r"""What a bar with a point is of: in \frac{d}{dt} \sin t \Big|_{t=0}, of all that stands before it.

The bar is read with the last factor. It is of the whole term, and of the derivative, not of what is
differentiated; of a whole sum only where no other term has the name.
"""

import re
from dataclasses import replace

from workings.formula import nodes as f
from workings.formula.errors import NotRead

_IN_BRACKETS = re.compile(r"[|]\s?_\s?\{[^{}]*\}\s?(?:\\right|\\[bB]igg?r?)?\s?[)\]]")


def with_wide_bars(node: f.Node, text: str) -> f.Node:
    """The formula with every bar behind all that it is of."""
    if not any(isinstance(part, f.At) for part in node.walk()):
        return node
    node = node.rebuilt(lambda child: with_wide_bars(child, text))
    match node:
        case f.Sum(terms):
            _refuse_a_bar_of_one_term(terms, text)
            return node
        case f.Product((*before, f.At() as last)):
            return replace(last, body=f.Product((*before, last.body)))
        case f.Elementwise((*before, f.At() as last)):
            return replace(last, body=f.Elementwise((*before, last.body)))
        case f.Negative(f.At() as last):
            return replace(last, body=f.Negative(last.body))
        case f.Derivative(of=f.At() as last):
            _refuse_a_bar_in_brackets(text)
            return replace(last, body=replace(node, of=last.body))
        case f.Hessian(of=f.At() as last):
            return replace(last, body=replace(node, of=last.body))
        case f.Total(body=f.At() as last):
            return replace(last, body=replace(node, body=last.body))
        case f.Call(arguments=(f.At() as last,)):
            return replace(last, body=replace(node, arguments=(last.body,)))
    return node


def _refuse_a_bar_in_brackets(text: str) -> None:
    """A derivative of (f|_{t=0}) is not the one there; brackets are seen in the text alone."""
    if bar := _IN_BRACKETS.search(text):
        message = "whether the bar is inside or outside of the derivative is not said"
        raise NotRead(text, bar.start(), message)


def _refuse_a_bar_of_one_term(terms: tuple[f.Node, ...], text: str) -> None:
    """a + b|_{t=0} where a has a t, too: whether the bar is of both is not said."""
    if not isinstance(terms[-1], f.At):
        return
    names = {*terms[-1].names}
    before = [part for term in terms[:-1] for part in term.walk()]
    if any(isinstance(part, f.Symbol) and part.name in names for part in before):
        at = max(0, text.find("|_"))
        raise NotRead(
            text, at, "whether the bar is of one term or of all is not said", "bracket it"
        )
