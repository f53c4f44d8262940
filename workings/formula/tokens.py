r"""LaTeX and plain ASCII (and Unicode) mathematics, cut into tokens with their places."""

import re
import unicodedata
from dataclasses import dataclass

from workings.errors import WorkingsError

LONGEST = 20_000  # characters of a formula
LONGEST_NUMBER = 40


class FormulaError(WorkingsError):
    """A formula that cannot be read: the place, a caret under it, and what was expected."""

    def __init__(self, text: str, at: int, message: str) -> None:
        start = max(0, at - 50)
        line = re.sub(r"\s", " ", text[start : at + 30])
        lead = "…" if start else ""
        tail = "…" if at + 30 < len(text) else ""
        super().__init__(
            f"{message}\n    {lead}{line}{tail}\n    {' ' * (len(lead) + at - start)}^"
        )
        self.at = at


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    """number, word (letters), command (of LaTeX, for the parser), or the sign itself"""
    text: str
    at: int
    spaced: bool = False
    """white space stands before it"""


GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "varepsilon",
    "zeta",
    "eta",
    "theta",
    "vartheta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "varphi",
    "chi",
    "psi",
    "omega",
    "Gamma",
    "Delta",
    "Theta",
    "Lambda",
    "Xi",
    "Pi",
    "Sigma",
    "Upsilon",
    "Phi",
    "Psi",
    "Omega",
    "ell",
]
MARKS = ("hat", "tilde", "bar", "vec", "dot", "ddot", "widehat", "widetilde", "overline")
COMBINING = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0307": "dot"}
# Commands that stand for a sign or a word of ours.
SAME = {
    "cdot": "·", "times": "×", "odot": "⊙", "circ": "⊙", "otimes": "⊗", "oslash": "⊘", "ast": "*",
    "div": "/", "le": "≤", "leq": "≤", "leqslant": "≤", "ge": "≥", "geq": "≥", "geqslant": "≥",
    "ne": "≠", "neq": "≠", "approx": "≈", "simeq": "≈", "sim": "≈", "equiv": "=", "coloneqq": "=",
    "in": "∈", "to": "→", "rightarrow": "→", "mapsto": "→", "leftarrow": "←", "gets": "←",
    "Rightarrow": "⇒", "implies": "⇒", "propto": "∝", "partial": "∂", "nabla": "∇", "lvert": "|",
    "rvert": "|", "mid": "|", "vert": "|", "|": "‖", "lVert": "‖", "rVert": "‖", "Vert": "‖",
    "lbrace": "(", "rbrace": ")", "{": "(", "}": ")", "langle": "(", "rangle": ")", "lbrack": "[",
    "rbrack": "]", "dots": "…", "ldots": "…", "cdots": "…", "vdots": "…", "ddots": "…",
    "_": "_", "infty": "∞", "prime": "'", "ll": "<", "gg": ">", "lt": "<", "gt": ">", "colon": ":",
}  # fmt: skip
SILENT = frozenset(
    [
        ",",
        ";",
        ":",
        "!",
        ">",
        "quad",
        "qquad",
        "left",
        "right",
        "big",
        "Big",
        "bigg",
        "Bigg",
        "bigl",
        "bigr",
        "Bigl",
        "Bigr",
        "biggl",
        "biggr",
        "bigm",
        "Bigm",
        "displaystyle",
        "textstyle",
        "limits",
        "nolimits",
        "nonumber",
        "notag",
        "hfill",
        "middle",
        "mathstrut",
        "phantom",
        "thinspace",
        "enspace",
        "space",
        "scriptstyle",
    ]
)
FONTS = frozenset(
    [
        "mathbf",
        "mathcal",
        "boldsymbol",
        "bm",
        "mathsf",
        "mathit",
        "mathbb",
        "mathfrak",
        "vb",
        "pmb",
        "mathscr",
        "boxed",
    ]
)
WORDS = frozenset(
    ["text", "mathrm", "operatorname", "textrm", "textit", "textbf", "texttt", "mbox"]
)
UNICODE = {
    "−": "-", "–": "-", "∗": "*", "•": "·", "∘": "⊙", "∥": "‖", "∑": r"\sum", "∏": r"\prod",
    "√": r"\sqrt", "⊤": r"\top", "ᵀ": "^T", "∣": "|", "ℓ": r"\ell", "⋅": "·",
}  # fmt: skip
SUPERSCRIPTS = {"⁰": 0, "¹": 1, "²": 2, "³": 3, "⁴": 4, "⁵": 5, "⁶": 6, "⁷": 7, "⁸": 8, "⁹": 9}
SUBSCRIPTS = {chr(0x2080 + digit): digit for digit in range(10)}
RELATIONS = ("=", "<", ">", "≤", "≥", "≠", "≈", "∈", "→", "←", "⇒", "∝", ":")
SIGNS = "+-*/^_(){}[]=<>,;:|'!·×⊙⊗⊘≤≥≠≈∈→←⇒∝∂∇‖…∞&"
_PAIRS = {"<=": "≤", ">=": "≥", "!=": "≠", "||": "‖", ":=": "=", "->": "→", "**": "^"}
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_COMMAND = re.compile(r"\\([A-Za-z]+\*?|.)", re.DOTALL)
_GREEK_LETTERS = {
    unicodedata.lookup(f"GREEK {'CAPITAL' if name[0].isupper() else 'SMALL'} LETTER {plain}"): name
    for name in GREEK
    if not name.startswith("var") and name != "ell"
    for plain in [name.upper().replace("LAMBDA", "LAMDA")]
}


