"""Views of a graph and its model: attention, states, charts, spread and smoothing."""
