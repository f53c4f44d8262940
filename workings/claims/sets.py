"""A set of claims as it is written down: TOML, or the ```claims blocks of a Markdown file."""

import re
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from workings import toml_files
from workings.errors import WorkingsError
from workings.files import read_file
from workings.schema import Config, build

LARGEST_FILE = 2_000_000
MARKDOWN = (".md", ".markdown")
MOST_EQUATIONS, MOST_SYMBOLS = 2_000, 5_000  # of a set
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_OPENING = re.compile(r"(`{3,}|~{3,})[ \t]*claims")

# A number, a word, a list or a table: whatever tomllib reads, which a class of anybody's may take.
TomlValue = Any


class Claim(Config):
    """One statement, and how it is meant."""

    name: str = ""
    """what the claim is called in tables; its formula if not given"""
    source: str = ""
    """where the statement comes from"""
    statement: str = ""
    """the statement in words, where the formula is not enough"""
    ours: bool = False
    """a reading of ours, stricter than the source's statement or opposite to it: no verdict on it
    is held against the source"""

    claim: str = ""
    r"""a formula: \frac{\partial E}{\partial I} = …, a = b, a \le b, H \in \mathbb{R}^{m×n}"""
    at: Literal["", "all steps", "step t only"] = ""
    """step t only: earlier states are constants"""
    partials: Literal["total", "immediate"] = "total"
    """immediate: a derivative by a weight inside the formula takes earlier states as constants"""
    layout: Literal["", "numerator", "denominator"] = ""
    """of derivatives: numerator has a row for every entry of what is differentiated; if not given,
    the claim may be right in any layout, and the verdict says in which"""
    domain: str = ""
    """for which values of a number it is claimed, as in "b: integer"; the widest is looked for"""
    remainder: str = ""
    """for ≈: how fast the difference of its sides goes to 0 with a declared number, as in "s^3\""""

    count: str = ""
    """a number of parameters, of entries, or of what `counts` says, as a formula in sizes"""
    cost: str = ""
    r"""an order of growth, as in O(n^2 d)"""
    model: str = ""
    """for count and cost: an architecture's name, or package.module:Class"""
    args: dict[str, TomlValue] = Field(default_factory=dict)
    """its constructor's arguments: values, or formulas in sizes"""
    inputs: tuple[str, ...] | dict[str, str] = ()
    """the shapes of its inputs, as in "n, 1, d"; for computes: their names and shapes"""
    computes: str = ""
    """a formula that the model computes, forward and gradient"""
    where: tuple[str, ...] = ()
    """for computes: equations of the names in it, besides the set's"""
    parameters: dict[str, str] = Field(default_factory=dict)
    """for computes: what its parameters are in the formula, "q.weight" = "W_Q^T"; the others are
    matched by their shapes and values"""
    parameter: str = ""
    """for a shape: the module's parameter that it is about"""
    counts: Literal["multiply-adds", "operations", "parameters", "activations"] | None = None
    """what is counted; left out, the parameters for count and the multiply-adds for cost"""
    fixed: tuple[str, ...] = ()
    """for cost: symbols that are held fixed"""
    same: tuple[str, ...] = ()
    """two measures of similarity that are said to be the same"""


class ClaimSet(Config):
    """Symbols, equations and what is claimed of them."""

    title: str = ""
    """what the set is about"""
    source: str = ""
    """where its statements come from"""
    symbols: dict[str, str] = Field(default_factory=dict, max_length=MOST_SYMBOLS)
    """name = shape, as in e = "1 x d", y = "onehot 1 x V" """
    sizes: dict[str, int | str] = Field(default_factory=dict)
    """sizes that are given; the others are chosen"""
    equations: tuple[str, ...] = Field(default=(), max_length=MOST_EQUATIONS)
    """in any order: s = …; \\phi(x) = … defines a function"""
    steps: int = Field(default=0, ge=0, le=12)
    """steps through which symbols with the label (t) go; 0: there is one step"""
    claims: tuple[Claim, ...] = ()


def read(path: Path) -> ClaimSet:
    """A file's claims; a Markdown file's blocks are one set, in their order."""
    try:
        text = claims_text(path)
    except FileNotFoundError:
        raise WorkingsError(
            f"{path}: no such file (names of shipped claims: `workings check --list`)"
        ) from None
    except UnicodeDecodeError:
        raise WorkingsError(f"{path}: is not UTF-8 text") from None
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read as claims ({error.strerror})") from None
    if path.suffix.lower() in MARKDOWN:
        return from_markdown(text, str(path))
    return from_toml(text, str(path))


