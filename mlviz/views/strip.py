"""The strip: series over time, values as lines with dots and symbols as cells, with bars below that say the states.

Pan and zoom go along time only. Colours are states: those of the algorithm where it has some, else the true ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QGraphicsItem, QWidget

from algorithms.contract import Panel
from algorithms.data import Array, Sequences
from algorithms.marks import Mark, Strip
from mlviz.views.bands import Band, BandItem, group_colours
from mlviz.views.canvas import Canvas
from mlviz.views.decimate import minmax_decimate
from mlviz.views.legend_rows import Row
from mlviz.views.lines import CurveItem, LineItem
from mlviz.views.pens import make_pen
from mlviz.views.renderers.base import NO_POINTS
from mlviz.views.scene import Scene
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer
from mlviz.views.strip_items import CellItem, LaneItem
from mlviz.views.strip_layout import Lane, StripLayout
from mlviz.views.theme import Theme

TINT = 0.17
"""How much of a state's colour lies behind the series."""
APART = 4.0
"""Dots are drawn where moments are at least so many pixels apart."""
MANY = 4_000
"""Of a longer series only what can be seen is drawn, and not more than there are pixels."""
NAMED = 4
"""Up to so many series the bars have their names beside them."""
ACROSS, UP = 60, 12
"""How many places of a series the legend keeps off, across and up."""
HEAD = 0.25
"""The most of the height that stays free above the lanes for the legend."""
LEAST_SPAN = 3.0
"""The fewest moments one can zoom to."""