def tokenize(text: str) -> list[Token]:
    """Every token of a formula; white space and LaTeX's spacing only leave `spaced` behind."""
    if len(text) > LONGEST:
        raise WorkingsError(f"a formula of {len(text):,} characters; the longest is {LONGEST:,}")
    tokens: list[Token] = []
    at, spaced = 0, False
    while at < len(text):
        char = text[at]
        if char.isspace() or char in "~$":
            at, spaced = at + 1, True
            continue
        if char == "\\":
            match = _COMMAND.match(text, at)
            if match is None:
                raise FormulaError(text, at, "a lone \\ ends the formula")
            name = match[1]
            if name in SILENT or name.isspace():
                at, spaced = match.end(), True
                if name == "left" or name == "right":
                    at += text[at : at + 1] == "."  # \left. opens nothing
                continue
            tokens.append(_command(text, name, at, spaced))
            at = match.end()
        else:
            found = _plain(text, at, spaced)
            tokens.extend(found)
            at += _width(text, at)
        spaced = False
    tokens.append(Token("end", "the end", len(text)))
    return tokens


def _command(text: str, name: str, at: int, spaced: bool) -> Token:
    if name in SAME:
        return Token(SAME[name], SAME[name], at, spaced)
    if name in GREEK:
        return Token("word", "\\" + name, at, spaced)
    return Token("command", name.rstrip("*"), at, spaced)


def _width(text: str, at: int) -> int:
    match = _WORD.match(text, at) if _is_letter(text[at]) else _NUMBER.match(text, at)
    if match is None:
        return 2 if text[at : at + 2] in _PAIRS else 1
    if _is_letter(text[at]):
        return _letters(text, at)
    return match.end() - at


def _is_letter(char: str) -> bool:
    return char.isalpha() and char not in UNICODE and char not in _GREEK_LETTERS


def _letters(text: str, at: int) -> int:
    """How far a run of letters goes, with the accents that combine with them."""
    end = at
    while end < len(text) and (_is_letter(text[end]) or text[end] in COMBINING):
        end += 1
    return end - at


def _plain(text: str, at: int, spaced: bool) -> list[Token]:
    char = text[at]
    if _is_letter(char):
        run = unicodedata.normalize("NFD", text[at : at + _letters(text, at)])
        return _accented(text, run, at, spaced)
    if char in _GREEK_LETTERS:
        return [Token("word", "\\" + _GREEK_LETTERS[char], at, spaced)]
    if char in SUPERSCRIPTS:
        return [Token("^", "^", at, spaced), Token("number", str(SUPERSCRIPTS[char]), at)]
    if char in SUBSCRIPTS:
        return [Token("_", "_", at, spaced), Token("number", str(SUBSCRIPTS[char]), at)]
    if char in UNICODE:
        return [Token(t.kind, t.text, at, spaced) for t in tokenize(UNICODE[char])[:-1]]
    if match := _NUMBER.match(text, at):
        if len(match[0]) > LONGEST_NUMBER:
            raise FormulaError(text, at, f"a number of {len(match[0]):,} digits")
        return [Token("number", match[0], at, spaced)]
    pair = _PAIRS.get(text[at : at + 2])
    if pair:
        return [Token(pair, pair, at, spaced)]
    if char in SIGNS:
        return [Token(char, char, at, spaced)]
    if char == ".":
        if text[at - 1 : at + 2] == "...":
            return [Token("…", "…", at, spaced)]
        if text[at + 1 : at + 2].isalpha() or text[at + 1 : at + 2] == "_":
            raise FormulaError(text, at, "unexpected '.' (a formula has no attributes)")
        return []  # a full stop after a formula
    raise FormulaError(text, at, f"unexpected {char!r}")


def _accented(text: str, run: str, at: int, spaced: bool) -> list[Token]:
    r"""Letters; ŷ becomes \hat{y}."""
    tokens: list[Token] = []
    for part in re.findall(r"[^\W\d_][\u0300-\u036f]|(?:[^\W\d_](?![\u0300-\u036f]))+", run):
        if part[-1] in COMBINING:
            mark = COMBINING[part[-1]]
            tokens.append(Token("command", mark, at, spaced))
            tokens += [Token("{", "{", at), Token("word", part[0], at), Token("}", "}", at)]
        elif unicodedata.combining(part[-1]):
            raise FormulaError(text, at, f"unexpected {unicodedata.normalize('NFC', part)!r}")
        else:
            tokens.append(Token("word", part, at, spaced))
        spaced = False
    return tokens
