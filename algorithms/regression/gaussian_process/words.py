"""Captions of a Gaussian process, what to try, and the same process in scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Case, Counterpart, Try
from algorithms.counterpart import SAME_VALUES
from algorithms.data import Points
from algorithms.maths.landmarks import MOST_COMPARED, landmark_caveat, landmark_count, landmark_warning
from algorithms.maths.words import are, change, counted, number
from algorithms.played import Played
from algorithms.regression.gaussian_process.solver import SPANS

if TYPE_CHECKING:
    from algorithms.regression.gaussian_process import Params, Shot


def _deviations(played: Played, *places: float) -> list[float]:
    """The standard deviation of the function at some places, the first point in x being 0 and the next one 1."""
    x = np.sort(played.data.X[:, 0])
    gap = int(np.diff(x).argmax())  # the widest
    at = x[gap] + np.array(places) * (x[gap + 1] - x[gap])
    deviations: list[float] = played.model.deviation(at[:, None]).tolist()
    return deviations


def _off_the_wave(played: Played) -> float:
    """The root mean squared error in the period after the last point of a sine with three periods from 0 to 1."""
    x = np.linspace(1.0, 4.0 / 3.0, 50)
    return float(np.sqrt(np.square(played.predicted(x[:, None]) - np.sin(6.0 * np.pi * x)).mean()))


def _mean_of_the_process(played: Played) -> bool:
    """Whether a process with λ = σ²/a² has the curve of this kernel ridge regression as its mean."""
    fixed = {"scale": "as they are", "learn": False, "map": False, "amplitude": 1.0}
    process = played.by("gaussian_process", length=played.params.sigma, noise=played.params.lam**0.5, **fixed)
    return bool(np.allclose(process.predicted(), played.predicted(), atol=1e-6))


TRIES = (
    Try(
        "Too short a length scale and hardly any noise: the band is wide between the points and closed at them."
        " Take the point tool (P) and click into the gap: the band narrows there.",
        params={"length": 0.05, "noise": 0.01, "learn": False},
        shows=lambda played: _deviations(played, 0.5)[0] > 20 * max(_deviations(played, 0.0, 1.0)),
    ),
    Try(
        "Rough functions: beside a point the band opens at once, where smooth functions keep it closed.",
        params={"kernel": "matern 1/2", "noise": 0.05, "learn": False, "length": 0.8},
        shows=lambda played: _deviations(played, 0.1)[0] > 3 * _deviations(played.but(kernel="rbf"), 0.1)[0],
    ),
    Try(
        "A kernel that knows the period continues the wave where there are no points; with the rbf kernel it ends.",
        "sine(n=30,noise=0.1,periods=3,seed=1)",
        {"kernel": "periodic", "period": 1.15, "length": 1.0},
        shows=lambda played: _off_the_wave(played) < 0.5 * _off_the_wave(played.but(kernel="rbf")),
    ),
)
RELATED = (
    Try(
        "Kernel ridge regression has the same mean as a process with σ²/a² = λ and the length scale σ.",
        method="kernel_ridge",
        shows=_mean_of_the_process,
    ),
)


def opening(shot: Shot) -> str:
    """The first frame."""
    model, n = shot.model, shot.given.data.n
    if shot.given.goes_on:
        return "The run starts from the process before the change."
    return (
        f"Nothing is observed yet: each value of the function is Gaussian with the standard deviation "
        f"{number(model.scale * model.amplitude)}, and values closer than the length scale {number(model.length)} are "
        f"alike; {counted(n, 'point')} {are(n)} to be observed."
    )


def observed(shot: Shot) -> str:
    """Some more points are known."""
    points = f"{shot.model.observed:,} of {counted(shot.given.data.n, 'point')}"
    what = change("the mean standard deviation at the points", shot.shown.before, shot.metrics["deviation"])
    return f"{points} observed: every function has to pass near them; {what}."


def solved(shot: Shot) -> str:
    """The posterior."""
    n, m, at = shot.given.data.n, len(shot.model.alpha), shot.metrics
    words = "(K + σ²I) α = y is solved"
    if m < n:
        words = f"{counted(m, 'landmark')} carry the functions, not all {n:,} points; for them {words}"
    constant = -0.5 * n * float(np.log(2.0 * np.pi))
    return (
        f"{words}: log p(y) = {number(at['log_marginal'])}, of which {number(at['fit'])} is the fit, "
        f"{number(at['simplicity'])} the simplicity -½ log|K + σ²I| and {number(constant)} a constant."
    )


def mapped(shot: Shot) -> str:
    """One more length scale of the map."""
    given, best = shot.given, shot.shown.best
    assert best is not None
    few = "" if given.landmarks == given.count else f" To be quick, the map is that of {given.landmarks} landmarks."
    return (
        f"Length scale {number(shot.shown.rows[-1].length)}: one decomposition of K gives log p(y) for every noise; "
        f"the highest so far is {number(best.height)}, at the length scale {number(best.length)} and the noise "
        f"{number(best.noise)}.{few}"
    )


def climbed(shot: Shot) -> str:
    """One step up."""
    model, now = shot.model, shot.metrics["log_marginal"]
    return (
        f"A step uphill raises log p(y) by {number(now - shot.shown.before)} to {number(now)}: length scale "
        f"{number(model.length)}, amplitude {number(model.amplitude)}, noise {number(model.noise)}."
    )


def done(shot: Shot) -> str:
    """The process with everything that is known about it."""
    model = shot.model
    how = "The top of the hill" if shot.given.learn else "The hyper-parameters as they were set"
    return (
        f"{how}: length scale {number(model.length)}, amplitude {number(model.amplitude)}, noise "
        f"{number(model.noise)}; log p(y) = {number(model.log_marginal)}, mean squared residual "
        f"{number(shot.metrics['mse'])}."
    )


def warning(shot: Shot) -> str:
    """A process that not all points carry."""
    return landmark_warning(shot.given.data.n, shot.given.count)


CAPTIONS = {
    "prior": opening,
    "observe": observed,
    "posterior": solved,
    "map": mapped,
    "climb": climbed,
    "done": done,
}


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """GaussianProcessRegressor, as long as every point carries the functions."""
    if case is None or not isinstance(case.data, Points):
        return None
    caveat = landmark_caveat(case.data.n, landmark_count(case.data.n, params.landmarks))
    if caveat and case.data.n > MOST_COMPARED:
        return None
    if params.kernel == "periodic" and case.data.d > 1:
        return None  # its distance is another one
    fixed = "" if params.learn else ', "fixed"'
    bounds = [f", ({low!r}, {high!r})" if params.learn else fixed for low, high in SPANS]
    squares = [f", ({low**2!r}, {high**2!r})" if params.learn else fixed for low, high in SPANS]
    nu = {"matern 5/2": 2.5, "matern 3/2": 1.5, "matern 1/2": 0.5}
    if params.kernel == "rbf":
        shape, name = f"RBF({params.length!r}{bounds[0]})", "RBF"
    elif params.kernel == "periodic":
        held = ', periodicity_bounds="fixed"'
        shape, name = f"ExpSineSquared({params.length!r}, {params.period!r}{bounds[0]}{held})", "ExpSineSquared"
    elif params.kernel == "linear":
        shape, name = f"DotProduct({params.length!r}{bounds[0]})", "DotProduct"
    else:
        shape, name = f"Matern({params.length!r}{bounds[0]}, nu={nu[params.kernel]!r})", "Matern"
    square = params.amplitude**2 if params.kernel != "linear" else (params.amplitude / params.length) ** 2
    kernel = f"ConstantKernel({square!r}{squares[1]}) * {shape} + WhiteKernel({params.noise**2!r}{squares[2]})"
    scaled = params.scale == "standardised"
    make = f"GaussianProcessRegressor({kernel}, normalize_y={scaled})"
    imports = _IMPORTS.format(name)
    if scaled:
        make, imports = f"make_pipeline(StandardScaler(), {make})", imports + _SCALED
    climb = "The climb is another one and may end on another hill of the marginal likelihood." if params.learn else ""
    caveat = " ".join(filter(None, (caveat, climb)))
    measure = "largest difference of a prediction, by the range of y"
    return Counterpart(imports, make, SAME_VALUES, measure, caveat=caveat)


_IMPORTS = (
    "from sklearn.gaussian_process import GaussianProcessRegressor\n"
    "from sklearn.gaussian_process.kernels import {}, ConstantKernel, WhiteKernel"
)
_SCALED = "\nfrom sklearn.pipeline import make_pipeline\nfrom sklearn.preprocessing import StandardScaler"
