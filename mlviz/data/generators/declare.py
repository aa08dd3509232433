"""How a generator is declared: a function whose signature says everything about its parameters.

    @generator("Two moons")
    def moons(rng, n: Count = 300, noise: Noise = 0.1, gap: Annotated[float, Between(-1, 2), Doc("...")] = 0.0):
        '''Two interlocking half circles.'''

The decorator turns the signature into a frozen ``Params`` class, the same thing that algorithms declare theirs with,
and adds ``seed``. Nothing is written a second time.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
import math
import typing
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeVar

import numpy as np

from algorithms.data import Array, Data, DataError, Points
from algorithms.params import Between, Doc, Field, Log, as_dict, schema, validated
from algorithms.records import dataclass

MAX_POINTS = 100_000
MAX_SEED = 2**31 - 1
QUICK = 1_000_000
"""Numbers that most generators make in a moment; a window waits for no more than a moment."""

Count = Annotated[int, Between(1, MAX_POINTS), Log, Doc("How many points.")]
Noise = Annotated[float, Between(0, 10), Doc("Standard deviation of the random noise; 0 gives the exact shape.")]
Seed = Annotated[int, Between(0, MAX_SEED), Doc("Which random draw: the same seed gives the same data.")]

AMOUNTS = ("n", "features", "series")
"""Parameters that say how much is to be made."""

Target = Literal["none", "classes", "values"]
Made = TypeVar("Made", bound=Data)
GROUPS = ("classes", "regression", "manifolds", "tables", "graphs", "sequences", "distances", "texts", "graph sets")
"""The headings of the list of data, in its order. Built-in sets stand under them too, after the generators."""


@dataclass(frozen=True, slots=True)
class Generator:
    """A named recipe for data of one kind, with its parameters declared like those of an algorithm."""

    name: str
    title: str
    doc: str
    group: str
    target: Target
    make: Callable[..., Data]
    kind: str = "points"
    """The kind of data that it gives."""
    quick: int = QUICK
    """How much of it is made in a moment, as ``n`` times the number of features or series."""

    @property
    def params(self) -> type:
        """The class of its parameters; made when it is first asked for, because a start needs only one of them."""
        return _params(self.make)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The declared parameters, ``n`` and ``noise`` first and ``seed`` last."""
        return schema(self.params)

    def takes_long(self, **values: Any) -> bool:
        """Whether nobody should wait for the data of these values; the others keep their defaults."""
        amounts = {field.name: field.default for field in self.fields} | values
        wanted = [amounts[name] for name in AMOUNTS if isinstance(amounts.get(name), int)]
        return math.prod(wanted) > self.quick

    def generate(self, **values: Any) -> Any:
        """The data for these values; the others keep their defaults."""
        settings = as_dict(validated(self.params, values, owner=self.name))
        rng = np.random.default_rng(settings.pop("seed"))
        return self.make(rng, **settings).renamed(self.name)


_GENERATORS: dict[str, Generator] = {}


def generator(
    title: str, target: Target = "classes", group: str = "classes", kind: str = "points", quick: int = QUICK
) -> Callable[[Callable[..., Made]], Callable[..., Made]]:
    """Declare the function below as a generator; its name, docstring and signature are the declaration."""

    def declare(function: Callable[..., Made]) -> Callable[..., Made]:
        name = function.__name__
        doc = inspect.cleandoc(function.__doc__ or "")
        meant = target if kind == "points" else "none"
        _GENERATORS[name] = Generator(name, title, doc, group, meant, function, kind, quick)
        return function

    return declare


@functools.cache
def _params(function: Callable[..., Data]) -> type:
    """The ``Params`` class that a signature describes."""
    hints = typing.get_type_hints(function, include_extras=True)
    names = list(inspect.signature(function).parameters.values())[1:]
    fields = [(item.name, hints[item.name], dataclasses.field(default=item.default)) for item in names]
    fields.append(("seed", Seed, dataclasses.field(default=0)))
    title = "".join(part.capitalize() for part in function.__name__.split("_")) + "Params"
    return dataclasses.make_dataclass(title, fields, frozen=True, slots=True)


def all_generators() -> tuple[Generator, ...]:
    """Every generator, by group and then in the order in which they are declared."""
    return tuple(sorted(_GENERATORS.values(), key=lambda item: GROUPS.index(item.group)))


def find_generator(name: str) -> Generator:
    """The generator with this name, or a :class:`DataError` with the nearest name as a suggestion."""
    if name in _GENERATORS:
        return _GENERATORS[name]
    near = difflib.get_close_matches(name, _GENERATORS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "there are " + ", ".join(_GENERATORS) + "."
    raise DataError(f"There is no data generator {name!r}; {hint}")


def generate(name: str, **values: Any) -> Any:
    """The data of a generator: ``generate("moons", n=300, noise=0.1, seed=1)``."""
    return find_generator(name).generate(**values)


def labelled(rng: np.random.Generator, X: Array, labels: Array, names: Sequence[str] = ()) -> Points:
    """Points with classes, in random order so that no prefix of the table is one class.

    Only classes that occur are named: three points cannot show five classes.
    """
    order = rng.permutation(len(X))
    levels, numbers = np.unique(labels[order], return_inverse=True)
    classes = tuple(names[level] if names else f"class {level + 1}" for level in levels)
    return Points(X[order], numbers.reshape(-1), classes=classes)


def labels_by_weight(n: int, weights: Sequence[float] | Array) -> Array:
    """The class of each of ``n`` points, the classes in these proportions (largest remainders get the rest)."""
    exact = np.asarray(weights, dtype=np.float64) / np.sum(weights) * n
    counts = np.floor(exact).astype(np.int64)
    first = np.argsort(counts - exact, kind="stable")[: n - int(counts.sum())]
    counts[first] += 1
    return np.repeat(np.arange(len(counts)), counts)


def even_labels(n: int, k: int) -> Array:
    """The class of each of ``n`` points, ``k`` classes as equal as they can be."""
    return labels_by_weight(n, np.ones(k))


def spread_centres(rng: np.random.Generator, k: int, half_width: float, features: int = 2) -> Array:
    """Random centres that keep their distance: each is the candidate farthest from those before it."""
    centres = rng.uniform(-half_width, half_width, (1, features))
    while len(centres) < k:
        candidates = rng.uniform(-half_width, half_width, (40, features))
        distances = np.linalg.norm(candidates[:, None] - centres[None], axis=2).min(axis=1)
        centres = np.vstack([centres, candidates[np.argmax(distances)]])
    return centres
