"""The features of nodes: columns and texts as numbers, scaled and in the order a model knows."""
