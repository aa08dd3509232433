"""Strings: texts, each with an optional class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from algorithms.data.kind import (
    Array,
    Data,
    DataError,
    label,
    labels,
    levels_of,
    listed,
    locked,
    text_in,
    texts_in,
    whole_numbers,
)
from algorithms.records import dataclass

MAX_TEXTS = 10_000
MAX_LETTERS = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Strings(Data):
    """Texts with classes.

    Parameters
    ----------
    texts : sequence of str
    y : array-like of shape (n,), optional
        Class labels of any sort; with ``classes`` their numbers.
    """

    kind: ClassVar[str] = "strings"
    item_name: ClassVar[str] = "text"
    invitation: ClassVar[str] = "Write texts"

    texts: tuple[str, ...]
    y: Array | None = None  # (n,) int64 class numbers
    classes: tuple[str, ...] = ()
    name: str = "texts"

    def __post_init__(self) -> None:
        texts = listed(self.texts, "texts")
        if isinstance(self.texts, str) or not all(isinstance(text, str) for text in texts):
            raise DataError("Texts must be a list of texts.")
        if len(texts) > MAX_TEXTS or sum(map(len, texts)) > MAX_LETTERS:
            raise DataError(f"At most {MAX_TEXTS:,} texts with {MAX_LETTERS:,} letters together can be used.")
        y: Array | None = None
        classes: tuple[str, ...] = ()
        if self.y is not None:
            classes = labels(self.classes)
            if classes:
                y = whole_numbers(self.y, "classes of the texts", (len(texts),), 0, len(classes))
            else:
                classes, codes = levels_of(self.y, len(texts), "text")
                y = locked(codes)
        for name, value in (("texts", texts), ("y", y), ("classes", classes), ("name", label(self.name))):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy forgets the lock of an array in a pickle; building the value anew locks it again.
        return Strings, (self.texts, self.y, self.classes, self.name)

    @classmethod
    def blank(cls, target: str = "none") -> Strings:
        """No texts of two classes yet."""
        return cls((), np.empty(0, dtype=np.int64), ("1", "2"), "blank list")

    @property
    def n(self) -> int:
        """How many texts there are."""
        return len(self.texts)

    @property
    def groups(self) -> Array | None:
        """The class of every text, or None."""
        return self.y

    @property
    def is_labelled(self) -> bool:
        """Whether the texts have classes."""
        return self.y is not None

    def item_text(self, number: int) -> str:
        """A text, cut where it is long, and its class."""
        text = self.texts[number]
        shown = text if len(text) <= 60 else text[:57] + "..."
        kind = "" if self.y is None else f"   class: {self.classes[int(self.y[number])]}"
        return f"text {number + 1}:   {shown}{kind}"

    def columns(self) -> dict[str, list[Any]]:
        """One row an item, with its class."""
        columns: dict[str, list[Any]] = {"text": list(self.texts)}
        return columns if self.y is None else columns | {"class": [self.classes[k] for k in self.y.tolist()]}

    def arrays(self) -> dict[str, Array]:
        """The classes, where there are any."""
        return {} if self.y is None else {"y": self.y}

    def facts(self) -> dict[str, Any]:
        """The texts and the names of the classes."""
        return {"name": self.name, "texts": list(self.texts), "classes": list(self.classes)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> Strings:
        """The texts of a file."""
        return cls(
            texts_in(facts, "texts"), arrays.get("y"), texts_in(facts, "classes"), text_in(facts, "name", "texts")
        )
