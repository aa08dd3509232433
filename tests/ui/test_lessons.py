"""Lessons in the window: slides are added, gone to, ordered, worded and deleted, and every edit is undone by Undo."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from mlviz.data.generators import generate
from mlviz.session import files
from mlviz.ui import cross_fade, lesson_controller
from mlviz.ui.docks import NARROW_WIDTHS as WIDTHS


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(cross_fade, "FADE_MS", 1)


def settled(window, qtbot):
    qtbot.waitUntil(lambda: window.player.arrived and window.board.up_to_date and window.player.runs(window.document))


@pytest.fixture
def lesson(window, qtbot):
    """A window with three slides: k-means at its start and at its end, and a mixture on other data."""
    window.player.seek(0)
    window.lessons.add()
    qtbot.waitUntil(lambda: not window.player.running)
    window.player.jump("end")
    qtbot.waitUntil(lambda: window.player.position > 0 and window.player.arrived)
    window.lessons.add()
    window.apply(window.document.with_data(generate("moons", n=80)), "data")
    window.choose_algorithm("gaussian_mixture")
    settled(window, qtbot)
    window.lessons.add()
    return window


def titles(window):
    return [slide.title for slide in window.document.lesson.slides]


def test_a_slide_brings_back_data_method_step_and_views(lesson, qtbot):
    slides = lesson.document.lesson.slides
    assert [slide.document.algorithm for slide in slides] == ["k_means", "k_means", "gaussian_mixture"]
    assert lesson.lessons.lesson.current == 2
    lesson.lessons.go(1)
    settled(lesson, qtbot)
    assert lesson.document.algorithm == "k_means"
    assert lesson.document.data is slides[1].document.data
    assert lesson.player.position == slides[1].step > 0
    lesson.lessons.go(0)
    settled(lesson, qtbot)
    assert lesson.player.position == 0
    assert lesson.board.curves._ghosts == {}  # the run of another slide is no previous run
    lesson.undo()  # slides that were gone through one after the other are one step
    settled(lesson, qtbot)
    assert lesson.document.algorithm == "gaussian_mixture"
    assert lesson.document.lesson.current == 2


def test_every_edit_is_one_step_that_undo_takes_back(lesson):
    controller = lesson.lessons
    before = lesson.document.lesson.slides
    controller.shift(-1)
    assert titles(lesson) == ["k-means", "Gaussian mixture (EM)", "k-means"]
    controller.set_words("title", "A")
    controller.set_words("title", "Ab")
    controller.set_words("question", "Why?")
    controller.delete()
    assert titles(lesson) == ["k-means", "k-means"]
    for expected in (3, 3, 3, 3):
        lesson.undo()
        assert len(lesson.document.lesson) == expected
    assert lesson.document.lesson.slides == before


def test_a_slide_can_be_brought_up_to_the_present_state_and_keeps_its_words(lesson, qtbot):
    controller = lesson.lessons
    controller.set_words("note", "Mind the tails.")
    assert not controller.panel.strip.painter.changed
    lesson.set_param("k", 4)
    assert controller.panel.strip.painter.changed
    settled(lesson, qtbot)
    controller.update()
    slide = lesson.document.lesson.slide
    assert (slide.document.params["k"], slide.note, slide.title) == (4, "Mind the tails.", "Gaussian mixture (EM)")
    assert not controller.panel.strip.painter.changed


def test_the_words_are_typed_in_the_panel_and_undone_in_the_window(lesson, qtbot):
    panel = lesson.lessons.panel
    lesson.activateWindow()
    qtbot.waitUntil(lambda: panel.note.isVisible() and lesson.isActiveWindow())
    panel.note.setFocus()
    QTest.keyClicks(panel.note, "two words ")
    assert lesson.document.lesson.slide.note == "two words"
    assert panel.note.toPlainText() == "two words "  # what is being typed is left alone
    QTest.keyClick(panel.note, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert lesson.document.lesson.slide.note == ""
    assert panel.note.toPlainText() == ""
    QTest.keyClick(panel.note, Qt.Key.Key_Escape)
    assert lesson.board.isAncestorOf(QApplication.focusWidget()) or QApplication.focusWidget() is lesson.board
    lesson.lessons.rename()
    QTest.keyClicks(panel.title, "New")
    QTest.keyClick(panel.title, Qt.Key.Key_Return)
    assert titles(lesson)[-1] == "New"
    assert QApplication.focusWidget() is not panel.title
    panel.name.setFocus()
    QTest.keyClicks(panel.name, "A lesson")
    assert lesson.document.lesson.title == "A lesson"
    lesson.undo()
    assert panel.name.text() == ""


def test_a_click_on_the_strip_goes_there_and_a_drop_moves(lesson, qtbot):
    strip = lesson.lessons.panel.strip
    qtbot.waitUntil(lambda: strip.isVisible() and strip.place_of(0).height() > 0)
    qtbot.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=strip.place_of(0).center())
    settled(lesson, qtbot)
    assert (lesson.document.lesson.current, lesson.document.algorithm) == (0, "k_means")
    model = strip.slides
    dragged = model.mimeData([model.index(0)])
    assert not model.dropMimeData(dragged, Qt.DropAction.MoveAction, 3, 0, QModelIndex())
    assert titles(lesson) == ["k-means", "Gaussian mixture (EM)", "k-means"]
    assert lesson.document.lesson.current == 2
    model.dropMimeData(dragged, Qt.DropAction.MoveAction, 0, 0, QModelIndex())  # where it is
    foreign = QMimeData()
    foreign.setData("application/x-mlviz-slide", b"77")
    model.dropMimeData(foreign, Qt.DropAction.MoveAction, 0, 0, QModelIndex())
    assert lesson.document.lesson.current == 2


def test_the_dock_comes_with_the_first_slide_and_every_slide_gets_a_picture(window, qtbot):
    dock = next(dock for dock in window.docks if dock.objectName() == "dock_lesson")
    assert dock.isHidden()
    window.lessons.add()
    assert not dock.isHidden()
    qtbot.waitUntil(lambda: window.player.shown is not None and not window.player.running)
    slide = window.document.lesson.slide
    qtbot.waitUntil(lambda: window.lessons.thumbnails.picture(slide) is not None)
    assert window.lessons.thumbnails.picture(slide).width() == 320
    window.lessons.set_words("title", "Another")  # words do not draw it again
    assert window.lessons.thumbnails.picture(window.document.lesson.slide) is not None


def test_pictures_of_a_lesson_from_a_file_are_computed(lesson, make_window, qtbot, tmp_path):
    files.save(tmp_path / "a.mlviz", lesson.document)
    other = make_window()
    other.files.open_path(tmp_path / "a.mlviz")
    thumbnails = other.lessons.thumbnails
    slides = other.document.lesson.slides
    assert len(slides) == 3
    qtbot.waitUntil(lambda: all(thumbnails.picture(slide) is not None for slide in slides))
    images = [thumbnails.picture(slide).toImage() for slide in slides]
    assert images[0] != images[1] != images[2]


def test_a_slide_whose_run_is_refused_gets_an_empty_picture(window, qtbot):
    window.apply(window.document.with_data(generate("blobs", n=2)).with_params(k=3), "too few")
    qtbot.waitUntil(lambda: window.player.ended_without_frames)
    window.lessons.add()
    slide = window.document.lesson.slide
    qtbot.waitUntil(lambda: window.lessons.thumbnails.picture(slide) is not None)
    assert window.lessons.thumbnails.picture(slide).isNull()


def test_page_keys_turn_slides_only_while_a_lesson_is_presented(lesson, qtbot):
    lesson.lessons.go(0)
    settled(lesson, qtbot)
    lesson.actions_table["page_forward"].trigger()
    assert lesson.document.lesson.current == 0
    assert lesson.player.position > 0  # a phase
    lesson.toggle_presenter()
    lesson.actions_table["page_forward"].trigger()
    assert lesson.document.lesson.current == 1
    lesson.actions_table["page_back"].trigger()
    lesson.actions_table["page_back"].trigger()
    assert lesson.document.lesson.current == 0
    lesson.toggle_presenter()


def test_going_through_a_lesson_is_no_change_of_its_file(lesson, qtbot, tmp_path):
    lesson.files.save_path(tmp_path / "a.mlviz")
    assert not lesson.files.modified
    lesson.lessons.go(0)
    settled(lesson, qtbot)
    assert not lesson.files.modified
    lesson.set_seed(5)
    assert lesson.files.modified
    lesson.undo()
    assert not lesson.files.modified
    lesson.lessons.set_words("title", "Other")
    assert lesson.files.modified


def test_the_old_picture_stays_until_the_new_one_is_there_and_then_fades(lesson, qtbot):
    lesson.lessons.go(0)
    assert lesson.lessons.fade.isVisible()
    assert lesson.lessons.fade.geometry() == lesson.board.rect()
    qtbot.waitUntil(lambda: not lesson.lessons.fade.isVisible())
    assert lesson.player.position == 0
    assert lesson.board.childAt(QPoint(10, 10)) is not lesson.lessons.fade


def test_a_full_lesson_says_so(window, monkeypatch):
    monkeypatch.setattr("mlviz.session.lesson.MAX_SLIDES", 1)
    window.lessons.add()
    window.lessons.add()
    assert len(window.document.lesson) == 1
    assert "at most" in window.statusBar().currentMessage()
    assert not window.actions_table["slide_add"].isEnabled()


def test_the_strip_lies_down_in_a_dock_below(lesson, qtbot):
    dock = next(dock for dock in lesson.docks if dock.objectName() == "dock_lesson")
    lesson.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    strip = lesson.lessons.panel.strip
    assert strip.flow() == strip.Flow.LeftToRight
    lesson.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    assert strip.flow() == strip.Flow.TopToBottom


def test_the_class_sees_the_question_and_not_the_note(lesson, qtbot):
    lesson.lessons.set_words("question", "How many clusters <b>are</b> there?")
    lesson.lessons.set_words("note", "Three.")
    heading = lesson.lessons.heading
    assert not heading.isVisible()
    lesson.toggle_presenter()
    assert heading.isVisible()
    words = heading.words
    assert (words.title.text(), words.question.text(), words.count.text()) == (
        "Gaussian mixture (EM)",
        "How many clusters <b>are</b> there?",
        "3 / 3",
    )
    assert words.question.height() >= words.question.heightForWidth(words.question.width())
    assert not any(label.text() == "Three." for label in lesson.findChildren(type(words.title)) if label.isVisible())
    assert not lesson.lessons.panel.isVisible()
    lesson.lessons.turn(-1)
    assert (words.question.text(), words.count.text()) == ("", "2 / 3")
    lesson.toggle_presenter()
    assert not heading.isVisible()
    assert lesson.lessons.panel.isVisible()


def test_no_other_action_has_the_keys_of_lessons(window):
    keys = [key for spec in window.actions_table.specs for key in (spec.keys, spec.also) if key]
    mine = [spec.keys for spec in window.lessons.specs() if spec.keys]
    assert mine
    assert [key for key in mine if keys.count(key) > 1] == []


def test_the_notes_go_to_the_other_screen_while_a_lesson_is_presented(lesson, monkeypatch):
    lesson.lessons.set_words("note", "Three.")
    lesson.toggle_presenter()
    assert lesson.lessons.notes is None  # there is one screen, and the class sees it
    lesson.toggle_presenter()
    monkeypatch.setattr(lesson_controller, "other_screen", lambda window: window.screen())
    lesson.toggle_presenter()
    notes = lesson.lessons.notes
    assert notes.isVisible()
    assert (notes.title.text(), notes.note.text()) == ("3 / 3   Gaussian mixture (EM)", "Three.")
    assert notes.next_title.text() == "The end of the lesson."
    lesson.lessons.go(0)
    assert (notes.note.text(), notes.next_title.text()) == ("", "Next: k-means")
    lesson.toggle_presenter()
    assert not notes.isVisible()
    assert not lesson.actions_table["lecturer_notes"].isChecked()


def test_the_notes_can_be_asked_for(lesson):
    lesson.actions_table["lecturer_notes"].trigger()
    assert lesson.lessons.notes.isVisible()
    assert lesson.actions_table["lecturer_notes"].isChecked()
    lesson.lessons.delete()
    lesson.lessons.delete()
    lesson.lessons.delete()
    assert not lesson.lessons.notes.isVisible()
    assert not lesson.actions_table["lecturer_notes"].isEnabled()


def test_nothing_in_the_notes_asks_for_the_keyboard(lesson):
    lesson.actions_table["lecturer_notes"].trigger()
    inside = lesson.lessons.notes.findChildren(QWidget)
    assert {widget.focusPolicy() for widget in inside} == {Qt.FocusPolicy.NoFocus}


def test_a_slide_keeps_the_settings_side_by_side(window, qtbot):
    setting = window.document.with_seed(7).setting
    window.apply(window.document.beside(setting), "compare")
    settled(window, qtbot)
    window.lessons.add()
    window.apply(window.document.alone(), "alone")
    settled(window, qtbot)
    assert len(window.boards.panes) == 1
    window.lessons.add()
    window.lessons.go(0)
    assert len(window.boards.panes) == 2
    assert window.document.shows(window.document.lesson.slide)
    qtbot.waitUntil(lambda: not window.lessons.fade.isVisible())
    window.lessons.go(1)
    assert len(window.boards.panes) == 1
    qtbot.waitUntil(lambda: not window.lessons.fade.isVisible())


def test_a_slide_whose_run_is_refused_is_shown_with_its_sentence(lesson, qtbot, monkeypatch):
    monkeypatch.setattr(lesson.lessons.fade._patience, "start", lesson.lessons.fade._begin)  # nobody waits in a test
    lesson.apply(lesson.document.with_data(generate("blobs", n=2)), "too few")
    qtbot.waitUntil(lambda: lesson.player.ended_without_frames)
    lesson.lessons.add()
    lesson.lessons.go(0)
    settled(lesson, qtbot)
    lesson.lessons.go(3)
    qtbot.waitUntil(lambda: lesson.player.ended_without_frames and not lesson.lessons.fade.isVisible())
    assert lesson.document.data.n == 2


def test_a_blank_board_leaves_the_lesson_where_it_is(lesson, qtbot):
    slides = lesson.document.lesson.slides
    lesson.actions_table["new"].trigger()
    assert lesson.document.lesson.slides == slides
    assert lesson.lessons.panel.strip.painter.changed
    lesson.lessons.go(0)
    settled(lesson, qtbot)
    assert lesson.document.shows(slides[0])


def test_a_lesson_is_there_again_at_the_next_start(lesson, make_window, tmp_path):
    state = lesson.files.state()
    state.save(tmp_path / "last.mlviz")
    kept = files.load(tmp_path / "last.mlviz")
    other = make_window()
    other.open_document(kept.document, "again")
    assert titles(other) == titles(lesson)
    assert other.document.lesson.current == 2
    assert other.document.shows(other.document.lesson.slide)


def test_the_letters_of_a_question_are_as_large_as_two_lines_allow(lesson):
    lesson.toggle_presenter()
    words = lesson.lessons.heading.words
    heights, sizes = [], []
    for question in ("Why?", "Why is it so? " * 6, "Why is it so? " * 12):
        lesson.lessons.set_words("question", question)
        QApplication.processEvents()
        heights.append(words.height())
        sizes.append(words.question.font().pointSizeF())
        assert words.question.heightForWidth(words.question.width()) <= words.question.height() + 1
    assert sizes[0] > sizes[2]
    assert heights[1] <= 0.25 * lesson.height()
    lesson.toggle_presenter()


def test_the_window_is_no_larger_after_slides_were_turned_in_large_letters(lesson, qtbot):
    lesson.lessons.go(0)
    settled(lesson, qtbot)
    lesson.resize(1016, 728)
    lesson.toggle_presenter()
    for _ in range(2):  # to other data, whose rows in the tab behind are made with large letters
        lesson.lessons.turn(1)
        settled(lesson, qtbot)
    lesson.toggle_presenter()
    QApplication.processEvents()
    assert lesson.knobs.minimumSizeHint().width() <= WIDTHS[1]
    strip = lesson.lessons.panel.strip
    assert strip.viewport().rect().contains(strip.place_of(2).center())
