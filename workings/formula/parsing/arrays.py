r"""Reading matrices, cases and spaces: \begin{bmatrix}, \begin{cases}, \mathbb{R}^{n \times d}."""

from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.parsing.grammar import Grammar
from workings.formula.parsing.ranges import expectation
from workings.formula.parsing.tokens import Token


def array(parser: Grammar, token: Token) -> f.Node:
    """Entries with & between them, in rows."""
    name = parser.group_text()
    if name.rstrip("*") in ("cases", "dcases", "rcases"):
        return _cases(parser)
    if name in ("array", "tabular"):
        parser.group_text()
    elif not name.rstrip("*").endswith("matrix"):
        raise parser.expected(f"a matrix (\\begin{{{name}}} is not known inside a formula)")
    rows: list[f.Row] = []
    entries: list[f.Node] = []
    parser.open_matrices += 1
    while True:
        entries.append(_entry(parser))
        if parser.accept("&"):
            continue
        rows.append(f.Row(tuple(entries)))
        entries = []
        if parser.is_command("\\"):
            parser.take()
        if parser.is_command("end"):
            parser.take()
            parser.group_text()
            parser.open_matrices -= 1
            matrix = f.Matrix(tuple(row for row in rows if not _is_blank(row)))
            is_determinant = name.rstrip("*") == "vmatrix"
            return f.Call("det", (matrix,), position=token.position) if is_determinant else matrix


def _cases(parser: Grammar) -> f.Node:
    r"""\begin{cases} a & x > 0 \\ b & \text{otherwise} \end{cases}."""
    values: list[f.Node] = []
    conditions: list[f.Node] = []
    parser.open_matrices += 1
    while not parser.is_command("end"):
        if len(conditions) < len(values):
            raise parser.expected("a case after 'otherwise', which is the last,")
        values.append(parser.sum())
        while parser.accept("&", ","):
            pass
        words = parser.take().text if parser.now.kind == "text" else ""
        parser.accept("&")
        if parser.now.kind != "end" and not parser.is_command("\\", "end"):
            conditions.append(parser.condition())
        elif words.split(" ")[0].lower() not in ("otherwise", "else", ""):
            raise parser.expected(f"a condition after {words!r}")
        while parser.accept(",", ".", ";") or (parser.is_command("\\") and parser.take()):
            pass
        if parser.now.kind == "end":
            raise parser.expected("\\end{cases}")
    parser.take()
    parser.group_text()
    parser.open_matrices -= 1
    return f.Cases(tuple(values), tuple(conditions))


def _entry(parser: Grammar) -> f.Node:
    if parser.now.kind == "&" or parser.is_command("\\", "end", "hline"):
        return f.Unsaid("")
    ahead = parser.ahead()
    if parser.now.kind == "|" and (ahead.kind == "&" or ahead.text in ("\\", "end")):
        return f.Unsaid(parser.take().text)
    return parser.sum()


def _is_blank(row: f.Row) -> bool:
    return all(isinstance(entry, f.Unsaid) and not entry.text for entry in row.entries)


def space(parser: Grammar, token: Token) -> f.Node:
    r"""\mathbb{R}^{n \times d}, what a shape is claimed with; another letter is a name."""
    name = parser.group_text()
    if name == "E":
        return expectation(parser, token.position)
    if name == "1":
        return f.Ones(f.Unsaid("1"), f.Number(Fraction(1)))  # or, before a relation, an indicator
    sides: list[f.Node] = []
    if parser.accept("^"):
        if parser.accept("{"):
            sides = [parser.factor()]
            while parser.accept("×"):
                sides.append(parser.side_of_shape())
            parser.expect("}")
        else:
            sides = [parser.group_or_atom()]
    if name != "R" and sides:
        raise parser.expected("\\mathbb{R}")
    return f.Space(tuple(sides)) if name == "R" else f.Symbol(name, position=token.position)
