"""What multidimensional scaling says: its captions, its warnings and its explanations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Stop
from algorithms.data import Array, Data, Distances, Points, counted
from algorithms.embedding.mds.solver.stress import Misfit
from algorithms.embedding.mds.views import Picture
from algorithms.maths.maps import is_negative

if TYPE_CHECKING:
    from algorithms.embedding.mds import Model

WORSE = 1.05
"""A final stress of more than this times that of classical scaling is a valley beside the deepest one."""
EQUAL = 0.999
"""All eigenvalues but one within this fraction of the largest: the distances are all the same."""
_WHERE = {"random": "random positions", "classical scaling": "the map of classical scaling"}
SQUARED = "The distances are squared: only squares of lengths can be added up along directions at right angles."
ROWS = "Halved with the other sign, and the mean of its row taken away from every number."


def opening(data: Data, distances: Array, unit: float) -> str:
    """The caption of the first frame; the largest distance is 1 in this unit."""
    names = data.names if isinstance(data, Distances) else ()
    row, column = np.unravel_index(int(distances.argmax()), distances.shape)
    pairs = data.n * (data.n - 1) // 2
    between = f", between {names[row]} and {names[column]}" if names else ""
    things = "things" if isinstance(data, Distances) else "points"
    return (
        f"{data.n:,} {things} with {counted(pairs, 'distance')}, the longest {unit:.4g}{between}. Of the "
        "map nothing is known yet: everything lies at one point."
    )


def centred_words(products: Array) -> str:
    """The caption of the centred table."""
    return (
        "The mean of every column is taken away, too: now B = -½ H D² H holds the inner products of centred points, "
        f"and every row and column adds up to 0 ({abs(products.sum(axis=0)).max():.0e} by rounding)."
    )


def coordinate(picture: Picture, number: int, fraction: float) -> str:
    """The caption while a coordinate grows."""
    value = float(picture.model.eigenvalues[number]) if number < len(picture.model.eigenvalues) else 0.0
    which = ("first", "second", "third")[number]
    if not value > 0.0:
        return f"There is no positive eigenvalue for the {which} coordinate, which stays 0."
    return (
        f"The {which} coordinate, √{value:.3g} times the {which} eigenvector, at {100 * fraction:.0f} %: the stress is "
        f"{picture.model.stress:.3g}."
    )


def closing(picture: Picture) -> str:
    """The caption of the last frame of classical scaling."""
    model, dimensions = picture.model, picture.model.embedding.shape[1]
    above = np.maximum(model.eigenvalues, 0.0)
    kept = 100.0 * float(above[:dimensions].sum() / above.sum())
    space = counted(dimensions, "dimension")
    return (
        f"The map in {space}: stress {model.stress:.3g}; its eigenvalues are {kept:.3g} % of the positive ones. It may "
        "be turned and mirrored at will: distances do not know where north is."
    )


def equal_distances(values: Array, n: int, dimensions: int) -> str:
    """A warning when all distances are equal, so that any directions are as good as others; else nothing."""
    if n < 3 or dimensions >= n - 1 or len(values) < n or not values[n - 2] > EQUAL * values[0]:
        return ""
    return (
        f"All distances are equal: the corners of a regular simplex, which needs {n - 1} dimensions. No direction is "
        "better than another, so this map is one of very many."
    )


def negative_eigenvalues(values: Array, n: int) -> str:
    """A warning when the distances are not those of any points in space."""
    count = int(is_negative(values).sum())
    some = f"{count} of {n} eigenvalues are negative" if len(values) == n else "Some eigenvalues are negative"
    return (
        f"{some}, the worst {-100 * float(values[-1]) / float(values[0]):.0f} % of the largest: no points in any space "
        "have these distances, and the map is a compromise."
    )


# --- going down the stress --------------------------------------------------------------------------------------------


def first_map(begin: str, found: Misfit, best: tuple[float, float]) -> str:
    """The caption before the first step."""
    return (
        f"The descent begins at {_WHERE[begin]}: stress {found.stress:.3g} and squared stress "
        f"{found.squared_stress:.3g}; the map of classical scaling has {best[0]:.3g} and {best[1]:.3g}."
    )


def step(number: int, picture: Picture, best: tuple[float, float]) -> str:
    """The caption of a step."""
    stress = f"stress {picture.model.stress:.4g} (classical scaling {best[0]:.4g})"
    return f"Iteration {number}: {stress}, squared stress {picture.model.squared_stress:.4g} ({best[1]:.4g})."


def local_minimum(picture: Picture, best: tuple[float, float], squared: bool) -> str:
    """A warning when the descent ended in a valley that is not the deepest; else nothing."""
    now = picture.model.squared_stress if squared else picture.model.stress
    if not now > WORSE * best[squared]:
        return ""
    return (
        f"The descent ended in a local minimum: its {'squared ' if squared else ''}stress is {now:.3g}, that of "
        f"classical scaling {best[squared]:.3g}. Take another seed or beginning."
    )


def end_of_descent(picture: Picture, stop: Stop, best: tuple[float, float]) -> str:
    """The caption of the last frame of metric scaling."""
    why = "no step helps any more" if stop is Stop.CONVERGED else "the last step is done"
    model = picture.model
    return (
        f"The map of {picture.data.n:,} {picture.data.item_name}s, as {why}: stress {model.stress:.4g} beside "
        f"{best[0]:.4g} of classical scaling, squared stress {model.squared_stress:.4g} beside {best[1]:.4g}."
    )


# --- by their order only ----------------------------------------------------------------------------------------------


def first_order(begin: str, stress: float, best: float) -> str:
    """The caption before the first step of non-metric scaling."""
    return (
        f"Only the order of the distances counts. The descent begins at {_WHERE[begin]}: against the nearest rising "
        f"function of them the stress is {stress:.3g}; in the map of classical scaling it is {best:.3g}."
    )


def order(number: int, picture: Picture, best: float) -> str:
    """The caption of a step of non-metric scaling."""
    return (
        f"Iteration {number}: each distance is replaced by a rising function of it, the nearest to the map, and pairs "
        f"out of order pull; stress {picture.model.stress:.4g} (classical scaling {best:.4g})."
    )


def local_order(stress: float, best: float) -> str:
    """A warning when the descent by order ended in a valley that is not the deepest; else nothing."""
    if not stress > WORSE * best + 1e-3:
        return ""
    return (
        f"The descent ended in a local minimum: its stress is {stress:.3g}, that of classical scaling {best:.3g}. Take "
        "another seed or beginning."
    )


def degenerate_order(places: Array) -> str:
    """A warning when nearly all things have fallen together in a few places: order alone may allow that."""
    n = len(places)
    size = float(np.abs(places).max())
    different = len(np.unique(np.rint(places / size * 50.0), axis=0)) if size > 0.0 else 1
    if n < 8 or different > max(3, n // 8):
        return ""
    return (
        f"The {n:,} things have fallen together at {different} points: the order of the distances alone allows that, "
        "and the map says little more than the groups."
    )


def end_of_order(picture: Picture, stop: Stop, best: float) -> str:
    """The caption of the last frame of non-metric scaling."""
    why = "no step helps any more" if stop is Stop.CONVERGED else "the last step is done"
    return (
        f"The map of {picture.data.n:,} {picture.data.item_name}s by the order of their distances, as {why}: stress "
        f"{picture.model.stress:.4g} beside {best:.4g} of classical scaling. Its size has no meaning."
    )


# --- one thing --------------------------------------------------------------------------------------------------------


def explained(model: Model, data: Distances | Points, number: int) -> Explanation:
    """Where one thing lies, what is near to it in the table and in the map, and how well its distances are kept."""
    places = model.embedding
    if isinstance(data, Distances):
        wanted, name = data.table[number], data.row_name
    else:
        wanted, name = np.sqrt(np.square(data.X - data.X[number]).sum(axis=1)), lambda row: f"point {row + 1}"
    found = np.sqrt(np.square(places - places[number]).sum(axis=1))
    others = np.arange(data.n) != number
    answer: Explanation = {data.item_name: name(number)}
    answer |= {f"coordinate {k}": float(value) for k, value in enumerate(places[number], start=1)}
    nearest = int(np.where(others, wanted, np.inf).argmin())
    answer["nearest in the data"] = f"{name(nearest)} ({wanted[nearest]:.4g})"
    if found.any():
        nearest = int(np.where(others, found, np.inf).argmin())
        answer["nearest in the map"] = f"{name(nearest)} ({found[nearest]:.4g})"
        worst = int(np.abs(found - wanted).argmax())
        answer["worst distance"] = f"{name(worst)}: {found[worst]:.4g} in the map for {wanted[worst]:.4g}"
    size = float(wanted.max()) or 1.0
    squares = float(np.square(wanted / size).sum())
    gap = float(np.square((found - wanted) / size).sum())
    answer["stress of its distances"] = float(np.sqrt(gap / squares)) if squares > 0.0 else 0.0
    return answer
