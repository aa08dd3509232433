"""Several settings beside each other on the same data: plain values, as a part of the document. No Qt."""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from algorithms import registry
from algorithms.contract import Algorithm, FrozenDict
from algorithms.params import Field, as_dict
from algorithms.records import dataclass

MOST_BOARDS = 4
Clock = Literal["step", "fraction"]
CLOCKS: tuple[Clock, ...] = ("step", "fraction")
"""What the runs have in common while time is moved: the step, or the fraction of each run's length."""

WIDE = 1.3
"""How much wider than high a board looks best."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A method with its parameters, completed and checked, and a seed."""

    algorithm: str
    params: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", FrozenDict(as_dict(self.method.make_params(self.params))))
        object.__setattr__(self, "seed", checked_seed(self.seed))

    @property
    def method(self) -> Algorithm:
        """The algorithm itself."""
        return registry.find(self.algorithm)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What stands beside the document's own setting.

    Parameters
    ----------
    others : tuple of Setting
        The other settings, in the order in which they stand.
    place : int
        Where the document's own setting, the active one, stands among all of them.
    clock : "step" or "fraction"
        What the runs have in common.
    difference : bool
        Whether a map of where the answers differ is looked at.
    """

    others: tuple[Setting, ...] = ()
    place: int = 0
    clock: Clock = "step"
    difference: bool = False

    def __post_init__(self) -> None:
        if len(self.others) >= MOST_BOARDS:
            raise ValueError(f"At most {MOST_BOARDS} settings can be compared; got {len(self.others) + 1}.")
        if not 0 <= self.place <= len(self.others):
            raise ValueError(f"There is no place {self.place} among {len(self.others) + 1} settings.")
        if self.clock not in CLOCKS:
            raise ValueError(f"Runs are compared by step or by fraction; got {str(self.clock)[:20]!r}.")

    def around(self, own: Setting) -> tuple[Setting, ...]:
        """All settings in the order in which they stand."""
        return (*self.others[: self.place], own, *self.others[self.place :])

    def on(self, data: Any) -> Comparison:
        """The same without the settings whose methods cannot take these data."""
        kept = [other.method.takes(data) for other in self.others]
        if all(kept):
            return self
        others = tuple(other for other, stays in zip(self.others, kept) if stays)
        return dataclasses.replace(self, others=others, place=sum(kept[: self.place]))


ALONE = Comparison()


def step_beside(clock: Clock, step: int, count: int, own: int) -> int:
    """The step to show of a run of ``own`` steps while another one of ``count`` steps is at ``step``."""
    last = max(own - 1, 0)
    return min(step, last) if clock == "step" else round(step / max(count - 1, 1) * last)


def shares_threshold(one: Algorithm, other: Algorithm) -> bool:
    """Whether a threshold on what one method says about a point means the same for another."""
    return bool(one.scores) and one.scores == other.scores


def columns_for(count: int, width: float, height: float, words: float = 0.0) -> int:
    """In how many columns so many boards have the most room, where ``words`` take a part of the height of each."""

    def room(columns: int) -> float:
        return min(width / columns / WIDE, height / math.ceil(count / columns) - words)

    return max(range(1, count + 1), key=room)


def names_of(settings: Sequence[Setting], fit: Callable[[tuple[str, ...]], bool] = lambda _: True) -> tuple[str, ...]:
    """What each setting is called beside the others: first what it has of its own, then its method.

    Where these do not ``fit``, a method that all have in common is left out, then the spaces: the end of a name that is
    cut could be all in which it differs.
    """
    parts = [_name(setting, settings) for setting in settings]
    common = len({setting.algorithm for setting in settings}) == 1 and all(len(own) > 1 for own in parts)
    own = [words[:-1] for words in parts] if common else parts
    for found in (parts, own):
        names = tuple(" · ".join(words) for words in found)
        if fit(names):
            return names
    return tuple(" ".join(words).replace(" = ", "=").replace("seed ", "seed") for words in own)


def _name(setting: Setting, settings: Sequence[Setting]) -> list[str]:
    title, alike = setting.method.title, [other for other in settings if other.algorithm == setting.algorithm]
    fields = {field.name: field for field in setting.method.fields}
    differing = [
        f"{fields[name].label} = {value_words(value)}"
        for name, value in setting.params.items()
        if any(other.params[name] != value for other in alike) and fields[name].relevant(setting.params)
    ]
    seeds = [f"seed {setting.seed}"] if any(other.seed != setting.seed for other in alike) else []
    return [*differing, *seeds, title]


def value_words(value: Any) -> str:
    """The value of a parameter in a few letters."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, tuple):
        return "by hand" if value else "none"
    text = str(value)
    return text if len(text) <= 24 else text[:23] + "…"


def other_value(field: Field, value: Any) -> Any:
    """Another value of a parameter that makes a difference one can see; None where none suggests itself."""
    if field.kind == "bool":
        return not value
    if field.kind == "choice":
        return field.choices[(field.choices.index(value) + 1) % len(field.choices)]
    if field.kind not in ("int", "float") or field.low is None or field.high is None:
        return None
    steps = (100.0 * value, value / 100.0) if field.log else (2.0 * value, value / 2.0, (field.low + field.high) / 2.0)
    for wanted in steps:
        other = field.check(round(wanted)) if field.kind == "int" and field.low <= round(wanted) <= field.high else None
        if field.kind == "float" and field.low <= wanted <= field.high:
            other = field.nearest(wanted)
        if other is not None and other != value:
            return other
    return None


def checked_seed(seed: Any) -> int:
    """The seed as a whole number that NumPy's generators accept, or ValueError."""
    try:
        number = operator.index(seed)
    except TypeError as error:
        raise ValueError(f"The seed must be a whole number; got {seed!r}.") from error
    if isinstance(seed, bool) or not 0 <= number < 2**63:
        raise ValueError(f"The seed must be a whole number from 0 to 2^63 - 1; got {seed!r}.")
    return number
