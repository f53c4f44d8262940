"""Every chart, as an Altair definition; nothing here imports anything else of ours."""

from workings.charts.attention import attention
from workings.charts.curves import curves
from workings.charts.growth import growth
from workings.charts.look import FORMATS, PALETTE, render

__all__ = ["FORMATS", "PALETTE", "attention", "curves", "growth", "render"]
