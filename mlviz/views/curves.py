"""Metric curves: every step of every metric, the playhead, and the previous run as a faint line to compare with."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np
import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent, MouseDragEvent
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from algorithms.contract import Metric
from algorithms.data import Array
from algorithms.marks import Curve
from mlviz.views.axes import RoomyAxis, StepAxis, style_axes
from mlviz.views.curve_range import MARGIN, NOTHING, Extent, with_room, with_size
from mlviz.views.decimate import minmax_decimate
from mlviz.views.fitting_text import elided
from mlviz.views.legend import OUTSIDE, Legend
from mlviz.views.legend_rows import Row
from mlviz.views.lines import LineItem, StraightLine
from mlviz.views.menuless_plot import MenulessPlot
from mlviz.views.occupied import occupied
from mlviz.views.pens import make_pen
from mlviz.views.plain_text import markup
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer
from mlviz.views.tabs import TabBar
from mlviz.views.theme import LIGHT, SPACING, Theme

REDRAW = 0.15
"""Seconds between two drawings of the curves while steps pour in."""
AGAIN = 0.5
"""Seconds until the curves of a run that follows another one at once, as while a query is dragged."""


class _ScrubBox(pg.ViewBox):
    """Clicking or dragging anywhere in the plot moves the playhead."""

    scrubbed = Signal(float)

    def __init__(self) -> None:
        super().__init__(enableMenu=False)

    def mouseDragEvent(self, event: MouseDragEvent, axis: int | None = None) -> None:
        """Scrub while dragging."""
        event.accept()
        self.scrubbed.emit(self.mapToView(event.pos()).x())

    def mouseClickEvent(self, event: MouseClickEvent) -> None:
        """Jump to the clicked step."""
        event.accept()
        self.scrubbed.emit(self.mapToView(event.pos()).x())

    def wheelEvent(self, event: object, axis: int | None = None) -> None:
        """The whole run is always in view."""


class MetricCurves(QWidget):
    """One plot for each group of metrics, chosen by tabs.

    A view that belongs beside the other ones (``set_aside``) is the first tab, as long as it has something to show, and
    the one in front until another is chosen by hand.
    """

    scrubbed = Signal(int)

    def __init__(self, parent: QWidget | None = None, clock: Callable[[], float] = time.perf_counter) -> None:
        super().__init__(parent)
        self.setObjectName("metric_curves")
        self._clock = clock
        self._metrics: tuple[Metric, ...] = ()
        self._groups: tuple[str, ...] = ()
        self._read: Callable[[str], Array] = lambda _: np.empty(0)
        self._ghosts: dict[str, Array] = {}
        self._shown = self._known = -1
        self._playhead = -1
        self._stale = False
        """Whether the curves on show are those of the run before."""
        self._since = 0
        self._drawn_at = 0.0
        self._settled, self._roomy = True, False
        self._theme = LIGHT
        self._logarithmic: dict[str, bool] = {}
        self._beside: tuple[MetricCurves, ...] = ()
        self._extent = self._seen = NOTHING
        self._aside: QWidget | None = None
        self._aside_title, self._aside_filled, self._aside_wanted = "", False, True
        self._build()

    def _build(self) -> None:
        self.tabs = TabBar("metric_tabs")
        self.log_button = QToolButton(objectName="metric_log", text="log", checkable=True)
        self.log_button.setToolTip("Logarithmic scale")
        self._box = _ScrubBox()
        axes = {"bottom": StepAxis("bottom"), "left": RoomyAxis("left")}
        self.plot = MenulessPlot(viewBox=self._box, axisItems=axes)
        self.plot.setObjectName("metric_plot")
        self.plot.setLabel("bottom", "step")
        self.plot.setMinimumSize(120, 90)
        self._pages = QStackedWidget(objectName="metric_pages")
        self._pages.addWidget(self.plot)
        self.legend = Legend(self._box, OUTSIDE)
        self.legend.avoid = self._places
        self._ghost_items: list[LineItem] = []
        self._items: list[LineItem] = []
        self._line = StraightLine(angle=90, movable=False)
        self._line.setZValue(50)
        self._dots = SpriteLayer()
        self._dots.setZValue(60)
        self.plot.addItem(self._line, ignoreBounds=True)
        self.plot.addItem(self._dots, ignoreBounds=True)
        self._header = header = QHBoxLayout()
        header.setContentsMargins(SPACING, 0, SPACING, 0)
        header.addWidget(self.tabs, stretch=1)
        header.addWidget(self.log_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACING // 2)
        layout.addLayout(header)
        layout.addWidget(self._pages, stretch=1)
        self.tabs.currentChanged.connect(self._tab_changed)
        self.log_button.toggled.connect(self._log_toggled)
        self._box.scrubbed.connect(self._scrub)
        self._box.sigResized.connect(self._place_legend)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._theme = theme
        self.plot.setBackground(theme.plot)
        style_axes(self.plot, theme)
        self.plot.setLabel("bottom", "step")
        self._line.setPen(make_pen(theme.accent, theme.stroke * 0.75))
        self._restyle()

    def set_run(
        self,
        metrics: tuple[Metric, ...],
        read: Callable[[str], Array],
        since: int = 0,
        kept: int = 0,
        comparable: bool = True,
    ) -> None:
        """Follow a new run: ``read(name)`` gives a metric over all steps so far. The old curves become faint.

        A run that goes on from step ``since`` of the old one begins there: what would have come is seen beside it. It
        may have ``kept`` what came before. The curves of other data are not ``comparable``, and go; others
        stay as they are until the next drawing: a handle that is dragged starts sixty runs a second.
        """
        compared = comparable and metrics == self._metrics
        ghosts = {metric.name: self._read(metric.name) for metric in self._metrics} if compared else {}
        self._read = read
        self._shown = self._playhead = -1
        self._since = since
        self._ghosts = {name: values[since - kept :] for name, values in ghosts.items() if len(values) > since + 1}
        self._stale = compared
        if metrics == self._metrics:
            if not compared:
                self._restyle()
            return
        self._metrics = metrics
        self._groups = tuple(dict.fromkeys(_group(metric) for metric in metrics))
        self._logarithmic = {group: any(m.log for m in metrics if _group(m) == group) for group in self._groups}
        self._make_tabs(0)

    def set_beside(self, others: tuple[MetricCurves, ...]) -> None:
        """Share the scale of the values with these, as far as they show the same metrics."""
        self._beside = others

    def _shared(self) -> Extent:
        """The least and the greatest value here, and beside it where the same metrics are shown."""
        alike = [self, *(other for other in self._beside if other._kind() == self._kind())]
        return min(one._extent[0] for one in alike), max(one._extent[1] for one in alike)

    def _kind(self) -> tuple[bool, tuple[str, ...]]:
        return self._is_log(), tuple(metric.label for metric in self._visible())

    def forget(self) -> None:
        """The run has no curves, and those of the one before are no measure for it."""
        self._read = lambda _: np.empty(0)
        self._ghosts, self._stale = {}, False
        self._restyle()

    def set_aside(self, view: QWidget | None, title: str = "") -> None:
        """Give a view a place among the curves, or (None) have only curves again.

        A view that was here before stays a page, unseen, until its owner deletes it: a page taken out would be left
        to Python's garbage collector, which must not delete a canvas.
        """
        if self._aside is not None:
            self.log_button.show()
        self._aside, self._aside_title, self._aside_filled, self._aside_wanted = view, title, False, True
        if view is not None:
            self._pages.addWidget(view)
        self._make_tabs(0)

    def add_corner(self, widget: QWidget) -> None:
        """Have this at the end of the line with the tabs."""
        self._header.addWidget(widget)

    def holds(self, view: QWidget) -> bool:
        """Whether this is the view among the curves."""
        return view is self._aside

    def note_aside(self, filled: bool) -> None:
        """Whether the view among the curves has something to show now."""
        if self._aside is not None and filled != self._aside_filled:
            chosen = self._group_number()
            self._aside_filled = filled
            self._make_tabs(chosen)

    @property
    def aside_filled(self) -> bool:
        """Whether the view among the curves has something to show."""
        return self._aside_filled

    @property
    def aside_in_front(self) -> bool:
        """Whether the view among the curves is looked at."""
        return self._aside_filled and self.tabs.currentIndex() == 0

    def _make_tabs(self, number: int) -> None:
        """A tab for each group, with this one in front unless the view aside is wanted there."""
        self.tabs.blockSignals(True)
        while self.tabs.count():
            self.tabs.removeTab(0)
        for title in (*([self._aside_title] if self._aside_filled else []), *self._groups):
            self.tabs.addTab(title)
        front = self._aside_filled and (self._aside_wanted or not self._groups)
        self.tabs.setCurrentIndex(0 if front else number + self._aside_filled)
        self.tabs.blockSignals(False)
        self._show_tab()

    def _group_number(self) -> int:
        return max(self.tabs.currentIndex() - self._aside_filled, 0)

    @property
    def group(self) -> str:
        """The group of metrics in front, or the title of the view among them."""
        if self.aside_in_front:
            return self._aside_title
        return self._groups[self._group_number()] if self._groups else ""

    @property
    def scales(self) -> dict[str, bool]:
        """Whether each group is on a logarithmic scale."""
        return dict(self._logarithmic)

    def choose(self, group: str, scales: Mapping[str, bool]) -> None:
        """Bring a group to the front, and set scales; groups that do not exist are passed over."""
        self._logarithmic |= {name: on for name, on in scales.items() if name in self._logarithmic}
        if group in (*self._groups, self._aside_title):
            self._aside_wanted = group == self._aside_title
        self._make_tabs(self._groups.index(group) if group in self._groups else self._group_number())

    def due(self, steps: int, playhead: int) -> bool:
        """Whether it is time to draw so many steps and the playhead there.

        While steps pour in, that is a few times a second: the plot is painted for each, and a curve of thousands of
        thick strokes takes longer than the frame it belongs to. Once they stop coming, the curves are complete. A run
        that follows another one at once waits longer.
        """
        self._settled, self._known = steps == self._known, steps
        if self._stale:
            return self._clock() - self._drawn_at >= AGAIN
        changed = steps != self._shown or playhead != self._playhead or (self._settled and self._roomy)
        changed = changed or self._shared() != self._seen
        return changed and (self._settled or self._clock() - self._drawn_at >= REDRAW)

    def refresh(self, steps: int, playhead: int) -> None:
        """Draw the steps that have come since the last time, and the playhead."""
        self._drawn_at = self._clock()
        if self._stale:
            self._stale = False
            self._name(self._visible())
        if steps != self._shown or (self._settled and self._roomy):
            self._shown = steps
            self._draw()
        elif self._shared() != self._seen:
            self._fit()
        if playhead != self._playhead:
            self._playhead = playhead
            self._line.setValue(playhead)
            self._place_dots()
        self.plot.scene().prepareForPaint()  # a range that only changed while painting would have it painted twice

    @Slot()
    def _place_legend(self) -> None:
        self.legend.place()

    def place_legend(self) -> None:
        """Put the legend where none of the values are: for a picture, in which nothing moves any more."""
        self.legend.folds = False
        self.legend.place(anew=True)
        shown = self._visible()
        if len(shown) > 1 and not self.legend.isVisible():
            self._name_above(shown)

    def _name_above(self, shown: tuple[Metric, ...]) -> None:
        """Write the names of the curves above them, each in its colour: there is no room for a legend."""
        font = QFont()
        font.setPointSizeF(self._theme.letters(0.8))
        room = self.plot.width() / len(shown) - SPACING
        names = (elided(metric.label, QFontMetricsF(font), room) for metric in shown)
        parts = (f"<span style='color: {self._theme.colour(i)}'>{markup(name)}</span>" for i, name in enumerate(names))
        self.plot.setTitle("&nbsp; ".join(parts), size=f"{font.pointSizeF():.1f}pt")
        self.plot.getPlotItem().layout.activate()

    def _places(self) -> Array:
        """Where the curves are, in the pixels of the plot."""
        drawn = [item.getData() for item in (*self._items, *self._ghost_items) if item.isVisible()]
        curves = tuple(Curve(x[known], y[known]) for x, y in drawn if x is not None for known in [np.isfinite(y)])
        at = np.concatenate([EMPTY, *map(occupied, curves)])
        area, (wide, high) = self._box.boundingRect(), self._box.viewRange()
        across, up = (at[:, 0] - wide[0]) / (wide[1] - wide[0]), (at[:, 1] - high[0]) / (high[1] - high[0])
        return np.column_stack([area.left() + across * area.width(), area.bottom() - up * area.height()])

    def _visible(self) -> tuple[Metric, ...]:
        if not self._groups:
            return ()
        group = self._groups[self._group_number()]
        return tuple(metric for metric in self._metrics if _group(metric) == group)

    def _is_log(self) -> bool:
        return bool(self._groups) and self._logarithmic[self._groups[self._group_number()]]

    def _restyle(self) -> None:
        visible = self._visible()
        while len(self._items) < len(visible):
            for store, height in ((self._ghost_items, 10), (self._items, 20)):
                item = LineItem(antialias=True, connect="finite")
                item.setZValue(height)
                store.append(item)
                self.plot.addItem(item)
        stroke = self._theme.stroke
        for number, (item, ghost) in enumerate(zip(self._items, self._ghost_items)):
            item.setVisible(number < len(visible))
            ghost.setVisible(number < len(visible))
            colour = self._theme.colour(number)
            item.setPen(make_pen(colour, stroke))
            ghost.setPen(make_pen(self._faint(number), stroke * 0.75))
        self.plot.getAxis("left").setLogMode(False, self._is_log())
        self._name(visible)
        self._draw()
        self._place_dots()

    def _faint(self, number: int) -> str:
        """The colour of a curve of the run before."""
        return self._theme.faint(self._theme.colour(number), 0.3)

    def _name(self, visible: tuple[Metric, ...]) -> None:
        rows = [Row(m.label, line=self._theme.colour(i), width=self._theme.stroke) for i, m in enumerate(visible)]
        if self._ghosts:
            words = "without the change" if self._since else "previous run"
            line, *also = map(self._faint, range(len(visible)))
            rows.append(Row(words, line=line, width=self._theme.stroke * 0.75, also=tuple(also)))
        self.legend.set_rows(tuple(rows), self._theme)

    def _draw(self) -> None:
        for number, metric in enumerate(self._visible()):
            for item, values in (
                (self._items[number], self._read(metric.name)),
                (self._ghost_items[number], self._ghosts.get(metric.name, np.empty(0))),
            ):
                steps, heights = minmax_decimate(self._scaled(values))
                item.setData(x=steps, y=heights)
        self._fit()

    def _fit(self) -> None:
        """Show every step; differences that are only rounding are not blown up to fill the plot.

        While steps pour in there is some room to spare, and the scale stays as long as it suits: numbers that change
        with every step cannot be read, and to write them takes longer than to draw the curves.
        """
        shown = [item.getData() for item in (*self._items, *self._ghost_items) if item.isVisible()]
        values = np.concatenate([y[np.isfinite(y)] for _, y in shown if y is not None] or [np.empty(0)])
        self._extent = (float(values.min()), float(values.max())) if len(values) else NOTHING
        low, high = self._seen = self._shared()
        if not low <= high:  # without this the range of other curves would stay, perhaps one of another scale
            self._box.setRange(xRange=[0.0, 1.0], yRange=[0.0, 1.0], padding=MARGIN, disableAutoRange=True)
            return
        low, high = with_size(low, high)
        last = float(max(max((x[-1] for x, _ in shown if x is not None and len(x)), default=1), 1))
        across, up = self._box.viewRange()
        if self._settled:
            across, up = [0.0, last], [low, high]
        else:
            across, up = with_room(across, 0.0, last), with_room(up, low, high)
        self._roomy = not self._settled
        padding = MARGIN if self._settled else 0.0
        self._box.setRange(xRange=across, yRange=up, padding=padding, disableAutoRange=True)
        self.legend.place()

    def _scaled(self, values: Array) -> Array:
        if not self._is_log():
            return values
        positive = values > 0
        return np.where(positive, np.log10(np.where(positive, values, 1.0)), np.nan)

    def _place_dots(self) -> None:
        at, looks = [], []
        for number, metric in enumerate(self._visible()):
            values = self._scaled(self._read(metric.name))
            if 0 <= self._playhead < len(values) and np.isfinite(values[self._playhead]):
                at.append((self._playhead, values[self._playhead]))
                colour = self._theme.colour(number)
                looks.append(Sprite("o", self._theme.point, colour, self._theme.plot, 1.5))
        self._dots.set(np.array(at) if at else EMPTY, tuple(looks), np.arange(len(looks)))

    @Slot(int)
    def _tab_changed(self, _: int) -> None:
        self._aside_wanted = self.aside_in_front or (not self._aside_filled and self._aside_wanted)
        self._show_tab()

    def _show_tab(self) -> None:
        front = self.aside_in_front
        self._pages.setCurrentWidget(self._aside if front and self._aside is not None else self.plot)
        if self._aside is not None:
            self.log_button.setVisible(not front)
        self.log_button.blockSignals(True)
        self.log_button.setChecked(self._is_log())
        self.log_button.blockSignals(False)
        self._restyle()

    @Slot(bool)
    def _log_toggled(self, on: bool) -> None:
        if self._groups:
            self._logarithmic[self._groups[self._group_number()]] = on
            self._restyle()

    @Slot(float)
    def _scrub(self, x: float) -> None:
        if self._shown > 0:
            self.scrubbed.emit(min(max(round(x), 0), self._shown - 1))
        self.setFocus(Qt.FocusReason.MouseFocusReason)


def _group(metric: Metric) -> str:
    return metric.group or metric.label
