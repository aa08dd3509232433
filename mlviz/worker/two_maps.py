"""Maps of the same data, each laid over the first by moving, turning, mirroring and stretching (Procrustes). No Qt."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.contract import Algorithm
from algorithms.data import Array, DataError
from algorithms.maths.maps import procrustes
from algorithms.records import dataclass


def has_map(method: Algorithm) -> bool:
    """Whether a method gives every item of its data a place."""
    return method.family == "embedding" and method.transform is not None


@dataclass(frozen=True, slots=True, eq=False)
class TwoMaps:
    """Where the items that all maps have lie in each of them."""

    rows: Array  # (m,) the items
    places: tuple[Array, ...]  # of each map (m, 2), all laid over the first
    residuals: tuple[float, ...]  # of the others: what is left of the squared size of the first, from 0 to 1
    item: str = "point"  # what an item is called

    @property
    def farthest(self) -> int:
        """The item that lies farthest from itself in the first two maps."""
        return int(self.rows[np.square(self.places[1] - self.places[0]).sum(axis=1).argmax()])

    @property
    def words(self) -> str:
        """What is left over, in a sentence."""
        if len(self.residuals) == 1:
            return (
                "Moved, turned, mirrored and stretched onto the first map, the second leaves over "
                f"{self.residuals[0]:.2%} of its squared size (Procrustes); {self.item} {self.farthest + 1} is "
                "farthest off."
            )
        each = ", ".join(f"map {number} {left:.2%}" for number, left in enumerate(self.residuals, start=2))
        return f"Laid over the first map (Procrustes), of its squared size is left over: {each}."


def two_maps(models: tuple[tuple[Algorithm, Any], ...], rows: Array | None, item: str) -> TwoMaps:
    """The maps of these models, one over the other; a sentence where a model has none.

    Parameters
    ----------
    models : tuple of (Algorithm, model)
        The methods, each with what it has learned.
    rows : (n, d) array, optional
        The points that they were fitted to, where the data are points.
    item : str
        What one of the items is called.
    """
    found = [_map_of(method, model, rows) for method, model in models]
    common = found[0][0]
    for others, _ in found[1:]:
        common = np.intersect1d(common, others)
    if len(common) < 2:
        raise DataError("The maps have less than two items in common.")
    maps = [places[np.searchsorted(members, common)] for members, places in found]
    fitted = [procrustes(maps[0], other) for other in maps[1:]]
    flat = tuple(_flat(places) for places in (maps[0], *(each.places for each in fitted)))
    return TwoMaps(common, flat, tuple(each.residual for each in fitted), item)


def _map_of(method: Algorithm, model: Any, rows: Array | None) -> tuple[Array, Array]:
    """The items in a map, rising, and their places: those that the model keeps, or where it would place the data."""
    places = getattr(model, "embedding", None)
    if places is None and method.transform is not None and rows is not None:
        places = method.transform(model, rows)
    if places is None or places.ndim != 2:
        raise DataError(f"{method.title} has no map.")
    places = np.pad(places, ((0, 0), (0, max(1 - places.shape[1], 0))))  # one that has not begun is a single place
    members = getattr(model, "members", None)
    return (np.arange(len(places)) if members is None else np.asarray(members)), np.asarray(places)


def _flat(places: Array) -> Array:
    """The first two coordinates."""
    return np.pad(places, ((0, 0), (0, max(2 - places.shape[1], 0))))[:, :2]
