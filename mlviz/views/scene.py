"""What every renderer may look at besides its mark: the data, where the plane cuts it, and the theme."""

from __future__ import annotations

import functools

import numpy as np

from algorithms.data import Array, Data, Distances, Graph, Points
from algorithms.maths.layouts import placed
from algorithms.records import dataclass
from mlviz.session.projection import Projection
from mlviz.views.colours import channels, number, numbers, text_of
from mlviz.views.scale import FEW, value_colours
from mlviz.views.sprites import Sprite
from mlviz.views.theme import Theme

HOLLOW = 48
"""The bit of a look's code that says that it is hollow, above colour and shape."""
BESIDE = 0.9
"""How far to the right of a table, in cells, the place of a row is where marks speak of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """One data set under one projection in one theme."""

    data: Data
    projection: Projection
    theme: Theme
    at: Array  # (n, 2) where the items of the data are drawn, where they have a place
    plane: Projection | None = None
    """How the plane of points shows them, also in panels that have places of their own."""

    @classmethod
    def of(cls, data: Data, projection: Projection, theme: Theme) -> Scene:
        """The scene of a data set."""
        if isinstance(data, Points):
            return cls(data, projection, theme, projection.points(data), projection)
        if isinstance(data, Distances):
            beside = np.column_stack([np.full(data.n, data.n + BESIDE), data.n - 0.5 - np.arange(data.n)])
            return cls(data, projection, theme, beside)
        return cls(data, projection, theme, _places(data) if isinstance(data, Graph) else np.zeros((data.n, 2)))

    @property
    def points(self) -> Points:
        """The data of a scene that is known to show points."""
        assert isinstance(self.data, Points)
        return self.data

    def any_within(self, left: float, right: float, bottom: float, top: float) -> bool:
        """Whether any item lies in this box, as long as there are some."""
        return not len(self.at) or bool(((self.at >= (left, bottom)) & (self.at <= (right, top))).all(axis=1).any())

    @property
    def is_valued(self) -> bool:
        """Whether the target of the points is a real value."""
        return isinstance(self.data, Points) and self.data.is_valued

    @property
    def is_labelled(self) -> bool:
        """Whether the items have classes."""
        return self.data.groups is not None

    @property
    def item_name(self) -> str:
        """What one of the items is called."""
        return self.data.item_name

    @property
    def shapes(self) -> Array:
        """The shape number of every point: its true class, so that it stays visible under any colouring."""
        groups = self.data.groups
        return np.zeros(self.data.n, dtype=np.int64) if groups is None else groups

    def looks(self, fills: Array, hollow: Array | None = None) -> tuple[tuple[Sprite, ...], Array]:
        """The distinct looks of the points for these fill colours (n,) 0xRRGGBB, and which point has which.

        Those that ``hollow`` (n,) names have the colour around them only.
        """
        codes = (self.shapes.astype(np.int64) << 24) | fills.astype(np.int64)
        if hollow is not None:
            codes |= hollow.astype(np.int64) << HOLLOW
        distinct, which = np.unique(codes, return_inverse=True)
        return tuple(self._look(code >> 24 & (1 << HOLLOW - 24) - 1, code) for code in distinct.tolist()), which

    def _look(self, shape: int, code: int) -> Sprite:
        theme, colour = self.theme, text_of(code)
        if code >> HOLLOW:
            return hollow_look(theme, shape, colour)
        return Sprite(theme.shape(shape), _even(theme, shape), colour, theme.plot, theme.stroke / 2)

    def group_colours(self, groups: Array) -> Array:
        """The fill of each point for group numbers (n,); -1 is none."""
        palette = np.array([number(self.theme.colour(g)) for g in range(-1, max(int(groups.max(initial=-1)), -1) + 1)])
        return palette[groups + 1]

    def mixed_colours(self, weights: Array) -> Array:
        """Colours mixed by degree of membership (n, k), rounded so that few distinct looks remain."""
        palette = np.array([channels(self.theme.colour(g)) for g in range(weights.shape[1])], dtype=float)
        mixed = np.clip(weights @ palette, 0, 255)
        return numbers(np.rint(mixed / 17.0) * 17)

    def class_fills(self) -> Array:
        """The fill of each point when no algorithm says otherwise: its class, its value, or grey.

        Over a single feature the value is the height already.
        """
        if self.is_valued and self.points.d > 1:
            return numbers(value_colours(self.theme, np.rint(FEW * self.value_fraction(self.points.y)) / FEW))
        groups = self.data.groups
        return self.group_colours(np.full(self.data.n, -1) if groups is None else groups)

    def value_fraction(self, values: Array | None) -> Array:
        """Where values lie between the least and the largest target: 0 to 1, and no further."""
        target = self.points.y
        assert values is not None
        assert target is not None
        if not len(target):
            return np.full(np.shape(values), 0.5)
        low, high = 0.5 * float(target.min()), 0.5 * float(target.max())  # halves: no overflow
        if not high > low:
            return np.full(np.shape(values), 0.5)
        return (np.clip(0.5 * values, low, high) - low) / (high - low)


@functools.lru_cache(maxsize=4)
def _places(graph: Graph) -> Array:
    """Where the nodes are drawn: a layout takes time, and a graph is shown again and again."""
    at = placed(graph).positions
    assert at is not None
    return at


def hollow_look(theme: Theme, shape: int, colour: str) -> Sprite:
    """A point that is only an outline, as large as a filled one."""
    return Sprite(theme.shape(shape), _even(theme, shape) - theme.stroke / 2, theme.plot, colour, theme.stroke)


def _even(theme: Theme, shape: int) -> float:
    """Stars and diamonds look smaller than circles of the same width; even that out."""
    return theme.point * {"star": 1.35, "d": 1.2, "t1": 1.1, "t": 1.1}.get(theme.shape(shape), 1.0)
