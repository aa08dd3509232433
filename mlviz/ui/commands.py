"""What can be done: the declared actions, and the palette made of them, all methods and all data sets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from algorithms import all_algorithms
from algorithms.search import knobs, tasks
from mlviz.data.spec import Recipe, all_sources
from mlviz.ui import blank, tool_bar
from mlviz.ui.actions import ActionSpec
from mlviz.ui.palette import Command
from mlviz.ui.synonyms import NEEDS, SYNONYMS, VIEW_SYNONYMS

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from mlviz.ui.window import MainWindow


def specs(window: MainWindow) -> tuple[ActionSpec, ...]:
    """Every action of the window in the order of its menus."""
    boards, desk, out = window.boards, window.files, lambda: window.exporter
    return (
        ActionSpec("new", "&File", "New blank board", partial(blank.new_board, window), "Ctrl+N"),
        ActionSpec("open", "&File", "Open…", desk.open, "Ctrl+O", "open"),
        ActionSpec("save", "&File", "Save session…", desk.save, "Ctrl+S", "save"),
        ActionSpec("save_as", "&File", "Save session as…", desk.save_as),
        *window.data_controller.file_specs(),
        ActionSpec("export", "&File", "Export…", lambda: out().show_dialog(), "Ctrl+E", "export", separated=True),
        ActionSpec("copy_picture", "&File", "Copy the picture", lambda: out().copy_picture(), "Ctrl+Alt+C"),
        ActionSpec("print", "&File", "Print…", lambda: out().print(), "Ctrl+P"),
        ActionSpec("quit", "&File", "Quit", window.close, "Ctrl+Q", separated=True),
        ActionSpec("undo", "&Edit", "Undo", window.undo, "Ctrl+Z", "undo"),
        ActionSpec("redo", "&Edit", "Redo", window.redo, "Ctrl+Shift+Z", "redo"),
        ActionSpec("reset", "&Edit", "Discard all edits of the data", window.reset_data, separated=True),
        ActionSpec("reset_params", "&Edit", "Reset the parameters of all methods", window.reset_params),
        *window.data_controller.edit_specs(),
        *tool_bar.edit_specs(window),
        ActionSpec("settings", "&Edit", "Settings…", partial(_show_settings, window), "Ctrl+,", separated=True),
        *tool_bar.specs(window),
        ActionSpec("play", "&Run", "Play or pause", lambda: boards.set_playing(not window.player.playing), "Space"),
        ActionSpec("forward", "&Run", "Step forward", lambda: boards.step(1), "Right"),
        ActionSpec("back", "&Run", "Step back", lambda: boards.step(-1), "Left"),
        ActionSpec("phase_forward", "&Run", "Next phase", lambda: boards.step_phase(1), "Shift+Right"),
        ActionSpec("phase_back", "&Run", "Previous phase", lambda: boards.step_phase(-1), "Shift+Left"),
        ActionSpec("page_forward", "&Run", "Next phase, or slide", partial(window.lessons.page, 1), "PgDown"),
        ActionSpec("page_back", "&Run", "Previous phase, or slide", partial(window.lessons.page, -1), "PgUp"),
        ActionSpec("start", "&Run", "First step", lambda: boards.jump("start"), "Home"),
        ActionSpec("end", "&Run", "Last step", lambda: boards.jump("end"), "End"),
        ActionSpec("faster", "&Run", "Play faster", lambda: window.transport.change_speed(1), ">"),
        ActionSpec("slower", "&Run", "Play slower", lambda: window.transport.change_speed(-1), "<"),
        ActionSpec("cancel", "&Run", "Stop computing", window.stop_computing, "Esc"),
        ActionSpec("same_seed", "&Run", "Run again with the same seed", window.same_seed, "Ctrl+R", separated=True),
        ActionSpec("new_seed", "&Run", "Run with a new seed", window.new_seed, "Ctrl+Shift+R"),
        ActionSpec("open_setting", "&Run", "Open the method of the setting on show", window.trials.open_setting),
        ActionSpec("draw_from_model", "&Run", "Draw data from the model", window.draw_from_model, separated=True),
        *(
            ActionSpec(f"after_{where}", "&Run", text, partial(window.set_after_change, where), checkable=True)
            for where, text in _AFTER
        ),
        *window.comparing.specs(),
        *window.lessons.specs(),
        ActionSpec("legends", "&View", "Legends or none", boards.toggle_legends, "K"),
        ActionSpec("alone", "&View", "The large view alone, or all", lambda: window.board.toggle_alone(), "M"),
        ActionSpec("enlarge", "&View", "Swap with the large view", lambda: window.board.swap_large(), "Shift+M"),
        ActionSpec("fit", "&View", "Show all points", boards.fit_view, "Ctrl+0"),
        *window.data_controller.view_specs(),
        ActionSpec("theme", "&View", "Light or dark", window.toggle_theme, "Ctrl+T", "theme"),
        *window.presenter.specs(),
        *window.side_panels.specs(),
        ActionSpec("gallery_page", "&View", "All methods…", window.show_gallery, "Ctrl+G"),
        ActionSpec("palette", "&Help", "Find anything…", window.show_palette, "Ctrl+K", "search"),
        ActionSpec("about_method", "&Help", "About this method", window.show_help, "F1"),
        ActionSpec("keys", "&Help", "Keyboard", window.show_keys),
    )


def _show_settings(window: MainWindow) -> None:
    from mlviz.ui.settings_dialog import SettingsDialog

    SettingsDialog(window).open()


_AFTER = (
    ("keep", "After a change keep the position"),
    ("start", "After a change show the start"),
    ("end", "After a change show the end"),
)


def palette(window: MainWindow) -> list[Command]:
    """Methods, data sets and actions, for Ctrl+K."""
    methods = [
        Command(
            title=method.title,
            group=method.family,
            shortcut="",
            run=partial(window.choose_algorithm, method.key),
            synonyms=(method.key.replace("_", " "), *method.synonyms),
            also=" ".join((*tasks(method), *knobs(method))),
        )
        for method in all_algorithms()
    ]
    data = [
        Command(title=item.title, group="data", shortcut="", run=partial(window.choose_data, Recipe(item.name, {})))
        for item in all_sources()
    ]
    lessons = [
        Command(title=f"Lesson: {title}", group="lesson", shortcut="", run=partial(window.files.open_copy, path))
        for title, path in window.lessons.shipped()
    ]
    actions = [
        _command(window, spec)
        for spec in window.actions_table.specs
        if spec.name != "palette" and (window.actions_table[spec.name].isEnabled() or spec.name in NEEDS)
    ]
    boards = [
        Command(title=blank.title(kind), group="new", shortcut="", run=partial(blank.new_board, window, kind))
        for kind in blank.kinds()
    ]
    return [*methods, *data, *lessons, *actions, *boards, *_views(window)]


def _views(window: MainWindow) -> list[Command]:
    """The views that have something to show, and the tabs of the controls."""
    views = [
        Command(
            f"Look at: {title}",
            "view",
            "",
            partial(window.board.places.bring_to_front, key),
            VIEW_SYNONYMS.get(key, ()),
        )
        for key, title in window.board.places.offered().items()
        if key != window.board.large_key
    ]
    tabs = [
        Command(f"Controls: {title}", "view", "", partial(_show_tab, window, tab), VIEW_SYNONYMS[title])
        for tab, title in ((window.form, "Parameters"), (window.data_panel, "Data"))
    ]
    return [*views, *tabs]


def _show_tab(window: MainWindow, tab: QWidget) -> None:
    window.knobs.setCurrentWidget(tab)
    for dock in window.docks:
        if dock.isAncestorOf(tab):
            dock.show()
            dock.raise_()


def _command(window: MainWindow, spec: ActionSpec) -> Command:
    """An action as the palette offers it; one that cannot be done now says what it waits for."""
    action = window.actions_table[spec.name]
    title = action.text().rstrip("…")
    needs = "" if action.isEnabled() else NEEDS[spec.name]
    return Command(
        title=title,
        group=spec.menu.replace("&", "").lower(),
        shortcut=spec.keys,
        run=partial(window.statusBar().showMessage, f"{title}: {needs}.", 8000) if needs else action.trigger,
        synonyms=SYNONYMS.get(spec.name, ()),
        needs=needs,
    )
