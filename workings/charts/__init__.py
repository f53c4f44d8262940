"""Every chart, as an Altair definition; nothing here imports anything else of ours.

`style` has the colours and the rendering that all share; each other file draws one kind of thing.
"""

from workings.charts.attention import attention
from workings.charts.curves import curves
from workings.charts.gates import gates
from workings.charts.graphs import attention_of_node, attention_spread, drawn, fields, smoothing
from workings.charts.growth import growth
from workings.charts.images import confusion, filters, mistakes, reliability
from workings.charts.speech import alignment, stacked
from workings.charts.study import against, learning, quality
from workings.charts.style import FORMATS, PALETTE, render
from workings.charts.summary import looked_at

__all__ = [
    "FORMATS",
    "PALETTE",
    "against",
    "alignment",
    "attention",
    "attention_of_node",
    "attention_spread",
    "confusion",
    "curves",
    "drawn",
    "fields",
    "filters",
    "gates",
    "growth",
    "learning",
    "looked_at",
    "mistakes",
    "quality",
    "reliability",
    "render",
    "smoothing",
    "stacked",
]
