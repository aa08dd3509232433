"""Lessons: add, go to, order, rename and delete slides. Every change is a new document, undone like any other."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QDockWidget

from mlviz.paths import assets
from mlviz.session.document import Document
from mlviz.session.lesson import MAX_SLIDES, NO_LESSON, Lesson, Slide
from mlviz.ui.actions import ActionSpec
from mlviz.ui.cross_fade import CrossFade
from mlviz.ui.lecturer_view import LecturerView, other_screen
from mlviz.ui.lesson_heading import LessonHeading
from mlviz.ui.lesson_panel import LessonPanel
from mlviz.ui.slide_thumbnails import SlideThumbnails
from mlviz.views.theme import Theme

if TYPE_CHECKING:
    from mlviz.ui.start_page import StartPage
    from mlviz.ui.window import MainWindow

MENU = "&Lesson"
NEED_A_LESSON = (
    *("lesson_new", "lesson_rename", "slide_duplicate", "slide_update", "slide_rename", "slide_delete"),
    "lecturer_notes",
)
OWN = "This is your own copy from now on; the lesson of the program stays as it is."


class LessonController(QObject):
    """Keeps the panel and the document's lesson together."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.thumbnails = SlideThumbnails(self._quiet, self)
        self.start_page: StartPage | None = None
        self.notes: LecturerView | None = None
        self._presented = False
        self.heading = LessonHeading(window)
        self.panel = LessonPanel(self.thumbnails.picture)
        self.thumbnails.drawn.connect(self.panel.strip.slides.redraw)
        self.panel.strip.chosen.connect(self.go)
        self.panel.strip.slides.moved.connect(self.move)
        self.panel.worded.connect(self.set_words)
        self.panel.named.connect(self.set_title)

    def specs(self) -> tuple[ActionSpec, ...]:
        """What can be done to a lesson."""
        return (
            ActionSpec("lessons", MENU, "Lessons and recent files…", self.show_start_page, "Ctrl+Shift+L", "lesson"),
            ActionSpec("lesson_new", MENU, "New lesson", self.new, "Ctrl+Alt+N"),
            ActionSpec("lesson_rename", MENU, "Title of the lesson", self.rename_lesson),
            ActionSpec("slide_add", MENU, "Add this state to the lesson", self.add, "Ctrl+M", "add", separated=True),
            ActionSpec("slide_duplicate", MENU, "Duplicate the slide", self.duplicate, "Ctrl+Alt+M"),
            ActionSpec("slide_update", MENU, "Bring the slide up to this state", self.update, "Ctrl+Shift+M", "update"),
            ActionSpec("slide_rename", MENU, "Title of the slide", self.rename),
            ActionSpec("slide_delete", MENU, "Delete the slide", self.delete, "Ctrl+Delete", "delete"),
            ActionSpec(
                "lecturer_notes",
                MENU,
                "Notes in a window of their own",
                self.toggle_notes,
                "Ctrl+Shift+N",
                checkable=True,
            ),
            ActionSpec("slide_next", MENU, "Next slide", partial(self.turn, 1), "Ctrl+PgDown", separated=True),
            ActionSpec("slide_previous", MENU, "Previous slide", partial(self.turn, -1), "Ctrl+PgUp"),
            ActionSpec("slide_up", MENU, "Move the slide up", partial(self.shift, -1), "Ctrl+Shift+PgUp", "up"),
            ActionSpec("slide_down", MENU, "Move the slide down", partial(self.shift, 1), "Ctrl+Shift+PgDown", "down"),
        )

    def begin(self) -> None:
        """The window is put together: have the actions work, and the pictures dissolve into each other."""
        window = self._window
        self.panel.use(window.actions_table)
        self.fade = CrossFade(window.boards, self._arrived)
        window.ticker.ticked.connect(self.fade.look)
        self.panel.strip.selectionModel().selectionChanged.connect(self._enable)
        self._dock.dockLocationChanged.connect(self._dock_moved)

    def close(self) -> None:
        """Drop what is being drawn."""
        self.thumbnails.close()
        if self.start_page is not None:
            self.start_page.close_drawing()

    @property
    def lesson(self) -> Lesson:
        """The lesson of the document."""
        return self._window.document.lesson

    # -- showing -------------------------------------------------------------------------------------------------

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.panel.set_theme(theme)
        self.heading.set_theme(theme)
        self.heading.show_lesson(self.lesson, self._window.presenting)  # with the large letters, or without
        if self._window.presenting != self._presented:
            self._presented = self._window.presenting
            self._present()
        if self.notes is not None:
            self.notes.set_theme(theme)
        self.thumbnails.set_theme(theme.name)
        self._draw_pictures()

    def show_document(self, before: Document | None) -> None:
        """The document is another one: show its lesson, and the dock when a lesson has come."""
        lesson = self.lesson
        self.panel.show_document(self._window.document)
        self.heading.show_lesson(lesson, self._window.presenting)
        self._show_notes()
        some = bool(lesson.slides)
        self._enable()
        if some and (before is None or not before.lesson.slides):
            self.show_panel()
        if before is None or before.lesson.slides != lesson.slides:
            self._draw_pictures()

    @Slot()
    def _enable(self) -> None:
        """Offer what can be done to the slides that are selected."""
        lesson, actions, some = self.lesson, self._window.actions_table, bool(self.lesson.slides)
        several = len(self.panel.strip.marked()) > 1
        for name in NEED_A_LESSON:
            actions[name].setEnabled(some)
        for name in ("slide_next", "slide_down"):
            actions[name].setEnabled(lesson.current + 1 < len(lesson))
        for name in ("slide_previous", "slide_up"):
            actions[name].setEnabled(lesson.current > 0)
        actions["slide_add"].setEnabled(not lesson.full)
        for name in ("slide_up", "slide_down"):
            actions[name].setEnabled(actions[name].isEnabled() or several)

    def show_panel(self) -> None:
        """Bring the dock to the front."""
        if not self._window.presenting:
            self._dock.show()
            self._dock.raise_()

    def shipped(self) -> list[tuple[str, Path]]:
        """The lessons that come with the program, by words of their file names: nothing is opened for it."""
        found = sorted((assets() / "lessons").glob("*.mlviz"))
        return [(path.stem.partition("-")[2].replace("-", " "), path) for path in found]

    def toggle_notes(self) -> None:
        """The note of the slide and what comes next in a window of their own, for the lecturer's screen."""
        self._notes_wanted(self.notes is None or not self.notes.isVisible())

    def _present(self) -> None:
        """Presenter mode has begun or ended: the notes go to the other screen, where there is one, and back."""
        if not self._presented:
            self._notes_wanted(False)
        elif self.lesson.slides and (other_screen(self._window) is not None or self._notes_seen):
            self._notes_wanted(True)

    @property
    def _notes_seen(self) -> bool:
        return self.notes is not None and self.notes.isVisible()

    def _notes_wanted(self, wanted: bool) -> None:
        if wanted and self.notes is None:
            self.notes = LecturerView(self.thumbnails.picture, self._window)
            self.notes.set_theme(self._window.theme)
            self.thumbnails.drawn.connect(self._show_notes)
        if self.notes is not None and wanted:
            self.notes.show_on(other_screen(self._window))
        elif self.notes is not None:
            self.notes.hide()
        self._show_notes()

    @Slot()
    def _show_notes(self) -> None:
        if self.notes is not None and self.notes.isVisible():
            self.notes.show_lesson(self.lesson)
        self._window.actions_table["lecturer_notes"].setChecked(self.notes is not None and self.notes.isVisible())

    def show_start_page(self) -> None:
        """The lessons that come with the program, recent files, and other ways to begin."""
        from mlviz.ui.start_page import StartPage

        window = self._window
        if self.start_page is None:
            page = self.start_page = StartPage(window.theme, window)
            page.lesson_chosen.connect(window.files.open_copy)
            page.file_chosen.connect(window.files.open_path)
            if "new" in {spec.name for spec in window.actions_table.specs}:
                page.offer("Blank board", window.actions_table["new"].trigger, "Draw the data yourself")
            page.offer("All methods…", window.show_gallery, "Every method as a card")
            page.offer("Open a file…", window.files.open, "A session, a lesson, or data")
        self.start_page.set_theme(window.theme)
        self.start_page.open_over(window)

    # -- slides --------------------------------------------------------------------------------------------------

    def add(self) -> None:
        """One more slide with what the window shows, behind the current one."""
        if self.lesson.full:
            self._window.statusBar().showMessage(f"A lesson has at most {MAX_SLIDES} slides.", 6000)
            return
        slide = self._state()
        self._set(self.lesson.with_slide(slide), "add a slide")
        self.show_panel()
        self._window.statusBar().showMessage(f"Slide {self.lesson.current + 1} is added: {slide.title}.", 6000)

    def update(self) -> None:
        """Have the current slide show what the window shows; its words stay."""
        slide = self.lesson.slide
        if slide is not None:
            words = {name: getattr(slide, name) for name in ("title", "question", "note")}
            new = dataclasses.replace(self._state(), **words)
            self._set(self.lesson.replaced(self.lesson.current, new), "change a slide")

    def new(self) -> None:
        """No slides and no title: the next state that is added begins another lesson."""
        before = self.lesson
        if before.slides:
            self._set(NO_LESSON, "begin a new lesson")
            self.show_panel()
            name = before.title or "the lesson before"
            self._window.statusBar().showMessage(
                f"A new lesson: Ctrl+M adds its first slide. Undo brings back {name}.", 9000
            )

    def duplicate(self) -> None:
        """The selected slides once more, behind them."""
        if self.lesson.slides:
            self._set(self.lesson.duplicated(self._selected()), "duplicate a slide")

    def delete(self) -> None:
        """The selected slides go; what the window shows stays."""
        if self.lesson.slides:
            several = "slides" if len(self._selected()) > 1 else "a slide"
            self._set(self.lesson.without(*self._selected()), f"delete {several}")

    def _selected(self) -> tuple[int, ...]:
        """The slides that are marked in the strip, where there are several; else the current one."""
        marked = self.panel.strip.marked()
        return marked if len(marked) > 1 else (self.lesson.current,)

    def rename_lesson(self) -> None:
        """Take the title of the lesson in hand."""
        self.show_panel()
        self.panel.rename_lesson()

    def rename(self) -> None:
        """Take the title of the current slide in hand."""
        self.show_panel()
        self.panel.rename()

    def shift(self, by: int) -> None:
        """Move the selected slides forward or back."""
        marked = self._selected()
        if len(marked) > 1:
            self._set(self.lesson.shifted(marked, by), "move slides")
            self.panel.strip.mark(tuple(min(max(number + by, 0), len(self.lesson) - 1) for number in marked))
        else:
            self.move(self.lesson.current, self.lesson.current + by)

    @Slot(int, int)
    def move(self, source: int, target: int) -> None:
        """Put a slide where it then has this number."""
        if source != target and 0 <= source < len(self.lesson) and 0 <= target < len(self.lesson):
            self._set(self.lesson.moved(source, target), "move a slide")

    @Slot(str, str)
    def set_words(self, name: str, text: str) -> None:
        """Another title, question or note for the current slide; what is typed in one go is one step."""
        lesson, slide = self.lesson, self.lesson.slide
        if slide is not None:
            changes: dict[str, Any] = {name: text}
            new = dataclasses.replace(slide, **changes)
            if getattr(new, name) != getattr(slide, name):
                merge = f"slide {lesson.current} {name}"
                self._set(lesson.replaced(lesson.current, new), f"change the {name}", merge)

    @Slot(str)
    def set_title(self, title: str) -> None:
        """Another title for the whole lesson."""
        lesson = dataclasses.replace(self.lesson, template=False).titled(title)
        if lesson.title != self.lesson.title:
            self._set(lesson, "change the title of the lesson", "lesson title")

    # -- going through it ----------------------------------------------------------------------------------------

    @Slot(int)
    def go(self, number: int) -> None:
        """Bring the window to a slide: its data, method, parameters, seed, step and views."""
        window = self._window
        if not 0 <= number < len(self.lesson):
            return
        slide = self.lesson.slides[number]
        self.fade.hold()
        window.boards.set_playing(False)
        for pane in window.boards.panes:
            pane.board.curves.forget()  # the run of another slide is no run to compare with
        document = window.document.on_slide(number)
        window.open_document(document, f"go to slide {number + 1}", slide.step, merge="slide")
        window.arrangement.put_back(slide.layout, docks=False)

    def turn(self, by: int) -> None:
        """To the next or the previous slide."""
        self.go(self.lesson.current + by)

    def page(self, by: int) -> None:
        """What a clicker does: slides while a lesson is presented, else phases."""
        if self._window.presenting and self.lesson.slides:
            self.turn(by)
        else:
            self._window.boards.step_phase(by)

    # -- inside --------------------------------------------------------------------------------------------------

    @property
    def _dock(self) -> QDockWidget:
        return next(dock for dock in self._window.docks if dock.widget() is self.panel)

    def _state(self) -> Slide:
        """What the window shows now."""
        window = self._window
        slide = Slide.of(window.document, window.player.clock_position, window.arrangement.layout())
        if window.player.runs(window.document):
            self.thumbnails.lend(slide, window.player.engine)
        return slide

    def _set(self, lesson: Lesson, label: str, merge: str | None = None) -> None:
        if lesson.template:
            lesson = lesson.own()
            self._window.statusBar().showMessage(OWN, 9000)
        self._window.apply(self._window.document.with_lesson(lesson), label, merge=merge)

    def _draw_pictures(self) -> None:
        self.thumbnails.want(self.lesson.slides)

    def _quiet(self) -> bool:
        player = self._window.player
        return player.arrived and not player.playing and (player.shown is not None or player.ended_without_frames)

    def _arrived(self) -> bool:
        return all(pane.player.arrived and pane.board.up_to_date for pane in self._window.boards.panes)

    @Slot(object)
    def _dock_moved(self, area: Qt.DockWidgetArea) -> None:
        areas = Qt.DockWidgetArea
        across = area in (areas.TopDockWidgetArea, areas.BottomDockWidgetArea)
        self.panel.strip.lie(across)
        self.panel.splitter.setOrientation(Qt.Orientation.Horizontal if across else Qt.Orientation.Vertical)
