"""What a method counts itself, where not every frame of its run is one more of it."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Any


@dataclass(frozen=True, slots=True)
class Count:
    """Epochs, iterations and the like: a frame in slow motion is a step of the time line, but no epoch.

    Wherever a step is named, what the method counts is named with it, so that both agree with the caption.
    """

    name: str
    attribute: str
    """Where a model has the number; the part of a part with a dot."""

    def of(self, model: Any) -> int:
        """How many there are up to a model."""
        return int(attrgetter(self.attribute)(model))

    def words(self, model: Any) -> str:
        """As it is written beside the step: ``epoch 71``."""
        return f"{self.name} {self.of(model):,}"
