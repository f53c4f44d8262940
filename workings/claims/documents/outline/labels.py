"""Names with labels: W^Q and W^{[1]} are names; h^{(t-1)} is h^{(t)} where time goes in steps."""

import re
from collections.abc import Mapping

from workings.formula import nodes as f


def with_labels(node: f.Node, known: Mapping[str, object]) -> f.Node:
    """W^Q and W^{[1]} are names, not powers; e^x is the exponential, unless e is declared."""
    if isinstance(node, f.Power) and isinstance(node.base, f.Symbol) and not node.base.label:
        base = node.base
        if base.name == "e" and "e" not in known:
            return f.Call("exp", (with_labels(node.exponent, known),))
        labelled = f.Symbol(base.base, base.marks, base.sub, node.text)
        capital = re.fullmatch(r"[A-Z]", node.text) and base.base[-1:].isupper()
        if labelled.name in known or capital or re.fullmatch(r"\[\w+\]", node.text):
            return labelled
    return node.rebuilt(lambda child: with_labels(child, known))


def at_one_step(node: f.Node, known: Mapping[str, object]) -> f.Node:
    """What lives in time, at step t wherever it is used."""
    if isinstance(node, f.Symbol) and node.name not in known:
        for step in (
            f.Symbol(node.base, node.marks, node.sub, "(t)"),
            f.Symbol(node.base, node.marks, "", "(t)"),
            f.Symbol(node.base, node.marks, "t", node.label),
        ):
            if step.name in known and (node.label or node.sub):
                sub = node.sub if step.label and step.sub == node.sub else step.sub
                return f.Symbol(step.base, step.marks, sub, step.label)
    return node.rebuilt(lambda child: at_one_step(child, known))
