"""A cost as a page of text, as HTML for a notebook, and as plain data."""

from collections.abc import Sequence
from html import escape

from workings.cost.format import aligned, count_text, residue_text, sizes_text
from workings.cost.formulas import CostFormulas
from workings.cost.growth import Growth
from workings.cost.quantities import QUANTITIES
from workings.cost.recovery.count_formula import CountFormula
from workings.formula.polynomial import Polynomial

MOST_NUMBERS = 12  # that are shown

Table = tuple[str, list[list[str]]]  # a title, and rows of which the first is the head


def as_text(cost: CostFormulas) -> str:
    """A page for a terminal: formulas, growth, counts at sizes, notes."""
    formulas = [
        [label(q), f"= {line}", unit] if i == 0 else ["", f"  {line}", ""]
        for q, unit in QUANTITIES.items()
        if q in cost.total
        for i, line in enumerate(cost.total[q].lines())
    ]
    parts = [title(cost), aligned(formulas, indent="  ")]
    for (name, rows), right in ((growth(cost), 2), (at(cost), 1)):
        parts += [f"{name}\n{aligned(rows, right, '  ')}"] if rows else []
    return "\n\n".join([*parts, "\n".join(notes(cost))])


def label(quantity: str) -> str:
    """The name of a quantity as it is shown."""
    return quantity.replace("_", " ")


def title(cost: CostFormulas) -> str:
    """What was counted, and what its symbols mean."""
    spec = cost.spec
    head = spec.name + (f": {spec.about}" if spec.about else "")
    means = ", ".join(f"{s} {spec.meanings[s]}" for s in cost.symbols if s in spec.meanings)
    held = sizes_text(spec.held) and f"held: {sizes_text(spec.held)}"
    known = [means or ", ".join(cost.symbols), held]
    known += [f"{d} a multiple of {h}" for d, h in [*(spec.multiples or ()), *spec.units.items()]]
    known += [f"{symbol} {residue_text(*residue)}" for symbol, residue in spec.residues.items()]
    known += [f"{name} = {e}" for name, e in spec.where.items()]
    return "\n".join([head, "; ".join(part for part in known if part)]).rstrip()


def growth(cost: CostFormulas) -> Table:
    """The order of each quantity, and its degree in each symbol."""
    rows = [["", "dominating", *(f"in {s}" for s in cost.symbols)]]
    for quantity in QUANTITIES:
        if quantity in cost.total and cost.order(quantity) and cost.symbols:
            degrees = degrees_of(cost.total[quantity], cost.symbols)
            powers = [str(Polynomial.symbol(s) ** degrees[s]) for s in cost.symbols]
            rows.append([label(quantity), str(cost.order(quantity)), *powers])
    return "order of growth", rows if len(rows) > 1 else []


def degrees_of(formula: CountFormula, symbols: Sequence[str]) -> dict[str, int]:
    """The highest power of each symbol."""
    return {s: max((p.polynomial.degree(s) for p in formula.pieces), default=0) for s in symbols}


def at(cost: CostFormulas) -> Table:
    """The counts at the sizes asked for."""
    shown = [q for q in QUANTITIES if q in cost.total]
    rows = [["", *(label(q) for q in shown)]] if cost.asked else []
    for sizes in cost.asked:
        counts = cost.at(**sizes)
        cells = [count_text(counts.get(q), "B" if q == "memory" else "") for q in shown]
        rows.append([sizes_text(sizes), *cells])
    return "at these sizes", rows


def by_layer(cost: CostFormulas) -> Table:
    """What each module does itself, without the modules inside it."""
    shown = [q for q in QUANTITIES if any(q in formulas for formulas in cost.layers.values())]
    rows = [["layer", *(label(q) for q in shown)]]
    for path, formulas in cost.layers.items():
        cells = [str(formulas[q]) if q in formulas else "" for q in shown]
        rows.append([path or "(itself)", *cells])
    return "by layer", rows


def notes(cost: CostFormulas) -> list[str]:
    """How far the formulas are proven, and where they do not hold."""
    shown = {q: cost.total[q] for q in QUANTITIES if q in cost.total}
    proofs = [f.proven for f in shown.values() if f.pieces]
    lines = []
    whole = [q for q, f in shown.items() if f.pieces and not f.departures]
    if proofs and whole and cost.symbols:
        fewest = min(len(proof) for proof in proofs)
        every = len(whole) == len(shown) and not cost.uncounted
        some = f"{', '.join(map(label, whole))}: the formula is"
        which = "Every formula is" if every else some
        lines.append(
            f"{which} exact at {fewest} or more sizes that it was not fitted on, and wherever else "
            f"it was counted: {_tried(cost)}. Between and beyond these it was not counted."
        )
    if cost.unseen_numbers and whole:
        numbers = _numbers(cost.unseen_numbers)
        lines.append(f"Not counted at other numbers that its code names: {numbers}.")
    for where in dict.fromkeys(text for f in shown.values() for text in f.departures):
        what = ", ".join(label(q) for q, f in shown.items() if where in f.departures)
        lines.append(f"{what}: the formula does not hold at {where}, nor is it claimed beyond.")
    for symbol, (size, reason) in cost.refused.items():
        lines.append(f"From {symbol} = {size:,} on the module refuses: {reason}")
    for why in dict.fromkeys(cost.uncounted.values()):
        spoiled = [label(q) for q in QUANTITIES if cost.uncounted.get(q) == why]
        lines.append(f"{', '.join(spoiled)}: not counted: {why}")
    for sizes in cost.asked:
        if departs := cost.departures(sizes):
            what = ", ".join(map(label, departs))
            lines.append(f"At {sizes_text(sizes)}, {what}: counted, not by the formula.")
        elif not cost.is_recounted(sizes):
            lines.append(f"At {sizes_text(sizes)}: by the formulas, far beyond the sizes tried.")
    if cost.real:
        lines.append(
            "Counted with real tensors of random values: what this module does depends on them."
        )
    for quantity, formula in shown.items():
        cases = [sizes_text(case) for case in formula.fails]
        cases += [f"{first} = {second}" for first, second in formula.alike]
        if cases:
            lines.append(f"{label(quantity)}: not where {' or '.join(cases)}.")
    if "backward" in shown:
        lines.append("Backward is from the first output; memory is what is saved for it.")
    return lines


