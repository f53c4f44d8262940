"""The layout of a drawing, and which nodes are in it."""

import networkx
import numpy as np

from workings.page.trying.drawn_graph import laid_out, nearest


def test_neighbours_stand_nearer_than_others_and_always_there() -> None:
    network = networkx.karate_club_graph()
    pairs = list(network.edges)
    position = laid_out(list(network), pairs)
    assert position == laid_out(list(network), pairs)
    xy = np.array([[position[node]["x"], position[node]["y"]] for node in network])
    distance = np.hypot(*(xy[:, None] - xy[None]).transpose(2, 0, 1))
    joined = networkx.to_numpy_array(network) > 0
    apart = ~joined & ~np.eye(len(xy), dtype=bool)
    assert distance[joined].mean() < 0.6 * distance[apart].mean()
    assert distance[apart].min() > 0.01


def test_a_single_node_and_no_edges_have_a_position() -> None:
    assert set(laid_out([7], [])) == {7}
    assert set(laid_out([7, 9], [(7, 7)])) == {7, 9}


def test_the_nearest_nodes_are_those_of_the_shortest_paths() -> None:
    network = networkx.karate_club_graph()
    steps = nearest(network.edges, 16, len(network), 10)
    lengths = networkx.single_source_shortest_path_length(network, 16)
    assert steps == {node: lengths[node] for node in steps}
    assert sorted(steps.values()) == sorted(lengths.values())[:10]
    assert nearest([(0, 1)], 0, 3, 10) == {0: 0, 1: 1, 2: -1}
