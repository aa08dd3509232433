"""Captions of a Gaussian process, what to try, and the same process in scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.contract import Case, Counterpart, Try
from algorithms.counterpart import SAME_VALUES
from algorithms.data import Points
from algorithms.maths.landmarks import landmark_count
from algorithms.maths.words import counted, number
from algorithms.regression.gaussian_process.solver import SPANS, Climb, Evidence, Process, Row

if TYPE_CHECKING:
    from algorithms.regression.gaussian_process import Model, Params

TRIES = (
    Try(
        "Too short a length scale and hardly any noise: the band is wide between the points and closed at them."
        " Take the point tool (P) and click into the gap: the band narrows there.",
        params={"length": 0.05, "noise": 0.01, "learn": False},
    ),
    Try(
        "Rough functions: the mean has a corner at every point, and the band opens at once beside it.",
        params={"kernel": "matern 1/2", "noise": 0.05, "learn": False, "length": 0.8},
    ),
    Try(
        "A kernel that knows the period goes on where there are no points.",
        "sine(n=30,noise=0.1,periods=3,seed=1)",
        {"kernel": "periodic", "period": 1.15, "length": 1.0},
    ),
)


def opening(model: Model, goes_on: bool, n: int) -> str:
    """The first frame."""
    if goes_on:
        return "It goes on from the process before the change."
    return (
        f"Nothing is observed yet: each value of the function is Gaussian with the standard deviation "
        f"{number(model.scale * model.amplitude)}, and values closer than about {number(model.length)} go together; "
        f"{counted(n, 'point')} {'waits' if n == 1 else 'wait'}."
    )


def observed(model: Model, n: int, before: float, now: float) -> str:
    """Some more points are known."""
    words = f"{counted(model.observed, 'point')} of {n:,} observed: every function has to pass near them"
    return f"{words}; the standard deviation at the points goes from {number(before)} to {number(now)} on average."


def solved(model: Model, evidence: Evidence, n: int) -> str:
    """The posterior."""
    words = "(K + σ²I) α = y is solved"
    if len(model.alpha) < n:
        words = f"{counted(len(model.alpha), 'landmark')} carry the functions, not all {n:,} points; for them {words}"
    return f"{words}: log p(y) = {number(evidence.total)}, of which {parts(evidence)}."


def parts(evidence: Evidence) -> str:
    """What the log marginal likelihood is made of."""
    return (
        f"{number(evidence.fit)} is the fit, {number(evidence.simplicity)} the simplicity -½ log|K + σ²I| and "
        f"{number(evidence.constant)} the same for all"
    )


def mapped(row: Row, best: float, at: tuple[float, float], process: Process) -> str:
    """One more length scale of the map."""
    few = "" if process.spectral == process.count else f" To be quick, the map is that of {process.spectral} landmarks."
    return (
        f"Length scale {number(row.length)}: one decomposition of K gives log p(y) for every noise; the highest "
        f"so far is {number(best)}, at the length scale {number(at[0])} and the noise {number(at[1])}.{few}"
    )


def climbed(climb: Climb, gain: float) -> str:
    """One step up."""
    h = climb.hyper
    return (
        f"A step up the slope gains {number(gain)}: length scale {number(h.length)}, amplitude {number(h.amplitude)}, "
        f"noise {number(h.noise)}, log p(y) = {number(climb.evidence.total)}."
    )


def done(model: Model, mse: float, learned: bool) -> str:
    """The process with everything that is known about it."""
    how = "The hyper-parameters that make these points likeliest from here" if learned else "The hyper-parameters"
    return (
        f"{how}: length scale {number(model.length)}, amplitude {number(model.amplitude)}, noise "
        f"{number(model.noise)}; log p(y) = {number(model.log_marginal)}, mean squared residual {number(mse)}."
    )


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """GaussianProcessRegressor, as long as every point carries the functions."""
    if case is None or not isinstance(case.data, Points):
        return None
    if landmark_count(case.data.n, params.landmarks) < case.data.n:
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
    caveat = "The climb is another one and may end on another hill of the marginal likelihood." if params.learn else ""
    measure = "largest difference of a prediction, by the range of y"
    return Counterpart(imports, make, SAME_VALUES, measure, caveat=caveat)


_IMPORTS = (
    "from sklearn.gaussian_process import GaussianProcessRegressor\n"
    "from sklearn.gaussian_process.kernels import {}, ConstantKernel, WhiteKernel"
)
_SCALED = "\nfrom sklearn.pipeline import make_pipeline\nfrom sklearn.preprocessing import StandardScaler"
