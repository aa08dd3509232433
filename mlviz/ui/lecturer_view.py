"""For the lecturer alone, on another screen than the class: the note, the question, and what comes next."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QPixmap, QScreen
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from mlviz.session.lesson import Lesson, Slide
from mlviz.views.plain_text import PlainLabel
from mlviz.views.theme import SPACING, Theme

NEXT = QSize(240, 150)


def other_screen(window: QWidget) -> QScreen | None:
    """A screen that does not show the window, if there is one."""
    return next((screen for screen in QGuiApplication.screens() if screen is not window.screen()), None)


class LecturerView(QWidget):
    """A window of its own; closing it changes nothing."""

    def __init__(self, picture: Callable[[Slide], QPixmap | None], owner: QWidget) -> None:
        # the keys stay with the board, also after a click
        super().__init__(owner, Qt.WindowType.Window | Qt.WindowType.WindowDoesNotAcceptFocus)
        self.setObjectName("lecturer_view")
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setWindowTitle("Notes – mlviz")
        self._picture = picture
        self.title, self.question, self.note = (
            PlainLabel(objectName=f"lecturer_{name}", wordWrap=True, alignment=Qt.AlignmentFlag.AlignTop)
            for name in ("title", "question", "note")
        )
        self.next_title = PlainLabel(objectName="lecturer_next", wordWrap=True)
        self.next_picture = PlainLabel()
        words = QWidget()
        column = QVBoxLayout(words)
        column.setSpacing(2 * SPACING)
        for label in (self.title, self.question, self.note):
            column.addWidget(label)
        column.addStretch()
        # a click into it would have the whole view ask for the keyboard, which it does not take
        scroll = QScrollArea(widgetResizable=True, focusPolicy=Qt.FocusPolicy.NoFocus)
        scroll.setWidget(words)
        row = QHBoxLayout()
        row.addWidget(self.next_picture)
        row.addWidget(self.next_title, stretch=1)
        whole = QVBoxLayout(self)
        whole.addWidget(scroll, stretch=1)
        whole.addLayout(row)
        self.resize(640, 560)

    def set_theme(self, theme: Theme) -> None:
        """Letters that can be read from where one stands."""
        size = max(theme.font, 11.0)
        self.setStyleSheet(f"#lecturer_view {{ background: {theme.window}; }}")
        self.title.setStyleSheet(f"font-size: {size * 1.1:g}pt; color: {theme.muted};")
        self.question.setStyleSheet(f"font-size: {size * 1.1:g}pt; font-weight: 600;")
        self.note.setStyleSheet(f"font-size: {size * 1.35:g}pt;")
        self.next_title.setStyleSheet(f"font-size: {size:g}pt; color: {theme.muted};")

    def show_lesson(self, lesson: Lesson) -> None:
        """The current slide in words, and the next one."""
        slide = lesson.slide
        if slide is None:
            self.hide()
            return
        self.title.setText(f"{lesson.current + 1} / {len(lesson)}   {slide.title}")
        self.question.setText(slide.question)
        self.note.setText(slide.note)
        later = lesson.slides[lesson.current + 1] if lesson.current + 1 < len(lesson) else None
        self.next_title.setText("The end of the lesson." if later is None else f"Next: {later.title}")
        picture = None if later is None else self._picture(later)
        self.next_picture.setPixmap(
            QPixmap()
            if picture is None or picture.isNull()
            else picture.scaled(NEXT, mode=Qt.TransformationMode.SmoothTransformation)
        )
        self.next_picture.setVisible(picture is not None)

    def show_on(self, screen: QScreen | None) -> None:
        """Show it, on another screen where there is one, else above the window also where that is full screen."""
        kinds = Qt.WindowType
        kind = kinds.Window if screen is not None else kinds.Tool | kinds.WindowStaysOnTopHint
        if self.windowFlags() & kind != kind or self.windowType() != kind & kinds.WindowType_Mask:
            self.setWindowFlags(kind | kinds.WindowDoesNotAcceptFocus)
        if screen is not None:
            self.setGeometry(screen.availableGeometry().adjusted(40, 40, -40, -40))
        self.show()
        self.raise_()
