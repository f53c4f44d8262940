"""A small knowledge graph for the tests: users like the films of one of two genres."""

from pathlib import Path

import numpy as np

USERS, FILMS = 16, 12


def edges() -> list[tuple[str, str, str]]:
    draw, made = np.random.default_rng(0), []
    for user in range(USERS):
        own = [film for film in range(FILMS) if film % 2 == user % 2]
        made += [(f"u{user}", "likes", f"m{film}") for film in draw.choice(own, 4, replace=False)]
    made += [(f"m{film}", "has_genre", f"g{film % 2}") for film in range(FILMS)]
    return made


def nodes() -> list[tuple[str, str]]:
    counts = (("u", "user", USERS), ("m", "film", FILMS), ("g", "genre", 2))
    return [(f"{letter}{n}", kind) for letter, kind, count in counts for n in range(count)]


def csv_folder(folder: Path, labelled: bool = False) -> Path:
    """nodes.csv with types, edges.csv with relations; films may be labelled by their genre."""
    folder.mkdir()
    lines = ["id,type,label" if labelled else "id,type"]
    for name, kind in nodes():
        label = ("even" if int(name[1:]) % 2 == 0 else "odd") if kind == "film" else ""
        lines.append(f"{name},{kind},{label}" if labelled else f"{name},{kind}")
    (folder / "nodes.csv").write_text("\n".join(lines) + "\n")
    written = [f"{source},{target},{relation}" for source, relation, target in edges()]
    (folder / "edges.csv").write_text("\n".join(["source,target,relation", *written]) + "\n")
    return folder


def split_folder(folder: Path) -> Path:
    """The same, a file for each type and each relation."""
    folder.mkdir()
    for kind in ("user", "film", "genre"):
        names = [name for name, its in nodes() if its == kind]
        (folder / f"nodes-{kind}.csv").write_text("\n".join(["id", *names]) + "\n")
    for relation in ("likes", "has_genre"):
        pairs = [f"{s},{t}" for s, its, t in edges() if its == relation]
        (folder / f"edges-{relation}.csv").write_text("\n".join(["source,target", *pairs]) + "\n")
    return folder
