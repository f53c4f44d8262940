r"""What a document declares: comments `workings: …`, and W \in \mathbb{R}^{d \times k} in its text.

% workings: x 1 x d, y onehot 1 x k     shapes, as in the [symbols] of a set of claims
% workings: n = 5, steps 3              sizes, and steps in time
% workings: define h = \sigma(x W)      an equation that the text has only in words
% workings: define | claim | skip       what the next display or row is
"""

import re
from dataclasses import dataclass, field

from workings.claims.documents.outline.sides import MODES
from workings.claims.system.left_sides import name_of
from workings.claims.system.symbols import Symbol, canonical, declare
from workings.errors import WorkingsError
from workings.formula.parsing.parse import parse_expression
from workings.formula.printing.latex import symbol_latex
from workings.formula.sizes import parse_sizes

MOST_STEPS = 12
LONGEST_COMMENT = 5_000  # characters
_OUTSIDE_BRACES = re.compile(r"[,;](?![^{}]*\})")
_SIZE = re.compile(r"\s*([^\s=]+)\s*=\s*([^\s=]+)\s*")
_STEPS = re.compile(r"\s*steps\s+(\d+)\s*")
_EQUATION = re.compile(r"\s*define\s+(.*=.*)", re.DOTALL)
_MEMBER = re.compile(
    r"(?P<names>.+?)\\in(?![a-z])\s*(?P<space>\\mathbb\s*\{?\s*[RZN]\s*\}?|\\R(?![a-z])|\\Re(?![a-z])"
    r"|\\mathbf\s*\{R\}|ℝ|\\\{\s*0\s*,\s*1\s*\\\}|\\\{\s*[-+]?1\s*,\s*[-+]?1\s*\\\}|[\[(]0\s*,\s*1[)\]])\s*(?P<sign>_\s*(?:\{[^{}]*\}|\+))?\s*(?:\^\s*(?P<sides>.+))?",
    re.DOTALL,
)
_SHAPE = re.compile(  # x_t : M \\times 1
    r"(?P<names>[^:=]+?):(?P<space>)(?P<sign>)\s*(?P<sides>[^:=+]+?(?:\\times|×)[^:=+]+)", re.DOTALL
)
_INDEX = re.compile(r"_\s*\{([^{}]*[-+\\][^{}]*)\}|_\s*(?=\\)(\\[A-Za-z]+)")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")


@dataclass(frozen=True)
class Declared:
    """A symbol whose shape was said, and how it is written."""

    latex: str
    sides: tuple[str, ...]
    """(): a number; one: a vector of that length, a column or a row"""
    kinds: tuple[str, ...] = ()

    def text(self, rows: str, columns: str) -> str:
        """The declaration as a set of claims has it."""
        kinds = " ".join(self.kinds)
        return f"{kinds} {rows} x {columns}".strip()


@dataclass
class Said:
    """What comments for the checker say."""

    mode: str = ""
    """of the next display: define, claim or skip"""
    symbols: dict[str, Declared] = field(default_factory=dict)
    sizes: dict[str, str] = field(default_factory=dict)
    equations: list[str] = field(default_factory=list)
    steps: int | None = None


def read_comment(text: str) -> Said:
    """What a comment says; an error names the part that is not understood."""
    if len(text) > LONGEST_COMMENT:
        raise WorkingsError(f"a comment of over {LONGEST_COMMENT:,} characters is not read")
    said = Said()
    if equation := _EQUATION.fullmatch(text):
        said.equations.append(equation[1].strip())
        return said
    for part in filter(None, map(str.strip, _OUTSIDE_BRACES.split(text))):
        if part in MODES:
            said.mode = part
        elif steps := _STEPS.fullmatch(part):
            said.steps = min(int(steps[1]), MOST_STEPS)
        elif size := _SIZE.fullmatch(part):
            said.sizes[canonical(size[1])] = str(parse_sizes(size[2]))
        else:
            name, _, shape = part.partition(" ")
            if not shape:
                raise WorkingsError(
                    f"{part!r} declares nothing; write a name and its shape, as in `x 1 x d`, or "
                    f"one of {', '.join(MODES)}"
                )
            said.symbols |= declared(name, declare(name, shape))
    return said


def declared(name: str, symbol: Symbol) -> dict[str, Declared]:
    """A declared symbol under its one spelling."""
    node = name_of(name)
    sides = tuple(canonical(side) for side in symbol.sides)
    return {node.name: Declared(symbol_latex(node), sides, symbol.kinds)}


def read_member(text: str) -> dict[str, Declared]:
    r"""The symbols that W \in \mathbb{R}^{d \times k} declares; none if it is something else."""
    if len(text) > 300:
        return {}
    plain = text.strip().rstrip(".,;")
    match = _MEMBER.fullmatch(plain) or _SHAPE.fullmatch(plain)
    if match is None:
        return {}
    try:
        sides = _sides(match["sides"] or "")
        kinds: tuple[str, ...] = ("integer",) if re.search(r"[ZN]", match["space"] or "") else ()
        if re.fullmatch(r"\\\{\s*0.*", match["space"] or ""):
            kinds = ("binary",)
        elif re.fullmatch(r"\\\{.*", match["space"] or ""):
            kinds = ("sign",)
        elif re.fullmatch(r"[\[(]0.*", match["space"] or "") and not match["sides"]:
            kinds = ("probability",)
        if match["sign"] and re.search(r"\+|>", match["sign"]):
            kinds += ("positive",)
        found: dict[str, Declared] = {}
        for name in _OUTSIDE_BRACES.split(match["names"]):
            node = name_of(re.sub(r"\\(?:forall|text\s*\{[^{}]*\})", "", name).strip())
            found[node.name] = Declared(symbol_latex(node), sides, kinds)
    except WorkingsError:
        return {}
    return found if len(sides) <= 2 else {}


def names_of_member(text: str) -> list[str]:
    r"""The names that W, b \in \mathbb{R}^{d \times k} declares, as they are written."""
    match = _MEMBER.fullmatch(text.strip().rstrip(".,;")) if read_member(text) else None
    return list(map(str.strip, _OUTSIDE_BRACES.split(match["names"]))) if match else []


def size_word(name: str) -> str:
    r"""d_\ell-1 as a size is called d_ellm1: its index is a word."""
    signs = {"-": "m", "+": "p"}
    return re.sub(r"\W", lambda sign: signs.get(sign[0], ""), name)


def _plain_index(match: "re.Match[str]") -> str:
    return "_" + size_word(match[1] or match[2])


def _sides(text: str) -> tuple[str, ...]:
    r"""d and k of {d \times k}; the sides of a shape as sizes."""
    text = text.strip()
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1]
    if not text:
        return ()
    text = _FRACTION.sub(r"(\1)/(\2)", text)
    text = _INDEX.sub(_plain_index, text)
    parts = re.split(r"\\times(?![a-z])|×|\\cdot", text)
    sides = tuple(canonical(part) for part in parts)
    for side in sides:
        parse_sizes(side)
        parse_expression(side)
    return sides
