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
MARKS = ("hat", "tilde", "bar", "vec", "dot", "ddot", "widehat", "widetilde", "overline",
         "mathring", "check", "breve")  # fmt: skip
COMBINING = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0307": "dot"}
# Commands that stand for a sign.
SIGN_OF_COMMAND = {
    "cdot": "·", "times": "×", "odot": "⊙", "circ": "⊙", "otimes": "⊗", "oslash": "⊘", "ast": "*",
    "div": "/", "le": "≤", "leq": "≤", "leqslant": "≤", "ge": "≥", "geq": "≥", "geqslant": "≥",
    "ne": "≠", "neq": "≠", "approx": "≈", "simeq": "≈", "sim": "∼", "equiv": "=", "coloneqq": "=",
    "triangleq": "=", "doteq": "=", "eqdef": "=", "in": "∈", "notin": "∉", "forall": "∀",
    "to": "→", "rightarrow": "→", "mapsto": "→", "leftarrow": "←", "gets": "←", "land": "∧",
    "Rightarrow": "⇒", "implies": "⇒", "propto": "∝", "partial": "∂", "nabla": "∇", "lvert": "|",
    "rvert": "|", "mid": "|", "vert": "|", "|": "‖", "lVert": "‖", "rVert": "‖", "Vert": "‖",
    "lbrace": r"\{", "rbrace": r"\}", "{": r"\{", "}": r"\}", "langle": "⟨", "rangle": "⟩",
    "lbrack": "[", "rbrack": "]", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉",
    "dots": "…", "ldots": "…", "cdots": "…", "vdots": "…", "ddots": "…", "dotsc": "…", "dotsb": "…",
    "_": "_", "infty": "∞", "prime": "'", "ll": "<", "gg": ">", "lt": "<", "gt": ">", "colon": ":",
    "dagger": "†", "setminus": "∖",
}  # fmt: skip
# Commands that only set spaces and sizes.
SILENT = _words(
    ", ; : ! > quad qquad left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr bigm Bigm",
    "displaystyle textstyle limits nolimits nonumber notag hfill middle mathstrut",
    "thinspace enspace space scriptstyle bf rm it cal sf tt normalfont bigskip allowbreak",
)
FONTS = _words("bold mathbf mathcal boldsymbol bm mathsf mathit mathbb mathfrak vb pmb mathscr")
TEXT_FONTS = _words("text mathrm operatorname textrm textit textbf texttt mbox textsf textnormal")
# Commands whose argument is no part of the formula.
NOTES = _words("label tag eqno phantom hspace vspace color textcolor")
UNICODE = {
    "−": "-", "–": "-", "∗": "*", "•": "·", "∘": "⊙", "∥": "‖", "∑": r"\sum", "∏": r"\prod",
    "√": r"\sqrt", "⊤": r"\top", "ᵀ": "^T", "∣": "|", "ℓ": r"\ell", "⋅": "·",
}  # fmt: skip
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
RELATIONS = ("=", "<", ">", "≤", "≥", "≠", "≈", "∈", "→", "←", "⇒", "∝", "∼", ":")
SIGNS = "+-*/^_(){}[]=<>,;:|'!·×⊙⊗⊘≤≥≠≈∈→←⇒∝∂∇‖…∞&⟨⟩∼∀∉∧"
_PAIRS = {"<=": "≤", ">=": "≥", "!=": "≠", "||": "‖", ":=": "=", "->": "→", "**": "^", "//": "//"}
_LONG_EXPONENT = re.compile(r"e[+-]?[0-9]{3}")
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:e[+-]?[0-9]{1,2}(?![0-9a-zA-Z]))?")
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_LOWERED = re.compile("[₀₁₂₃₄₅₆₇₈₉]+")
_ROW_SKIP = re.compile(r"\s*\[\s*-?[0-9.]+\s*(?:em|ex|pt|mm|cm|in|mu|\\[a-z]+)\s*\]")
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
            if name in NOTES:
                position = _after_group(text, match.end())
                continue
            if name in ("stackrel", "overset", "underset"):
                stacked, position = _stacked(text, name, match.end(), spaced)
                tokens.extend(stacked)
                continue
            if name.rstrip("*") in TEXT_FONTS and (words := _sentence(text, match.end())):
                tokens.append(Token("text", words, position, spaced))
                position = _after_group(text, match.end())
                continue
            if name in SILENT or name.isspace():
                position, spaced = match.end(), True
                if name in ("left", "right"):
                    position += text[position : position + 1] == "."  # \left. opens nothing
                continue
            tokens.append(_command(name, position, spaced))
            position = match.end()
            if name == "\\" and (skip := _ROW_SKIP.match(text, position)):
                position = skip.end()  # \\[0.5em]
        else:
            plain, position = _plain(text, position, spaced)
            tokens.extend(plain)
        spaced = False
    tokens.append(Token("end", "the end", len(text)))
    return tokens


def _after_group(text: str, position: int) -> int:
    """Where the text goes on behind a {…} that stands here; here if there is none."""
    start = re.compile(r"\s*\{").match(text, position)
    if start is None:
        return position
    depth, end = 1, start.end()
    while end < len(text) and depth:
        depth += (text[end] == "{") - (text[end] == "}")
        end += 1
    return end


_FILLERS = _words("where and if for with otherwise when or else iff such that s.t. i.e. subject to")


def _sentence(text: str, position: int) -> str:
    r"""The words of a \text{…} that is no name: several of them, or one that only connects."""
    end = _after_group(text, position)
    words = text[position:end].strip()[1:-1].split()
    joined = " ".join(words).rstrip(".,:;")
    if len(words) == 2 and words[0] == "arg":
        return ""
    return joined if len(words) > 1 or joined.lower() in _FILLERS else ""


def _stacked(text: str, name: str, position: int, spaced: bool) -> tuple[list[Token], int]:
    r"""The tokens of \stackrel{def}{=}, which is =, and of \underset{i}{\max}, which is \max_i."""
    middle = _after_group(text, position)
    end = _after_group(text, middle)
    if middle == position or end == middle:
        raise NotRead(text, position, f"'{{' was expected after \\{name}")

    def inside(start: int, stop: int) -> list[Token]:
        opening = text.index("{", start) + 1
        part = tokenize(text[opening : stop - 1])[:-1]
        return [Token(t.kind, t.text, t.position + opening, t.spaced) for t in part]

    tokens = inside(middle, end)
    if name == "underset" and tokens and tokens[0].kind == "command":
        below = [Token("_", "_", position), Token("{", "{", position)]
        tokens += [*below, *inside(position, middle), Token("}", "}", middle)]
    elif len(tokens) != 1:
        raise NotRead(text, position, f"one sign was expected under \\{name}")
    return tokens, end


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
        if _LONG_EXPONENT.match(text, match.end()):
            raise NotRead(text, position, "a number with an exponent of more than two digits")
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
