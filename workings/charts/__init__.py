"""Every chart, as an Altair definition; nothing here imports anything else of ours."""

from workings.charts.attention import attention
from workings.charts.curves import curves
from workings.charts.growth import growth
from workings.charts.look import FORMATS, PALETTE, render
from workings.charts.speech import alignment, stacked

__all__ = ["FORMATS", "PALETTE", "alignment", "attention", "curves", "growth", "render", "stacked"]
