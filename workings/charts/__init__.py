"""Every chart, as an Altair definition; nothing here imports anything else of ours."""

from workings.charts.attention import attention
from workings.charts.curves import curves
from workings.charts.growth import growth
from workings.charts.speech import alignment, stacked
from workings.charts.style import FORMATS, PALETTE, render

__all__ = ["FORMATS", "PALETTE", "alignment", "attention", "curves", "growth", "render", "stacked"]
