"""Data of any kind named in one line: ``moons(n=300,noise=0.1)``, a built-in set such as ``iris``, or a file."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from algorithms.calls import CALL, MAX_LETTERS, NoCall, WrongValue, parse_call
from algorithms.contract import Algorithm
from algorithms.data import DataError, Nothing
from algorithms.params import ParamError
from algorithms.records import dataclass
from mlviz.data.builtin import Builtin, BuiltinTable, all_builtin, find_builtin, load_builtin
from mlviz.data.gaps import Missing
from mlviz.data.generators import Generator, all_generators, find_generator
from mlviz.data.generators.declare import GROUPS
from mlviz.data.understanding import OPEN, Wishes

Source = Generator | Builtin | BuiltinTable
OLD_NAMES = {("masks", "share"): "fraction"}
"""What a parameter of a generator is called now, for older recipes."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The name of a generator or a built-in set, and the values given to it."""

    name: str
    values: dict[str, Any]

    def make(self) -> Any:
        """The data."""
        return find_source(self.name).generate(**self.values)

    @property
    def takes_long(self) -> bool:
        """Whether nobody should wait while the data are made; what is built in is only read."""
        source = find_source(self.name)
        return isinstance(source, Generator) and source.takes_long(**self.values)

    @property
    def axes(self) -> tuple[int, int]:
        """The two features to look at first."""
        source = find_source(self.name)
        return source.axes if isinstance(source, BuiltinTable) else (0, 1)

    def __str__(self) -> str:
        return f"{self.name}({','.join(f'{name}={value!r}' for name, value in self.values.items())})"


def all_sources() -> tuple[Source, ...]:
    """Everything that makes data from a name, group by group; in a group the generators, then the built-in sets."""
    return tuple(sorted((*all_generators(), *all_builtin()), key=lambda source: GROUPS.index(source.group)))


def find_source(name: str) -> Source:
    """The generator or built-in set of this name, or a :class:`DataError` with the nearest name as a suggestion."""
    built_in, made = {item.name for item in all_builtin()}, {item.name for item in all_generators()}
    if name in built_in:
        return find_builtin(name)
    if name in made or not difflib.get_close_matches(name, built_in, n=1):  # to compare names takes milliseconds
        return find_generator(name)
    return find_generator(name) if difflib.get_close_matches(name, made, n=1) else find_builtin(name)


def parse_spec(text: str) -> Recipe:
    """The recipe that a text such as ``moons(n=300,noise=0.1,seed=1)`` describes, read without running anything."""
    match = CALL.fullmatch(text)
    if match is None or len(text) > MAX_LETTERS:
        raise DataError(_how_to_write(text))
    generator = find_source(match[1])
    try:
        _, values = parse_call(text)
    except NoCall as error:
        raise DataError(_how_to_write(text)) from error
    except WrongValue as error:
        raise DataError(str(error)) from error
    values = {OLD_NAMES.get((generator.name, name), name): value for name, value in values.items()}
    for name in values:
        _check_name(name, [field.name for field in generator.fields], match[1])
    return Recipe(generator.name, values)


def recipe_of(text: str) -> Recipe | None:
    """The recipe that a text names, when it is a call of a known source with values that it can have."""
    try:
        recipe = parse_spec(text)
        fields = {field.name: field for field in find_source(recipe.name).fields}
        values = {name: fields[name].check(value) for name, value in recipe.values.items()}
    except (DataError, ParamError):
        return None
    return Recipe(recipe.name, values) if "(" in text else None


def load_data(spec: str, wishes: Wishes = OPEN, kinds: Sequence[str] = (), gaps: Missing = "suggested") -> Any:
    """The data that a generator call, a built-in set or a file gives.

    Parameters
    ----------
    spec : str
        What is wanted, in one line.
    wishes : Wishes
        Which columns of a table are to be what; of a built-in set the target can be chosen.
    kinds : sequence of str
        The kinds of data that can be used, where that is known: a CSV file may hold points, or a graph.
    gaps : {"suggested", "refuse", "drop", "mean", "median", "mode"}
        What becomes of missing values in the table of a file.
    """
    if not _is_call(spec):
        from mlviz.data.files import read_data

        return read_data(Path(spec), wishes, kinds, gaps)
    recipe = parse_spec(spec)
    if gaps != "suggested":
        raise DataError(f"{recipe.name} has no missing values; --gaps is for files.")
    if wishes.target is None:
        return recipe.make()
    if isinstance(find_source(recipe.name), Generator):
        raise DataError(
            f"The generator {recipe.name} brings its own target; a target column can be chosen only for files."
        )
    return load_builtin(recipe.name, wishes.target)


def example_of(method: Algorithm) -> Any:
    """The data on which a method shows itself best; nothing for a method that needs none."""
    return load_data(method.example) if method.accepts else Nothing()


def first_axes(spec: str) -> tuple[int, int]:
    """The two features to look at first: those that a built-in set recommends, else the first two."""
    return parse_spec(spec).axes if _is_call(spec) else (0, 1)


def is_table(spec: str) -> bool:
    """Whether the text means a file that holds no picture: the pixels of one are all alike."""
    from mlviz.data.picture_files import is_picture

    return not _is_call(spec) and not is_picture(Path(spec))


def _is_call(spec: str) -> bool:
    """Whether the text means a generator or a built-in set. A plain word does unless such a file lies there."""
    match = re.match(r"\s*([A-Za-z_]\w*)\s*(\(|$)", spec)
    if match is None:
        return False
    known = any(match[1] == source.name for source in all_sources())
    return known or (CALL.fullmatch(spec) is not None and not os.path.exists(spec))


def _check_name(name: str, known: list[str], owner: str) -> None:
    """A misspelt parameter gets the nearest one suggested."""
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}."
        raise DataError(f"{owner} has no parameter {name!r}; {hint}")


def _how_to_write(text: str) -> str:
    shown = text if len(text) <= 60 else text[:57] + "..."
    return f"{shown!r} is not a generator call; write it like moons(n=300,noise=0.1,seed=1)."
