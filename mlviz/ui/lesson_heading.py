"""Above the board while a lesson is presented: the title of the slide, and its question in large letters. No note."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QMainWindow, QSizePolicy, QToolBar, QWidget

from mlviz.session.lesson import Lesson
from mlviz.views.plain_text import PlainLabel
from mlviz.views.theme import LIGHT, SPACING, Theme

TALLEST = 0.25
"""How much of the height of the window the words may take."""
SIZES, LINES = (1.35, 1.15, 1.0, 0.85), 2
"""Letters of a question in units of the theme's font: the largest with which it has so many lines, or the smallest."""


class LessonHeading(QToolBar):
    """A bar that is there only while it is needed."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__("Lesson heading", window, objectName="lesson_heading", movable=False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.toggleViewAction().setVisible(False)
        self.words = _Words(self)
        self.addWidget(self.words)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.words.set_theme(theme)

    def show_lesson(self, lesson: Lesson, presenting: bool) -> None:
        """Show the words of the current slide while a lesson is presented."""
        slide = lesson.slide
        if slide is not None and presenting:
            self.words.say(slide.title, slide.question, f"{lesson.current + 1} / {len(lesson)}")
        self.setVisible(slide is not None and presenting)


class _Words(QWidget):
    """As tall as its lines need: a tool bar does not ask for that itself."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._theme = LIGHT
        self.title = PlainLabel(objectName="heading_title")
        self.count = PlainLabel(objectName="heading_count", alignment=Qt.AlignmentFlag.AlignRight)
        self.question = PlainLabel(objectName="heading_question", wordWrap=True, alignment=Qt.AlignmentFlag.AlignTop)
        self.question.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        grid = QGridLayout(self)
        grid.setContentsMargins(SPACING, 0, SPACING, 0)
        grid.setVerticalSpacing(2)
        grid.addWidget(self.title, 0, 0)
        grid.addWidget(self.count, 0, 1)
        grid.addWidget(self.question, 1, 0, 1, 2)
        grid.setColumnStretch(0, 1)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for label in (self.title, self.count):
            label.setStyleSheet(f"color: {theme.muted}; font-size: {theme.letters(0.8):g}pt;")
        self._fit()

    def say(self, title: str, question: str, count: str) -> None:
        self.title.setText(title)
        self.question.setText(question)
        self.count.setText(count)
        self.question.setVisible(bool(question))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Choose the letters, and take the height that they need."""
        self.title.ensurePolished()
        height = self.title.sizeHint().height()
        if self.question.text():
            size, taken = self._letters(max(self.width() - 2 * SPACING, 1))
            style = f"font-size: {size:g}pt; font-weight: 600;"
            if style != self.question.styleSheet():
                self.question.setStyleSheet(style)
            height += 2 + taken
        self.setFixedHeight(min(height, round(self.window().height() * TALLEST)))

    def _letters(self, width: int) -> tuple[float, int]:
        """How large the letters of the question are, in points, and how high it then is."""
        size, height = 0.0, 0
        for factor in SIZES:
            size = self._theme.letters(factor)
            font = QFont(self.question.font())
            font.setPointSizeF(size)
            font.setWeight(QFont.Weight.DemiBold)
            metrics = QFontMetrics(font)
            room = QRect(0, 0, width, 10_000)
            height = metrics.boundingRect(room, int(Qt.TextFlag.TextWordWrap), self.question.text()).height()
            if height < (LINES + 0.5) * metrics.lineSpacing():
                break
        return size, height
