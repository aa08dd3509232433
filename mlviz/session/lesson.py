"""A lesson: states of the laboratory in the order in which they are shown, each with a title, a question and a note.

It is a part of the document (see :mod:`mlviz.session.document`), so that one history undoes it, one star says that it
is not saved, and one file holds it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from algorithms.records import dataclass
from mlviz.session.layout import UNCHANGED, Layout

if TYPE_CHECKING:
    from mlviz.session.document import Document

MAX_SLIDES = 100
MAX_STEP = 10**9
MAX_TITLE, MAX_QUESTION, MAX_NOTE = 200, 1_000, 5_000
"""Letters of the three texts; longer ones are cut."""


@dataclass(frozen=True, slots=True, eq=False)
class Slide:
    """One state: a document without shelf, memory and lesson, the step it is shown at, how it is looked at, and words.

    The question is for the class, the note for whoever lectures. Two slides are the same only when they are one.
    """

    document: Document
    step: int = 0
    layout: Layout = UNCHANGED
    title: str = ""
    question: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", min(max(self.step, 0), MAX_STEP))
        object.__setattr__(self, "title", " ".join(self.title.split())[:MAX_TITLE])
        object.__setattr__(self, "question", self.question.strip()[:MAX_QUESTION])
        object.__setattr__(self, "note", self.note.strip()[:MAX_NOTE])

    @classmethod
    def of(cls, document: Document, step: int, layout: Layout, title: str = "") -> Slide:
        """The present state; where the docks stand is left to the window."""
        return cls(document.for_slide(), step, dataclasses.replace(layout, docks=()), title or document.method.title)


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """The slides, the number of the one that was gone to last, and a title. Every change gives a new lesson."""

    slides: tuple[Slide, ...] = ()
    current: int = 0
    title: str = ""
    template: bool = False
    """Whether it belongs to the program: whatever is changed is a copy, see :meth:`own`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "slides", tuple(self.slides)[:MAX_SLIDES])
        object.__setattr__(self, "title", " ".join(self.title.split())[:MAX_TITLE])
        object.__setattr__(self, "current", min(max(self.current, 0), max(len(self.slides) - 1, 0)))

    def __len__(self) -> int:
        return len(self.slides)

    @property
    def slide(self) -> Slide | None:
        """The current one."""
        return self.slides[self.current] if self.slides else None

    @property
    def full(self) -> bool:
        """Whether there is no room for another slide."""
        return len(self.slides) >= MAX_SLIDES

    def at(self, number: int) -> Lesson:
        """The same with another current slide."""
        return self._with(self.slides, number)

    def with_slide(self, slide: Slide) -> Lesson:
        """One more slide behind the current one; a full lesson stays as it is."""
        place = self.current + 1 if self.slides else 0
        return self if self.full else self._with((*self.slides[:place], slide, *self.slides[place:]), place)

    def replaced(self, number: int, slide: Slide) -> Lesson:
        """The same with another slide in the place of one."""
        return self._with((*self.slides[:number], slide, *self.slides[number + 1 :]), self.current)

    def without(self, *numbers: int) -> Lesson:
        """The same without some slides; the next one takes the place of the current one. Without any it is none."""
        kept = tuple(slide for number, slide in enumerate(self.slides) if number not in numbers)
        return self._with(kept, self.current - sum(number < self.current for number in numbers)) if kept else NO_LESSON

    def duplicated(self, numbers: Sequence[int]) -> Lesson:
        """The same with copies of some slides behind the last of them, where there is room; the first is current."""
        copies = tuple(dataclasses.replace(self.slides[number]) for number in sorted(numbers))
        place = max(numbers) + 1
        slides = (*self.slides[:place], *copies, *self.slides[place:])
        return self._with(slides, place) if len(slides) <= MAX_SLIDES else self

    def shifted(self, numbers: Sequence[int], by: int) -> Lesson:
        """The same with some slides one place further on (``by`` 1) or back (-1); at the end they stay."""
        order = list(range(len(self.slides)))
        for number in sorted(numbers, reverse=by > 0):
            if 0 <= number + by < len(order) and order[number + by] not in numbers:
                order[number], order[number + by] = order[number + by], order[number]
        return self.ordered(order)

    def own(self) -> Lesson:
        """The same as one's own to change: of a lesson of the program a copy."""
        return dataclasses.replace(self, template=False, title=f"Copy of {self.title}") if self.template else self

    def moved(self, source: int, target: int) -> Lesson:
        """The same with one slide taken out and put where it then has the number ``target``."""
        order = [k for k in range(len(self.slides)) if k != source]
        order.insert(target, source)
        return self.ordered(order)

    def ordered(self, order: Sequence[int]) -> Lesson:
        """The same slides in another order; the current one stays the same slide."""
        return self._with(tuple(self.slides[k] for k in order), list(order).index(self.current))

    def titled(self, title: str) -> Lesson:
        """The same under another title."""
        return dataclasses.replace(self, title=title)

    def same(self, other: Lesson) -> bool:
        """Whether both are the same lesson, wherever one has gone in it."""
        return (self.slides, self.title) == (other.slides, other.title)

    def _with(self, slides: tuple[Slide, ...], current: int) -> Lesson:
        return dataclasses.replace(self, slides=slides, current=current)


NO_LESSON = Lesson()
