"""The canvases of panels that do not show the data: plots with axes, diagrams without, and surfaces.

Each tells its legend where its marks are, so that the legend keeps off them.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QWidget

from algorithms.contract import Panel
from algorithms.data import Array
from algorithms.marks import Arrows, Bars, Centres, Curve, Dots, Paths, Segments, Strip
from mlviz.views.canvas import Canvas


class PlotView(Canvas):
    """A panel with two free axes that always shows everything in it."""

    def __init__(self, panel: Panel, parent: QWidget | None = None) -> None:
        super().__init__(panel, parent)
        self.legend.avoid = self._places

    def _places(self) -> Array:
        """Where curves, bars and bands are, (m, 2) in the pixels of the box: the legend keeps off them."""
        left, right, bottom, top = self.view_rect()
        area = self.box.boundingRect()
        found = [curve_places(mark, self.panel) for mark in self._marks if isinstance(mark, Curve)]
        found += [bar_places(mark) for mark in self._marks if isinstance(mark, Bars)]
        found += [strip_places(mark) for mark in self._marks if isinstance(mark, Strip)]
        at = np.concatenate(found) if found else np.empty((0, 2))
        return (at - (left, top)) / (right - left, bottom - top) * (area.width(), area.height())


class DiagramView(Canvas):
    """A panel without axes in one scale, for trees and networks; can be panned and zoomed."""

    PANS = True

    def __init__(self, panel: Panel, parent: QWidget | None = None) -> None:
        super().__init__(panel, parent)
        self._label_axes()

    def _label_axes(self) -> None:
        self.hideAxis("left")
        self.hideAxis("bottom")


class SurfaceView(Canvas):
    """A plane of its own in which the algorithm's ``field`` is evaluated; an ``Extent`` says what to show first."""

    PANS = True
    SEES_ALL = False

    def __init__(self, panel: Panel, parent: QWidget | None = None) -> None:
        super().__init__(panel, parent)
        self.legend.avoid = self._places

    def _places(self) -> Array:
        """The start, the goals, the paths, arrows and dots, (m, 2) in the pixels: the legend keeps off them."""
        left, right, bottom, top = self.view_rect()
        area = self.box.boundingRect()
        found = [mark.at.reshape(-1, 2) for mark in self._marks if isinstance(mark, Centres | Paths | Dots)]
        found += [curve_places(mark, self.panel) for mark in self._marks if isinstance(mark, Curve)]
        found += [np.concatenate([mark.start, mark.end]) for mark in self._marks if isinstance(mark, Arrows)]
        found += [segment_places(mark) for mark in self._marks if isinstance(mark, Segments)]
        at = np.concatenate(found) if found else np.empty((0, 2))
        return (at - (left, top)) / (right - left, bottom - top) * (area.width(), area.height())


def bar_places(bars: Bars) -> Array:
    """Places (m, 2) all over the bars, in the coordinates of the view."""
    high, low = float(bars.values.max(initial=0.0)), float(bars.values.min(initial=0.0))
    heights = np.linspace(low, high, 15)
    bar, height, across = np.meshgrid(np.arange(len(bars.values)), heights, np.linspace(-0.4, 0.4, 5), indexing="ij")
    value = bars.values[bar]
    inside = (height <= np.maximum(value, 0.0)) & (height >= np.minimum(value, 0.0))
    return np.column_stack([(bar + across)[inside], height[inside]])


def curve_places(curve: Curve, panel: Panel, count: int = 64) -> Array:
    """Places (m, 2) along a curve, in the coordinates of the view."""
    along = np.linspace(0, max(len(curve.x) - 1, 0), count if len(curve.x) else 0)
    at = np.column_stack([np.interp(along, np.arange(len(c)), c) if len(c) else along for c in (curve.x, curve.y)])
    logarithmic = np.array([panel.log_x, panel.log_y])
    return np.where(logarithmic, np.log10(np.maximum(at, 1e-300)), at)


def segment_places(segments: Segments) -> Array:
    """Places (m, 2) along straight pieces."""
    along = np.linspace(0.0, 1.0, 5)[:, None, None]
    return np.asarray((segments.start + along * (segments.end - segments.start)).reshape(-1, 2))


def strip_places(strip: Strip, count: int = 64) -> Array:
    """Places (m, 2) in the rows of a strip."""
    heights = np.linspace(strip.low, strip.high, 2 * len(strip.labels) + 1)
    x, y = np.meshgrid(strip.first + np.linspace(0, strip.labels.shape[1] - 1, count), heights)
    return np.column_stack([x.ravel(), y.ravel()])
