"""The graphs that need no file: Zachary's karate club, and a worked example of six nodes."""

import numpy as np

from workings.tasks.graph.graph import Graph, build

SIX = ("A-B", "A-E", "A-F", "B-D", "C-D", "D-F")


def six_nodes() -> Graph:
    """Nodes A-F, six edges, no features; a label says whether a node has three neighbours."""
    names = "ABCDEF"
    edges_2E = np.array([[names.index(end) for end in edge.split("-")] for edge in SIX]).T
    labels = [int(sum(name in edge for edge in SIX) == 3) for name in names]
    return build(
        "six-nodes", 6, edges_2E, False, labels=labels, classes=("two or fewer", "three"),
        names=tuple(names),
    )  # fmt: skip


def karate() -> Graph:
    """Only the instructor (0) and the president (33) are training nodes; the rest is predicted."""
    import networkx

    club = networkx.karate_club_graph()
    classes = ("Mr. Hi", "Officer")
    labels = np.array([classes.index(club.nodes[node]["club"]) for node in club])
    edges = list(club.edges(data="weight"))
    return build(
        "karate",
        len(labels),
        np.array([edge[:2] for edge in edges]).T,
        False,
        weight_E=np.array([edge[2] for edge in edges], np.float32),
        labels=labels,
        classes=classes,
        splits={"train": np.array([0, 33])},
    )
