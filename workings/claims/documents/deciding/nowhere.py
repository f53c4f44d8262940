"""What a document nowhere writes out: an equation about it says what it is, and claims nothing."""

from collections.abc import Sequence
from contextlib import suppress

from workings.claims.documents.inference.uses import symbols_in, use_of
from workings.claims.documents.outline.definitions import Definitions
from workings.claims.documents.outline.left_names import is_known_function
from workings.claims.documents.outline.statements import Role
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.printing.latex import plain_latex

_WRAPPERS = frozenset(["log", "ln", "exp", "sqrt"])


def unspecified(definitions: Definitions, sides: Sequence[f.Node], number: int) -> str:
    r"""Why an equation cannot be checked against its document, whoever checks it; "" if it can.

    Either its left side is the logarithm of a name (or such) that no equation before it and no
    definition anywhere writes out, so that it says what that is: \log p(D; w) = …. Or it is about
    the derivative of such a name, and the right side is no derivative of it. Or it is a step of a
    descent: w^{k+1} = w^k - \alpha \nabla f(w^k).
    """
    if len(sides) != 2:
        return ""
    left, right = sides
    if _is_step(left, right):
        return "it says how one step is made from another"
    if isinstance(left, f.Derivative):
        name = _differentiated(left.of, definitions)
        if name and name not in _related(right, definitions) and _is_nowhere(name, definitions):
            return f"what {plain_latex(name)} is, is written nowhere in the document"
        return ""
    name = _wrapped(left, definitions)
    if not name or name in _names(right, definitions) or not _is_nowhere(name, definitions):
        return ""
    if name in _named_before(definitions, number):
        return ""
    return f"it says what {plain_latex(name)} is"


def _is_step(left: f.Node, right: f.Node) -> bool:
    """Whether a name with a number of a step is the same with another one, less a derivative."""
    left = left.base if isinstance(left, f.Power) else left
    if not isinstance(left, f.Symbol) or not isinstance(right, f.Sum):
        return False
    if not any(isinstance(part, f.Derivative) for part in right.walk()):
        return False
    first = right.terms[0].base if isinstance(right.terms[0], f.Power) else right.terms[0]
    return isinstance(first, f.Symbol) and (first.base, first.marks) == (left.base, left.marks)


def _differentiated(node: f.Node, definitions: Definitions) -> str:
    """The name of what a derivative is of: J of ∂J/∂W and of ∂J(W, b)/∂W."""
    match node:
        case f.Symbol():
            return use_of(node, definitions.known, frozenset()).name
        case f.Call(name) if not is_known_function(name):
            return name
    return ""


def _related(node: f.Node, definitions: Definitions) -> set[str]:
    """The names that derivatives in a formula are of, and in the definitions that it leads to."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        top = waiting.pop()
        for part in top.walk():
            if isinstance(part, f.Derivative):
                found.add(_differentiated(part.of, definitions))
        for name in _names(top, definitions) - seen:
            seen.add(name)
            for _, statement in definitions.by_name.get(name, []):
                with suppress(WorkingsError):
                    waiting.append(definitions.body(statement))
    return found


def _wrapped(node: f.Node, definitions: Definitions) -> str:
    r"""p of \log p, of -\log p_i and of \prod_i p_i; of a bare name, nothing."""
    outer = node
    while not isinstance(node, f.Symbol):
        match node:
            case f.Negative(body) | f.Total(_, body) | f.Chain(_, body) | f.Transpose(body):
                node = body
            case f.Call(name, (argument,)) if name in _WRAPPERS:
                node = argument
            case _:
                return ""
    return "" if node is outer else use_of(node, definitions.known, frozenset("ijkmn")).name


def _names(node: f.Node, definitions: Definitions) -> set[str]:
    return {use_of(each, definitions.known, bound).name for each, bound in symbols_in(node)}


def _is_nowhere(name: str, definitions: Definitions) -> bool:
    """Whether no definition is of this name, in a display or in a sentence."""
    written = {*definitions.by_name, *definitions.mentions, *definitions.outline.by_comments}
    return name not in written


def _named_before(definitions: Definitions, number: int) -> set[str]:
    """The names on the left sides of the equations before a statement, outside of derivatives."""
    found: set[str] = set()
    for statement in definitions.outline.statements[:number]:
        if statement.role not in (Role.CLAIM, Role.CONDITION):
            continue
        try:
            left = definitions.parsed(statement).sides[0]
        except WorkingsError:
            continue
        if not isinstance(left, f.Derivative):
            found |= _names(left, definitions)
    return found
