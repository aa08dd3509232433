"""After one lesson comes another: new ones, copies of slides, several at once; what the program ships stays."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from mlviz.session.lesson import NO_LESSON, Lesson, Slide


@pytest.fixture
def three(window):
    """A lesson of three slides."""
    for name in ("one", "two", "three"):
        window.lessons.add()
        window.lessons.set_words("title", name)
    window.lessons.set_title("Clusters")
    return window


def titles(window):
    return [slide.title for slide in window.document.lesson.slides]


def test_a_new_lesson_has_neither_slides_nor_title_and_undo_brings_the_old_one_back(three):
    document = three.document
    three.actions_table["lesson_new"].trigger()
    assert three.document.lesson is NO_LESSON
    assert three.document.data is document.data
    three.lessons.add()
    assert (len(three.document.lesson), three.document.lesson.title) == (1, "")
    three.undo()
    three.undo()
    assert three.document.lesson.title == "Clusters"


def test_with_the_last_slide_the_title_goes(three):
    for _ in range(3):
        three.actions_table["slide_delete"].trigger()
    assert three.document.lesson.title == ""


def test_a_slide_is_duplicated(three):
    three.lessons.go(1)
    three.actions_table["slide_duplicate"].trigger()
    assert titles(three) == ["one", "two", "two", "three"]
    assert three.document.lesson.current == 2
    three.lessons.set_words("title", "two again")
    assert titles(three) == ["one", "two", "two again", "three"]


def test_several_slides_at_once(three, qtbot):
    strip = three.lessons.panel.strip
    strip.mark((0, 1))
    three.actions_table["slide_down"].trigger()
    assert titles(three) == ["three", "one", "two"]
    assert strip.marked() == (1, 2)
    three.actions_table["slide_duplicate"].trigger()
    assert titles(three) == ["three", "one", "two", "one", "two"]
    strip.mark((1, 3, 4))
    three.actions_table["slide_delete"].trigger()
    assert titles(three) == ["three", "two"]


def test_control_and_a_click_marks_and_a_click_alone_goes_there(three, qtbot):
    strip = three.lessons.panel.strip
    for number, keys in ((0, Qt.KeyboardModifier.NoModifier), (1, Qt.KeyboardModifier.ControlModifier)):
        place = strip.place_of(number).center()
        QTest.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, keys, place)
    assert (three.document.lesson.current, strip.marked()) == (0, (0, 1))


def test_a_lesson_of_the_program_is_copied_before_it_is_changed(window, qtbot):
    path = window.lessons.shipped()[0][1]
    shipped = path.read_bytes()
    window.files.open_copy(path)
    before = window.document.lesson
    assert before.template
    window.lessons.go(1)
    assert window.document.lesson.template  # to go through it changes nothing
    window.lessons.delete()
    lesson = window.document.lesson
    assert (lesson.template, lesson.title, len(lesson)) == (False, f"Copy of {before.title}", len(before) - 1)
    window.lessons.set_words("title", "mine")
    assert window.document.lesson.title == lesson.title
    assert (window.files.path, path.read_bytes()) == (None, shipped)


def test_notes_on_the_only_screen_stand_above_the_full_screen(three):
    three.lessons.toggle_notes()
    three.toggle_presenter()
    notes = three.lessons.notes
    assert notes.isVisible()
    assert notes.windowType() == Qt.WindowType.Tool  # a plain window would be behind it
    assert notes.windowFlags() & Qt.WindowType.WindowStaysOnTopHint
    assert notes.windowFlags() & Qt.WindowType.WindowDoesNotAcceptFocus
    three.toggle_presenter()
    three.lessons.notes.close()


def test_blocks_of_slides_stay_together_at_the_ends(window):
    slides = tuple(Slide.of(window.document, 0, window.arrangement.layout(), name) for name in "abcd")
    lesson = Lesson(slides, 1)
    names = lambda lesson: "".join(slide.title for slide in lesson.slides)  # noqa: E731
    assert names(lesson.shifted((0, 1), -1)) == "abcd"
    assert names(lesson.shifted((2, 3), -1)) == "acdb"
    assert lesson.shifted((2, 3), -1).current == 3
    assert names(lesson.shifted((0, 2), 1)) == "badc"
