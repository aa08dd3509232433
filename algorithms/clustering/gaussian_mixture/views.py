"""The pictures of a mixture: the density, the points by their responsibilities, and the components."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.contract import Views
from algorithms.data import Array
from algorithms.marks import Centres, Ellipses, Regions, SoftAssignment, Trail
from algorithms.maths.restarts import Restarts

if TYPE_CHECKING:
    from algorithms.clustering.gaussian_mixture import Model

_DENSITY = Regions("density")


def views(model: Model, responsibilities: Array, trail: Array, restarts: Restarts) -> Views:
    """Every panel; ``responsibilities`` are (k, n) and ``trail`` (steps, k, d) says where the means have been."""
    plane = (
        _DENSITY,
        SoftAssignment(responsibilities.T),
        Trail(trail),
        Ellipses(model.means, model.covariances, model.weights),
        Centres(model.means, handle="centres"),
    )
    return {"plane": plane, **restarts.views(model.log_likelihood)}
