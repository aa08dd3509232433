"""The laboratory's window: joins the document, the player, the board and the side widgets. Nothing here computes."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from algorithms import all_algorithms
from algorithms.contract import Algorithm, Try
from algorithms.data import Array
from mlviz.data.spec import Recipe
from mlviz.session.document import Document
from mlviz.ui import commands, problems, style
from mlviz.ui.actions import Actions
from mlviz.ui.arrangement import Arrangement
from mlviz.ui.blank import NewMenu
from mlviz.ui.boards import Boards
from mlviz.ui.comparing import MENU, Comparing
from mlviz.ui.controls import StillLabel
from mlviz.ui.data_controller import DataController
from mlviz.ui.data_panel import DataPanel
from mlviz.ui.docks import Docks, KnobTabs
from mlviz.ui.document_window import DocumentWindow
from mlviz.ui.dragging import drag
from mlviz.ui.editors import EDITORS, Editor, LabelledEditor, PointsEditor, make_editor
from mlviz.ui.file_controller import FileController
from mlviz.ui.form import ParameterForm
from mlviz.ui.gallery import Gallery
from mlviz.ui.icons import icon
from mlviz.ui.lesson_controller import LessonController
from mlviz.ui.narrator import Narrator
from mlviz.ui.palette import CommandPalette
from mlviz.ui.pane import Pane
from mlviz.ui.pointer import Pointer
from mlviz.ui.presenter import Presenter
from mlviz.ui.quitting import Stoppable, end_each
from mlviz.ui.recent import RecentMenu
from mlviz.ui.refusal import forget_run, refuse
from mlviz.ui.screen import fit_to_screen
from mlviz.ui.status_bar import StatusBar
from mlviz.ui.ticker import Ticker
from mlviz.ui.tool_bar import DrawingBar, main_tool_bar
from mlviz.ui.transport import Transport
from mlviz.ui.trials_controller import TrialsController
from mlviz.ui.trying import trying
from mlviz.ui.what_happens import WhatHappens
from mlviz.views.plain_text import PlainLabel
from mlviz.views.theme import LIGHT, SPACING, THEMES, Theme

if TYPE_CHECKING:
    from mlviz.ui.exporting import Exporter
    from mlviz.ui.gallery_page import GalleryPage
    from mlviz.ui.pad import Pad


class MainWindow(DocumentWindow):
    """One window on one document."""

    closed = Signal()
    """The window has gone for good."""
    editor_made = Signal(object)
    """There is an editor for another kind of data."""

    def __init__(
        self,
        document: Document,
        recipe: Recipe | None = None,
        playhead: int = 0,
        full: bool = True,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        super().__init__(document, recipe)
        document = self.document
        self.setObjectName("main_window")
        self.setWindowTitle("mlviz")
        self.theme: Theme = LIGHT
        self.ticker = Ticker(self, clock)
        self.boards = Boards(self.ticker)
        self.gallery = Gallery()
        self.gallery_page: GalleryPage | None = None
        self.pad: Pad | None = None
        self.form = ParameterForm(late=not full)
        self.data_panel = DataPanel(late=not full)
        self.what_happens = WhatHappens()
        self.transport = Transport()
        self.palette_popup = CommandPalette(parent=self)
        self.pointer = Pointer(self)
        self.trials = TrialsController(self)
        self.files = FileController(self)
        self.arrangement = Arrangement(self)
        self.side_panels = Docks(self)
        self.comparing = Comparing(self)
        self.data_controller = DataController(self)
        self.editors: dict[str, Editor] = {"points": PointsEditor(self)}
        self.lessons = LessonController(self)
        self.presenter = Presenter(self)
        self.actions_table = Actions(self, commands.specs(self))
        self._build()
        self.lessons.begin()
        self.narrator = Narrator(self)
        self.boards.join((self.pointer.poll, self.trials.poll), (self.narrator.pieces,))
        self._connect()
        if full:
            self.gallery.add_algorithms(all_algorithms())
        self._show_document(None)
        self.boards.run(document, at=playhead)
        self.transport.setFocus()

    # -- construction --------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.setCentralWidget(self.boards)
        bottom = QToolBar("Time", self, objectName="time_bar", movable=False)
        bottom.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        page = QWidget(objectName="time_page")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.presenter.caption, self.transport):
            column.addWidget(part)
        bottom.addWidget(page)
        self.addToolBar(Qt.ToolBarArea.BottomToolBarArea, bottom)
        self.knobs = KnobTabs()
        self.knobs.addTab(self.form, "Parameters")
        self.knobs.addTab(self.data_panel, "Data")
        self.docks = self.side_panels.build()
        menus = self.actions_table.fill(self.menuBar())
        menus["&File"].insertMenu(self.actions_table["open"], NewMenu(self))
        menus["&File"].insertMenu(self.actions_table["save"], RecentMenu(self.files.open_path, self))
        for dock in self.docks:
            menus["&View"].addAction(dock.toggleViewAction())
        self.title_label = StillLabel()
        self.drawing_bar = DrawingBar(self)
        self.compare_button = self.comparing.button(menus[MENU])
        self.toolbar = main_tool_bar(self)
        self.addToolBar(self.toolbar)
        self.addToolBarBreak()
        self.addToolBar(self.lessons.heading)
        self.hover_label = PlainLabel(objectName="status_hover", margin=SPACING // 2)
        self.facts_label = PlainLabel(objectName="status_facts")
        self.setStatusBar(StatusBar(self.hover_label, self.trials.progress, self.facts_label))
        self.resize(1280, 820)
        self.side_panels.begin()

    def _connect(self) -> None:
        boards, transport = self.boards, self.transport
        boards.playing_changed.connect(transport.set_playing)
        boards.run_refused.connect(self._refused)
        boards.run_failed.connect(self._failed)
        transport.play_toggled.connect(boards.set_playing)
        transport.step_requested.connect(boards.step)
        transport.phase_requested.connect(boards.step_phase)
        transport.jump_requested.connect(boards.jump)
        transport.scrubbed.connect(boards.seek)
        transport.speed_changed.connect(boards.set_speed)
        transport.by_phase_changed.connect(self._by_phase)
        transport.same_seed_requested.connect(self.same_seed)
        transport.new_seed_requested.connect(self.new_seed)
        transport.seed_changed.connect(self.set_seed)
        self.gallery.chosen.connect(self.choose_algorithm)
        self.gallery.page_button.clicked.connect(self.show_gallery)
        self.form.changed.connect(self.set_param)
        self.data_panel.recipe_changed.connect(self.set_recipe)
        self.data_panel.open_requested.connect(self.files.open)
        self.data_panel.reset_requested.connect(self.reset_data)
        self.data_panel.draw_requested.connect(self.draw_from_model)
        boards.param_dragged.connect(self._dragged)
        boards.value_opened.connect(self.trials.open_setting)
        boards.setting_seen.connect(self.pointer.show_setting)
        boards.data_view_changed.connect(self._data_view_changed)
        boards.points_hovered.connect(self.pointer.hover)
        boards.place_hovered.connect(self.pointer.hover_place)
        boards.points_clicked.connect(self.pointer.click)
        boards.chosen.connect(self.activate)
        boards.close_requested.connect(self.close_board)
        boards.difference_closed.connect(self.comparing.toggle_difference)
        self.what_happens.related_chosen.connect(self.open_try)
        self.what_happens.offer_taken.connect(self.trials.take)
        self.drawing.selection_changed.connect(self.data_controller.table.mark)
        self.drawing.selection_changed.connect(self.data_controller.show_selection)
        self.knobs.tabBar().setFocusPolicy(Qt.FocusPolicy.NoFocus)  # arrows drive time

    @property
    def drawing(self) -> PointsEditor:
        """The editor of points."""
        editor = self.editors["points"]
        assert isinstance(editor, PointsEditor)
        return editor

    @property
    def editor(self) -> Editor:
        """The editor of the data on the desk; where their kind has none, that of points, which then offers nothing."""
        kind = self.document.data.kind
        return self.editor_of(kind) if kind in EDITORS else self.drawing

    @property
    def labeller(self) -> LabelledEditor:
        """The editor whose classes can be chosen: that of the data on the desk, or that of points."""
        return self.editor if isinstance(self.editor, LabelledEditor) else self.drawing

    def editor_of(self, kind: str) -> Editor:
        """The editor of a kind of data, made when it is first asked for."""
        if kind not in self.editors:
            self.editors[kind] = make_editor(kind, self)
            self.editors[kind].selection_changed.connect(self.data_controller.table.mark)
            self.editor_made.emit(self.editors[kind])
        return self.editors[kind]

    def take_tool(self, keys: str) -> None:
        """Take the tool that these keys mean for the data on the desk."""
        for tool in self.editor.tools:
            if tool.keys == keys:
                self.editor.choose(tool.name)

    @functools.cached_property
    def exporter(self) -> Exporter:
        """Everything that leaves the window; its many modules are imported when it is needed, or when there is time."""
        from mlviz.ui.exporting import Exporter

        return Exporter(self)

    @Slot(int)
    def activate(self, place: int) -> None:
        """Have the controls be about another one of the boards; nothing is run again, and it is no undo step."""
        before, pinned = self.document, self.pointer.pinned
        self.editor.let_canvas_go()
        self.history.amend(before.with_active(place))
        self._show_document(before, keep_view=True)
        self.pointer.click(pinned)

    def _show_document(self, before: Document | None, origin: Array | None = None, keep_view: bool = False) -> None:
        document, method = self.document, self.document.method
        self.files.show_modified()
        self._last_methods[document.data.kind] = method.key
        self.form.set_extents(document.data.extents)
        if before is None or before.algorithm != document.algorithm:
            self.gallery.set_current(document.algorithm)
            self.form.set_algorithm(method, document.params)
            self.what_happens.set_algorithm(method)
            self.presenter.caption.forget()
            self.title_label.setText(method.title)
            self.actions_table["draw_from_model"].setEnabled(method.sample is not None)
        elif before.params != document.params:
            self.form.set_values(document.params)
        if before is not None and before.colours != document.colours:
            self.set_theme(self.theme.name)
        self.boards.show_document(document, origin, keep_view)
        if before is None or document.changes(before) != {"params"}:  # a handle is dragged sixty times a second
            self.comparing.show_document(document)
            self.transport.set_seed(document.seed)
            self._show_given()
            self.data_controller.show_document(document)
            for editor in {self.editor, *self.editors.values()}:
                editor.document_changed(before)
        self._show_pad()
        self.lessons.show_document(before)
        self.pointer.forget()
        for name, text in (("undo", self.history.undo_text), ("redo", self.history.redo_text)):
            self.actions_table[name].setEnabled(bool(text) or getattr(self.history, f"can_{name}"))
            self.actions_table[name].setText(f"{name.capitalize()} {text}".strip())

    def _show_pad(self) -> None:
        """There is a pad while the data are pictures; it is made with the first of them."""
        pictures = getattr(self.document.data, "image_shape", None) is not None
        if self.pad is None and pictures:
            from mlviz.ui.pad import Pad

            self.pad = Pad(self)
            self.pad.set_theme(self.theme)
            self.knobs.addTab(self.pad, "Pad")
            self.boards.join((self.pointer.poll, self.trials.poll, self.pad.poll), (self.narrator.pieces,))
        if self.pad is not None:
            self.pad.show_document()
            self.knobs.setTabVisible(self.knobs.indexOf(self.pad), pictures)

    @Slot()
    def _data_view_changed(self) -> None:
        self.editor.take_canvas()

    # -- the run -------------------------------------------------------------------------------------------------

    @Slot(bool)
    def _by_phase(self, on: bool) -> None:
        self.player.by_phase = on

    @Slot(object, str)
    def _refused(self, pane: Pane, sentence: str) -> None:
        refuse(self, pane, sentence)

    @Slot(object, object)
    def _failed(self, pane: Pane, error: BaseException) -> None:
        forget_run(self, pane)
        problems.report(error)

    def show_data_tab(self) -> None:
        """Bring the tab in which data are chosen to the front."""
        self.docks[1].show()
        self.docks[1].raise_()
        self.knobs.setCurrentWidget(self.data_panel)
        self.data_panel.chooser.setFocus()

    @Slot(object)
    def _dragged(self, move: tuple[str, Any, bool]) -> None:
        drag(self, *move)

    def stop_computing(self) -> None:
        """Stop the stroke, or the run where it is; what presenter mode has put over it goes first."""
        if self.editor.abandon() or self.presenter.escape() or self.stop_making():
            return
        if self.player.engine is not None:
            self.player.engine.cancel()
            self.player.set_playing(False)

    def set_after_change(self, where: str) -> None:
        """Where the playhead goes when a change starts a new run: ``keep``, ``start`` or ``end``."""
        self.player.after_change = where  # type: ignore[assignment]
        for name in ("keep", "start", "end"):
            self.actions_table[f"after_{name}"].setChecked(name == where)

    # -- look ----------------------------------------------------------------------------------------------------

    def set_theme(self, name: str) -> None:
        """Light or dark."""
        base = THEMES[name]
        self.theme = (base.presenting() if self.presenting else base).with_classes(self.document.colours)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self.transport.setUpdatesEnabled(False)  # it need not fit what is not painted: the sheet goes and comes
        style.apply(app, self.theme, self.boards.resting)
        self.transport.setUpdatesEnabled(True)
        for widget in (
            self.boards,
            self.form,
            self.data_panel,
            self.gallery,
            self.palette_popup,
            self.transport,
            self.what_happens,
            self.presenter,
            self.drawing_bar,
            self.data_controller,
            self.lessons,
        ):
            widget.set_theme(self.theme)
        if self.pad is not None:
            self.pad.set_theme(self.theme)
        self.actions_table.set_theme(self.theme)
        self.drawing_bar.refresh()  # the same key has another tool, with another icon, for other data
        self.compare_button.setIcon(icon("compare", self.theme))

    def toggle_theme(self) -> None:
        """From light to dark and back."""
        self.set_theme("dark" if self.theme.name == "light" else "light")

    @property
    def presenting(self) -> bool:
        """Whether presenter mode is on."""
        return self.presenter.on

    def toggle_presenter(self) -> None:
        """Presenter mode on the whole screen, or the window again."""
        self.presenter.toggle()

    def show_help(self) -> None:
        """What the current method is, what its knobs do, and what to try."""
        from mlviz.ui.help import MethodHelp

        method = self.document.method  # the page stays open while another one is chosen
        page = MethodHelp(method, self)
        page.tried.connect(lambda item: self.open_try(item, method))
        page.open()

    def show_keys(self) -> None:
        """The keyboard table."""
        from mlviz.ui.help import KeyboardHelp

        KeyboardHelp(self.actions_table.specs, self).open()

    def open_try(self, item: Try, method: Algorithm | None = None) -> None:
        """Something to try with a method: its data, its parameters and the first seed, played from the start."""
        document = trying(self.document, method or self.document.method, item)
        self._remember(document.source, document.data)
        self.apply(document, "try something")
        self.boards.run(self.document, at=0)
        self.player.set_playing(True)

    def edit_class(self) -> None:
        """Name and colour the class that is drawn in."""
        self.drawing_bar.classes.edit(self.labeller.group)

    def show_gallery(self) -> None:
        """All methods as cards."""
        from mlviz.ui.gallery_page import GalleryPage

        if self.gallery_page is None:
            self.gallery_page = GalleryPage(all_algorithms(), self.theme, self)
            self.gallery_page.chosen.connect(self.choose_algorithm)
        self.gallery_page.set_theme(self.theme)
        self.gallery_page.open_over(self)

    def show_palette(self) -> None:
        """Find any method, data set or command by name."""
        self.palette_popup.set_commands(commands.palette(self))
        self.palette_popup.open()

    # -- events --------------------------------------------------------------------------------------------------

    @Slot()
    def fit_to_screen(self) -> None:
        """Make the window no larger than the screen, frame included, and have all of it on the screen."""
        fit_to_screen(self)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember everything, end the threads, go; unless the user wants to save first, or to stay."""
        if not self.files.may_close():
            event.ignore()
            return
        end_each(self._endings())
        super().closeEvent(event)
        self.closed.emit()

    def _endings(self) -> Iterator[Callable[[], object]]:
        """Everything that has to end before the window goes, in this order."""
        yield from (self.presenter.put_down, self.files.remember)
        if "exporter" in vars(self):
            yield self.exporter.close
        if self.gallery_page is not None:
            yield self.gallery_page.close_process
        if self.pad is not None:
            yield self.pad.close
        yield from (editor.close for editor in self.editors.values())
        for part in (self.maker, self._remaker, self.data_controller, self.lessons, self.pointer):
            yield part.close
        for dialog in self.findChildren(QDialog):
            yield from (dialog.stop, dialog.reject) if isinstance(dialog, Stoppable) else (dialog.reject,)
        yield self.boards.close_threads
