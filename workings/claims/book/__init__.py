"""The shipped statements of five documents, formulas as written there; verdicts are computed."""

from functools import cache
from importlib import resources

from workings.claims.sets import ClaimSet, from_toml
from workings.errors import WorkingsError, nearest

TITLE = "The book: statements of five course write-ups (000 to 004)"
ABOUT = """What the documents state, in their own formulas, and the verdicts that `workings check \
--book` computes. A reading of ours, stricter than what is stated or opposite to it, is marked so \
and not counted as the document's. What was measured there is no formula and has no verdict here: \
perplexities, accuracies and similarities are met by the studies, and of 001's \
"over 10× longer to train" only the ratio of the operations is checked (over-ten-times).

The chapters `modules`, `modules-sequences` and `modules-four-tokens` state what every network of \
`workings.nn` computes, and prove it on the module that trains, forward and gradient. A formula \
has two axes: so convolutions are of a 4×4 image, with their shifts written out, and of one \
channel or two; causal masks and positions are written out for four tokens; and the speech model \
is proven on one clip, a batch being clips side by side."""
CHAPTERS = (
    "sizes",
    "rnn",
    "through-time",
    "perplexity",
    "counts",
    "series",
    "counting",
    "graphs",
    "six-nodes",
    "similarity",
    "modules",
    "modules-sequences",
    "modules-four-tokens",
)


@cache
def chapter(name: str) -> ClaimSet:
    """One shipped set of claims, by its name."""
    text = resources.files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return from_toml(text, name)


def find(name: str) -> list[ClaimSet]:
    """A chapter by its name, or one entry as a set of its own."""
    if name in CHAPTERS:
        return [chapter(name)]
    entries = {
        claim.name: (part, claim) for part in map(chapter, CHAPTERS) for claim in part.claims
    }
    if name not in entries:
        hint = nearest(name, [*CHAPTERS, *entries])
        raise WorkingsError(
            f"no claims {name!r}{hint}; a file ends in .toml or .md; `workings check --list` shows "
            "the shipped ones"
        )
    part, claim = entries[name]
    return [part.model_copy(update={"claims": (claim,)})]
