"""Several settings on one page: a figure of each, side by side at the same time, and where they differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPoint, QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath
from PySide6.QtWidgets import QLayout, QSizePolicy, QVBoxLayout

from mlviz.export.differences import draw_difference
from mlviz.export.figure import CELL, Figure, Look, grid_of
from mlviz.export.model_queries import Answers, ModelQueries
from mlviz.export.painted import PaintedWidget
from mlviz.session.comparison import columns_for, names_of, shares_threshold
from mlviz.session.document import Document
from mlviz.session.layout import Viewport
from mlviz.session.rasters import RasterRequest, Slot
from mlviz.session.scoring import Threshold
from mlviz.views.canvas import Canvas
from mlviz.views.canvases import make_canvas
from mlviz.views.difference import DifferenceView
from mlviz.views.plain_text import PlainLabel
from mlviz.views.scene import Scene
from mlviz.views.theme import SPACING
from mlviz.views.two_maps import PANEL as MAPS
from mlviz.worker.difference import Answerer, Difference, DifferenceRequest, decision_line, difference, sort_of, why_not
from mlviz.worker.shared_run import SharedFrame, SharedRun
from mlviz.worker.timeline import Frame

LINES = 9.0
"""Font sizes of the height that the title and the caption of a figure take."""


@dataclass(frozen=True, slots=True)
class SharedAnswers(Answers):
    """What each of the models has answered, and where they differ."""

    parts: tuple[Answers, ...] = ()
    difference: Difference | None = None


@dataclass(frozen=True, slots=True)
class SharedQueries(ModelQueries):
    """The questions to each of the models, and the one to all of them."""

    parts: tuple[ModelQueries, ...] = ()
    difference: DifferenceRequest | None = None

    def answered(self) -> SharedAnswers:
        """Work everything out, in this thread."""
        parts = tuple(part.answered() for part in self.parts)
        found = None if self.difference is None else difference(self.difference)
        if found is not None and found.error is not None:
            raise found.error
        return SharedAnswers({}, None, parts, found)


class ComparedFigure:
    """Draws the frames of several runs as a grid of figures; for whoever writes files it is like one figure."""

    def __init__(self, run: SharedRun, look: Look) -> None:
        document = run.document
        self._run, self._look = run, look
        self._steady = False
        data = document.data.name
        names = names_of(document.settings)
        self.title = PlainLabel(" | ".join(names) + f" · {data}", objectName="figure_title")
        methods = tuple(setting.method for setting in document.settings)
        mapped = document.comparison.difference and not why_not(methods, document.data)
        places = _places(len(names) + mapped, look.size, LINES * look.theme.font if look.words else 0.0)
        looks = [self._look_at(number, place) for number, place in zip(range(len(names)), places, strict=False)]
        self._thresholds = self._shared_thresholds(looks)
        self.figures = [
            Figure(document.at(number), run.engines[number].timeline, self._final(number, own))
            for number, own in enumerate(looks)
        ]
        for figure, name in zip(self.figures, names):
            figure.rename(name)
        at = replace(look, size=_size(places[-1]))
        self.map = DifferenceFigure(document, at, self._thresholds) if mapped else None
        self._parts: list[tuple[PaintedWidget, QPoint]] = [
            (part, place.topLeft().toPoint())
            for part, place in zip([*self.figures, *([self.map] if self.map else [])], places)
        ]

    def _look_at(self, number: int, place: QRectF) -> Look:
        """How one setting is drawn: as its board is looked at, and the data from the same place on all."""
        look, document = self._look, self._run.document
        data, active = document.settings[number].method.data_panel, document.method.data_panel
        viewports: Mapping[str, Viewport] = {}
        if data is not None and active is not None and active.key in look.layout.viewports:
            viewports = {data.key: look.layout.viewports[active.key]}
        board = look.layout.on_board(number, number == document.comparison.place)
        layout = replace(
            look.layout,
            viewports=viewports,
            large=board.large,
            second=board.second,
            curve=board.curve,
            evaluation=board.evaluation,
        )
        bare = place.height() < look.size[1]
        return replace(look, size=_size(place), layout=layout, scores=None, shared=True, bare=bare)

    def _shared_thresholds(self, looks: Sequence[Look]) -> list[Threshold | None]:
        """Where an evaluation is looked at, all settings of its sort decide at its threshold, the active one first."""
        document = self._run.document
        order = sorted(range(len(looks)), key=lambda number: number != document.comparison.place)
        for number in order:
            method = document.settings[number].method
            evaluation = looks[number].settings_of(method, document.data)
            if evaluation is None:
                continue
            model = self._run.engines[number].timeline.frame(0).snapshot.model
            line = decision_line(method, model, document.data, evaluation)
            if line is not None:
                alike = [shares_threshold(method, setting.method) for setting in document.settings]
                return [line if its else None for its in alike]
        return [None] * len(looks)

    def _final(self, number: int, look: Look) -> Look:
        """The look with the threshold; where there is no room for small views, none for a small evaluation either."""
        layout = replace(look.layout, second="") if look.bare else look.layout
        return replace(look, layout=layout, threshold=self._thresholds[number])

    # -- like a figure -------------------------------------------------------------------------------------------

    @property
    def background(self) -> QColor:
        """What is behind everything."""
        return self.figures[0].background

    def size(self) -> QSize:
        """In logical pixels."""
        return QSize(*self._look.size)

    def width(self) -> int:
        """In logical pixels."""
        return self._look.size[0]

    def height(self) -> int:
        """In logical pixels."""
        return self._look.size[1]

    def draw(self) -> QImage:
        """The frames on show with one pixel for each logical one."""
        image = QImage(self.size(), QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(self.background)
        painter = QPainter(image)
        for part, place in self._parts:
            painter.drawImage(place, part.draw())
        painter.end()
        return image if self._look.transparent else image.convertToFormat(QImage.Format.Format_RGB32)

    def paint(self, painter: QPainter) -> Iterator[tuple[int, int]]:
        """Draw them as shapes and texts, in pieces."""
        if self.background.alpha():
            sheet = QPainterPath()
            sheet.addRect(QRectF(QPoint(), self.size()))
            painter.fillPath(sheet, self.background)
        for part, place in self._parts:
            painter.save()
            painter.translate(place)
            try:
                yield from part.paint(painter)
            finally:
                painter.restore()

    def set_frame(self, frame: Frame, cell: float = CELL) -> None:
        """Bring everything to this frame."""
        self.complete(self.begin(frame, cell).answered())

    def begin(self, frame: Frame, cell: float = CELL) -> SharedQueries:
        """Bring every figure to its frame, as far as that is possible without asking the models."""
        assert isinstance(frame, SharedFrame)
        if not self._steady:
            self._reserve([frame])
        parts = tuple(figure.begin(part, cell) for figure, part in zip(self.figures, frame.parts))
        asked: dict[Slot, RasterRequest] = {slot: request for part in parts for slot, request in part.rasters.items()}
        return SharedQueries(asked, None, parts, None if self.map is None else self.map.begin(frame.parts, cell))

    def complete(self, answers: Answers) -> None:
        """Fill in what the models have answered."""
        assert isinstance(answers, SharedAnswers)
        for figure, part in zip(self.figures, answers.parts):
            figure.complete(part)
        if self.map is not None and answers.difference is not None:
            self.map.complete(answers.difference)

    def steady(self, steps: Sequence[int]) -> None:
        """Keep room for the longest caption of these steps."""
        self._reserve([self._run.timeline.frame(step) for step in steps])
        self._steady = True

    def _reserve(self, frames: Sequence[SharedFrame]) -> None:
        """All captions have the same room, so that the pictures stand side by side."""
        pairs = [(figure, part) for frame in frames for figure, part in zip(self.figures, frame.parts)]
        tallest = max(figure.caption_height(part) for figure, part in pairs)
        for figure in self.figures:
            figure.reserve(tallest)

    def become_thumbnail(self) -> None:
        """Without legends and axes: in a small picture they could not be read."""
        for figure in self.figures:
            figure.become_thumbnail()

    def dispose(self) -> None:
        """End the widgets now."""
        for part, _ in self._parts:
            part.dispose()


class DifferenceFigure(PaintedWidget):
    """The map of differences with its title and a sentence."""

    def __init__(self, document: Document, look: Look, thresholds: Sequence[Threshold | None]) -> None:
        super().__init__(look.theme.surface, look.transparent)
        self._document, self._look, self._thresholds = document, look, thresholds
        theme = look.theme.with_classes(document.colours)
        of_maps = sort_of(document.method, document.data) == "maps"
        title = MAPS.title if of_maps else "Where they differ"
        self.title = PlainLabel(title, objectName="figure_title", parent=self)
        self.caption = PlainLabel(objectName="figure_caption", wordWrap=True, parent=self)
        self.caption.setText(" ")
        self.view: Canvas = make_canvas(MAPS, parent=self) if of_maps else DifferenceView(self)
        self.view.set_theme(theme)
        self.view.set_scene(Scene.of(document.data, document.projection, theme))
        self.view.legend.folds = False
        self.view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setStyleSheet(
            f"#figure {{ background: {'transparent' if look.transparent else theme.surface}; }}"
            f"#figure_title {{ color: {theme.text}; font-size: {theme.font * 1.4:.0f}pt; font-weight: 600; }}"
            f"#figure_caption {{ color: {theme.text}; font-size: {theme.font:.0f}pt; }}"
        )
        column = QVBoxLayout(self)
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        column.setContentsMargins(2 * SPACING, SPACING, 2 * SPACING, SPACING)
        column.setSpacing(SPACING)
        column.addWidget(self.title)
        column.addWidget(self.view, 1)
        column.addWidget(self.caption)
        for label in (self.title, self.caption):
            label.setVisible(look.words)
        self.caption.setFixedHeight(2 * self.caption.fontMetrics().lineSpacing() + 4)
        if look.transparent:
            self.clear_backgrounds()
        self.resize(QSize(*look.size))
        self.show()
        self.settle_axes()
        self.view.fit_view()
        active = document.method.data_panel
        if not of_maps and active is not None and active.key in look.layout.viewports:
            self.view.restore_viewport(look.layout.viewports[active.key])
        self.view.light_points(np.array(look.layout.pinned, dtype=np.intp))

    def begin(self, frames: Sequence[Frame], cell: float) -> DifferenceRequest:
        """What has to be asked of the models of these frames."""
        document, view = self._document, self.view
        models = [
            Answerer(setting.method, frame.snapshot.model, threshold)
            for setting, frame, threshold in zip(document.settings, frames, self._thresholds)
        ]
        grid = grid_of(view, cell)
        return DifferenceRequest(tuple(models), document.data, document.projection, view.view_rect(), grid)

    def complete(self, found: Difference) -> None:
        """Draw the map and write the sentence."""
        self.caption.setText(found.words)
        draw_difference(self.view, found, names_of(self._document.settings))


def _places(count: int, size: tuple[int, int], words: float) -> list[QRectF]:
    """Where so many figures stand on a page."""
    columns = columns_for(count, *size, words)
    wide, high = size[0] / columns, size[1] / math.ceil(count / columns)
    corners = [divmod(number, columns) for number in range(count)]
    return [QRectF(round(column * wide), round(row * high), int(wide), int(high)) for row, column in corners]


def _size(place: QRectF) -> tuple[int, int]:
    return int(place.width()), int(place.height())
