"""Captions, warnings and explanations of the Gaussian classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Array, Points
from algorithms.maths import gaussians
from algorithms.maths.words import are, counted, number, of_class, percent, share, signed

if TYPE_CHECKING:
    from algorithms.classification.gaussian_classifier import Model, Shot
    from algorithms.played import Played

ASSUMED = {
    "own": "every class keeps its own ellipse",
    "shared": "all classes share one ellipse",
    "diagonal": "features are independent within a class, so ellipses stand along the axes",
    "spherical": "every class is round, each of its own size",
    "nearest mean": "all classes are round and of one size, equally probable: only the distance to the mean counts",
}


def _start(shot: Shot) -> str:
    classes = len(shot.given.data.classes)
    whose = f"each of the {classes} classes" if classes > 1 else "the only class"
    return f"No point has been counted in: {whose} has the Gaussian of all points."


def _count(shot: Shot) -> str:
    model, data, newest = shot.model, shot.given.data, shot.shown.newest
    assert newest is not None
    k, n = int(data.class_numbers("")[newest[-1]]), int(shot.metrics["counted"])
    mean = ", ".join(number(value) for value in model.means[k][:2]) + (", ..." if model.means.shape[1] > 2 else "")
    of_mean = f"the mean of {of_class(data.classes[k])} ({counted(int(model.counts[k]), 'point')}) is ({mean})"
    seen = f"{counted(n, 'point')} {are(n)} counted in; {of_mean}"
    return f"{seen}; {share(shot.metrics['error'])} of the points so far are misclassified."


def _assume(shot: Shot) -> str:
    fraction = shot.shown.fraction
    how = f"Assume that {ASSUMED[shot.given.params.covariance]}"
    turned = "" if fraction >= 1.0 else f" ({percent(fraction, '.0f')} of the way)"
    shape = boundary(shot.model)
    found = f": the boundary is {shape}" if shape else ""
    return f"{how}{turned}{found}; {share(shot.metrics['error'])} of the points are misclassified."


def _done(shot: Shot) -> str:
    model, data, error = shot.model, shot.given.data, shot.metrics["error"]
    if np.count_nonzero(model.counts) == 1:
        return f"There is only one class, {data.classes[int(model.counts.argmax())]}, so there is nothing to decide."
    shape, wrong = boundary(model), round(error * data.n)
    found = f"The boundary is {shape}; " if shape else ""
    found += f"{wrong:,} of {counted(data.n, 'point')} {are(wrong)} misclassified"
    if not 0.0 < model.ratio < 1e12:  # nothing between the classes, or nothing within
        return f"{found}."
    ratio = number(np.sqrt(model.ratio))
    return f"{found}; along Fisher's direction the deviation between the means is {ratio} times that within a class."


CAPTIONS = {"start": _start, "count": _count, "assume": _assume, "done": _done}


def boundary(model: Model) -> str:
    """What the boundary between two classes in the plane is: a line or a conic, by its quadratic form."""
    seen = np.flatnonzero(model.counts)
    if len(seen) != 2 or model.means.shape[1] != 2:
        return ""
    first, second = (np.linalg.inv(model.covariances[k]) for k in seen)
    scale = np.sqrt(np.diagonal(model.covariances[seen].mean(axis=0)))
    form = (second - first) * scale[:, None] * scale
    values = np.linalg.eigvalsh(form)
    size = np.abs(values).max()
    small = 1e-6 * max(np.abs(first * scale[:, None] * scale).max(), np.abs(second * scale[:, None] * scale).max())
    if size <= small:
        return "a line"
    if abs(values[0] * values[1]) <= (1e-6 * size) * size:
        return "a parabola or two lines"
    if values[0] < 0.0 < values[1]:
        return "a hyperbola"
    return "a circle" if np.ptp(values) <= 1e-6 * size and _round(scale) else "an ellipse"


def _round(scale: Array) -> bool:
    return bool(np.ptp(scale) <= 1e-6 * scale.max())


def warning(shot: Shot) -> str | None:
    """That a class had too few points, or lies in a flat subspace."""
    shown, counts = shot.shown, shot.model.counts
    if shown.borrowed is None:
        return None
    few = [k for k in np.flatnonzero(shown.borrowed) if counts[k] > 0]
    sentences = []
    if len(few) == np.count_nonzero(counts):
        sentences.append(
            "There are too few points for a covariance within the classes, so that of all points together is used."
        )
    elif few:
        names = ", ".join(f"{shot.given.data.classes[k]} ({counts[k]})" for k in few[:4])
        sentences.append(f"Too few points for an ellipse of their own: {names}; they have that of all points.")
    if shown.flat:
        sentences.append(
            "The points of a class lie in a plane or on a line: the variance across it is raised to a billionth of "
            "that of all points. A larger shrinkage makes the ellipse rounder."
        )
    return " ".join(sentences)


def explanation(model: Model, data: Points, x: Array, joint: Array, projected: float) -> Explanation:
    """Why a place has its class: for every class the probability, and the sum that it comes from."""
    posteriors = gaussians.softmax(joint[:, None])[0][:, 0]
    seen = np.flatnonzero(model.counts)
    ranked = seen[np.argsort(-posteriors[seen], kind="stable")]
    origin, sizes = model.means[ranked[0]], model.log_determinants
    squared = gaussians.squared_mahalanobis((x - origin)[:, None], model.means - origin, model.factors)[:, 0]
    answer: Explanation = {"class": data.classes[int(ranked[0])]}
    for k in ranked[:6]:
        name = data.classes[int(k)]
        answer[f"probability of {name}"] = float(posteriors[k])
        answer[f"Mahalanobis distance to {name}"] = float(np.sqrt(squared[k]))
    if len(ranked) > 1:
        one, two = ranked[:2]
        odds = f"log-odds against {data.classes[int(two)]}"
        answer[odds] = signed(joint[one] - joint[two]) if model.priors[two] > 0.0 else "the other has no prior"
        if model.priors[two] > 0.0:
            answer["of it from the priors"] = signed(np.log(model.priors[one] / model.priors[two]))
        answer["of it from the distances"] = signed((squared[two] - squared[one]) / 2.0)
        answer["of it from the sizes"] = signed((sizes[two] - sizes[one]) / 2.0)
    if model.direction.any():
        answer["position on Fisher's direction"] = projected
    return answer


FORMULAS = (
    r"p(x \mid k) = \left( (2\pi)^d \det \Sigma_k \right)^{-1/2} \exp\left( -\tfrac{1}{2} (x - \mu_k)^{\top} "
    r"\Sigma_k^{-1} (x - \mu_k) \right)",
    r"\mu_k = \frac{1}{n_k} \sum_{i:\, y_i = k} x_i, \qquad \Sigma_k = \frac{1}{n_k} \sum_{i:\, y_i = k} (x_i - \mu_k)"
    r"(x_i - \mu_k)^{\top}",
    r"f(x) = \operatorname{argmax}_k \; p(x \mid k)\, P(k)",
    r"w = \operatorname{argmax}_v \; \frac{v^{\top} B\, v}{v^{\top} W\, v}",
)


def _shape_before(played: Played) -> str:
    """The boundary when all points are counted in, before an assumption is made."""
    return boundary([frame.model for frame in played.frames if frame.phase == "count"][-1])


def _distances_of_middle(played: Played) -> Array:
    """How far the middle between two means is from both, in deviations."""
    means = played.model.means
    return gaussians.squared_mahalanobis(means.mean(axis=0)[:, None], means, played.model.factors)[:, 0]


TRIES = (
    Try(
        "Play to the end: two different ellipses become one shared one, and the conic between them turns into a line.",
        params={"covariance": "shared"},
        shows=lambda played: _shape_before(played) == "a hyperbola" and boundary(played.model) == "a line",
    ),
    Try(
        "A ring around a blob: with its own ellipses the boundary closes, which no line can do.",
        "circles(n=300,noise=0.1,seed=1)",
        {"covariance": "own"},
        shows=lambda played: (
            boundary(played.model) == "an ellipse"
            and played.final("error") < 0.05
            and played.but(covariance="shared").final("error") > 0.4
        ),
    ),
    Try(
        "Nearest mean: the boundary is the perpendicular bisector of the means, and twice as many points are "
        "misclassified as with ellipses.",
        params={"covariance": "nearest mean"},
        shows=lambda played: (
            boundary(played.model) == "a line"
            and abs(np.diff(_distances_of_middle(played))[0]) < 1e-9
            and played.final("error") >= 2.0 * played.but(covariance="own").final("error") > 0.0
        ),
    ),
    Try(
        "Ten classes in 64 features, some of them constant: without shrinkage the ellipses are flat and more digits "
        "are misclassified.",
        "digits()",
        {"covariance": "own", "shrinkage": 0.1},
        shows=lambda played: (
            not played.last.warning
            and "lie in a plane" in played.but(shrinkage=0.0).last.warning
            and played.final("error") < 0.5 * played.but(shrinkage=0.0).final("error")
        ),
    ),
)