def _tried(cost: CostFormulas) -> str:
    """Up to which sizes the module was counted, beyond those of the fit."""
    tried = f"up to {sizes_text(cost.tried)}, one size at a time"
    if cost.tried_together:
        tried += f", up to {cost.tried_together:,} in all sizes at once"
    if cost.own_numbers:
        tried += f", and at the numbers in its code ({_numbers(cost.own_numbers)})"
    return tried


def _numbers(numbers: Sequence[int]) -> str:
    """The first of them, in order."""
    shown = ", ".join(f"{number:,}" for number in numbers[:MOST_NUMBERS])
    return f"{shown}, …" if len(numbers) > MOST_NUMBERS else shown


def claim_dict(counted: str, growth: Growth) -> dict[str, object]:
    """A verdict on an order of growth as plain data."""
    return {
        "claim": growth.claim,
        "counted": counted,
        "fixed": list(growth.fixed),
        "verdict": growth.verdict,
        "order": str(growth.leading),
        "missing": [str(term) for term in growth.missing],
        "factor": None if growth.factor is None else str(growth.factor),
        "evidence": growth.evidence,
    }


def as_dict(cost: CostFormulas) -> dict[str, object]:
    """A cost as plain data, complete."""
    spec = cost.spec
    return {
        "model": spec.name,
        "symbols": {s: spec.meanings.get(s, "") for s in cost.symbols},
        "held": dict(spec.held),
        "multiples": [list(pair) for pair in [*(spec.multiples or ()), *spec.units.items()]],
        "residues": {s: {"modulus": m, "residue": r} for s, (m, r) in spec.residues.items()},
        "where": {name: str(e) for name, e in spec.where.items()},
        "quantities": {
            q: {"unit": QUANTITIES.get(q, "operations, forward"), **formula_dict(f, cost.symbols)}
            | {"order": str(cost.order(q))}
            for q, f in cost.total.items()
        },
        "layers": {
            path: {q: formula_dict(f, cost.symbols) for q, f in formulas.items()}
            for path, formulas in cost.layers.items()
        },
        "tried": dict(cost.tried),
        "tried_together": cost.tried_together,
        "own_numbers": list(cost.own_numbers),
        "unseen_numbers": list(cost.unseen_numbers),
        "at_most": [list(pair) for pair in cost.at_most],
        "refused": {s: {"from": size, "reason": why} for s, (size, why) in cost.refused.items()},
        "uncounted": dict(cost.uncounted),
        "real_tensors": cost.real,
        "at": [{"sizes": dict(sizes), "counts": cost.at(**sizes)} for sizes in cost.asked],
    }


def formula_dict(formula: CountFormula, symbols: Sequence[str]) -> dict[str, object]:
    """One formula as plain data, with the sizes it rests on."""
    return {
        "kind": formula.kind,
        "formula": str(formula) if formula.pieces else None,
        "reason": formula.reason or None,
        "pieces": [
            {
                "where": {s: {"modulus": m, "residue": r} for s, m, r in piece.residues},
                "formula": str(piece.polynomial),
                "latex": piece.polynomial.latex(),
            }
            for piece in formula.pieces
        ],
        "degrees": degrees_of(formula, symbols),
        "fitted": formula.fitted,
        "proven": [dict(sizes) for sizes in formula.proven],
        "fails": [dict(sizes) for sizes in formula.fails],
        "departs": dict(formula.departs),
        "departs_together": dict(formula.departs_together),
        "since": dict(formula.since),
        "smaller": None if formula.smaller is None else formula_dict(formula.smaller, symbols),
        "alike": [list(pair) for pair in formula.alike],
        "values": [{"sizes": dict(s), "value": v} for s, v in formula.values],
    }


def as_html(cost: CostFormulas) -> str:
    """Tables for a notebook."""
    rows = [["", "formula", "unit"]]
    for quantity, unit in QUANTITIES.items():
        if quantity in cost.total:
            formula = cost.total[quantity]
            rows.append([label(quantity), "\n".join(formula.lines()), unit])
    head = "<br>".join(escape(line) for line in title(cost).splitlines())
    tables: list[Table] = [("", rows), growth(cost), at(cost), by_layer(cost)]
    shown = "".join(_html_table(name, cells) for name, cells in tables if len(cells) > 1)
    return f"<p>{head}</p>{shown}<p>{'<br>'.join(map(escape, notes(cost)))}</p>"


def _html_table(name: str, rows: Sequence[Sequence[str]]) -> str:
    def cells(row: Sequence[str], tag: str) -> str:
        inner = (escape(cell).replace("\n", "<br>") for cell in row)
        style = ' style="text-align:left"'
        return "<tr>" + "".join(f"<{tag}{style}>{cell}</{tag}>" for cell in inner) + "</tr>"

    caption = f"<caption>{escape(name)}</caption>" if name else ""
    head, *body = rows
    return f"<table>{caption}{cells(head, 'th')}{''.join(cells(r, 'td') for r in body)}</table>"
