"""A lesson in a session file: its slides in plain words, and the data of all of them, each data set once.

Data set 0 is that of the session itself; the others are numbered from 1. A slide that cannot be read leaves a notice
and is left out; the others stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from algorithms.data import Array, Data
from mlviz.session.archive import SessionError
from mlviz.session.description import Raw, describe, describe_data, numbered, read_data, read_document, with_number
from mlviz.session.document import Document
from mlviz.session.layout import as_plain, checked
from mlviz.session.lesson import MAX_NOTE, MAX_SLIDES, NO_LESSON, Lesson, Slide

LESSON = "lesson"


def describe_lesson(document: Document) -> Raw:
    """The lesson of a document as JSON values; nothing where there is none."""
    lesson = document.lesson
    if not lesson.slides:
        return {}
    sets = _sets(document)
    return {
        "title": lesson.title,
        "current": lesson.current,
        "data": [describe_data(data) for data in sets[1:]],
        "slides": [_describe(slide, sets) for slide in lesson.slides],
    }


def lesson_arrays(document: Document) -> dict[str, Array]:
    """The numbers of the data of the slides, but for those that the session has anyway."""
    arrays: dict[str, Array] = {}
    for number, data in enumerate(_sets(document)[1:], 1):
        arrays |= with_number(data, LESSON, number)
    return arrays


def read_lesson(raw: Any, arrays: Mapping[str, Array], data: Data, name: str, notices: list[str]) -> Lesson:
    """The lesson in an untrusted file whose session has these data."""
    if not raw:
        return NO_LESSON
    if not isinstance(raw, dict) or not isinstance(raw.get("slides"), list):
        notices.append("The lesson in this session could not be read and was left out.")
        return NO_LESSON
    described = raw.get("data")
    sets: list[Data | SessionError] = [data]
    for number, one in enumerate(described[:MAX_SLIDES] if isinstance(described, list) else [], 1):
        try:
            sets.append(read_data(one, numbered(arrays, LESSON, number), name))
        except SessionError as error:
            sets.append(error)
    slides = []
    for number, one in enumerate(raw["slides"][:MAX_SLIDES], 1):
        try:
            slides.append(_read(one, sets, name, notices))
        except SessionError as error:
            notices.append(f"Slide {number} of the lesson could not be read: {error}")
    if len(raw["slides"]) > MAX_SLIDES:
        notices.append(f"The lesson has more than {MAX_SLIDES} slides; the others were left out.")
    current, title = raw.get("current"), raw.get("title")
    number, words = current if _whole(current) else 0, title[:MAX_NOTE] if isinstance(title, str) else ""
    return Lesson(tuple(slides), number, words) if slides else NO_LESSON


def _sets(document: Document) -> list[Data]:
    """The data of the session and of all slides, each once."""
    every = (document.data, *(slide.document.data for slide in document.lesson.slides))
    return list({id(data): data for data in every}.values())


def _describe(slide: Slide, sets: list[Data]) -> Raw:
    return {
        "title": slide.title,
        "question": slide.question,
        "note": slide.note,
        "step": slide.step,
        "layout": as_plain(slide.layout),
        "data": next(number for number, data in enumerate(sets) if data is slide.document.data),
        **describe(slide.document),
    }


def _read(raw: Any, sets: list[Data | SessionError], name: str, notices: list[str]) -> Slide:
    if not isinstance(raw, dict):
        raise SessionError(f"{name} is damaged: it is not described.")
    number, step = raw.get("data"), raw.get("step", 0)
    if not _whole(number) or not 0 <= number < len(sets):
        raise SessionError(f"{name} is damaged: its data are missing.")
    data = sets[number]
    if isinstance(data, SessionError):
        raise data
    document = read_document({**raw, "memory": {}}, data, name, notices)
    texts = (raw.get(key, "") for key in ("title", "question", "note"))
    # cut before anything is done to them; a slide cuts each to its own length
    words = (text[: 2 * MAX_NOTE] if isinstance(text, str) else "" for text in texts)
    layout = checked(raw.get("layout", {}), data.n, notices)
    return Slide(document.for_slide(), step if _whole(step) else 0, layout, *words)


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
