"""The pad: a picture is drawn, the method says live what it is, and it can be added to the data.

It is there while the rows of the data are pictures, for every method that predicts or has a map that takes new points;
where several are compared, the picture appears in the map of each. What is drawn is in the numbers of the data: the
least of them is the paper, the largest one the ink.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QButtonGroup,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from algorithms.data import Array, DataError, Points
from algorithms.maths.words import counted, number
from mlviz.session import edits
from mlviz.session.picture import Sketch
from mlviz.ui import icons
from mlviz.ui.controls import ComboBox, PushButton, ToolButton
from mlviz.ui.newcomers import PaneNewcomer
from mlviz.ui.pointer import prediction_name
from mlviz.views.colours import channels
from mlviz.views.pens import make_pen
from mlviz.views.plain_text import PlainLabel
from mlviz.views.theme import LIGHT, SPACING, Theme
from mlviz.worker.newcomer import Reply

if TYPE_CHECKING:
    from mlviz.ui.pane import Pane
    from mlviz.ui.window import MainWindow

QWIDGETSIZE_MAX = (1 << 24) - 1  # Qt's own, which PySide6 does not export
MOST_BARS = 5
"""Classes whose scores are shown, the likeliest first."""
SIDE = 220
"""The side of the sheet, in pixels, at most."""
LOW = 400
"""Below this height of the whole pad what is said stands beside the sheet, which is then as large as fits in."""
LEAST = 120
"""The least height of the sheet, in pixels."""
MOST_UNDONE = 200
"""Strokes that can be taken back."""


class Sheet(QWidget):
    """The sheet of pixels: the left button draws or erases, the right one always erases."""

    drawn = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pad_sheet")
        self.setAccessibleName("Sheet to draw a picture on")
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumSize(LEAST, LEAST)
        self.sketch = Sketch.blank((8, 8))
        self.erasing = False
        self.theme = LIGHT
        self._last: tuple[float, float] | None = None
        self._before: list[Sketch] = []

    def sizeHint(self) -> QSize:
        """A square."""
        return QSize(SIDE, SIDE)

    def set_sketch(self, sketch: Sketch) -> None:
        """Show this."""
        if sketch.shape != self.sketch.shape:
            self._before.clear()
        self.sketch = sketch
        self.update()
        self.drawn.emit()

    @property
    def can_undo(self) -> bool:
        """Whether there is a stroke to be taken back."""
        return bool(self._before)

    def remember(self) -> None:
        """What is drawn now comes back with the next undo."""
        self._before = [*self._before, self.sketch][-MOST_UNDONE:]

    def undo(self) -> None:
        """Take the last stroke back, or the last clearing."""
        if self._before:
            self.set_sketch(self._before.pop())

    def area(self) -> QRectF:
        """Where the pixels are: as large as the widget allows, each of them a square."""
        rows, columns = self.sketch.shape
        side = min((self.width() - 2) / columns, (self.height() - 2) / rows)
        size = QRectF(0, 0, side * columns, side * rows)
        size.moveCenter(QPointF(self.width() / 2, self.height() / 2))
        return size

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The pen goes down."""
        if self._last is None:  # a second button does not begin another stroke
            self.remember()
        self._last = self._place(event)
        self._stroke(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """The pen moves."""
        if self._last is not None:
            self._stroke(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The pen is lifted."""
        self._last = None

    def _place(self, event: QMouseEvent) -> tuple[float, float]:
        area, at = self.area(), event.position()
        return (at.x() - area.left()) / area.width(), (at.y() - area.top()) / area.height()

    def _stroke(self, event: QMouseEvent) -> None:
        place = self._place(event)
        ink = not self.erasing and not event.buttons() & Qt.MouseButton.RightButton
        assert self._last is not None
        self.set_sketch(self.sketch.stroked(self._last, place, ink))
        self._last = place

    def paintEvent(self, event: QPaintEvent) -> None:
        """Every pixel as grey as it will be in the data."""
        theme, area = self.theme, self.area()
        fractions = self.sketch.pixels(0.0, 1.0)[..., None]
        paper, ink = (np.array(channels(colour), dtype=float) for colour in (theme.plot, theme.text))
        colours = np.ascontiguousarray(np.rint(paper + fractions * (ink - paper)).astype(np.uint8))
        rows, columns = self.sketch.shape
        image = QImage(colours.data, columns, rows, 3 * columns, QImage.Format.Format_RGB888)
        painter = QPainter(self)
        painter.drawImage(area, image)
        painter.setPen(make_pen(theme.border, 1.0))
        painter.drawRect(area)
        if self.sketch.is_blank:
            painter.setPen(QColor(theme.muted))
            painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), "Draw here")


class ScoreBars(QWidget):
    """Names with numbers and bars below each other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pad_scores")
        self.rows: tuple[tuple[str, str, float], ...] = ()
        self.theme = LIGHT

    def set_rows(self, rows: tuple[tuple[str, str, float], ...]) -> None:
        """Show these: a name, a number in words and how long its bar is, from 0 to 1."""
        if rows != self.rows:
            self.rows = rows
            self.setAccessibleName(", ".join(f"{name} {number}" for name, number, _ in rows))
            self.setFixedHeight(len(rows) * self._pitch())
            self.update()

    def _pitch(self) -> int:
        return self.fontMetrics().height() + 4

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows."""
        painter, theme, pitch = QPainter(self), self.theme, self._pitch()
        metrics = self.fontMetrics()
        names = min(max((metrics.horizontalAdvance(name) for name, _, _ in self.rows), default=0), self.width() // 3)
        numbers = max((metrics.horizontalAdvance(value) for _, value, _ in self.rows), default=0)
        room = max(self.width() - names - numbers - 2 * SPACING, 0)
        for place, (name, value, fraction) in enumerate(self.rows):
            line = QRectF(0, place * pitch, self.width(), pitch)
            painter.setPen(QColor(theme.text))
            name = metrics.elidedText(name, Qt.TextElideMode.ElideRight, names)
            painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter), name)
            painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), value)
            bar = QRectF(names + SPACING, line.top() + 0.25 * pitch, max(room * fraction, 1.0), 0.5 * pitch)
            painter.fillRect(bar, QColor(theme.accent if place == 0 else theme.faint(theme.accent, 0.5)))


class Pad(QWidget):
    """The sheet, its tools, what the method says of it, and the button that adds it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self.setObjectName("pad")
        self._window = window
        self._newcomers: dict[Pane, PaneNewcomer] = {}
        self.sheet = Sheet(self)
        self.brush_button = self._tool("pad_brush", "relabel", "Draw with the left button; the right one erases")
        self.eraser_button = self._tool("pad_eraser", "erase", "Erase")
        self.undo_button = self._tool("pad_undo", "undo", "Take the last stroke back", checkable=False)
        self.clear_button = PushButton("Clear", self)
        self.clear_button.setObjectName("pad_clear")
        self.class_box = ComboBox(self)
        self.class_box.setObjectName("pad_class")
        self.class_box.setAccessibleName("Class of the new picture")
        self.add_button = PushButton("Add to the data", self)
        self.add_button.setObjectName("pad_add")
        self.answer = PlainLabel(objectName="pad_answer", wordWrap=True)
        self.scores = ScoreBars(self)
        self._lay_out()
        self.sheet.drawn.connect(self._drawn)
        self.undo_button.clicked.connect(self.sheet.undo)
        self.clear_button.clicked.connect(self.clear)
        self.add_button.clicked.connect(self.add)
        self.class_box.activated.connect(window.drawing.choose_class)
        window.drawing.changed.connect(self._show_classes)
        self._show_classes()
        self._drawn()

    def _tool(self, name: str, icon: str, tip: str, checkable: bool = True) -> ToolButton:
        button = ToolButton(self)
        button.setObjectName(name)
        button.setProperty("role", "tool")
        button.setProperty("icon_name", icon)
        button.setCheckable(checkable)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        return button

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        self._tools = QButtonGroup(self)
        for button in (self.brush_button, self.eraser_button):
            self._tools.addButton(button)
            tools.addWidget(button)
        self.brush_button.setChecked(True)
        self.eraser_button.toggled.connect(self._take_tool)
        tools.addStretch(1)
        tools.addWidget(self.undo_button)
        tools.addWidget(self.clear_button)
        last = QHBoxLayout()
        last.addWidget(self.class_box, 1)
        last.addWidget(self.add_button)
        page = QWidget(objectName="pad_page")  # it scrolls, or the sheet would take the room of what happens
        page.setProperty("role", "page")
        area = QScrollArea(objectName="pad_scroll", widgetResizable=True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area)
        column = QVBoxLayout(page)
        column.addLayout(tools)
        self._middle = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._middle.addWidget(self.sheet)
        said = QVBoxLayout()
        said.addWidget(self.answer)
        said.addWidget(self.scores)
        said.addStretch(1)
        self._middle.addLayout(said, 1)
        column.addLayout(self._middle)
        column.addLayout(last)
        column.addStretch(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """All of the sheet is in view, or nobody could draw on it without scrolling."""
        super().resizeEvent(event)
        low = self.height() < LOW
        direction = QBoxLayout.Direction
        self._middle.setDirection(direction.LeftToRight if low else direction.TopToBottom)
        room = self.height() - self.clear_button.sizeHint().height() - 4 * SPACING
        side = max(LEAST, min(SIDE, room)) if low else SIDE
        self.sheet.setFixedHeight(side)
        self.sheet.setMaximumWidth(min(side, self.width() // 2) if low else QWIDGETSIZE_MAX)

    def set_theme(self, theme: Theme) -> None:
        """Colours from now on."""
        self.sheet.theme = self.scores.theme = theme
        for button in (self.brush_button, self.eraser_button, self.undo_button):
            button.setIcon(icons.icon(button.property("icon_name"), theme))
        self.update()

    def close(self) -> bool:
        """End the threads."""
        for newcomer in self._newcomers.values():
            newcomer.close()
        return super().close()

    # -- the picture ---------------------------------------------------------------------------------------------

    @property
    def points(self) -> Points | None:
        """The data, where their rows are pictures."""
        data = self._window.document.data
        return data if isinstance(data, Points) and data.image_shape is not None else None

    def show_document(self) -> None:
        """The window has another document: the sheet has the shape of its pictures."""
        points = self.points
        if points is not None and points.image_shape is not None and self.sheet.sketch.shape != points.image_shape:
            self.sheet.set_sketch(Sketch.blank(points.image_shape))
        for newcomer in self._newcomers.values():
            newcomer.forget()
        self._drawn()

    def row(self) -> Array:
        """What is drawn as the features of a point (d,), on the scale of the document."""
        assert self.points is not None
        scaling = self._window.document.scaling
        pixels = self.sheet.sketch.pixels(*edits.levels(scaling.undone(self.points)))
        return scaling.applied(pixels.reshape(1, -1))[0]

    @Slot()
    def clear(self) -> None:
        """An empty sheet."""
        if not self.sheet.sketch.is_blank:
            self.sheet.remember()
        self.sheet.set_sketch(Sketch.blank(self.sheet.sketch.shape))

    @Slot()
    def add(self) -> None:
        """Make what is drawn a point of the chosen class; one undo step."""
        window, points = self._window, self.points
        if points is None or self.sheet.sketch.is_blank:
            return
        try:
            data = edits.with_row(points, self.row(), window.drawing.group)
        except DataError as error:
            window.statusBar().showMessage(str(error), 6000)
            return
        origin = np.append(np.arange(points.n), -1)
        window.apply(window.document.with_data(data), "add a picture", origin=origin)
        self.clear()

    @Slot(bool)
    def _take_tool(self, erases: bool) -> None:
        self.sheet.erasing = erases

    @Slot()
    def _show_classes(self) -> None:
        classes, group = self._window.drawing.classes, self._window.drawing.group
        if [self.class_box.itemText(number) for number in range(self.class_box.count())] != list(classes):
            self.class_box.clear()
            self.class_box.addItems(list(classes))
        self.class_box.setVisible(bool(classes))
        self.class_box.setCurrentIndex(group)

    @Slot()
    def _drawn(self) -> None:
        blank = self.sheet.sketch.is_blank
        self.add_button.setEnabled(not blank and self.points is not None)
        self.undo_button.setEnabled(self.sheet.can_undo)
        if blank:
            self.answer.setText("What is drawn is shown to the method at once.")
            self.scores.set_rows(())
        self._window.ticker.start()

    # -- what the method says ------------------------------------------------------------------------------------

    def poll(self) -> None:
        """Ask every board when the picture or its model is another one; show what the active one replies."""
        seen = self.isVisible() and self.points is not None and not self.sheet.sketch.is_blank
        boards, document = self._window.boards, self._window.document
        for pane, newcomer in self._newcomers.items():
            if not seen or pane not in boards.panes:
                newcomer.unmark()
        if not seen:
            return
        for place, pane in enumerate(boards.panes):
            if pane not in self._newcomers:
                self._newcomers[pane] = PaneNewcomer(pane)
            reply = self._newcomers[pane].poll(document.at(place), self.sheet.sketch, self.row)
            if reply is not None and pane is boards.active:
                self._show(reply)

    def _show(self, reply: Reply) -> None:
        if reply.error is not None and not isinstance(reply.error, DataError):
            raise reply.error
        method, points = reply.newcomer.algorithm, self.points
        assert points is not None
        if reply.error is not None:
            self.answer.setText(str(reply.error))
        elif reply.prediction is not None:
            self.answer.setText(f"predicted {prediction_name(method, points, reply.prediction)}")
        elif reply.place is not None and not self._newcomers[self._window.boards.active].in_map:
            self.answer.setText(f"{method.title} describes it by {_numbers(reply.place)}.")
        elif reply.place is not None:
            self.answer.setText(f"Its position in the map is marked with a cross{_beside(reply, points)}.")
        else:
            self.answer.setText(f"{method.title} says nothing about points that are not among the data.")
        self.scores.set_rows(_score_rows(reply, points))


def _numbers(place: Array) -> str:
    """How many numbers these are, and the first ones."""
    listed = ", ".join(number(value) for value in place[:MOST_BARS])
    return f"{counted(len(place), 'number')}: {listed}{', …' if len(place) > MOST_BARS else ''}"


def _beside(reply: Reply, points: Points) -> str:
    """Of which class the nearest point in the map is, where the method keeps the places of all points."""
    places = getattr(reply.newcomer.model, "embedding", None)
    if reply.place is None or points.y is None or not points.is_labelled:
        return ""
    if not isinstance(places, np.ndarray) or places.shape != (points.n, len(reply.place)):
        return ""
    nearest = int(np.square(places - reply.place).sum(axis=1).argmin())
    return f", beside a point of class {points.classes[int(points.y[nearest])]}"


def _score_rows(reply: Reply, points: Points) -> tuple[tuple[str, str, float], ...]:
    """The scores of the classes, the highest first; a single number where there is no class for each."""
    kind, scores = reply.newcomer.algorithm.scores_on(points), reply.scores
    if scores is None or not kind:
        return ()
    if kind == "probability" and len(scores) == 1 and len(points.classes) == 2:
        scores = np.array([1.0 - scores[0], scores[0]])
    if len(scores) == 1:
        return ((kind, f"{scores[0]:.4g}", 0.0),)
    labelled = reply.newcomer.algorithm.target in ("classes", "any") and len(points.classes) == len(scores)
    names = points.classes if labelled else [str(number + 1) for number in range(len(scores))]
    low, span = (0.0, 1.0) if kind == "probability" else (float(scores.min()), float(np.ptp(scores)) or 1.0)
    best = np.argsort(-scores, kind="stable")[:MOST_BARS].tolist()
    form = "{:.1%}" if kind == "probability" else "{:.4g}"
    return tuple((names[k], form.format(scores[k]), float(np.clip((scores[k] - low) / span, 0.0, 1.0))) for k in best)
