"""The whole figure without window chrome: title, plane, second views, curves and caption, for pictures and films."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QHBoxLayout, QLayout, QSizePolicy, QVBoxLayout, QWidget

from algorithms.contract import Algorithm
from algorithms.data import Data, Nothing
from algorithms.marks import Mark
from mlviz.export.model_queries import ALL_EVALUATIONS, Answers, ModelQueries
from mlviz.export.painted import PaintedWidget
from mlviz.session.document import Document
from mlviz.session.layout import UNCHANGED, EvaluationSettings, Layout
from mlviz.session.rasters import Size
from mlviz.session.scoring import Scores, Threshold
from mlviz.session.value_scoring import ValueScores
from mlviz.views.canvas import Canvas
from mlviz.views.composition import ALONE, CURVES, EVALUATION, Page, ViewOrder, is_drawn
from mlviz.views.compositor import Compositor
from mlviz.views.evaluation import EvaluationView
from mlviz.views.plain_text import PlainLabel, markup
from mlviz.views.plane import PlaneView
from mlviz.views.theme import SPACING, Theme
from mlviz.worker.evaluation import EvaluationRequest, can_evaluate, held_out_points, predicts_values, scores_classes
from mlviz.worker.timeline import Frame, Timeline

CELL = 2
"""Logical pixels per cell of a field in a picture."""
MOST_CELLS = 4_000_000
"""Of one field; in a larger picture its cells are larger."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a figure is drawn.

    Parameters
    ----------
    size : (int, int)
        Width and height in logical pixels (1/96 inch on paper).
    theme : Theme
        Colours, fonts and widths.
    only : str
        One view alone: the key of a panel, or ``curves``; empty for the whole figure.
    words : bool
        Whether the title and the caption are written; a figure in a paper has its own.
    transparent : bool
        No background.
    layout : Layout
        How the window looks at it: the part in view, the chosen curves, the threshold, the pinned points.
    scores : Scores, optional
        Those of validation, which are the same for every frame; without them they are worked out.
    shared : bool
        Figures of other settings stand beside this one, and each shows the data that all share.
    bare : bool
        The large view has no small ones around it.
    threshold : Threshold, optional
        Where the decision line of another figure's evaluation runs, which is drawn in this one, too.
    """

    size: tuple[int, int]
    theme: Theme
    only: str = ""
    words: bool = True
    transparent: bool = False
    layout: Layout = UNCHANGED
    scores: Scores | ValueScores | None = None
    shared: bool = False
    bare: bool = False
    threshold: Threshold | None = None

    def order(self, method: Algorithm, data: Data) -> ViewOrder:
        """Which view of a method is the large one, and how the others follow."""
        chosen = self.layout.large.get(method.key, "")
        return ViewOrder(method.panels_on(data), can_evaluate(method, data), chosen, self.shared, is_drawn(data))

    def settings_of(self, method: Algorithm, data: Data) -> EvaluationSettings | None:
        """The choices of the evaluation where it is drawn: as a view of its own, or as a part of what was seen."""
        seen = EVALUATION in (self.layout.second, self.order(method, data).large)
        if can_evaluate(method, data) and (self.only in ALL_EVALUATIONS or (not self.only and seen)):
            return self.layout.evaluation or EvaluationSettings()
        return None


def grid_of(view: Canvas, cell: float) -> Size:
    """How many cells of so many logical pixels, or larger ones, a field has across and down."""
    cell = max(cell, math.sqrt(view.width() * view.height() / MOST_CELLS))
    return max(int(view.width() / cell), 2), max(int(view.height() / cell), 2)


class Figure(PaintedWidget):
    """Draws frames of one recorded run in one look. It is never shown on a screen."""

    def __init__(self, document: Document, timeline: Timeline, look: Look) -> None:
        super().__init__(look.theme.surface, look.transparent)
        self._document, self._timeline, self._look = document, timeline, look
        self._theme = look.theme.with_classes(document.colours)
        self._method: Algorithm = document.method
        self._settings = look.settings_of(self._method, document.data)
        self._compositor = Compositor(self, self._draws_line)
        self._compositor.set_theme(self._theme)
        self._compositor.set_data(document.data, document.projection)
        self._compositor.set_method(self._method, look.order(self._method, document.data))
        self._compositor.set_threshold(look.threshold)
        self._views = self._make_views()
        self._sizes: list[QSize] = []
        self._scores = look.scores
        named = () if isinstance(document.data, Nothing) else (document.data.name,)
        self.title = PlainLabel(" · ".join((self._method.title, *named)), objectName="figure_title")
        self.caption = PlainLabel(objectName="figure_caption", wordWrap=True)
        self.curves = self._compositor.curves
        self.curves.tabs.hide()
        self.curves.log_button.hide()
        self.curves.set_run(self._method.metrics, timeline.metric)
        self.curves.choose(look.layout.curve, look.layout.logarithmic)
        self.evaluation: EvaluationView | None = None
        if self._settings is not None:
            self.evaluation = EvaluationView(self)
            self.evaluation.set_theme(self._theme)
            self.evaluation.expect(predicts_values(self._method, document.data))
            self.evaluation.become_picture(look.only if look.only in ALL_EVALUATIONS else "", look.transparent)
        self._hold_out()
        self._arrange()
        if look.transparent:
            self.clear_backgrounds()
        self.resize(QSize(*look.size))
        self.show()  # lays everything out; DontShowOnScreen keeps it off the display
        self._shorten_titles()

    def set_frame(self, frame: Frame, cell: float = CELL) -> None:
        """Bring every view to this frame, with its fields in cells of so many logical pixels."""
        self.complete(self.begin(frame, cell).answered())

    def begin(self, frame: Frame, cell: float = CELL) -> ModelQueries:
        """Bring every view to this frame, as far as that is possible without asking the model; what is to be asked."""
        snapshot = frame.snapshot
        self.caption.setText(_caption(self._method, frame))
        self._column.activate()
        for view in self._views:
            view.clear_rasters()
            view.show_marks(map(_at_rest, self._compositor.marks(snapshot, view.panel.key)))
        self._look_from()
        self.curves.refresh(len(self._timeline), frame.step)
        self.curves.place_legend()

        def cells(view: Canvas) -> tuple[Size, ...]:
            return (grid_of(view, cell),)

        keys = [view.panel.key for view in self._views]
        return ModelQueries(self._compositor.requests(snapshot, keys, cells), self._question(frame))

    def complete(self, answers: Answers) -> None:
        """Fill in what the model has answered."""
        for slot, raster in answers.rasters.items():
            self._compositor.deliver(slot, raster)
        scores = answers.scores or self._scores
        if self._settings is None or self.evaluation is None or scores is None:
            return
        begun = self.evaluation.scores is not None
        self.evaluation.set_scores(scores)
        if scores.source != "training":
            self._scores = scores
        if not begun:
            self.evaluation.apply(self._settings)
        self.evaluation.settle()
        self._compositor.set_threshold(self.evaluation.contour)

    def _look_from(self) -> None:
        """Look at what the window looks at, else at everything; again whenever the caption has taken another room."""
        layout, sizes = self._look.layout, [view.size() for view in self._views]
        if sizes == self._sizes:
            return
        self._sizes = sizes
        self.settle_axes()
        for view in self._views:
            if view.panel.space == "data":
                view.fit_view()
            if view.panel.key in layout.viewports:  # only now, since some canvases fit themselves to their first frame
                view.restore_viewport(layout.viewports[view.panel.key])
            view.light_points(np.array(layout.pinned, dtype=np.intp))
            view.legend.place(anew=True)

    def steady(self, steps: Sequence[int]) -> None:
        """Keep room for the longest caption of these steps, so that nothing moves from one to the next."""
        self.reserve(max(self.caption_height(self._timeline.frame(step)) for step in steps))

    def caption_height(self, frame: Frame) -> int:
        """The room that the caption of a frame takes."""
        self.caption.setText(_caption(self._method, frame))
        return min(self.caption.heightForWidth(self.caption.width()), self.height() // 3)

    def reserve(self, height: int) -> None:
        """Keep this room for the caption."""
        self.caption.setFixedHeight(height)

    def rename(self, title: str) -> None:
        """Another title, shortened where the page is narrow."""
        room = self.width() - 4 * SPACING
        self.title.ensurePolished()
        self.title.setText(self.title.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, room))

    def become_thumbnail(self) -> None:
        """Without legends and axes: in a small picture they could not be read."""
        for view in self._views:
            view.legend.hide_for(True)
            for side in ("left", "bottom"):
                view.hideAxis(side)

    def _hold_out(self) -> None:
        """Points that the evaluation keeps away from training are hollow, as in the window."""
        plane = self._compositor.data_canvas
        if self._settings is not None and isinstance(plane, PlaneView):
            plane.hold_out(held_out_points(self._document.points, self._document.seed, self._settings))

    def _draws_line(self) -> bool:
        """Whether the threshold of the evaluation is drawn among the data."""
        classes = scores_classes(self._method, self._document.data)
        judged = classes and self._settings is not None and not self._settings.every_class
        return judged or self._look.threshold is not None

    def _question(self, frame: Frame) -> EvaluationRequest | None:
        document, settings = self._document, self._settings
        if settings is None or (self._scores is not None and self._scores.source == settings.source):
            return None
        snapshot = frame.snapshot
        run = (self._method, document.points, document.make_params(), document.seed)
        return EvaluationRequest(*run, snapshot.model, settings.source, None, None, settings.folds, settings.held_out)

    def _shorten_titles(self) -> None:
        """A long title would make a small view wider than its place, and a long name would be cut off at its axis."""
        font = QFont()
        font.setPointSizeF(self._theme.font)
        for view in self._views:
            if view.panel.key == self._compositor.order.large or self._look.only:
                continue
            room = max(view.width() - 8 * self._theme.font, view.getAxis("bottom").width() - self._theme.font, 40)
            title = QFontMetricsF(font).elidedText(view.panel.title, Qt.TextElideMode.ElideRight, room)
            view.setTitle(markup(title), color=self._theme.text, size=f"{self._theme.font:.0f}pt")
            for side, length in (("left", view.height() - 1.5 * self._theme.font), ("bottom", room)):
                name = view.getAxis(side).labelText
                short = QFontMetricsF(font).elidedText(name, Qt.TextElideMode.ElideRight, max(length, 20))
                if short != name:
                    view.setLabel(side, short)

    def _make_views(self) -> list[Canvas]:
        """A canvas for the large view, and one for every further panel that has something to show at the end."""
        last = self._timeline.frame(len(self._timeline) - 1).snapshot
        compositor, look = self._compositor, self._look
        order, panels = compositor.order, compositor.panels
        used = [key for key in panels if key == order.large or compositor.has_something(last, key)]
        used.sort(key=lambda key: key != order.large)
        small = len(used) + (order.large != CURVES) - (order.large in panels)
        page = Page(look.size, self._theme.font, look.words, self._settings is not None and order.large != EVALUATION)
        self._places = ALONE if look.bare else page.compose(small, order.fraction)
        most = self._places.count - (order.large != CURVES and self._places.count > 0)  # the curves take a place
        used = used[: most + (order.large in panels)]
        if look.only:
            used = [key for key in panels if key == look.only]
        views = []
        for key in used:
            view = compositor.canvas(key)
            view.legend.folds = False
            if isinstance(view, PlaneView):
                view.note.setVisible(
                    look.words
                )  # else it would hide points of a small picture, which has its own words
            if key != order.large and not look.only:
                view.setTitle(" ", size=f"{self._theme.font:.0f}pt")  # keeps its room; written when that is known
            views.append(view)
        return views

    def _arrange(self) -> None:
        theme = self._theme
        self.setStyleSheet(
            f"#figure {{ background: {'transparent' if self._look.transparent else theme.surface}; }}"
            f"#figure_title {{ color: {theme.text}; font-size: {theme.font * 1.4:.0f}pt; font-weight: 600; }}"
            f"#figure_caption {{ color: {theme.text}; font-size: {theme.font:.0f}pt; }}"
        )
        column = self._column = QVBoxLayout(self)
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # the size is the caller's, however small
        column.setContentsMargins(2 * SPACING, SPACING, 2 * SPACING, SPACING)
        column.setSpacing(SPACING)
        large, small = self._parts()
        column.addWidget(self.title)
        upper, lower, beside = QHBoxLayout(), QHBoxLayout(), self._places.beside if small else 0
        upper.addWidget(large, stretch=self._places.large)
        if beside:
            edge = QVBoxLayout()
            upper.addLayout(edge, stretch=self._places.small)
            for view in small[:beside]:
                edge.addWidget(view, stretch=1)
        for view in small[beside:]:
            lower.addWidget(view, stretch=1)
        column.addLayout(upper, stretch=self._places.large)
        if small:
            column.addLayout(lower, stretch=self._places.small)
        if self.evaluation is not None and large is not self.evaluation:
            column.addWidget(self.evaluation, stretch=self._places.small)
        column.addWidget(self.caption)
        self.title.setVisible(self._look.words)
        self.caption.setVisible(self._look.words)
        for view in (large, *small):  # the places have their parts of the page, whatever the views would like
            view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        for view in small:  # but none is cut off at its foot
            view.setMinimumHeight(view.minimumSizeHint().height())
        self.curves.setParent(self)
        self.curves.setVisible(self.curves in (large, *small))

    def _parts(self) -> tuple[QWidget, list[QWidget]]:
        """The large view, and those that stand around it."""
        only = self._look.only
        if only:
            return self.evaluation or (self.curves if only == CURVES else self._views[0]), []
        others = {CURVES: self.curves, EVALUATION: self.evaluation}
        large = others.get(self._compositor.order.large) or self._views[0]
        curves = [self.curves] if self._places.count and large is not self.curves else []
        return large, [*(view for view in self._views if view is not large), *curves]


def _caption(method: Algorithm, frame: Frame) -> str:
    """The step, what the method counts where the sentence does not say it itself, and the sentence.

    A sentence that begins with a count of its own stands apart: Step 541 · After 270 steps ...
    """
    words, counted = frame.snapshot.caption, method.counted_at(frame.snapshot.model)
    if words.startswith(f"Step {frame.step}:"):
        return words
    also = f" ({counted})" if counted and not words.lower().startswith(counted) else ""
    counts = re.match(r"[A-Z][a-z]+ \d", words) is not None
    return f"Step {frame.step}{also}{' · ' if counts else ': '}{words}"


def _at_rest(mark: Mark) -> Mark:
    """A mark without its handle: nothing can be dragged in a picture, so nothing in it says so."""
    return replace(mark, handle="") if getattr(mark, "handle", "") else mark
