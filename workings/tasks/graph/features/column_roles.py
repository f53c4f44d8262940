"""Which columns of the nodes are their class, which are texts, and which are features."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from workings.errors import WorkingsError, nearest
from workings.tasks.graph.features.feature_columns import MOST_CATEGORIES, is_category

RESERVED = ("id", "split", "type", "text")  # columns whose names say what they are
FEWEST_NODES = 10  # up to which a class that differs for every node may still be one
FEWEST_WORDS = 3  # of the middle cell of a column of texts
Columns = Mapping[str, Sequence[str]]


@dataclass
class Roles:
    """The column that is the class, the texts, all other columns, and what to say of them."""

    label: str | None
    texts: list[str] | None
    features: dict[str, Sequence[str]]
    notes: list[str] = field(default_factory=list)

    @property
    def categories(self) -> tuple[str, ...]:
        """Columns of a few words, any of which might be the class that nobody has named."""
        return tuple(name for name, cells in self.features.items() if is_category(cells))


def roles(columns: Columns, labels: Sequence[str], asked: str, where: str) -> Roles:
    """What each column is; labels: names that a class goes by; asked: the one the user named."""
    label, notes = _label(columns, labels, asked, where)
    others = {
        name: cells for name, cells in columns.items() if name != label and name not in RESERVED
    }
    texts = list(columns["text"]) if "text" in columns else None
    if texts is None:
        sentences = [name for name, cells in others.items() if _is_text(cells)]
        if sentences:
            rows = zip(*(others.pop(name) for name in sentences), strict=True)
            texts = [" ".join(filter(None, row)) for row in rows]
            notes += [f"column {name} read as text (data.text)" for name in sentences]
    return Roles(label, texts, others, notes)


def _label(
    columns: Columns, labels: Sequence[str], asked: str, where: str
) -> tuple[str | None, list[str]]:
    if asked:
        if asked not in columns or asked in RESERVED:
            known = [name for name in columns if name not in RESERVED]
            raise WorkingsError(
                f"data.label: {where} has no column {asked!r}{nearest(asked, known)}; it has "
                f"{', '.join(known) or 'none'}"
            )
        return asked, []
    notes: list[str] = []
    for name in labels:
        if name in columns:
            if not _names(columns[name]):
                return name, notes
            notes.append(f"column {name} is no class: it differs for almost every node")
    return None, notes


def _names(cells: Sequence[str]) -> bool:
    """Whether every node has a value, and almost every one its own."""
    return len(cells) > FEWEST_NODES and all(cells) and len(set(cells)) > max(2, len(cells) / 2)


def _is_text(cells: Sequence[str]) -> bool:
    """Whether cells are several words each, and too many different ones for categories."""
    filled = [cell for cell in cells if cell.strip()]
    different = len(set(filled))
    if different <= MOST_CATEGORIES and different <= max(2, len(filled) / 2):
        return False
    return median(len(cell.split()) for cell in filled) >= FEWEST_WORDS
