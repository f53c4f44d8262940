"""Graphs as CSV tables: nodes.csv and edges.csv, or one file for each type and each relation."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from workings.errors import WorkingsError
from workings.tasks.graph.features.column_roles import roles
from workings.tasks.graph.features.feature_columns import from_columns
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.reading.named_nodes import NamedEdge, build_named
from workings.tasks.graph.reading.text_files import ENDS, number, table

LABELS = ("label", "class")  # columns of nodes that are their class: the first present
EDGES = ("source", "target", "weight", "relation")
RESERVED = (*EDGES, *LABELS, "id", "split", "type", "text")  # in capitals too, as Gephi writes them
OTHER_NAMES = {**ENDS, "id": ("node", "node_id", "name")}  # of a column that has to be there


@dataclass
class _Table:
    """The rows of one or several files: their cells by column, and where each stands."""

    columns: dict[str, list[str]] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)
    where: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)  # what the names of the files say


def files(folder: Path, stem: str) -> list[Path]:
    """STEM.csv, and STEM-NAME.csv of every name, in order."""
    plain = folder / f"{stem}.csv"
    return [path for path in (plain, *sorted(folder.glob(f"{stem}-*.csv"))) if path.is_file()]


def read(folder: Path, directed: bool, weighted: bool, label: str = "") -> Graph:
    """nodes.csv: id, label?, split?, type?, text?, any features; edges.csv: source, target,
    weight?, relation?; or nodes-TYPE.csv and edges-RELATION.csv, a file of each.

    Features are numbers, or words, of which each becomes a feature (see `from_columns`).
    Without nodes the nodes are those that the edges name. label: the column that is the class.
    """
    table_of_edges = _read(folder, "edges", "relation", ("source", "target"))
    columns, lines = table_of_edges.columns, table_of_edges.lines
    edges = [
        NamedEdge(line, source, target)
        for line, source, target in zip(lines, columns["source"], columns["target"], strict=True)
    ]
    notes = [f"edges' {name} is not used" for name in columns if name not in EDGES]
    weights = None
    if weighted:
        if "weight" not in columns:
            raise WorkingsError(
                f"{folder / 'edges.csv'}: has no column 'weight' (it has {', '.join(columns)})"
            )
        cells = zip(table_of_edges.where, lines, columns["weight"], strict=True)
        weights = [number(where, line, "weight", cell) for where, line, cell in cells]
    elif "weight" in columns:
        notes.append("edges' weight is not used: data.weighted = true takes it")
    relations, declared = columns.get("relation"), table_of_edges.named
    if not files(folder, "nodes"):
        return build_named(
            str(folder), edges, weights, directed,
            notes=notes, relations=relations, declared=declared,
        )  # fmt: skip
    nodes = _read(folder, "nodes", "type", ("id",))
    role = roles(nodes.columns, LABELS, label, str(folder / "nodes.csv"))
    features_NF, made, columns_of = from_columns(
        role.features,
        [f"{where}, line {line}" for where, line in zip(nodes.where, nodes.lines, strict=True)],
    )
    graph = build_named(
        str(folder),
        edges,
        weights,
        directed,
        nodes.columns["id"],
        nodes.columns[role.label] if role.label else None,
        nodes.columns.get("split"),
        features_NF,
        [*notes, *role.notes, *made],
        nodes.columns.get("type"),
        relations,
        declared,
        role.texts,
    )
    return replace(graph, categories=role.categories, columns=columns_of)


def _named(header: list[str], needed: tuple[str, ...]) -> list[str]:
    """The header, its columns that go by other names for what is read, or capitals, renamed."""
    small = [name.lower() for name in header]
    renamed = [
        name if plain not in RESERVED else plain for name, plain in zip(header, small, strict=True)
    ]
    for name in needed:
        other = next((each for each in (name, *OTHER_NAMES[name]) if each in small), None)
        if other is not None:
            renamed[small.index(other)] = name
    return renamed


def _read(folder: Path, stem: str, told: str, needed: tuple[str, ...]) -> _Table:
    """All rows of a stem's files; a file STEM-NAME.csv says that `told` is NAME."""
    made = _Table()
    for path in files(folder, stem):
        found, rows = table(path)
        header = _named(found, needed)
        if len(set(header)) < len(header):
            raise WorkingsError(f"{path}: two columns have one name ({', '.join(found)})")
        for name in needed:
            if name not in header:
                raise WorkingsError(
                    f"{path}: has no column {name!r} (it has {', '.join(found)}); name it so in "
                    f"its first line, or {', '.join(OTHER_NAMES[name])}"
                )
        name = path.stem.removeprefix(stem).removeprefix("-")
        if name and told in header:
            raise WorkingsError(f"{path}: its name says the {told}; leave out its column {told!r}")
        before = len(made.lines)
        cells = {key: [row[at] for _, row in rows] for at, key in enumerate(header)}
        if name:
            cells[told] = [name] * len(rows)
            made.named.append(name)
        for key in (*made.columns, *(key for key in cells if key not in made.columns)):
            column = made.columns.setdefault(key, [""] * before)
            column += cells.get(key, [""] * len(rows))
        made.lines += [line for line, _ in rows]
        made.where += [str(path)] * len(rows)
    return made
