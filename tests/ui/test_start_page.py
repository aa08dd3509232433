"""The start page, and the lessons that come with the program: each opens without a notice and runs to its steps."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from mlviz import app
from mlviz.session.files import load
from mlviz.ui import cards, commands, start_page
from mlviz.ui.recent import note_recent
from mlviz.ui.start_page import lessons_folder, shipped_lessons
from mlviz.views.theme import LIGHT
from mlviz.worker.engine import run_to_end

LESSONS = sorted(lessons_folder().glob("*.mlviz"))
TITLES = [
    "k-means and its traps",
    "From perceptron to margin",
    "Overfitting in one slider",
    "EM as soft k-means",
    "What a kernel does",
]


def test_five_lessons_come_with_the_program():
    assert [card.title for card in shipped_lessons()] == TITLES
    assert sum(path.stat().st_size for path in LESSONS) < 200_000


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_every_slide_is_complete_and_runs_to_its_step(path):
    loaded = load(path)
    assert loaded.notices == []
    lesson = loaded.document.lesson
    assert 5 <= len(lesson) <= 8
    assert lesson.current == 0
    assert loaded.document.shows(lesson.slide)
    for slide in lesson.slides:
        assert slide.title
        assert slide.question.endswith("?") or "?" in slide.question
        assert slide.note.endswith((".", "?"))
        document = slide.document
        run = run_to_end(document.method, document.data, document.make_params(), document.seed)
        assert run.error is None
        assert slide.step < len(run.timeline), slide.title
        panels = {panel.key for panel in document.method.panels}
        assert slide.layout.second in {"", *panels}
        if slide.layout.second:
            assert run.timeline.frame(slide.step).snapshot.views.get(slide.layout.second), slide.title


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_every_slide_is_brought_to_the_window(path, make_window, qtbot):
    window = make_window()
    window.files.open_copy(path)
    player, board = window.player, window.board

    def there():
        return player.arrived and board.up_to_date and player.runs(window.document)

    for number, slide in enumerate(window.document.lesson.slides):
        window.lessons.go(number)
        qtbot.waitUntil(there)
        assert player.position == slide.step, slide.title


@pytest.fixture
def page(window, qtbot, monkeypatch, tmp_path):
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path))
    window.actions_table["lessons"].trigger()
    made = window.lessons.start_page
    assert made.isVisible()
    yield made
    made.reject()


def test_a_lesson_is_opened_from_its_card_as_a_copy(page, window, qtbot):
    QTest.keyClick(page.view, Qt.Key.Key_Right)
    QTest.keyClick(page.view, Qt.Key.Key_Return)
    assert not page.isVisible()
    assert window.document.lesson.title == TITLES[1]
    assert window.document.algorithm == "perceptron"
    assert window.files.path is None  # the file of the program is never written over
    assert not window.files.modified
    assert window.windowTitle() == f"gate – {TITLES[1]} – mlviz"
    assert not next(dock for dock in window.docks if dock.objectName() == "dock_lesson").isHidden()
    window.undo()
    assert window.document.lesson.slides == ()


def test_every_card_gets_a_picture(page, qtbot):
    slides = [card.slide for card in page.cards.cards]
    assert page.view.model().rowCount() == 5
    qtbot.waitUntil(lambda: all(page.thumbnails.picture(slide) is not None for slide in slides))
    assert not any(page.thumbnails.picture(slide).isNull() for slide in slides)


def test_recent_files_are_listed_and_opened(window, qtbot, monkeypatch, tmp_path):
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path / "home"))
    path = tmp_path / "mine.mlviz"
    window.files.save_path(path)
    note_recent(path)
    window.actions_table["lessons"].trigger()
    page = window.lessons.start_page
    assert page.recent.item(0).text() == "mine.mlviz"
    opened = []
    page.file_chosen.connect(opened.append)
    page.recent.setFocus()
    page.recent.setCurrentRow(0)
    QTest.keyClick(page.recent, Qt.Key.Key_Return)
    assert opened == [path]
    assert not page.isVisible()


def test_without_recent_files_it_says_so_and_offers_the_gallery(page, window):
    assert page.recent.item(0).text() == "Nothing yet"
    page._file_clicked(page.recent.item(0))
    assert page.isVisible()
    button = page.findChild(cards.QWidget, "start_all")
    button.click()
    assert not page.isVisible()
    assert window.gallery_page.isVisible()
    window.gallery_page.reject()


def test_something_else_among_the_lessons_is_passed_over(tmp_path, monkeypatch):
    (tmp_path / "a.mlviz").write_bytes(b"no session")
    (tmp_path / "b.mlviz").write_bytes(LESSONS[0].read_bytes())
    monkeypatch.setattr(start_page, "lessons_folder", lambda: tmp_path)
    assert [card.path.name for card in shipped_lessons()] == ["b.mlviz"]


def test_cards_fill_the_room_they_are_given():
    plain = cards.card_size(LIGHT)
    assert cards.card_size(LIGHT, 700).width() * 3 in range(698, 701)
    assert abs(cards.card_size(LIGHT, 3 * plain.width()).width() - plain.width()) <= 1


def test_the_first_start_shows_a_run_and_a_hint_not_a_page(qtbot, monkeypatch, tmp_path):
    import shiboken6

    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path))
    window = app.make_window()
    window.show()
    qtbot.waitUntil(lambda: window.player.shown is not None)
    assert "Ctrl+Shift+L" in window.statusBar().currentMessage()
    assert window.lessons.start_page is None
    window.close()
    shiboken6.delete(window)


def test_a_lesson_is_found_by_its_name(window):
    found = [command for command in commands.palette(window) if command.title == "Lesson: what a kernel does"]
    assert len(found) == 1
    found[0].run()
    assert window.document.lesson.title == TITLES[4]


@pytest.mark.parametrize("size", [(1366, 768), (1024, 768)])
def test_as_one_presents_it_is_no_wider_than_the_window(make_window, size):
    window = make_window()
    window.toggle_presenter()
    window.resize(*size)
    window.lessons.show_start_page()
    page = window.lessons.start_page
    assert page.minimumSizeHint().width() <= page.width() <= size[0]
    page.reject()
