"""The graph task: graph files, nodes and edges, training, predicting."""
