"""Nothing: what a method works on that needs no data, such as a function, a matrix or a vote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from algorithms.data.kind import Array, Data
from algorithms.records import dataclass


@dataclass(frozen=True, slots=True)
class Nothing(Data):
    """No data. All of them are equal."""

    kind: ClassVar[str] = "none"
    item_name: ClassVar[str] = "item"

    name: str = "no data"

    @property
    def n(self) -> int:
        """There are no items."""
        return 0

    def counted(self) -> str:
        """That there is nothing, in words."""
        return "no data needed"

    def arrays(self) -> dict[str, Array]:
        """No arrays."""
        return {}

    def facts(self) -> dict[str, Any]:
        """The name."""
        return {"name": self.name}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> Nothing:
        """Nothing again."""
        return cls()
