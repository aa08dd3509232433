"""A warning of a snapshot is always seen: beside the board, above it where boards are compared, or as one presents."""

import pytest

from algorithms import find
from mlviz.data.spec import load_data
from mlviz.session.comparison import Setting
from mlviz.session.document import Document
from tests.events import settle

SERIES = "hidden_markov"


@pytest.fixture
def warned(make_window, qtbot):
    """A window whose first frame warns: a chain for series without true states."""
    data = load_data(find(SERIES).example)
    window = make_window(SERIES, type(data)(data.series, symbols=data.symbols))
    qtbot.waitUntil(lambda: window.board.up_to_date)
    assert "guess" in window.player.shown.snapshot.warning
    return window


def whole(prose):
    """Whether a paragraph is in view to its last line."""
    return prose.isVisible() and prose.visibleRegion().boundingRect().height() == prose.height() > 0


def test_beside_the_board_all_of_it_is_in_view(warned, qtbot):
    warned.resize(1366, 768)
    qtbot.waitUntil(lambda: whole(warned.what_happens.warning))
    assert not warned.boards.active.warning.isVisible()


def test_without_the_panel_it_stands_above_the_board(warned, qtbot):
    pane = warned.boards.active
    dock = next(dock for dock in warned.docks if dock.isAncestorOf(warned.what_happens))
    dock.hide()
    qtbot.waitUntil(lambda: warned.ticker.tick() or whole(pane.warning))
    assert pane.warning.text() == warned.what_happens.warning.text() != ""
    dock.show()
    qtbot.waitUntil(lambda: warned.ticker.tick() or pane.warning.text() == "")


def test_as_one_presents_it_is_in_the_caption(warned, qtbot):
    warned.presenter.toggle_in_window()
    qtbot.waitUntil(lambda: whole(warned.presenter.caption.warning))
    assert warned.presenter.caption.warning.text() == warned.player.shown.snapshot.warning


def test_beside_another_board_every_board_has_its_own(warned, qtbot):
    document: Document = warned.document
    warned.apply(document.beside(Setting(SERIES, {**document.params, "task": "evaluate"})), "compare")
    panes = warned.boards.panes
    qtbot.waitUntil(lambda: all(pane.player.shown is not None for pane in panes))
    for pane in panes:
        qtbot.waitUntil(lambda pane=pane: whole(pane.warning))
        assert pane.warning.text() == pane.player.shown.snapshot.warning
    warned.comparing.only_active()
    warned.resize(1366, 768)
    qtbot.waitUntil(lambda: warned.boards.active.warning.text() == "")


def test_at_1024_all_of_the_warning_of_a_map_in_pieces_is_in_view_at_every_step(make_window, qtbot):
    window = make_window("isomap", load_data("swiss_roll(n=300)"), neighbours=3)
    window.resize(1024, 768)
    qtbot.waitUntil(lambda: window.player.engine.ended)
    seen = set()
    for presenting in (False, True):
        if presenting:
            window.presenter.toggle_in_window()
        for step in (window.player.steps - 1, 0, *range(1, window.player.steps, 5)):
            window.player.seek(step)
            warning = window.player.engine.timeline.frame(step).snapshot.warning
            prose = window.presenter.caption.warning if presenting else window.what_happens.warning
            above = window.boards.active.warning
            window.ticker.tick()
            settle()
            assert warning in (prose.text(), above.text())
            if warning:
                settle()
                assert whole(prose) or whole(above), (presenting, step)
                seen.add((presenting, "3 pieces" in warning))
    assert seen == {(False, True), (True, True)}
