r"""Reading formulas about distributions: \mathbb{E}_{q(z)}[\log p(x, z)], \int p(x) dx, KL."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from workings.claims.documents.distributions.parts import (
    Defined,
    Density,
    Divergence,
    Formula,
    Function,
    Integral,
    Mean,
    Moment,
    NotOfDistributions,
    Part,
)
from workings.claims.documents.outline.left_names import is_known_function
from workings.formula.parsing.parse import parse_expression

DEEPEST = 8
ANY = "any"  # the letter of a density that is not named
_NOISE = re.compile(
    r"\\(?:left|right|[bB]igg?[lrm]?|displaystyle|limits|nolimits)(?![A-Za-z])"
    r"|\\(?:mathbf|boldsymbol|bm|vec|mathcal|mathscr|pmb|mathsf)(?![A-Za-z])"
)
_SPACE = re.compile(r"\\(?:[,;:! ]|q?quad(?![A-Za-z]))|~")
_FONT = re.compile(r"\\(?:mathcal|mathbf|boldsymbol|bm)(?=[A-Z](?![A-Za-z]))")
_LETTER_IN_BRACES = re.compile(r"(?<=[\s(,;|=~\[])\{\s*(\\[A-Za-z]+|[A-Za-z])\s*\}")
_BAR = re.compile(r"\\(?:mid|[lr]?vert|given)(?![A-Za-z])|(?<![\\|])\|(?!\|)")
_SUB = r"(?:_\s*(?P<sub>\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|[A-Za-z0-9]))?"
_CALL = re.compile(rf"(?<![A-Za-z\\_^])(?P<name>\\[A-Za-z]+|[A-Za-z])(?![A-Za-z])\s*{_SUB}\s*\(")
_MEAN = re.compile(
    rf"(?:\\mathbb\s*\{{?\s*E\s*\}}?|\\(?:operatorname|mathrm|text)\s*\{{\s*E\s*\}}|"
    rf"(?<![A-Za-z\\])E(?=\s*[_\[]))\s*{_SUB}\s*(?P<open>[\[(]|\\\{{)?"
)
_MOMENT = re.compile(
    r"(?:\\(?:operatorname|mathrm|text|mathbb)\s*\{\s*(?P<word>Var|Cov|var|cov)\s*\}"
    r"|(?<![A-Za-z\\])\\?(?P<bare>Var|Cov)(?![a-z]))\s*(?P<open>[\[(])"
)
_DIVERGENCE = re.compile(
    r"(?:(?<![A-Za-z\\])(?:\\mathbb\s*\{\s*)?D(?:\s*\})?\s*_\s*\{\s*(?:\\(?:mathrm|text|textrm)\s*\{)?\s*KL\s*\}?\s*\}"
    r"|\\(?:operatorname|mathrm|text|textrm)\s*\{\s*(?:D_\{)?KL\}?\s*\}|(?<![A-Za-z\\])KL)"
    r"\s*(?P<open>[\[(]|\\\{)"
)
_BETWEEN = re.compile(
    r"\\\|\s*\\\||\|\||\\\||\\parallel(?![A-Za-z])|\\Vert(?![A-Za-z])|\\mid\s*\\mid"
)
_INTEGRAL = re.compile(
    r"(?:\\int(?![A-Za-z])|∫)\s*(?P<bounds>(?:[_^]\s*(?:\{[^{}]*\}|\\[A-Za-z]+|\w)\s*)*)"
)
_MEASURE = re.compile(
    r"(?<![A-Za-z\\])(?:\\(?:mathrm|text|operatorname)\s*\{\s*d\s*\}|d)\s*(\\?[A-Za-z]+)(?![A-Za-z])"
)
_NAME = re.compile(r"(\\?[A-Za-z]+)(?:_(?:(\w)|\{(\w+)\}))?((?:\^(?:\w+|\{[^{}]*\}|\*))?'*)")
_CLOSES = {"(": ")", "[": "]", "{": "}", r"\{": r"\}"}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)


@dataclass
class Reader:
    """Reads formulas; `defined` has the right sides of the document's definitions by name."""

    defined: Mapping[str, str] = field(default_factory=dict)
    running: frozenset[str] = frozenset()
    """letters that sums run over: x_i is x, for every i"""
    inside: tuple[str, ...] = ()
    """the definitions that are being read"""

    def formula(self, text: str) -> Formula:
        """A formula with its parts."""
        return self._formula(_cleaned(text), 0)

    def _formula(self, text: str, depth: int) -> Formula:
        if depth > DEEPEST:
            raise NotOfDistributions("nested too deeply")
        parts: dict[str, Part] = {}
        pieces: list[str] = []
        at = 0
        while at < len(text):
            found = self._part(text, at, depth)
            if found is None:
                token = _TOKEN.match(text, at)
                assert token is not None
                pieces.append(token[0])
                at = token.end()
                continue
            part, at = found
            name = "part" + chr(ord("a") + depth) + _letters(len(parts))
            parts[name] = part
            pieces.append(rf" \mathrm{{{name}}} ")
        node = parse_expression("".join(pieces), list(parts))
        formula = Formula(node, parts)
        return self._with_definitions(formula)

    def _with_definitions(self, formula: Formula) -> Formula:
        """The formula in which names that the document defines are parts, too."""
        parts = dict(formula.parts)
        for name in formula.symbols() & {*self.defined}:
            parts[name] = self._definition(name)
        return Formula(formula.node, parts)

    def _definition(self, name: str) -> Defined:
        if name in self.inside:
            raise NotOfDistributions(f"{name} is defined by itself")
        reader = Reader(self.defined, self.running, (*self.inside, name))
        return Defined(reader.formula(self.defined[name]))

    def _part(self, text: str, at: int, depth: int) -> tuple[Part, int] | None:
        """The part that begins at a place, and where it ends; None where none does."""
        if match := _DIVERGENCE.match(text, at):
            inside, end = bracketed(text, match.end(), match["open"])
            sides = _BETWEEN.split(inside)
            if len(sides) != 2:
                raise NotOfDistributions("a divergence of other than two densities")
            return Divergence(self._density(sides[0], text), self._density(sides[1], text)), end
        if match := _MOMENT.match(text, at):
            inside, end = bracketed(text, match.end(), match["open"])
            kind = (match["word"] or match["bare"]).capitalize()
            bodies = tuple(self._formula(each, depth + 1) for each in split(inside))
            return Moment(kind, bodies), end
        if match := _MEAN.match(text, at):
            return self._mean(text, match, depth)
        if match := _INTEGRAL.match(text, at):
            return self._integral(text, match, depth)
        if match := _CALL.match(text, at):
            return self._call(text, match)
        return None

    def _mean(self, text: str, match: "re.Match[str]", depth: int) -> tuple[Part, int]:
        if match["open"]:
            inside, end = bracketed(text, match.end(), match["open"])
        else:
            end = _term_end(text, match.end())
            inside = text[match.end() : end]
        body = self._formula(inside, depth + 1)
        sub = (match["sub"] or "").strip()
        if sub.startswith("{"):
            sub = sub[1:-1]
        if not sub:
            return Moment("E", (body,)), end
        return Mean(tuple(self._density(each, text) for each in split(sub)), body), end

    def _integral(self, text: str, match: "re.Match[str]", depth: int) -> tuple[Part, int]:
        if re.search(r"\d", match["bounds"]):
            raise NotOfDistributions("an integral between numbers")
        level = 0
        for token in _TOKEN.finditer(text, match.end()):
            level += (token[0] in "([{") - (token[0] in ")]}") if len(token[0]) == 1 else 0
            measure = _MEASURE.match(text, token.start()) if level == 0 else None
            if level < 0:
                break
            if measure and measure[1] not in (r"\partial",):
                body = self._formula(text[match.end() : token.start()], depth + 1)
                return Integral(measure[1], body), measure.end()
        raise NotOfDistributions("what an integral goes over is not said")

    def _call(self, text: str, match: "re.Match[str]") -> tuple[Part, int] | None:
        name, sub = match["name"], (match["sub"] or "").strip("{} ")
        inside, end = bracketed(text, match.end(), "(")
        if name in ("p", "q", "P", "Q", r"\Pr") or (name == r"\pi" and _BAR.search(inside)):
            return self._density(text[match.start() : end], text), end
        if is_known_function(name) or name in (r"\partial", r"\nabla", r"\sum", r"\prod", "d"):
            return None
        whole = f"{name}_{sub}" if sub else name
        if whole in self.defined or name in self.defined:
            return self._definition(whole if whole in self.defined else name), end
        arguments = [self._name(each) for each in re.split("[,;]", inside)]
        if not all(arguments):
            return None
        return Function(whole, tuple(each[0] for each in arguments if each)), end

    def _density(self, text: str, whole: str) -> Density:
        r"""p(x \mid z), z \sim p(z), or a letter whose density the formula writes out once."""
        text = text.strip()
        if r"\sim" in text or "∼" in text:
            drawn, _, text = re.split(r"(\\sim|∼)", text, maxsplit=1)
            density = self._density(text, whole)
            name = self._name(drawn)
            if name and not density.variables:
                return Density(density.letter, (name[0],), (), (), name[1])
            if name is None or density.variables != (name[0],):
                raise NotOfDistributions("what is drawn is not what its density is of")
            return density
        match = _CALL.match(text)
        if match is None:
            return self._alone(text, whole)
        inside, end = bracketed(text, match.end(), "(")
        if text[end:].strip() or match["name"] not in ("p", "q", "P", "Q", r"\Pr", r"\pi"):
            raise NotOfDistributions("no density")
        sides = _BAR.split(inside)
        if len(sides) > 2:
            raise NotOfDistributions("two bars in a density")
        before, _, behind = sides[0].partition(";")
        given, _, last = (sides[1] if len(sides) == 2 else "").partition(";")
        names = [
            [self._name(each) for each in part.split(",") if each.strip()]
            for part in (before, given, f"{behind},{last}")
        ]
        if any(each is None for part in names for each in part):
            raise NotOfDistributions("a density of more than names")
        plain = [tuple(each[0] for each in part if each) for part in names]
        indices = tuple(sorted({i for part in names for each in part if each for i in each[1]}))
        sub = (match["sub"] or "").strip("{} ")
        greek = re.fullmatch(r"\\[A-Za-z]+", sub) is not None
        letter = match["name"] if greek or not sub else f"{match['name']}_{sub}"
        parameters = (*plain[2], sub) if greek else plain[2]
        return Density(letter, plain[0], plain[1], parameters, indices)

    def _alone(self, text: str, whole: str) -> Density:
        """The density of which only the letter is written: the formula writes it out once."""
        match = re.fullmatch(rf"\s*([pqPQ])\s*{_SUB}\s*", text)
        if match is None:
            name = self._name(text)
            if name is None or name[0].startswith("\\"):
                raise NotOfDistributions("no density")
            return Density(ANY, (name[0],), (), (), name[1])  # E_z: whatever z is drawn from
        found: dict[str, Density] = {}
        for call in _CALL.finditer(whole):
            if call["name"] == match[1] and (call["sub"] or "") == (match["sub"] or ""):
                _, end = bracketed(whole, call.end(), "(")
                spelling = "".join(whole[call.start() : end].split())
                found[spelling] = self._density(whole[call.start() : end], whole)
        if len(found) != 1:
            raise NotOfDistributions(f"what {text} is a density of is not said")
        return next(iter(found.values()))

    def _name(self, text: str) -> tuple[str, tuple[str, ...]] | None:
        """A name with the indices that sums run over; None where it is more than a name."""
        match = _NAME.fullmatch("".join(text.split()))
        if match is None:
            return None
        sub = match[2] or match[3] or ""
        indices = tuple(sorted({*sub} & self.running)) if {*sub} <= self.running else ()
        below = f"_{sub}" if sub and not indices else ""
        return match[1] + below + match[4].replace("{", "").replace("}", ""), indices


