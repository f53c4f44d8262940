"""What a document's formulas are: each statement with its role, and what is said for all."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from workings.claims.documents.files.document import Document, Heading
from workings.claims.documents.files.sources import Text
from workings.claims.documents.outline.class_labels import with_one_hot
from workings.claims.documents.outline.declarations import Declared, read_member
from workings.claims.documents.outline.feature_maps import FeatureMaps, with_feature_names
from workings.claims.documents.outline.gradient_names import GradientNames, with_derivatives
from workings.claims.documents.outline.hypotheses import Hypotheses
from workings.claims.documents.outline.layers import raised, spelt
from workings.claims.documents.outline.log_bases import to_base
from workings.claims.documents.outline.numbered_functions import (
    NumberedFunctions,
    with_numbered_functions,
)
from workings.claims.documents.outline.open_slash import all_below
from workings.claims.documents.outline.own_meanings import OwnMeanings, with_own_meanings
from workings.claims.documents.outline.plain_signs import in_plain_signs
from workings.claims.documents.outline.probabilities import with_named_probabilities
from workings.claims.documents.outline.sides import Row
from workings.claims.documents.outline.spelling import (
    over_all_entries,
    over_named_sets,
    with_examples_below,
    without_arrows,
    without_subscripts,
)
from workings.claims.documents.outline.squares import with_named_squares, with_roots


class Role(StrEnum):
    """What a statement of a document is."""

    DEFINITION = "definition"
    CLAIM = "claim"
    DECLARATION = "declaration"
    SKIPPED = "skipped"
    EXPRESSION = "expression"
    """it claims nothing exact: no relation, an approximation, an assignment"""
    CONDITION = "condition"
    """something is set to zero, or bounded, and may not be claimed"""
    MENTION = "mention"
    """a definition in the running text"""
    NOT_READ = "not read"


@dataclass
class Statement:
    """One statement of a document, and what was made of it."""

    row: Row
    role: Role
    section: int
    name: str = ""
    """what it defines, or what is already defined and stands on its left"""
    parameters: tuple[str, ...] = ()
    """of the function that it defines"""
    why: str = ""
    """why it is not read, or not checked"""
    again: bool = False
    """whether it says anew what something is that is no plain name"""
    continued: bool = False
    """whether it goes on with a statement before it, so that it is a claim about what that says"""
    in_sentence: bool = False
    """whether it stands in the running text"""

    @property
    def text(self) -> str:
        """The statement as it is parsed."""
        return self.row.text.text


@dataclass
class Outline:
    """A document's statements in their order, with what is declared for all of them."""

    document: Document
    declared: dict[str, Declared] = field(default_factory=dict)
    sizes: dict[str, str] = field(default_factory=dict)
    steps: int = 0
    statements: list[Statement] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    contradicted: set[str] = field(default_factory=set)
    """names that the text declares in two ways, so that it declares none for all sections"""
    in_sections: dict[int, dict[str, Declared]] = field(default_factory=dict)
    """what the text of each section declares"""
    by_comments: dict[str, Declared] = field(default_factory=dict)
    """what comments for the checker declare, in all sections"""
    vectors: frozenset[str] = frozenset()
    """names that are vectors or matrices somewhere in the document"""
    families: frozenset[str] = frozenset()
    """names whose entries may be written: what has an index i is an entry of one of them

    #c among them says that the letter c is an index.
    """
    matrices: frozenset[str] = frozenset()
    """names whose entries are written by two indices somewhere in the document"""
    layers: frozenset[str] = frozenset()
    """letters that count layers"""
    layers_below: bool = False
    """whether layers are counted below the symbols: W_l"""
    losses: frozenset[str] = frozenset()
    """names of losses, which are numbers"""
    in_sentences: int = 0
    """equations in the running text that define nothing"""
    hypotheses: Hypotheses = field(default_factory=Hypotheses)
    """what sentences say of matrices"""
    squares: frozenset[str] = frozenset()
    """letters of which only the squares are names"""
    rooted: frozenset[str] = frozenset()
    """letters that are defined by their squares, and used without"""
    texts: Sequence[str] = ()
    """all formulas of the document, as they are parsed"""
    lengths: frozenset[str] = frozenset()
    """names up to which sums run"""
    choices: dict[str, str] = field(default_factory=dict)
    r"""names whose entries are 0 or 1, or ±1, with that kind: y_i \in \{0, 1\}"""
    running: frozenset[str] = frozenset()
    """letters that sums and products run over"""
    conditionals: frozenset[str] = frozenset()
    """letters of probabilities: p(y | x) is a name"""
    labels: frozenset[str] = frozenset()
    r"""letters of labels that are numbers of classes: 1\{y_i = k\} is an entry of a matrix"""
    examples: frozenset[str] = frozenset()
    """letters that count examples: x^{(i)} is x_i"""
    subscripts: frozenset[tuple[str, str]] = frozenset()
    r"""names of functions with the subscript that they always have: h_\theta(x) is h(x)"""
    arrows: frozenset[str] = frozenset()
    r"""letters that are vectors by an arrow: \vec{w} is w in bold"""
    features: FeatureMaps = field(default_factory=FeatureMaps)
    r"""maps of which only the values count: \phi(x_n) is \phi_n"""
    base: str = ""
    r"""of \\log in this reading of the document; "": e"""
    below: bool = False
    """whether a/bc is a/(bc) in this reading"""
    own: OwnMeanings = field(default_factory=OwnMeanings)
    """known names that mean something else here"""
    numbered: NumberedFunctions = field(default_factory=NumberedFunctions)
    """functions with numbers above them"""
    gradients: GradientNames = field(default_factory=GradientNames)
    """the gradients that are written with a d: dX is ∂L/∂X"""

    def members(self, text: str) -> dict[str, Declared]:
        r"""What y \in \mathbb{R}^k declares; nothing of y_i, where the document adds up over i.

        y_i is another value for every i: as one symbol, it would be the same in all terms. That
        each is 0 or 1, or ±1, is kept.
        """
        members = read_member(text)
        entries = {name for name in members if name.partition("_")[2] in self.running}
        for name in entries:
            for kind in {"binary", "sign"} & {*members[name].kinds}:
                self.choices[name.partition("_")[0]] = kind
        return {name: each for name, each in members.items() if name not in entries}

    def section_at(self, offset: int) -> int:
        """The number of the section that an offset lies in."""
        headings = (item.offset for item in self.document.items if isinstance(item, Heading))
        return sum(start <= offset for start in headings)

    def is_said_for(self, name: str, statement: Statement) -> bool:
        """Whether a sentence on the kind of a matrix counts at a statement.

        One of its own section does; one of an earlier section where nothing gives the name anew.
        """
        here = statement.section
        said, freed = (
            {self.section_at(offset) for offset in offsets.get(name, ())}
            for offsets in (self.hypotheses.places, self.hypotheses.freed)
        )
        if here in freed:
            return False
        anew = name in self.in_sections.get(here, {})
        return here in said or (not anew and any(section < here for section in said))

    def declared_in(self, section: int) -> dict[str, Declared]:
        """What is declared in a section, by itself or for all."""
        return {**self.in_sections.get(section, {}), **self.declared}

    def on_its_own(self, section: int) -> "Outline":
        """The outline as a section has it that uses the letters of others for something else."""
        return replace(self, declared={**self.in_sections.get(section, {}), **self.by_comments})

    def spelt(self, text: Text) -> Text:
        """A formula in the one spelling in which it is parsed."""
        text = all_below(text) if self.below else text
        text = with_numbered_functions(with_derivatives(text, self.gradients), self.numbered)
        text = with_own_meanings(in_plain_signs(to_base(text, self.base)), self.own)
        text = with_examples_below(text, self.examples)
        text = with_feature_names(without_arrows(text, self.arrows), self.features)
        text = over_all_entries(over_named_sets(text))
        text = with_one_hot(text, self.labels)
        text = with_named_probabilities(text, self.conditionals)
        text = without_subscripts(text, self.subscripts)
        text = raised(text) if self.layers_below else text
        text = with_roots(spelt(text, self.layers), self.rooted)
        return with_named_squares(text, self.squares)
