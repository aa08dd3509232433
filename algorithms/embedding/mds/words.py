"""What multidimensional scaling says: its captions, its warnings and its explanations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Stop
from algorithms.data import Array, Data, Distances, Points
from algorithms.embedding.mds.solver.stress import Misfit
from algorithms.embedding.mds.views import Picture
from algorithms.maths.maps import NEGATIVE, is_negative
from algorithms.maths.words import counted, number, percent, share

if TYPE_CHECKING:
    from algorithms.embedding.mds import Model

WORSE = 1.05
"""A final stress of more than this times that of classical scaling is a valley beside the deepest one."""
EQUAL = 0.999
"""All eigenvalues but one within this fraction of the largest: the distances are all the same."""
_AFTER = {Stop.CONVERGED: "where the stress no longer falls", Stop.LIMIT: "after the last step"}
_WHERE = {"random": "random positions", "classical scaling": "the map of classical scaling"}
SQUARED = "The distances are squared: squared lengths along directions at right angles add up."
ROWS = "Each squared distance is multiplied by -½, and the mean of its row is subtracted."


def opening(data: Data, distances: Array, unit: float) -> str:
    """The caption of the first frame; the largest distance is 1 in this unit."""
    names = data.names if isinstance(data, Distances) else ()
    row, column = np.unravel_index(int(distances.argmax()), distances.shape)
    pairs = data.n * (data.n - 1) // 2
    between = f", between {names[row]} and {names[column]}" if names else ""
    things = "object" if isinstance(data, Distances) else "point"
    return (
        f"{counted(data.n, things)} with {counted(pairs, 'distance')}, the longest {number(unit)}{between}. The map is "
        "not known yet: everything lies at one point."
    )


CENTRED = (
    "The mean of every column is subtracted, too: now B = -½ H D² H holds the inner products of centred points, and "
    "every row and column adds up to 0."
)


def coordinate(picture: Picture, k: int, fraction: float) -> str:
    """The caption while a coordinate grows."""
    values = picture.model.eigenvalues
    which = ("first", "second", "third")[k]
    if not (k < len(values) and values[k] > -NEGATIVE * values[0]):
        return f"There is no positive eigenvalue for the {which} coordinate, which stays 0."
    return (
        f"The {which} coordinate, √{number(float(values[k]))} times the {which} eigenvector, grows: "
        f"{percent(fraction, '.0f')}; the stress is {number(picture.model.stress, 1.0)}."
    )


def closing(picture: Picture) -> str:
    """The caption of the last frame of classical scaling."""
    model, dimensions = picture.model, picture.model.embedding.shape[1]
    above = np.maximum(model.eigenvalues, 0.0)
    kept = share(float(above[:dimensions].sum() / above.sum()))
    space = counted(dimensions, "dimension")
    return (
        f"The map in {space}: stress {number(model.stress, 1.0)}; its eigenvalues are {kept} of the sum of the "
        "positive ones. Distances do not say where north is: the map may be turned and mirrored."
    )


def equal_distances(values: Array, n: int, dimensions: int) -> str:
    """A warning when all distances are equal, so that any directions are as good as others; else nothing."""
    if n < 3 or dimensions >= n - 1 or len(values) < n or not values[n - 2] > EQUAL * values[0]:
        return ""
    return (
        f"All distances are equal: the corners of a regular simplex, which needs {counted(n - 1, 'dimension')}. No "
        "direction is better than another, so this map is one of very many."
    )


def negative_eigenvalues(values: Array, n: int) -> str:
    """A warning when the distances are not those of any points in space."""
    count = int(is_negative(values).sum())
    are = "is" if count == 1 else "are"
    some = f"{count} of {n} eigenvalues {are} negative" if len(values) == n else "Some eigenvalues are negative"
    worst = percent(-float(values[-1]) / float(values[0]), ".0f")
    return (
        f"{some}, the most negative {worst} of the largest: no points in any Euclidean space have these distances, and "
        "the map is a compromise."
    )


# --- going down the stress --------------------------------------------------------------------------------------------


def first_map(begin: str, found: Misfit, best: tuple[float, float]) -> str:
    """The caption before the first step."""
    return (
        f"The descent begins at {_WHERE[begin]}: stress {number(found.stress, 1.0)} and squared stress "
        f"{number(found.squared_stress, 1.0)}; the map of classical scaling has {number(best[0], 1.0)} and "
        f"{number(best[1], 1.0)}."
    )


def step(count: int, picture: Picture, best: tuple[float, float]) -> str:
    """The caption of a step."""
    stress = f"stress {number(picture.model.stress, 1.0)} (classical scaling {number(best[0], 1.0)})"
    squared = f"squared stress {number(picture.model.squared_stress, 1.0)} ({number(best[1], 1.0)})"
    return f"Iteration {count:,}: {stress}, {squared}."


def local_minimum(picture: Picture, best: tuple[float, float], squared: bool) -> str:
    """A warning when the descent ended in a valley that is not the deepest; else nothing."""
    now = picture.model.squared_stress if squared else picture.model.stress
    if not now > WORSE * best[squared]:
        return ""
    return (
        f"The descent ended in a local minimum: its {'squared ' if squared else ''}stress is {number(now)}, that of "
        f"classical scaling {number(best[squared], 1.0)}. Take another seed or beginning."
    )


def end_of_descent(picture: Picture, stop: Stop, best: tuple[float, float]) -> str:
    """The caption of the last frame of metric scaling."""
    model = picture.model
    return (
        f"The map {_AFTER[stop]}: stress {number(model.stress, 1.0)}, beside {number(best[0], 1.0)} of classical "
        f"scaling; squared stress {number(model.squared_stress, 1.0)}, beside {number(best[1], 1.0)}."
    )


# --- by their order only ----------------------------------------------------------------------------------------------


def first_order(begin: str, stress: float, best: float) -> str:
    """The caption before the first step of non-metric scaling."""
    return (
        f"Only the order of the distances counts. The descent begins at {_WHERE[begin]}: beside the nearest increasing "
        f"function of them the stress is {number(stress, 1.0)}; in the map of classical scaling it is "
        f"{number(best, 1.0)}."
    )


def order(count: int, picture: Picture, best: float) -> str:
    """The caption of a step of non-metric scaling."""
    return (
        f"Iteration {count:,}: each distance is replaced by the increasing function of it that is nearest to the map, "
        f"then the points move; stress {number(picture.model.stress, 1.0)} (classical scaling {number(best, 1.0)})."
    )


def local_order(stress: float, best: float) -> str:
    """A warning when the descent by order ended in a valley that is not the deepest; else nothing."""
    if not stress > WORSE * best + 1e-3:
        return ""
    return (
        f"The descent ended in a local minimum: its stress is {number(stress)}, that of classical scaling "
        f"{number(best, 1.0)}. Take another seed or beginning."
    )


def degenerate_order(places: Array) -> str:
    """A warning when nearly all things have fallen together in a few places: order alone may allow that."""
    n = len(places)
    size = float(np.abs(places).max())
    different = len(np.unique(np.rint(places / size * 50.0), axis=0)) if size > 0.0 else 1
    if n < 8 or different > max(3, n // 8):
        return ""
    return (
        f"All {n:,} objects lie at only {counted(different, 'place')} of the map: the order of the distances alone "
        "allows that (a degenerate solution), and the map shows little more than the groups."
    )


def end_of_order(picture: Picture, stop: Stop, best: float) -> str:
    """The caption of the last frame of non-metric scaling."""
    return (
        f"The map by the order of the distances, {_AFTER[stop]}: stress {number(picture.model.stress, 1.0)}, beside "
        f"{number(best, 1.0)} of classical scaling. Its size has no meaning."
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
