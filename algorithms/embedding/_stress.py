"""The way to a map down the stress: where it begins, its steps, and the words about them."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Snapshot, Stop
from algorithms.data import Array
from algorithms.embedding._maps import Known
from algorithms.embedding._pictures import Stage, frame
from algorithms.maths.stress import Misfit, Wanted, centred

if TYPE_CHECKING:
    from algorithms.embedding.isomap import Params

DIVERGED = 10.0
"""A stress of so many times that of a map with all points in one place is a map that flies apart."""
SWINGS = 1.01
"""A last stress of more than this times the lowest one on the way was not gone down to."""
WORSE = 1.05
"""A final stress of more than this times that of classical scaling is a valley beside the deepest one."""


def beginning(params: Params, rng: np.random.Generator, classical: Array, pca: Array, wanted: Wanted) -> Array:
    """The map before the first step, as large as suits the distances asked for, (m, dimensions)."""
    if params.begin == "classical scaling":
        return centred(classical)
    drawn = rng.standard_normal(classical.shape)
    places = centred(drawn if params.begin == "random places" else pca)
    return places * wanted.best_size(places)


def descend(
    stage: Stage, wanted: Wanted, known: Known, places: Array, classical: Array, params: Params, unit: float
) -> Generator[Snapshot, None, tuple[Stage, Stop]]:
    """Step after step down the stress; ``places`` and ``classical`` are maps in the units of ``wanted``."""
    squared = params.scaling == "squared stress by gradient descent"
    phase = "majorise" if params.scaling == "stress by majorisation" else "descend"
    best = wanted.stresses(classical)
    found = wanted.misfit(places, squared)
    stage = _at(stage, known, places, found, classical, unit)
    yield frame(stage, phase, _first_words(params, found, best))
    lowest = now = _objective(found, squared)
    for step in range(1, params.max_steps + 1):
        length = 1.0 if phase == "majorise" else params.step
        if squared:
            length *= wanted.lowest_along(places, found.way)
        places = centred(places + length * found.way)
        before, found = _objective(found, squared), wanted.misfit(places, squared)
        now = _objective(found, squared)
        lowest = min(lowest, now)
        if not now < DIVERGED:
            words = "The steps are too long and the map flies apart. Choose a shorter step."
            yield frame(
                replace(stage, warning=f"{stage.warning} {words}".strip()), phase, _step_words(step, stage, best)
            )
            return stage, Stop.DIVERGED
        stage = _at(stage, known, places, found, classical, unit)
        yield frame(stage, phase, _step_words(step, stage, best))
        if 0.0 <= before - now <= params.tol * before:
            return _judged(stage, best, squared), Stop.CONVERGED
    swings = now > SWINGS * lowest
    words = "The stress swings to and fro: choose a shorter step." if swings else "The steps ran out: raise max_steps."
    return replace(stage, warning=f"{stage.warning} {words}".strip()), Stop.LIMIT


def _objective(found: Misfit, squared: bool) -> float:
    return found.squared_stress if squared else found.stress


def _at(stage: Stage, known: Known, places: Array, found: Misfit, like: Array, unit: float) -> Stage:
    """The stage with this map, turned or mirrored to lie like that of classical scaling (Procrustes)."""
    left, _, right = np.linalg.svd(places.T @ like)
    turned = places @ (left @ right)
    model = replace(stage.model, embedding=turned * unit, residual=known.judged(places)[0])
    return replace(stage, model=model, stresses=(found.stress, found.squared_stress))


def _judged(stage: Stage, best: tuple[float, float], squared: bool) -> Stage:
    """A warning when the descent ended in a valley that is not the deepest."""
    if not stage.stresses[squared] > WORSE * best[squared]:
        return stage
    words = (
        f"The way ended in a valley that is not the deepest: its {'squared ' if squared else ''}stress is "
        f"{stage.stresses[squared]:.3g}, that of classical scaling {best[squared]:.3g}. Take another seed or beginning."
    )
    return replace(stage, warning=f"{stage.warning} {words}".strip())


def _first_words(params: Params, found: Misfit, best: tuple[float, float]) -> str:
    return (
        f"The way begins at {_BEGINNINGS[params.begin]}: stress {found.stress:.3g} and squared stress "
        f"{found.squared_stress:.3g}; the map of classical scaling has {best[0]:.3g} and {best[1]:.3g}."
    )


_BEGINNINGS = {
    "random places": "random places",
    "principal components": "the map of principal components",
    "classical scaling": "the map of classical scaling",
}


def _step_words(step: int, stage: Stage, best: tuple[float, float]) -> str:
    now, squared = stage.stresses
    stress = f"stress {now:.4g} (classical scaling {best[0]:.4g})"
    return f"Step {step}: {stress}, squared stress {squared:.4g} ({best[1]:.4g})."


def closing(stage: Stage, stop: Stop, best: tuple[float, float]) -> str:
    """The caption of the last frame."""
    why = "no step helps any more" if stop is Stop.CONVERGED else "the last step is done"
    return (
        f"The map of {len(stage.model.members):,} points, as {why}: stress {stage.stresses[0]:.4g} beside "
        f"{best[0]:.4g} of classical scaling, squared stress {stage.stresses[1]:.4g} beside {best[1]:.4g}."
    )
