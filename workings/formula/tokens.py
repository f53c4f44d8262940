r"""LaTeX and plain ASCII (and Unicode) mathematics, cut into tokens with their positions."""

import re
import unicodedata
from dataclasses import dataclass

from workings.errors import WorkingsError
from workings.formula.errors import NotRead

LONGEST = 20_000  # characters of a formula
LONGEST_NUMBER = 40


@dataclass(frozen=True, slots=True)
class Token:
    """The smallest piece of a formula that has a meaning of its own."""

    kind: str
    """number, word (letters), command (of LaTeX, for the parser), or the sign itself"""
    text: str
    position: int
    spaced: bool = False
    """white space stands before it"""


def _words(*lines: str) -> tuple[str, ...]:
    return tuple(" ".join(lines).split())


GREEK = _words(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi",
    "pi rho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma",
    "Upsilon Phi Psi Omega ell",
)
MARKS = ("hat", "tilde", "bar", "vec", "dot", "ddot", "widehat", "widetilde", "overline")
COMBINING = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0307": "dot"}
# Commands that stand for a sign.
SIGN_OF_COMMAND = {
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
# Commands that only set spaces and sizes.
SILENT = _words(
    ", ; : ! > quad qquad left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr bigm Bigm",
    "displaystyle textstyle limits nolimits nonumber notag hfill middle mathstrut phantom",
    "thinspace enspace space scriptstyle",
)
FONTS = _words(
    "mathbf mathcal boldsymbol bm mathsf mathit mathbb mathfrak vb pmb mathscr boxed",
)
TEXT_FONTS = _words("text mathrm operatorname textrm textit textbf texttt mbox")
UNICODE = {
    "−": "-", "–": "-", "∗": "*", "•": "·", "∘": "⊙", "∥": "‖", "∑": r"\sum", "∏": r"\prod",
    "√": r"\sqrt", "⊤": r"\top", "ᵀ": "^T", "∣": "|", "ℓ": r"\ell", "⋅": "·",
}  # fmt: skip
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
RELATIONS = ("=", "<", ">", "≤", "≥", "≠", "≈", "∈", "→", "←", "⇒", "∝", ":")
SIGNS = "+-*/^_(){}[]=<>,;:|'!·×⊙⊗⊘≤≥≠≈∈→←⇒∝∂∇‖…∞&"
_PAIRS = {"<=": "≤", ">=": "≥", "!=": "≠", "||": "‖", ":=": "=", "->": "→", "**": "^", "//": "//"}
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+")
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_LOWERED = re.compile("[₀₁₂₃₄₅₆₇₈₉]+")
_COMMAND = re.compile(r"\\([A-Za-z]+\*?|.)", re.DOTALL)
_ACCENTED = re.compile(r"[^\W\d_][\u0300-\u036f]|(?:[^\W\d_](?![\u0300-\u036f]))+")
GREEK_NAMES = {
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
    position, spaced = 0, False
    while position < len(text):
        char = text[position]
        if char.isspace() or char in "~$":
            position, spaced = position + 1, True
            continue
        if char == "\\":
            match = _COMMAND.match(text, position)
            if match is None:
                raise NotRead(text, position, "a lone \\ ends the formula")
            name = match[1]
            if name in SILENT or name.isspace():
                position, spaced = match.end(), True
                if name in ("left", "right"):
                    position += text[position : position + 1] == "."  # \left. opens nothing
                continue
            tokens.append(_command(name, position, spaced))
            position = match.end()
        else:
            found, position = _plain(text, position, spaced)
            tokens.extend(found)
        spaced = False
    tokens.append(Token("end", "the end", len(text)))
    return tokens


def _command(name: str, position: int, spaced: bool) -> Token:
    if name in SIGN_OF_COMMAND:
        return Token(SIGN_OF_COMMAND[name], SIGN_OF_COMMAND[name], position, spaced)
    if name in GREEK:
        return Token("word", "\\" + name, position, spaced)
    return Token("command", name.rstrip("*"), position, spaced)


def _plain(text: str, position: int, spaced: bool) -> tuple[list[Token], int]:
    """The tokens of what is not a command, and where the text goes on."""
    char = text[position]
    if _is_letter(char):
        end = position + 1
        while end < len(text) and (_is_letter(text[end]) or text[end] in COMBINING):
            end += 1
        return _accented(text, text[position:end], position, spaced), end
    if char in GREEK_NAMES:
        return [Token("word", "\\" + GREEK_NAMES[char], position, spaced)], position + 1
    for pattern, table, sign in ((_RAISED, SUPERSCRIPTS, "^"), (_LOWERED, SUBSCRIPTS, "_")):
        if match := pattern.match(text, position):
            digits = Token("number", match[0].translate(table), position)
            return [Token(sign, sign, position, spaced), digits], match.end()
    if char in UNICODE:
        same = [Token(t.kind, t.text, position, spaced) for t in tokenize(UNICODE[char])[:-1]]
        return same, position + 1
    if match := _NUMBER.match(text, position):
        if len(match[0]) > LONGEST_NUMBER:
            raise NotRead(text, position, f"a number of {len(match[0]):,} digits")
        return [Token("number", match[0], position, spaced)], match.end()
    if pair := _PAIRS.get(text[position : position + 2]):
        return [Token(pair, pair, position, spaced)], position + 2
    if char in SIGNS:
        return [Token(char, char, position, spaced)], position + 1
    if char == ".":
        return _dots(text, position, spaced)
    raise NotRead(text, position, f"unexpected {char!r}")


def _is_letter(char: str) -> bool:
    return char.isalpha() and char not in UNICODE and char not in GREEK_NAMES


def _dots(text: str, position: int, spaced: bool) -> tuple[list[Token], int]:
    if text.startswith("...", position):
        return [Token("…", "…", position, spaced)], position + 3
    after = text[position + 1 : position + 2]
    if after.isalpha() or after == "_":
        raise NotRead(text, position, "unexpected '.' (a formula has no attributes)")
    return [], position + 1  # a full stop after a formula


def _accented(text: str, letters: str, position: int, spaced: bool) -> list[Token]:
    r"""Letters; ŷ becomes \hat{y}."""
    tokens: list[Token] = []
    start = position
    for part in _ACCENTED.findall(unicodedata.normalize("NFD", letters)):
        if part[-1] in COMBINING:
            tokens.append(Token("command", COMBINING[part[-1]], start, spaced))
            tokens += [
                Token("{", "{", start),
                Token("word", part[0], start),
                Token("}", "}", start),
            ]
        elif unicodedata.combining(part[-1]):
            raise NotRead(text, start, f"unexpected {unicodedata.normalize('NFC', part)!r}")
        else:
            tokens.append(Token("word", part, start, spaced))
        start += len(unicodedata.normalize("NFC", part))
        spaced = False
    return tokens
