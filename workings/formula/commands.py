r"""LaTeX's commands with structure: fractions and derivatives, sums and products, matrices."""

import re
from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.atoms import Atoms
from workings.formula.functions import FUNCTIONS
from workings.formula.tokens import FONTS, MARKS, WORDS, FormulaError


class Commands(Atoms):
    @abstractmethod
    def product(self) -> f.Node: ...

    @abstractmethod
    def elementwise(self) -> f.Node: ...

    def command(self) -> f.Node:
        token = self.take()
        name = token.text
        if name in ("frac", "dfrac", "tfrac", "cfrac"):
            return self.fraction()
        if name in ("sum", "prod"):
            return self.big(name, token.at)
        if name == "sqrt":
            if self.now.kind == "[":
                root = self.row()
                return f.Power(self.group(), f.Quotient(f.Number(Fraction(1)), root))
            return f.Call("sqrt", (self.group_or_factor(),), at=token.at)
        if name in ("binom", "dbinom", "tbinom", "choose"):
            return self.binomial(token.at)
        if name in MARKS:
            mark = {"widehat": "hat", "widetilde": "tilde", "overline": "bar"}.get(name, name)
            return self.marked(mark)
        if name == "mathbb":
            return self.space()
        if name in FONTS:
            return self.group_or_factor()
        if name in WORDS:
            return self.named(self.group_text(), token.at)
        if name in ("top", "intercal"):
            return f.Symbol("T", at=token.at)
        if name == "begin":
            return self.matrix()
        if name in FUNCTIONS or name in self.words:
            return self.named(name, token.at)
        raise FormulaError(self.text, token.at, f"\\{name} is not known here")

    def fraction(self) -> f.Node:
        saved = self.tokens, self.place, self.depth
        try:
            if (derivative := self.derivative_fraction()) is not None:
                return derivative
        except FormulaError:
            pass  # \\frac{d^2}{h}: the d was a size
        self.tokens, self.place, self.depth = saved
        top = self.group_or_factor()
        return f.Quotient(top, self.group_or_factor())

    def derivative_fraction(self) -> f.Node | None:
        r"""\frac{\partial E}{\partial I}, or δ or d; \frac{\partial}{\partial I} x."""
        if not self.accept("{") or (sign := self.differential(True)) is None:
            return None
        if sign == "d" and self.now.kind == "}":
            return None  # the size d over something
        of = None if self.now.kind == "}" else self.sum()
        if not self.accept("}") or not self.accept("{") or self.differential(True) != sign:
            return None
        if self.now.kind == "}":
            return None
        wrt = self.factor()
        self.expect("}")
        if of is None:
            of = self.product()
        return f.Derivative(of, wrt)

    def big(self, name: str, at: int) -> f.Node:
        ranges: list[f.Range] = []
        high: f.Node | None = None
        while sign := self.accept("_", "^"):
            if sign.kind == "_":
                ranges = self.ranges()
            elif self.now.kind == "{":
                high = self.bound()
            else:
                high = self.group_or_factor()
        if high is not None:
            if not ranges:
                raise FormulaError(self.text, at, "an upper bound without its index")
            last = ranges[-1]
            ranges[-1] = f.Range(last.variable, last.low, high, last.without)
        if name == "sum":
            return f.Total(tuple(ranges), self.elementwise())
        if len(ranges) != 1:
            raise FormulaError(self.text, at, "a product needs one index, as in \\prod_{j=1}^{n}")
        # It takes the factors behind it that carry its index: where it ends changes its value.
        factors = [self.factor()]
        while self.starts_factor():
            start = self.place
            factor = self.factor()
            if not _mentions(factor, ranges[0].variable):
                self.place = start
                break
            factors.append(factor)
        return f.Chain(ranges[0], flat_product(factors))

    def bound(self) -> f.Node:
        """An upper bound: {n}, or {T=t}, of which the last part counts."""
        self.take()
        node = self.sum()
        while self.accept("="):
            node = self.sum()
        self.expect("}")
        return node

    def ranges(self) -> list[f.Range]:
        r"""{j=1}, {j}, {j \neq k}, {\substack{j=1 \\ j \neq k}}, {i,j}, {j=t,…,i+1}, {j \in N}."""
        if not self.accept("{"):
            return [f.Range(self.take().text)]
        nested = self.is_command("substack")
        if nested:
            self.take()
            self.expect("{")
        found: dict[str, f.Range] = {}
        while self.now.kind != "}":
            self.one_range(found)
            while self.accept(",", ";", "&") or self.is_command("\\"):
                if self.is_command("\\"):
                    self.take()
        self.expect("}")
        if nested:
            self.expect("}")
        return list(found.values())

    def one_range(self, found: dict[str, f.Range]) -> None:
        at = self.now.at
        left = self.sum()
        name = left.name if isinstance(left, f.Symbol) else ""
        if self.accept("="):
            low = self.sum()
            if isinstance(low, f.Unsaid):
                raise FormulaError(self.text, at, "where the index begins was expected")
            self._from_to(found, name, low)
        elif self.accept("≠"):
            known = found.get(name, f.Range(name))
            found[name] = f.Range(
                name, known.low, known.high, (*known.without, self.sum()), known.descending
            )
        elif self.accept("∈", "≥", "≤", "<", ">"):
            found[name] = f.Range(name, f.Unsaid("set"), self.sum())
        elif name and len(name) > 1 and name.isalpha() and not name.startswith("\\"):
            found.update({letter: f.Range(letter) for letter in name})
        elif isinstance(left, f.Product) and all(isinstance(x, f.Symbol) for x in left.factors):
            names = [x.name for x in left.factors if isinstance(x, f.Symbol)]
            found.update({each: f.Range(each) for each in names})
        elif name:
            found[name] = f.Range(name)
        elif not isinstance(left, f.Unsaid | f.Sum):
            raise FormulaError(self.text, at, "an index was expected under the sum or product")

    def _from_to(self, found: dict[str, f.Range], name: str, low: f.Node) -> None:
        """j=1, or j=t,…,i+1 which says its order."""
        if self.now.kind == "," and self.ahead().kind == "…":
            for _ in range(2):
                self.take()
            self.accept(",")
            high = self.sum()  # t,…,1 goes down, 1,…,n up
            down = not isinstance(low, f.Number)
            if isinstance(low, f.Number) and isinstance(high, f.Number):
                down = high.value < low.value
            found[name] = f.Range(name, low, high, descending=down)
        else:
            known = found.get(name, f.Range(name))
            found[name] = f.Range(name, low, known.high, known.without)

    def binomial(self, at: int) -> f.Node:
        self.expect("{")
        top = self.sum()
        self.expect("}")
        self.expect("{")
        bottom = [self.sum()]
        while self.accept(","):
            bottom.append(self.sum())
        self.expect("}")
        return f.Call("binom", (top, *bottom), at=at)

    def space(self) -> f.Node:
        name = self.group_text()
        sides: list[f.Node] = []
        if self.accept("^"):
            if self.accept("{"):
                sides = [self.factor()]
                while self.accept("×"):
                    sides.append(self.product_without_times())
                self.expect("}")
            else:
                sides = [self.group_or_factor()]
        if name != "R" and sides:
            raise self.wrong("\\mathbb{R}")
        return f.Space(tuple(sides)) if name == "R" else f.Symbol(name)

    def product_without_times(self) -> f.Node:
        factors = [self.factor()]
        while self.starts_factor():
            factors.append(self.factor())
        return flat_product(factors)

    def matrix(self) -> f.Node:
        name = self.group_text()
        if name in ("array", "tabular"):
            self.group_text()
        elif not name.rstrip("*").endswith("matrix"):
            raise self.wrong(f"a matrix (\\begin{{{name}}} is not known inside a formula)")
        rows: list[f.Row] = []
        entries: list[f.Node] = []
        self.matrices += 1
        while True:
            if self.now.kind == "&" or self.is_command("\\", "end", "hline"):
                entries.append(f.Unsaid(""))
            elif self.now.kind == "|" and (
                self.ahead().kind == "&" or self.ahead().text in ("\\", "end")
            ):
                self.take()
                entries.append(f.Unsaid("|"))
            else:
                entries.append(self.sum())
            if self.accept("&"):
                continue
            rows.append(f.Row(tuple(entries)))
            entries = []
            if self.is_command("\\"):
                self.take()
            if self.is_command("end"):
                self.take()
                self.group_text()
                self.matrices -= 1
                return f.Matrix(tuple(row for row in rows if not _blank(row)))


def flat_product(factors: Sequence[f.Node]) -> f.Node:
    return factors[0] if len(factors) == 1 else f.Product(tuple(factors))


def _mentions(node: f.Node, index: str) -> bool:
    return any(
        isinstance(part, f.Symbol)
        and re.search(rf"(^|\W){index}(\W|$)", f"{part.base} {part.sub} {part.label}")
        for part in node.walk()
    )


def _blank(row: f.Row) -> bool:
    return all(isinstance(entry, f.Unsaid) and not entry.text for entry in row.entries)
