"""Lessons: pure edits, one undo for everything, and a file that holds each data set once and trusts nobody."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from algorithms import Points
from mlviz.session import files
from mlviz.session.document import Document
from mlviz.session.files import SessionError, load, save
from mlviz.session.history import History
from mlviz.session.layout import Dock, Layout, Viewport
from mlviz.session.lesson import MAX_NOTE, MAX_SLIDES, MAX_STEP, NO_LESSON, Lesson, Slide

SAMPLES = Path(__file__).parent / "samples"


def titled(document, *titles):
    return Lesson(tuple(Slide(document, title=title) for title in titles))


def titles(lesson):
    return "".join(slide.title for slide in lesson.slides)


@pytest.fixture
def document(data):
    return Document(data, "first", {"k": 7}, seed=3)


def test_a_slide_comes_behind_the_current_one(document):
    lesson = NO_LESSON.with_slide(Slide(document, title="a")).with_slide(Slide(document, title="c"))
    lesson = lesson.at(0).with_slide(Slide(document, title="b"))
    assert (titles(lesson), lesson.current) == ("abc", 1)


@pytest.mark.parametrize(
    ("source", "target", "order", "current"),
    [(0, 2, "bcad", 0), (3, 0, "dabc", 2), (1, 1, "abcd", 1), (1, 3, "acdb", 3)],
)
def test_moving_a_slide_keeps_the_current_one_current(document, source, target, order, current):
    lesson = titled(document, *"abcd").at(1).titled(" A  title ")
    moved = lesson.moved(source, target)
    assert (titles(moved), moved.current) == (order, current)
    assert moved.slide is lesson.slide
    assert moved.title == "A title"
    assert not moved.same(lesson) or source == target
    assert moved.same(moved.at(0))


@pytest.mark.parametrize(("number", "kept", "current"), [(0, "bcd", 1), (2, "abd", 2), (3, "abc", 2)])
def test_the_next_slide_takes_the_place_of_a_deleted_one(document, number, kept, current):
    lesson = titled(document, *"abcd").at(2).without(number)
    assert (titles(lesson), lesson.current) == (kept, current)
    assert titled(document, "a").without(0).slide is None


def test_texts_steps_and_numbers_are_bounded(document):
    slide = Slide(document, -3, title=" two\nlines ", question=" why? ", note="n" * 9_999)
    assert (slide.step, slide.title, slide.question, len(slide.note)) == (0, "two lines", "why?", MAX_NOTE)
    assert Slide(document, 10**12).step == MAX_STEP
    full = titled(document, *"x" * (MAX_SLIDES + 5))
    assert len(full) == MAX_SLIDES
    assert full.full
    assert full.with_slide(slide) is full
    assert full.at(10**6).current == MAX_SLIDES - 1


def test_a_slide_keeps_the_state_alone(data, document):
    other = document.with_algorithm("second").with_lesson(titled(document, "a"))
    slide = Slide.of(other, 4, Layout(docks=(Dock("dock_methods", "left"),), curve="J"))
    assert (slide.document.memory, slide.document.shelf, slide.document.lesson) == ({}, (), NO_LESSON)
    assert (slide.step, slide.layout, slide.title) == (4, Layout(curve="J"), "Second")
    assert other.shows(slide)
    assert not other.with_seed(9).shows(slide)
    assert not other.shows(None)


def test_going_to_a_slide_keeps_what_other_methods_were_left_with(data, document):
    slide = Slide(Document(data, "second", {"depth": 5}, seed=1).for_slide())
    there = document.with_lesson(Lesson((slide,))).on_slide(0)
    assert there.shows(slide)
    assert there.lesson.slide is slide
    assert there.with_algorithm("first").params["k"] == 7


def test_edits_of_a_lesson_are_undone_like_everything(document):
    history = History(document)
    first = document.with_lesson(titled(document, "a"))
    history.push(first, label="add a slide")
    history.push(first.with_lesson(first.lesson.without(0)), label="delete a slide")
    assert history.undo() is first
    assert history.undo_text == "add a slide"
    assert history.undo().lesson is NO_LESSON


def test_a_lesson_comes_back_with_each_data_set_once(tmp_path, data, document):
    other = Points(np.eye(2), name="other")
    views = Layout(viewports={"plane": Viewport((0.0, 1.0, 0.0, 1.0))}, second="evaluation", pinned=(1,))
    slides = (
        Slide(document, 2, views, "One", "Why?", "Because."),
        Slide(Document(other, "second", {"depth": 4}).with_source("other()"), 5, title="Two"),
        Slide(Document(other, "first"), title="Three"),
    )
    save(tmp_path / "a", document.with_lesson(Lesson(slides, 1, "Both")))
    loaded = load(tmp_path / "a")
    assert loaded.notices == []
    lesson = loaded.document.lesson
    assert (lesson.current, lesson.title) == (1, "Both")
    for back, slide in zip(lesson.slides, slides, strict=True):
        assert back.document.changes(slide.document) == {"data"}
        assert back.document.source == slide.document.source
        np.testing.assert_array_equal(back.document.data.X, slide.document.data.X)
        for name in ("step", "layout", "title", "question", "note"):
            assert getattr(back, name) == getattr(slide, name)
    assert lesson.slides[0].document.data is loaded.document.data
    assert lesson.slides[1].document.data is lesson.slides[2].document.data
    with zipfile.ZipFile(tmp_path / "a") as archive:
        raw = json.loads(archive.read("session.json"))
    assert [described["name"] for described in raw["lesson"]["data"]] == ["other"]


def test_the_sample_of_format_4_still_opens():
    """The first with a lesson; written on the day the format was fixed, never written again."""
    loaded = load(SAMPLES / "format-4.mlviz")
    assert loaded.notices == []
    lesson = loaded.document.lesson
    assert [slide.title for slide in lesson.slides] == ["One", "Two"]
    assert lesson.slides[0].document.data is loaded.document.data
    assert (lesson.slides[1].step, lesson.slides[1].question, lesson.slides[1].note) == (5, "Why?", "Because.")
    assert lesson.slides[1].document.params["depth"] == 4
    assert lesson.slides[1].document.data.n == 2


def broken(path, document, change):
    """A file with a lesson whose description was changed by hand."""
    save(path, document)
    with zipfile.ZipFile(path) as archive:
        raw, table = json.loads(archive.read("session.json")), archive.read("data.npz")
    change(raw["lesson"])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("session.json", json.dumps(raw))
        archive.writestr("data.npz", table)
    return load(path)


FAULTS = {
    "no method": lambda raw: raw["slides"][1].pop("algorithm"),
    "unknown method": lambda raw: raw["slides"][1].update(algorithm="frist"),
    "no data": lambda raw: raw["slides"][1].pop("data"),
    "data that are not there": lambda raw: raw["slides"][1].update(data=7),
    "negative data": lambda raw: raw["slides"][1].update(data=-1),
    "data true": lambda raw: raw["slides"][1].update(data=True),
    "damaged data": lambda raw: raw["data"][0].update(features=["one"]),
    "unknown kind": lambda raw: raw["data"][0].update(kind="holes"),
    "a number": lambda raw: raw["slides"].__setitem__(1, 5),
    "parameters": lambda raw: raw["slides"][1].update(params=[]),
}


@pytest.mark.parametrize("change", FAULTS.values(), ids=FAULTS)
def test_a_slide_that_cannot_be_read_is_left_out_with_a_notice(tmp_path, document, change):
    other = Slide(Document(Points(np.eye(2)), "second"), title="b")
    lesson = Lesson((Slide(document, title="a"), other, Slide(document, title="c")), 2)
    loaded = broken(tmp_path / "a", document.with_lesson(lesson), change)
    assert titles(loaded.document.lesson) == "ac"
    assert loaded.document.lesson.current == 1
    (notice,) = loaded.notices
    assert notice.startswith("Slide 2 of the lesson could not be read: ")


REPAIRED = {
    "step": lambda raw: raw["slides"][0].update(step="x"),
    "huge step": lambda raw: raw["slides"][0].update(step=10**40),
    "title": lambda raw: raw["slides"][0].update(title=["a"]),
    "lesson title": lambda raw: raw.update(title=7),
    "current": lambda raw: raw.update(current="last"),
    "current far away": lambda raw: raw.update(current=-(10**40)),
    "layout": lambda raw: raw["slides"][0].update(layout=[1]),
    "many": lambda raw: raw.update(slides=raw["slides"] * 300),
    "long": lambda raw: raw["slides"][0].update(title="x" * 10**6),
}


@pytest.mark.parametrize("change", REPAIRED.values(), ids=REPAIRED)
def test_what_can_be_repaired_is(tmp_path, document, change):
    lesson = broken(tmp_path / "a", document.with_lesson(titled(document, "a")), change).document.lesson
    assert 1 <= len(lesson) <= MAX_SLIDES
    assert 0 <= lesson.slides[0].step <= MAX_STEP


@pytest.mark.parametrize("raw", [[], {}, 3, "x", {"slides": 3}, {"slides": []}, {"slides": [1, 2]}])
def test_a_lesson_that_is_none_leaves_the_session(tmp_path, document, raw):
    def change(lesson):
        lesson.clear()
        lesson.update(raw if isinstance(raw, dict) else {"slides": raw})

    assert broken(tmp_path / "a", document.with_lesson(titled(document, "a")), change).document.lesson is NO_LESSON


def test_a_lesson_that_is_too_large_is_refused_on_saving(tmp_path, document, monkeypatch):
    monkeypatch.setattr(files, "MAX_DATA", 2**17)
    large = Document(Points(np.zeros((9_000, 2))), "second")
    with pytest.raises(SessionError, match="too large to be saved"):
        save(tmp_path / "a", document.with_lesson(Lesson((Slide(large),))))
    assert not (tmp_path / "a").exists()