def _cleaned(text: str) -> str:
    """A formula without fonts, sizes and spaces that mean nothing."""
    text = _SPACE.sub(" ", _NOISE.sub(" ", _FONT.sub("", text)))
    return _LETTER_IN_BRACES.sub(r"\1", text)


def bracketed(text: str, at: int, opening: str) -> tuple[str, int]:
    """What stands between a bracket that opens before a place and the one that closes it."""
    closing, depth = _CLOSES[opening], 1
    for token in _TOKEN.finditer(text, at):
        depth += (token[0] == opening) - (token[0] == closing)
        if depth == 0:
            return text[at : token.start()], token.end()
    raise NotOfDistributions("a bracket is not closed")


def split(text: str) -> list[str]:
    """The parts of a list, at commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for token in _TOKEN.finditer(text):
        if len(token[0]) == 1:
            depth += (token[0] in "([{") - (token[0] in ")]}")
        if token[0] == "," and depth == 0:
            parts.append(text[start : token.start()])
            start = token.end()
    return [*parts, text[start:]]


def _term_end(text: str, at: int) -> int:
    """Where the term that begins at a place ends: before the next + or -."""
    depth, empty = 0, True
    for token in _TOKEN.finditer(text, at):
        if len(token[0]) == 1:
            depth += (token[0] in "([{") - (token[0] in ")]}")
        if depth < 0 or (depth == 0 and token[0] in "+-" and not empty):
            return token.start()
        empty = empty and token[0].isspace()
    return len(text)


def _letters(number: int) -> str:
    return chr(ord("a") + number // 26) + chr(ord("a") + number % 26)
