"""Typed graphs: which edges of which relation are missing, and what to recommend."""

from workings.tasks.graph.typed.ranks import filtered_ranks
from workings.tasks.graph.typed.recommend import recommend
from workings.tasks.graph.typed.relation_prediction import RelationPrediction

__all__ = ["RelationPrediction", "filtered_ranks", "recommend"]
