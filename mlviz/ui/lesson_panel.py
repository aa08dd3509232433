"""The dock of a lesson: its strip of slides, what can be done to them, and the words of the current one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from mlviz.session.document import Document
from mlviz.session.lesson import MAX_NOTE, MAX_QUESTION, MAX_TITLE, NO_LESSON, Slide
from mlviz.ui.actions import Actions
from mlviz.ui.controls import PushButton, ToolButton, WrappedLabel, claims, let_go
from mlviz.ui.lesson_strip import SlideStrip
from mlviz.views.plain_text import PlainLabel, plain
from mlviz.views.theme import SPACING, Theme

ESCAPE = frozenset((Qt.Key.Key_Escape,))
BUTTONS = ("slide_update", "slide_up", "slide_down", "slide_delete")
OFFERED = ("slide_rename", "slide_duplicate", "slide_up", "slide_down", "slide_delete", "lesson_rename", "lesson_new")
"""What a right click on a slide offers."""
EMPTY = (
    "A lesson is a row of states: data, method, parameters, seed and step, each with a title, a question for the class "
    "and a note for you.\n\nBring the board to where the lesson begins, and add it."
)


class WordsEdit(QPlainTextEdit):
    """Some lines of text. Undo is that of the window; Escape gives the keyboard back to the board."""

    def __init__(self, name: str, hint: str, most: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(hint)
        self.setPlaceholderText(hint)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self._most = most

    def set_words(self, text: str) -> None:
        """Show another text; the cursor stays where it is in the text that is being written."""
        if self.toPlainText().strip()[: self._most] != text:
            self.setPlainText(text)

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window; Escape is for the text."""
        if claims(event, ESCAPE):
            return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _undoes(event):
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape ends the writing."""
        if event.key() == Qt.Key.Key_Escape:
            let_go(self)
        else:
            super().keyPressEvent(event)


def _undoes(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)


class LessonPanel(QWidget):
    """Shows the lesson of a document. What the user wants to do to it is told by signals and actions."""

    worded = Signal(str, str)
    """One of the texts of the current slide (``title``, ``question``, ``note``) is another one."""
    named = Signal(str)
    """The title of the lesson is another one."""

    def __init__(self, picture: Callable[[Slide], QPixmap | None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lesson_panel")
        self.strip = SlideStrip(picture, self)
        self.name = QLineEdit(objectName="lesson_title", placeholderText="Title of the lesson", maxLength=MAX_TITLE)
        self.name.setAccessibleName("Title of the lesson")
        self.hint = WrappedLabel("muted")
        self.hint.setText(EMPTY)
        self.title = QLineEdit(objectName="slide_title", placeholderText="Title", maxLength=MAX_TITLE)
        self.title.setAccessibleName("Title of the slide")
        self.question = WordsEdit("slide_question", "Question, shown to the class", MAX_QUESTION, self)
        self.note = WordsEdit("slide_note", "Note, for you alone", MAX_NOTE, self)
        self.count = PlainLabel(objectName="slide_count")
        self.count.setProperty("role", "muted")
        self.add_button = PushButton("Add this state")
        self.add_button.setObjectName("slide_add_button")
        self._tools = {name: ToolButton(self) for name in BUTTONS}
        self._filling = False
        self._arrange()
        self.title.textEdited.connect(self._title_edited)
        self.title.returnPressed.connect(self._title_done)
        self.name.textEdited.connect(self.named)
        self.name.returnPressed.connect(self._name_done)
        self.question.textChanged.connect(self._question_edited)
        self.note.textChanged.connect(self._note_edited)
        self.strip.renamed.connect(self.rename)
        self.show_document(None)

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(1)
        row.addWidget(self.add_button, stretch=1)
        for name, button in self._tools.items():
            button.setObjectName(f"button_{name}")
            button.setProperty("role", "tool")
            button.setIconSize(QSize(18, 18))
            row.addWidget(button)
        self.words = QWidget()
        column = QVBoxLayout(self.words)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACING // 2)
        column.addWidget(self.count)
        column.addWidget(self.title)
        column.addWidget(self.question, stretch=2)
        column.addWidget(self.note, stretch=3)
        self.splitter = QSplitter(Qt.Orientation.Vertical, objectName="lesson_splitter", childrenCollapsible=False)
        self.splitter.addWidget(self.strip)
        self.splitter.addWidget(self.words)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        self.splitter.setSizes([300, 200])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(SPACING, SPACING // 2, SPACING, SPACING)
        whole.setSpacing(SPACING)
        whole.addLayout(row)
        whole.addWidget(self.hint)
        whole.addWidget(self.name)
        whole.addWidget(self.splitter, stretch=1)
        whole.addStretch()

    def use(self, actions: Actions) -> None:
        """Give the buttons their actions."""
        self.add_button.clicked.connect(actions["slide_add"].trigger)
        self.add_button.setToolTip(plain(actions["slide_add"].text()))
        for name, button in self._tools.items():
            button.setDefaultAction(actions[name])
        self.strip.addActions([actions[name] for name in OFFERED])

    def sizeHint(self) -> QSize:
        """As wide as a thumbnail with its title."""
        return QSize(self.fontMetrics().averageCharWidth() * 34, self.fontMetrics().height() * 24)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.strip.set_theme(theme)
        least = round(theme.font * 4.6)
        self.question.setMinimumHeight(least)
        self.note.setMinimumHeight(least)

    def show_document(self, document: Document | None) -> None:
        """Show the lesson of the document."""
        lesson = NO_LESSON if document is None else document.lesson
        slide = lesson.slide
        self.strip.show_lesson(lesson, changed=document is not None and not document.shows(slide))
        self.hint.setVisible(slide is None)
        self.splitter.setVisible(slide is not None)
        self.name.setVisible(slide is not None)
        self._filling = True
        try:
            for line, text in ((self.name, lesson.title), (self.title, "" if slide is None else slide.title)):
                if " ".join(line.text().split()) != text:
                    line.setText(text)
            self.question.set_words("" if slide is None else slide.question)
            self.note.set_words("" if slide is None else slide.note)
            self.count.setText("" if slide is None else f"Slide {lesson.current + 1} of {len(lesson)}")
        finally:
            self._filling = False

    @Slot()
    def rename(self) -> None:
        """Take the title in hand."""
        self.title.setFocus()
        self.title.selectAll()

    def rename_lesson(self) -> None:
        """Take the title of the lesson in hand."""
        self.name.setFocus()
        self.name.selectAll()

    @Slot(str)
    def _title_edited(self, text: str) -> None:
        self.worded.emit("title", text)

    @Slot()
    def _title_done(self) -> None:
        let_go(self.title)

    @Slot()
    def _name_done(self) -> None:
        let_go(self.name)

    @Slot()
    def _question_edited(self) -> None:
        if not self._filling:
            self.worded.emit("question", self.question.toPlainText())

    @Slot()
    def _note_edited(self) -> None:
        if not self._filling:
            self.worded.emit("note", self.note.toPlainText())