def claims_text(path: Path) -> str:
    """What stands in a file of claims, with plain line ends."""
    content = read_file(path, LARGEST_FILE).decode("utf-8-sig")
    return content.replace("\r\n", "\n").replace("\r", "\n")


def claim_texts(text: str, path: Path) -> list[tuple[int, int]]:
    """From where to where a file's text is TOML: a Markdown file's blocks, or all of it."""
    return _blocks(text) if path.suffix.lower() in MARKDOWN else [(0, len(text))]


def _blocks(text: str) -> list[tuple[int, int]]:
    """From where to where each ```claims block of a Markdown text goes; line by line."""
    blocks, fence, start = [], "", 0
    for line in _LINE.finditer(text):
        if not fence:
            opening = _OPENING.match(line[0])
            fence, start = opening[1] if opening else "", line.end()
        elif line[0].startswith(fence):
            blocks.append((start, line.start()))
            fence = ""
    return blocks


def from_markdown(text: str, name: str) -> ClaimSet:
    """The claims of a Markdown text's blocks; `name` is what errors call it."""
    blocks = [text[start:end] for start, end in _blocks(text)]
    if not blocks:
        raise WorkingsError(f"{name}: has no ```claims block")
    merged: dict[str, object] = {}
    for number, block in enumerate(blocks, start=1):
        _merge(merged, _toml(block, f"{name}, block {number}"), f"{name}, block {number}")
    return from_values(merged, name)


def from_toml(text: str, name: str = "claims") -> ClaimSet:
    """The claims of a TOML text; `name` is what errors call it."""
    return from_values(_toml(text, name), name)


def _toml(text: str, name: str) -> dict[str, object]:
    try:
        return toml_files.parse(text)
    except toml_files.WrongToml as error:
        raise WorkingsError(f"{name}: {error}") from None


def _merge(into: dict[str, object], block: dict[str, object], name: str) -> None:
    """A later block adds to the earlier ones; it must not say otherwise."""
    for key, value in block.items():
        before = into.get(key, value)
        if isinstance(value, dict) and isinstance(before, dict):
            for inner, given in value.items():
                if before.get(inner, given) != given:
                    raise WorkingsError(
                        f"{name}: {key}.{inner} is {given!r} here and {before[inner]!r} before"
                    )
            into[key] = before | value
        elif isinstance(value, list) and isinstance(before, list) and key in into:
            into[key] = before + value
        elif before != value:
            raise WorkingsError(f"{name}: {key} is {value!r} here and {before!r} before")
        else:
            into[key] = value


def from_values(values: dict[str, object], name: str) -> ClaimSet:
    """A set from plain values, checked."""
    values = {key: _tuples(value) for key, value in values.items()}
    claims = values.get("claims", ())
    for number, each in enumerate(claims if isinstance(claims, tuple) else (), start=1):
        if not isinstance(each, dict):
            raise WorkingsError(f"{name}: claims: each is a table, [[claims]] (got {each!r})")
        try:
            build(Claim, each, "")
        except WorkingsError as error:
            raise WorkingsError(f"{name}: claim {number}: {error}") from None
    claim_set = build(ClaimSet, values, "")
    if not claim_set.claims:
        raise WorkingsError(f"{name}: has no [[claims]]")
    seen: set[str] = set()
    for claim in claim_set.claims:
        if claim.name and claim.name in seen:
            raise WorkingsError(f"{name}: two claims are named {claim.name!r}")
        seen.add(claim.name)
    for number, claim in enumerate(claim_set.claims, start=1):
        kinds = [
            kind for kind in ("claim", "count", "cost", "same", "computes") if getattr(claim, kind)
        ]
        if len(kinds) != 1:
            raise WorkingsError(
                f"{name}: claim {claim.name or number}: one of claim, count, cost, same or "
                f"computes was expected, found {' and '.join(kinds) or 'none'}"
            )
        for field, kind in (("where", "computes"), ("remainder", "claim")):
            if getattr(claim, field) and kinds != [kind]:
                raise WorkingsError(f"{name}: claim {claim.name or number}: {field} is for {kind}")
    return claim_set


def _tuples(value: object) -> object:
    """Lists, as TOML has them and people write them, as the tuples of a frozen config."""
    if isinstance(value, list | tuple):
        return tuple(_tuples(each) for each in value)
    if isinstance(value, dict):
        return {key: _tuples(each) for key, each in value.items()}
    return value
