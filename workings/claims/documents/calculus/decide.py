r"""The verdict on claims of ordinary calculus: \nabla f(1, 1) = (2, 2) of an f that is written out.

What the document writes out is put in for its names, derivatives are worked out, and the two sides
are compared as any equality. That a claim holds is said wherever it does. It is called wrong only
where its left side is of a function or matrix that the same example writes out, and its right side
is explicit: what may be set, solved, rounded or given anew is not.
"""

from contextlib import suppress
from dataclasses import dataclass, field, replace

from workings.claims.documents.calculus.claim import Claim, Set
from workings.claims.documents.calculus.numbers import names_in
from workings.claims.documents.calculus.one_number import of_one_number
from workings.claims.documents.calculus.signs import plain_signs, unknown_calls
from workings.claims.documents.calculus.written import Written, WrittenOut
from workings.claims.documents.finding import Finding
from workings.claims.documents.outline.blocks import Block, Blocks
from workings.claims.documents.outline.statements import Outline, Role, Statement
from workings.claims.result import Result
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.parsing.parse import parse
from workings.formula.printing.latex import plain_latex

ENOUGH = 2  # claims that hold of a function of another example, before one of it is called wrong
MOST_OTHERS = 12  # functions of one name that a claim may be about


@dataclass
class Calculus:
    """Decides the claims of a document that are of ordinary calculus."""

    outline: Outline
    written: WrittenOut = field(init=False)
    blocks: Blocks = field(init=False)
    by_block: dict[Block, list[Statement]] = field(init=False, default_factory=dict)
    """the statements of each example, in their order"""
    _settled: dict[Block, dict[str, tuple[Written, int]]] = field(init=False, default_factory=dict)
    """the functions that claims of an example were found to be about, with how many claims"""
    _seen: set[int] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self.written = WrittenOut(self.outline)
        self.blocks = Blocks(self.outline.document)
        for each in self.outline.statements:
            if each.role in (Role.CLAIM, Role.DEFINITION) and len(each.row.sides) > 1:
                self.by_block.setdefault(self.blocks.of(each.row.text.offset), []).append(each)

    def finding(self, statement: Statement) -> Finding | None:
        """What is found about a statement; None where it is none of ordinary calculus."""
        document, row = self.outline.document, statement.row
        if statement.role not in (Role.CLAIM, Role.DEFINITION) or len(row.sides) < 2:
            return None
        try:
            result = self.decide(statement)
        except WorkingsError:
            return None
        except Set as reason:
            statement.role, statement.why = Role.CONDITION, str(reason)
            return Finding(document, statement, offset=row.text.offset)
        return None if result is None else self._found(statement, result)

    def identity(self, statement: Statement, defined: set[str]) -> Finding | None:
        """What is found about an identity of functions of one number; None where it is none."""
        result = of_one_number(self._parsed(statement), defined)
        return None if result is None else self._found(statement, result)

    def _found(self, statement: Statement, result: Result) -> Finding:
        statement.role = Role.CLAIM
        text, sides = statement.text, statement.row.sides
        result = replace(result, name=text, statement=text, formula=text)
        step = 0 if result.holds else result.evidence.departs_at_step or 1
        return Finding(self.outline.document, statement, result, sides[step].text.offset)

    def decide(self, statement: Statement) -> Result | None:
        """The verdict; None where it is none of ordinary calculus, Set where it is no claim."""
        block = self.blocks.of(statement.row.text.offset)
        for each in self.by_block.get(block, ()):
            if each is statement:
                break
            if id(each) not in self._seen:
                with suppress(Set):
                    self._decided(each, block)
        return self._decided(statement, block)

    def _decided(self, statement: Statement, block: Block) -> Result | None:
        self._seen.add(id(statement))
        claim = self._claim(statement, block)
        if claim is None:
            return None
        other = claim.with_laplacian()
        result = claim.held() or (other.held() if other else None)
        if result is None:
            claim, result = self._of_another(claim)
        if result is None:
            return claim.wrong()
        if result.holds and claim.says_of_what:
            settled = self._settled.setdefault(block, {})
            for name in claim.functions:
                written, times = settled.get(name, (claim.known[name], 0))
                same = written is claim.known[name]
                settled[name] = (claim.known[name], times + 1 if same else 1)
        return result

    def _claim(self, statement: Statement, block: Block) -> Claim | None:
        """A statement with what is written out before it; None if it is none of calculus."""
        row = statement.row
        known = self.written.at(row.text.offset + statement.continued)
        settled = self._settled.get(block, {})
        here = {name for name, each in known.items() if self.blocks.of(each.offset) == block}
        known |= {name: each for name, (each, _) in settled.items() if name not in here}
        sure = frozenset(name for name, (_, times) in settled.items() if times >= ENOUGH)
        functions = {name for name, each in known.items() if each.parameters}
        sides = self._parsed(statement)
        is_said = row.condition or row.mode in ("define", "skip")
        if is_said or not sides or unknown_calls(row.text.text, functions):
            return None
        claim = Claim(self.outline, statement, sides, known, frozenset(here), sure)
        is_new = statement.role is Role.DEFINITION and not claim.is_of_what_is_known
        return None if is_new else claim

    def _of_another(self, claim: Claim) -> tuple[Claim, Result | None]:
        """The claim of an f before the last one, if it holds of that: exercises, then solutions."""
        offset = claim.statement.row.text.offset
        for name in claim.functions if claim.says_of_what else ():
            for written in self.written.before(name, offset)[:MOST_OTHERS]:
                if name in claim.here or written is claim.known[name]:
                    continue
                other = replace(claim, known={**claim.known, name: written})
                if result := other.held():
                    line = self.outline.document.position(written.offset).line
                    why = f"of {plain_latex(name)} in line {line}"
                    return other, replace(result, evidence=replace(result.evidence, why=why))
        return claim, None

    def _parsed(self, statement: Statement) -> list[f.Node]:
        """The sides of an equation; none where it is not read, or is an inequality."""
        try:
            text = plain_signs(statement.row.text.text)
            parsed = parse(text, (), self.written.functions)
        except WorkingsError:
            return []
        return list(parsed.sides) if {*parsed.relations} == {"="} else []

    def defines(self, statement: Statement) -> bool:
        """Whether a statement writes a function of numbers out: f(x, y) = …"""
        row = statement.row
        written = self.written.written_at(row.text.offset)
        if len(row.sides) != 2 or written is None or not written.parameters:
            return False
        return len(written.parameters) > 1 or not self.outline.vectors

    def given_anew(self, statement: Statement) -> str:
        """A name of a statement that the document gave several meanings before it; "" if none."""
        sides = self._parsed(statement)
        parts = [part for side in sides for part in side.walk()]
        names = names_in(*sides) | {part.function for part in parts if isinstance(part, f.Call)}
        return min(names & self.written.given_anew(statement.row.text.offset), default="")
