"""The pictures of a mixture: the density, the points by their responsibilities, and the components."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.contract import Views
from algorithms.marks import Centres, Ellipses, Regions, SoftAssignment, Trail

if TYPE_CHECKING:
    from algorithms.clustering.gaussian_mixture import Shot

_DENSITY = Regions("density")


def views(shot: Shot) -> Views:
    """Density, points and components in the plane; a bar for each restart."""
    model, shown = shot.model, shot.shown
    plane = (
        _DENSITY,
        SoftAssignment(shown.responsibilities.T),
        Trail(shown.trail),
        Ellipses(model.means, model.covariances, model.weights),
        Centres(model.means, handle="centres"),
    )
    return {"plane": plane, **shown.restarts.views(model.log_likelihood)}
