"""Finding a method: by words, by family, by kind of data, by chapter."""

from __future__ import annotations

import re

from algorithms.contract import Algorithm
from algorithms.records import dataclass
from algorithms.search import rank

DOCUMENTS = (
    "Handbook",
    "Statistical Machine Learning (Orbanz)",
    "Methods for Data Science",
    "Machine Learning (Buhmann)",
    "Introduction to Machine Learning",
)
"""The course documents, in their order, as references name them."""
KINDS = {
    "points": "points",
    "graph": "a graph",
    "sequences": "series",
    "distances": "distances",
    "strings": "texts",
    "graph_set": "graphs",
    "none": "no data",
}
"""What the kinds of data are called in the gallery."""


def chapters(algorithm: Algorithm) -> tuple[str, ...]:
    """The chapters of the course documents that treat the method, in the order of the documents."""
    found: set[str] = set()
    for part in algorithm.reference.split(";"):
        title = next((title for title in DOCUMENTS if title in part), None)
        if title is not None:
            numbers = re.findall(r"(?:§|sections? |, )(\d+)", part)
            found |= {f"{title}, chapter {number}" for number in numbers} or {title}

    def place(name: str) -> tuple[int, int]:
        title, _, number = name.partition(", chapter ")
        return DOCUMENTS.index(title), int(number or 0)

    return tuple(sorted(found, key=place))


def data_words(algorithm: Algorithm) -> str:
    """What the method works on, in words."""
    words = " or ".join(KINDS[kind.kind] for kind in algorithm.data_kinds)
    return {"classes": f"{words} with classes", "values": f"{words} with values"}.get(algorithm.target, words)


@dataclass(frozen=True, slots=True)
class Filter:
    """What is looked for; an empty text leaves a part open."""

    text: str = ""
    family: str = ""
    kind: str = ""
    chapter: str = ""

    def rank(self, algorithm: Algorithm) -> int | None:
        """How well a method fits; None if it does not."""
        if self.family and algorithm.family != self.family:
            return None
        if self.kind and self.kind not in {kind.kind for kind in algorithm.data_kinds}:
            return None
        if self.chapter and self.chapter not in chapters(algorithm):
            return None
        return rank(algorithm, self.text.lower().split())
