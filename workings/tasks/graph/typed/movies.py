"""A generated knowledge graph of films: who likes what, and what films have in common.

No such people and no such films: everything is drawn from a fixed seed, so that the graph needs no
file. A user has a taste for some genres and for some directors; films differ in how known they are.
"""

import numpy as np

from workings.tasks.graph.graph import Graph
from workings.tasks.graph.reading.named_nodes import NamedEdge, build_named

USERS, FILMS, GENRES, DIRECTORS = 400, 300, 12, 60
LIKES = 20  # of a user, on average
SEED = 20


def movies() -> Graph:
    """400 users, 300 films, 12 genres and 60 directors; likes, has_genre, directed_by."""
    draw = np.random.default_rng(SEED)
    genre_FG = np.zeros((FILMS, GENRES))
    for film in range(FILMS):
        genre_FG[film, draw.choice(GENRES, draw.integers(1, 4), replace=False)] = 1
    director_F = draw.integers(0, DIRECTORS, FILMS)
    taste_UG = draw.normal(0, 1.5, (USERS, GENRES))
    fond_UD = draw.normal(0, 1.0, (USERS, DIRECTORS))
    known_F = draw.normal(0, 0.7, FILMS)
    mean_UF = taste_UG @ genre_FG.T / genre_FG.sum(1)
    liking_UF = np.exp(1.5 * mean_UF + fond_UD[:, director_F] + known_F)
    edges: list[NamedEdge] = []
    relations: list[str] = []
    for user in range(USERS):
        count = max(5, draw.poisson(LIKES))
        share = liking_UF[user] / liking_UF[user].sum()
        for film in np.sort(draw.choice(FILMS, count, replace=False, p=share)):
            edges.append(NamedEdge(0, f"u{user}", f"m{film}"))
            relations.append("likes")
    for film in range(FILMS):
        for genre in np.flatnonzero(genre_FG[film]):
            edges.append(NamedEdge(0, f"m{film}", f"g{genre}"))
            relations.append("has_genre")
        edges.append(NamedEdge(0, f"m{film}", f"d{director_F[film]}"))
        relations.append("directed_by")
    counts = {"u": USERS, "m": FILMS, "g": GENRES, "d": DIRECTORS}
    types = {"u": "user", "m": "film", "g": "genre", "d": "director"}
    names = [f"{letter}{n}" for letter, count in counts.items() for n in range(count)]
    return build_named(
        "movies",
        edges,
        None,
        False,
        names,
        notes=["generated: no such people, no such films"],
        types=[types[name[0]] for name in names],
        relations=relations,
    )