class StripView(Canvas):
    """The canvas of sequences."""

    PANS = True
    SEES_ALL = False

    def __init__(self, panel: Panel, parent: QWidget | None = None) -> None:
        self.layout_now: StripLayout | None = None
        self._draft: Sequences | None = None
        self._strip: Strip | None = None
        self._longest = 0
        super().__init__(replace(panel, integer_x=True), parent)
        self.box.setMouseEnabled(x=True, y=False)
        self._tint, self._bars, self._cells = BandItem(), BandItem(), CellItem()
        self._frame, self._line = LaneItem(), LineItem(antialias=True)
        self._dots, self._cursor, self._ring = SpriteLayer(), CurveItem(connect="pairs"), SpriteLayer()
        parts: tuple[QGraphicsItem, ...] = (self._tint, self._frame, self._bars, self._line, self._cells)
        parts += (self._dots, self._cursor, self._ring)
        for height, item in enumerate(parts):
            item.setZValue(2.0 + height if height < len(parts) - 2 else 900.0 + height)
            self.addItem(item)
        self.box.sigXRangeChanged.connect(self._redraw_long)
        self.legend.avoid = self._seen_places
        self.legend.crowding, self.legend.reach = 0.01, 0.0
        self.legend.forms = ("lines",)  # there is room for a line of them above the lanes

    # -- the data ------------------------------------------------------------------------------------------------

    @property
    def data(self) -> Sequences:
        """The series on show: those of the scene, or of an edit that goes on."""
        assert self.scene_info is not None
        data = self._draft or self.scene_info.data
        assert isinstance(data, Sequences)
        return data

    @property
    def groups(self) -> Array:
        """The state of every moment (n,) that its colour says: the algorithm's, else the true one, else -1."""
        data, strip = self.data, self._strip
        if strip is not None and strip.labels.shape[1] == data.n:
            return strip.labels[strip.behind]
        return np.full(data.n, -1) if data.states is None else np.concatenate(data.states)

    def set_scene(self, scene: Scene, origin: Array | None = None) -> None:
        """Show other series, or the same ones edited."""
        before, edited = self.layout_now, origin is not None or self.mouse.down
        self._draft = self._strip = None
        super().set_scene(scene, origin)
        self._lay_out(before if edited else None)
        if before is None or (before.extent != self._layout.extent and not edited):
            self.fit_view()

    def set_draft(self, data: Sequences) -> None:
        """Draw these series while an edit goes on; the next scene, or :meth:`end_draft`, ends that."""
        self._draft = data
        self._lay_out(self.layout_now)

    def end_draft(self) -> None:
        """Draw the series of the scene again."""
        if self._draft is not None:
            self._draft = None
            self._lay_out(self.layout_now)

    def show_marks(self, marks: Iterable[Mark]) -> None:
        """Draw one frame; without a strip among the marks the colours are the true states."""
        marks = tuple(marks)
        strip = next((mark for mark in marks if isinstance(mark, Strip)), None)
        rows, names = self._rows, self._bar_names
        self._strip = strip
        if rows != self._rows:
            self._lay_out(self.layout_now)
        else:
            self._draw()
            if names != self._bar_names:  # a run that decodes begins with other bars
                self._write_ticks()
        super().show_marks(marks)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        if self.scene_info is not None:
            self.theme = theme
            self.scene_info = replace(self.scene_info, theme=theme)
            self._base_rows = self._scene_rows(self.scene_info)
        super().set_theme(theme)
        if self.layout_now is not None:
            self._draw()
            self._write_ticks()

    # -- places --------------------------------------------------------------------------------------------------

    @property
    def _layout(self) -> StripLayout:
        assert self.layout_now is not None
        return self.layout_now

    def points_at(self, position: QPointF) -> Array:
        """The moment at a time of a series, however far from its value."""
        if self.layout_now is None or self._stale:
            return NO_POINTS
        at = self.place_of(position)
        number = self._layout.number_at(at.x(), at.y())
        return NO_POINTS if number < 0 else np.array([number])

    def light_points(self, points: Array) -> None:
        """A line through these moments, and a ring around what is seen there."""
        before = self._lit
        super().light_points(points)
        if self.layout_now is None or self.scene_info is None or not (len(points) or before):
            return
        points = points[points < len(self.scene_info.at)]
        at = self.scene_info.at[points]
        lines = np.zeros((2 * min(len(points), 40), 2))
        for number, point in enumerate(points[:40].tolist()):
            series = self.data.place_of(point)[0]
            lines[2 * number : 2 * number + 2, 0] = at[number, 0]
            lines[2 * number : 2 * number + 2, 1] = (
                self._layout.bars(series)[-1][0],
                self._layout.lanes_of(series)[0].top,
            )
        self._cursor.setData(x=lines[:, 0], y=lines[:, 1], connect="pairs", pen=make_pen(self.theme.muted, 1.0))
        look = Sprite("o", self.theme.point * 2.0, None, self.theme.line, self.theme.stroke)
        self._ring.set(at, (look,), np.zeros(len(at), dtype=np.intp))

    def fit_view(self) -> None:
        """Show all of time, at a scale that suits the values."""
        if self.layout_now is not None:
            fresh = StripLayout.of(self.data, self._rows)
            if (fresh.longest, fresh.lanes) != (self.layout_now.longest, self.layout_now.lanes):
                self._lay_out()
            left, right, *_ = self._layout.extent
            self._show_time(left, right)

    def note_stroke(self, begins: bool) -> None:
        """At its end show more of time where a series has become longer, and bars that came meanwhile."""
        if self.layout_now is None:
            return
        if begins:
            self._longest = self._layout.longest
            return
        left, right, *_ = self.view_rect()
        longer = self._layout.longest > self._longest
        self._show_time(left, max(right, self._layout.extent[1]) if longer else right)

    def _show_time(self, first: float, last: float) -> None:
        """Show this part of time and all lanes, with room above them for the legend."""
        left, right, bottom, top = self._layout.extent
        high = max(self.box.boundingRect().height(), 1.0)
        head = min(self.legend.line_height(), HEAD * high) if self._base_rows or self._strip is not None else 0.0
        top += head / (high - head) * (top - bottom)
        free = dict.fromkeys(("xMin", "xMax", "yMin", "yMax", "minXRange", "minYRange", "maxYRange"))
        self.box.setLimits(**free)
        self.box.setRange(xRange=(first, last), yRange=(bottom, top), padding=0)
        tall = {"yMin": bottom, "yMax": top, "minYRange": top - bottom, "maxYRange": top - bottom}
        self.box.setLimits(xMin=left, xMax=right, minXRange=min(LEAST_SPAN, right - left), **tall)

    def shows_data(self) -> bool:
        """Whether any moment lies in the visible part."""
        left, right, *_ = self.view_rect()
        return self.layout_now is not None and right > 0.5 and left < self._layout.extent[1]

    # -- drawing -------------------------------------------------------------------------------------------------

    @property
    def _rows(self) -> int:
        """How many bars there are below a series: at least one, so that a run that begins moves nothing."""
        method = 1 if self._strip is None else len(self._strip.labels)
        return method + (self.data.states is not None)

    @property
    def _bar_names(self) -> tuple[str, ...]:
        """What stands beside the bars below a series."""
        return (
            *([""] if self._strip is None else self._strip.names),
            *(["true"] if self.data.states is not None else []),
        )

    def _lay_out(self, before: StripLayout | None = None) -> None:
        """Give everything its place; after an edit of what was laid out ``before``, at the scale of that."""
        assert self.scene_info is not None
        old = self.layout_now
        self.layout_now = StripLayout.of(self.data, self._rows, before)
        if self._draft is None:
            self.scene_info = replace(self.scene_info, at=self._layout.places())
        if old is not None and old.extent[2:] != self._layout.extent[2:] and not self.mouse.down:
            left, right, *_ = self.view_rect()
            self._show_time(left, right)
        self._label_axes()
        self._draw()
        self._write_ticks()

    def _draw(self) -> None:
        """Everything but the marks."""
        data, theme, layout = self.data, self.theme, self._layout
        groups = self.groups
        strip = self._strip if self._strip is not None and self._strip.labels.shape[1] == data.n else None
        sure = None if strip is None or strip.strengths is None else strip.strengths[strip.behind]
        tints, bars = [], []
        for series, start in enumerate(data.starts.tolist()):
            part = slice(start, start + len(data.series[series]))
            codes, colours = group_colours(theme, groups[part], None if sure is None else sure[part], TINT)
            lanes = layout.lanes_of(series)
            tints.append(Band(1.0, lanes[-1].bottom, lanes[0].top, codes, colours))
            bars += self._series_bars(series, part, strip)
        self._tint.set(tuple(tints))
        self._bars.set(tuple(bars))
        self._frame.set(layout, theme)
        self._draw_series()

    def _series_bars(self, series: int, part: slice, strip: Strip | None) -> list[Band]:
        """The rows of the algorithm, then the true states."""
        data, theme = self.data, self.theme
        rows: list[tuple[Array, Array | None]] = []
        if strip is not None:
            sure = strip.strengths
            rows = [
                (labels[part], None if sure is None else sure[row, part]) for row, labels in enumerate(strip.labels)
            ]
        else:
            rows = [(np.full(part.stop - part.start, -1), None)]
        if data.states is not None:
            rows.append((data.states[series], None))
        edges = self._layout.bars(series)
        return [Band(1.0, *edge, *group_colours(theme, *row)) for edge, row in zip(edges, rows)]

    def _redraw_long(self) -> None:
        if self.layout_now is not None and self.data.n > MANY:
            self._draw_series()

    def _draw_series(self) -> None:
        """Lines, dots and cells; of long series what can be seen now."""
        data, theme, layout = self.data, self.theme, self._layout
        discrete = data.is_discrete
        self._cells.set(layout, self.groups, theme, discrete)
        self._line.setVisible(not discrete)
        self._dots.setVisible(not discrete)
        if discrete:
            return
        lines = [self._visible(layout.line(lane), lane) for lane in layout.lanes]
        at = np.concatenate([line for line, _ in lines])
        joined = np.ones(len(at), dtype=np.int32)
        if data.n:
            joined[np.cumsum([len(line) for line, _ in lines]) - 1] = 0
        self._line.setData(x=at[:, 0], y=at[:, 1], connect=joined, pen=make_pen(theme.muted, theme.stroke * 0.6))
        left, right, *_ = self.view_rect()
        wide = self.box.boundingRect().width() / max(right - left, 1e-9)
        if wide < APART:
            self._dots.set(EMPTY, (), np.empty(0, dtype=np.intp))
            return
        levels, which = np.unique(self.groups[np.concatenate([numbers for _, numbers in lines])], return_inverse=True)
        size = theme.point * min(max(wide / 14.0, 0.45), 0.8)
        looks = tuple(Sprite("o", size, self._dot_colour(int(g)), theme.plot, theme.stroke / 3) for g in levels)
        self._dots.set(at, looks, which.reshape(-1))

    def _dot_colour(self, group: int) -> str:
        return self.theme.text if group < 0 else self.theme.colour(group)

    def _visible(self, line: Array, lane: Lane) -> tuple[Array, Array]:
        """The part of a line (m, 2) that has to be drawn, and the numbers (m,) of its moments."""
        start = int(self.data.starts[lane.series])
        kept = np.arange(len(line))
        if self.data.n > MANY:
            left, right, *_ = self.view_rect()
            first, last = max(math.floor(left) - 2, 0), min(math.ceil(right) + 2, len(line))
            kept = kept[first : max(last, first + 1)] if first < len(line) else kept[-1:]
            kept = kept[minmax_decimate(line[kept, 1])[0]]
        return line[kept], start + kept

    # -- words ---------------------------------------------------------------------------------------------------

    def _scene_rows(self, scene: Scene) -> tuple[Row, ...]:
        data, theme = scene.data, scene.theme
        if not isinstance(data, Sequences) or data.states is None:
            return ()
        states = np.unique(np.concatenate(data.states)).tolist()
        return tuple(Row(f"state {k + 1}", sprite=Sprite("s", theme.point, theme.colour(k))) for k in states)

    def _label_axes(self) -> None:
        self.setLabel("bottom", "time")
        if self.scene_info is not None:
            data = self.data
            self.setLabel("left", "symbol" if data.is_discrete else data.features[0] if data.d == 1 else "value")

    def _write_ticks(self) -> None:
        """Values or symbols beside the lanes, and what the bars are where there is room."""
        if self.layout_now is None:
            return
        layout = self._layout
        tall = self.box.boundingRect().height() / max(layout.extent[3] - layout.extent[2], 1e-9)
        font = QFont()
        font.setPointSizeF(self.theme.letters(0.9))
        ticks = layout.ticks(tall / (1.8 * QFontMetricsF(font).height()))
        names = self._bar_names
        if len(self.data.series) <= NAMED and layout.bar * tall > 0.75 * QFontMetricsF(font).height():
            for series in range(len(self.data.series)):
                ticks += [((low + high) / 2, name) for (low, high), name in zip(layout.bars(series), names) if name]
        self.getAxis("left").setTicks([ticks])

    def _resized(self) -> None:
        if self.layout_now is not None:
            left, right, *_ = self.view_rect()
            self._show_time(left, right)
            self._write_ticks()
            self._draw_series()
        super()._resized()

    def _seen_places(self) -> Array:
        """Places all over the series, (m, 2) in the pixels of the box: the legend keeps off them."""
        if self.layout_now is None or self.scene_info is None:
            return EMPTY
        found = [EMPTY]
        for number, series in enumerate(self.data.series):
            top, bottom = self._layout.lanes_of(number)[0].top, self._layout.bars(number)[-1][0]
            x, y = np.meshgrid(np.linspace(0.5, len(series) + 0.5, ACROSS), np.linspace(bottom, top, UP))
            found.append(np.column_stack([x.ravel(), y.ravel()]))
        return self.in_pixels(np.concatenate(found))
