"""The document: everything that fixes what is seen, as one immutable value.

Undo is then a list of old values, saving is writing one down, and "what must be computed again?" is a comparison.
"""

from __future__ import annotations

import dataclasses
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from algorithms import registry
from algorithms.contract import Algorithm, FrozenDict
from algorithms.dataset import Points
from algorithms.params import as_dict
from mlviz.session.projection import Axes, PrincipalPlane, Projection, valid_axes
from mlviz.session.scaling import AS_GIVEN, Scale, Scaling, scaled


@dataclass(frozen=True, slots=True)
class Document:
    """A data set, an algorithm with its parameters, a seed, and the two features that are looked at.

    The parameters are completed with the defaults and checked, so a document that exists can be run. Axes that the
    data does not have become the first two.

    Raises
    ------
    UnknownAlgorithm, ParamError, ValueError
        With a full sentence, when a part is refused.
    """

    data: Points
    algorithm: str
    params: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    seed: int = 0
    axes: Axes = (0, 1)
    """Two features by number, or the plane of the principal components as it was when it was chosen."""
    colours: tuple[str, ...] = ()
    """Colours the user gave to classes and clusters, by number, as ``#rrggbb``; empty where the theme's is meant."""
    scaling: Scaling = AS_GIVEN
    """What was done to the features of ``data``."""

    def __post_init__(self) -> None:
        made = registry.find(self.algorithm).make_params(self.params)
        object.__setattr__(self, "params", FrozenDict(as_dict(made)))
        object.__setattr__(self, "seed", checked_seed(self.seed))
        object.__setattr__(self, "axes", _checked_axes(self.axes, self.data.d))
        object.__setattr__(self, "colours", checked_colours(self.colours))

    @property
    def method(self) -> Algorithm:
        """The algorithm itself."""
        return registry.find(self.algorithm)

    @property
    def projection(self) -> Projection:
        """How the data is seen in the plane."""
        return Projection.of(self.data, self.axes)

    def seen_like(self, other: Document) -> bool:
        """Whether two documents are seen in the same plane: the same columns of the same data set."""
        mine, its = self.data, other.data
        return (mine.name, mine.features, self.axes) == (its.name, its.features, other.axes)

    def make_params(self) -> Any:
        """The parameters as the algorithm's own ``Params`` value."""
        return self.method.make_params(self.params)

    def with_params(self, **changes: Any) -> Document:
        """The same with some parameters changed."""
        return dataclasses.replace(self, params={**self.params, **changes})

    def with_algorithm(self, key: str) -> Document:
        """The same data under another algorithm, with that algorithm's default parameters."""
        return dataclasses.replace(self, algorithm=key, params={})

    def with_data(self, data: Points) -> Document:
        """The same algorithm on other data. An edit keeps the names of the features and with them their scale."""
        scaling = self.scaling if data.features == self.data.features else AS_GIVEN
        return dataclasses.replace(self, data=data, scaling=scaling)

    def with_scale(self, kind: Scale) -> Document:
        """The same with the features on another scale, seen from the one on which they were given."""
        data, scaling = scaled(self.scaling.undone(self.data), kind)
        document = dataclasses.replace(self, data=data, scaling=scaling)
        return document.with_pca() if self.shows_pca else document  # other scales have other components

    def with_seed(self, seed: int) -> Document:
        """The same with other random numbers."""
        return dataclasses.replace(self, seed=seed)

    def with_axes(self, axes: Axes) -> Document:
        """The same seen along two other features, or on a plane."""
        return dataclasses.replace(self, axes=axes)

    def with_pca(self) -> Document:
        """The same seen on the plane of the first two principal components of the present points."""
        return self.with_axes(PrincipalPlane.of(self.data)) if self.data.d > 2 else self

    @property
    def shows_pca(self) -> bool:
        """Whether the plane is that of the principal components."""
        return isinstance(self.axes, PrincipalPlane)

    def with_colour(self, group: int, colour: str) -> Document:
        """The same with another colour for one class; an empty one means the theme's own."""
        colours = [*self.colours, *[""] * (group + 1 - len(self.colours))]
        colours[group] = colour
        return dataclasses.replace(self, colours=tuple(colours))

    def changes(self, other: Document) -> frozenset[str]:
        """The names of the parts in which the two differ. Data sets are compared by identity: they never change."""
        names = ("algorithm", "params", "seed", "axes", "colours", "scaling")
        different = {name for name in names if getattr(self, name) != getattr(other, name)}
        return frozenset(different | ({"data"} if self.data is not other.data else set()))


def _checked_axes(axes: Axes, d: int) -> Axes:
    """The axes, or the first two features where the data does not have them."""
    if not isinstance(axes, PrincipalPlane):
        first, second = (int(axis) for axis in axes)
        axes = (first, second)
    return axes if valid_axes(axes, d) else (0, 1)


def checked_seed(seed: Any) -> int:
    """The seed as a whole number that NumPy's generators accept, or ValueError."""
    try:
        number = operator.index(seed)
    except TypeError as error:
        raise ValueError(f"The seed must be a whole number; got {seed!r}.") from error
    if isinstance(seed, bool) or not 0 <= number < 2**63:
        raise ValueError(f"The seed must be a whole number from 0 to 2^63 - 1; got {seed!r}.")
    return number


def checked_colours(colours: Any) -> tuple[str, ...]:
    """Colours of classes as ``#rrggbb`` or nothing, without empty ones at the end; or ValueError."""
    checked = [str(colour).lower() for colour in colours]
    for colour in checked:
        if colour and not re.fullmatch("#[0-9a-f]{6}", colour):
            raise ValueError(f"A colour must look like #0072b2; got {colour[:20]!r}.")
    while checked and not checked[-1]:
        checked.pop()
    return tuple(checked)
