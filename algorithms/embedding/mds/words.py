"""What multidimensional scaling says: its captions, its warnings and its explanations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Array, Distances, Points
from algorithms.maths.maps import NEGATIVE, is_negative, procrustes, spectrum_words
from algorithms.maths.words import counted, number, percent, share

if TYPE_CHECKING:
    from algorithms.embedding.mds import Model, Shot

MOST_NEGATIVE = 0.1
"""A negative eigenvalue of this size beside the largest one says that no map is true."""
WORSE = 1.05
"""A final stress of more than this times that of classical scaling is a valley beside the deepest one."""
EQUAL = 0.999
"""All eigenvalues but one within this fraction of the largest: the distances are all the same."""
_AFTER = {True: "where the stress no longer falls", False: "after the last step"}
_WHERE = {"random": "random positions", "classical scaling": "the map of classical scaling"}
SQUARED = "The distances are squared: squared lengths along directions at right angles add up."
ROWS = "Each squared distance is multiplied by -½, and the mean of its row is subtracted."


def opening(shot: Shot) -> str:
    """The caption of the first frame."""
    data = shot.given.data
    names = data.names if isinstance(data, Distances) else ()
    row, column = shot.given.longest
    pairs = data.n * (data.n - 1) // 2
    between = f", between {names[row]} and {names[column]}" if names else ""
    things = "object" if isinstance(data, Distances) else "point"
    return (
        f"{counted(data.n, things)} with {counted(pairs, 'distance')}, the longest {number(shot.given.unit)}{between}. "
        "The map is "
        "not known yet: everything lies at one point."
    )


CENTRED = (
    "The mean of every column is subtracted, too: now B = -½ H D² H holds the inner products of centred points, and "
    "every row and column adds up to 0."
)


def coordinate(shot: Shot) -> str:
    """The caption while a coordinate grows."""
    values, k, fraction = shot.model.eigenvalues, shot.shown.coordinate, shot.shown.fraction
    which = ("first", "second", "third")[k]
    if not (k < len(values) and values[k] > -NEGATIVE * values[0]):
        return f"There is no positive eigenvalue for the {which} coordinate, which stays 0."
    return (
        f"The {which} coordinate, √{number(float(values[k]))} times the {which} eigenvector, grows: "
        f"{percent(fraction, '.0f')}; the stress is {number(shot.model.stress, 1.0)}."
    )


def _classical(shot: Shot) -> str:
    """The last caption of classical scaling."""
    model, dimensions = shot.model, shot.model.embedding.shape[1]
    above = np.maximum(model.eigenvalues, 0.0)
    kept = share(float(above[:dimensions].sum() / above.sum()))
    space = counted(dimensions, "dimension")
    return (
        f"The map in {space}: stress {number(model.stress, 1.0)}; its eigenvalues are {kept} of the sum of the "
        "positive ones. Distances do not say where north is: the map may be turned and mirrored."
    )


def equal_distances(shot: Shot) -> str:
    """A warning when all distances are equal, so that any directions are as good as others; else nothing."""
    values, n, dimensions = shot.model.eigenvalues, shot.given.data.n, shot.given.params.dimensions
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


def first_map(shot: Shot) -> str:
    """The caption before the first step."""
    model, begin, best = shot.model, shot.given.params.begin, shot.shown.best
    return (
        f"The descent begins at {_WHERE[begin]}: stress {number(model.stress, 1.0)} and squared stress "
        f"{number(model.squared_stress, 1.0)}; the map of classical scaling has {number(best[0], 1.0)} and "
        f"{number(best[1], 1.0)}."
    )


def step(shot: Shot) -> str:
    """The caption of a step."""
    count, best = shot.shown.step, shot.shown.best
    if not count:
        return first_map(shot)
    stress = f"stress {number(shot.model.stress, 1.0)} (classical scaling {number(best[0], 1.0)})"
    squared = f"squared stress {number(shot.model.squared_stress, 1.0)} ({number(best[1], 1.0)})"
    return f"Iteration {count:,}: {stress}, {squared}."


def local_minimum(shot: Shot, squared: bool) -> str:
    """A warning when the descent ended in a valley that is not the deepest; else nothing."""
    best = shot.shown.best
    now = shot.model.squared_stress if squared else shot.model.stress
    if not now > WORSE * best[squared]:
        return ""
    return (
        f"The descent ended in a local minimum: its {'squared ' if squared else ''}stress is {number(now)}, that of "
        f"classical scaling {number(best[squared], 1.0)}. Take another seed or beginning."
    )


def _metric(shot: Shot) -> str:
    """The last caption of metric scaling."""
    model, best = shot.model, shot.shown.best
    return (
        f"The map {_AFTER[shot.shown.ended == 'converged']}: stress {number(model.stress, 1.0)}, beside "
        f"{number(best[0], 1.0)} of classical "
        f"scaling; squared stress {number(model.squared_stress, 1.0)}, beside {number(best[1], 1.0)}."
    )


# --- by their order only ----------------------------------------------------------------------------------------------


def first_order(shot: Shot) -> str:
    """The caption before the first step of non-metric scaling."""
    begin, stress, (best, _) = shot.given.params.begin, shot.model.stress, shot.shown.best
    return (
        f"Only the order of the distances counts. The descent begins at {_WHERE[begin]}: beside the nearest increasing "
        f"function of them the stress is {number(stress, 1.0)}; in the map of classical scaling it is "
        f"{number(best, 1.0)}."
    )


def order(shot: Shot) -> str:
    """The caption of a step of non-metric scaling."""
    count, (best, _) = shot.shown.step, shot.shown.best
    if not count:
        return first_order(shot)
    return (
        f"Iteration {count:,}: each distance is replaced by the increasing function of it that is nearest to the map, "
        f"then the points move; stress {number(shot.model.stress, 1.0)} (classical scaling {number(best, 1.0)})."
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


def _non_metric(shot: Shot) -> str:
    """The last caption of non-metric scaling."""
    best, _ = shot.shown.best
    return (
        f"The map by the order of the distances, {_AFTER[shot.shown.ended == 'converged']}: stress "
        f"{number(shot.model.stress, 1.0)}, beside "
        f"{number(best, 1.0)} of classical scaling. Its size has no meaning."
    )


def square(_: Shot) -> str:
    """The caption of the squares."""
    return SQUARED


def centre(shot: Shot) -> str:
    """The caption of a centred table."""
    return CENTRED if shot.model.norms.any() else ROWS


def spectrum(shot: Shot) -> str:
    """The caption of the eigenvalues."""
    return f"{spectrum_words(shot.model.eigenvalues, shot.given.params.dimensions)}."


def closing(shot: Shot) -> str:
    """The caption of the last frame."""
    return {"classical": _classical, "metric": _metric, "non-metric": _non_metric}[shot.given.params.kind](shot)


CAPTIONS = {
    "start": opening,
    "square": square,
    "centre": centre,
    "eigen": spectrum,
    "coordinate": coordinate,
    "majorise": step,
    "descend": step,
    "order": order,
    "result": closing,
}


def warning(shot: Shot) -> str:
    """What the eigenvalues say about the distances, and how a descent has ended."""
    if not len(shot.model.eigenvalues):
        return ""
    unsure = negative_eigenvalues(shot.model.eigenvalues, shot.given.data.n)
    if not shot.metrics["negative"] > MOST_NEGATIVE:
        unsure = equal_distances(shot)
    return f"{unsure} {_end_warning(shot)}".strip()


def _end_warning(shot: Shot) -> str:
    ended, params = shot.shown.ended, shot.given.params
    if ended == "diverged":
        return "The steps are too long and the map flies apart. Choose a shorter step."
    if ended == "swings":
        return "The stress swings to and fro: choose a shorter step."
    by_order = degenerate_order(shot.model.embedding) if ended and params.kind == "non-metric" else ""
    if ended == "ran out":
        return f"{by_order} The steps ran out: raise max_steps.".strip()
    if ended != "converged":
        return ""
    if params.kind == "non-metric":
        return f"{by_order} {local_order(shot.model.stress, shot.shown.best[0])}".strip()
    return local_minimum(shot, params.descent.startswith("squared"))


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


FORMULAS = (
    r"B = -\frac{1}{2} H D^{2} H, \qquad H = I - \frac{1}{n} \mathbf{1}\mathbf{1}^{\top}",
    r"z_i = \left( \sqrt{\lambda_1}\, V_{i1}, \ldots, \sqrt{\lambda_m}\, V_{im} \right), \qquad B = V \Lambda "
    r"V^{\top}",
    r"\text{stress} = \sum_{i < j} \left( \|z_i - z_j\| - D_{ij} \right)^2",
    r"\text{non-metric:}\quad \sqrt{ \sum_{i<j} \left( \|z_i - z_j\| - \hat{d}_{ij} \right)^2 \Big/ "
    r"\sum_{i<j} \|z_i - z_j\|^2 }, \qquad D_{ij} < D_{kl} \Rightarrow \hat{d}_{ij} \le \hat{d}_{kl}",
)

TRIES = (
    Try(
        "Europe from its distances: the map is right up to turning and mirroring, its distances to less than 1 %.",
        "cities()",
        {"kind": "classical"},
        shows=lambda played: played.final("stress") < 0.01,
    ),
    Try(
        "Roads lead around mountains and seas: B has negative eigenvalues, and no map shows all distances.",
        "cities_by_road()",
        {"kind": "classical"},
        shows=lambda played: played.final("negative") > 0.1 and played.but(dimensions=3).final("stress") > 0.03,
    ),
    Try(
        "From random positions down the stress, which ends lower than in the map of classical scaling.",
        "cities()",
        {"kind": "metric"},
        shows=lambda played: played.final("stress") < played.but(kind="classical").final("stress"),
    ),
    Try(
        "Only the order of the distances is used, and still the map has the form of the map of classical scaling.",
        "cities()",
        {"kind": "non-metric", "begin": "classical scaling"},
        shows=lambda played: (
            procrustes(played.but(kind="classical").model.embedding, played.model.embedding).residual < 0.001
        ),
    ),
)
