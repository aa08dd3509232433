"""What kernel principal component analysis says: captions, warnings, explanations, and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Array
from algorithms.embedding.kernel_pca.solver import Axes
from algorithms.maths.maps import equal_eigenvalues, spectrum_words
from algorithms.maths.verdicts import fitted_by
from algorithms.maths.words import counted, number, share

if TYPE_CHECKING:
    from algorithms.embedding.kernel_pca import Model, Shot
    from algorithms.played import Played

NOTHING_APART = (
    "Kernel principal components need points that the kernel can tell apart; here all of them are equal, or as good as "
    "equal at this width."
)
LITTLE = 0.1
"""A first component with less of the variance than this is one of many."""
MOST_TERMS = 5


def opening(shot: Shot) -> str:
    """The caption of the first frame."""
    data = shot.given.data
    return (
        f"{counted(data.n, 'point')} with {counted(data.d, 'feature')} and their principal axes, which are straight "
        "lines. Now a kernel takes the place of the inner product of every two points."
    )


def gram(shot: Shot) -> str:
    """The caption of the kernel matrix."""
    low, high = (number(value) for value in shot.given.own)
    own = f"is {low}" if low == high else f"goes from {low} to {high}"
    return (
        f"The kernel matrix K of {counted(shot.given.data.n, 'point')}: the diagonal, each point with itself, {own}; "
        "the "
        f"mean of all entries is {number(shot.given.mean)}."
    )


def centre(shot: Shot) -> str:
    """The caption of the centred matrix."""
    return (
        "The means of rows and columns are subtracted, which puts the mean of the images φ(x) at the origin: every row "
        f"adds up to 0, and the diagonal to n times the total variance, {number(shot.given.total)}."
    )


def spectrum(shot: Shot) -> str:
    """The caption of the eigenvalues."""
    axes = shot.given.axes
    return spectrum_words(axes.spectrum, len(axes.eigenvalues)) + "."


def warning(shot: Shot) -> str:
    """A warning: the kernel is none, its width is far from that of the data, or its axes could as well be others."""
    axes, larger = shot.given.axes, shot.given.larger
    if shot.phase in ("start", "gram", "centre"):
        return ""
    if axes.indefinite:
        return (
            f"The smallest eigenvalue is {number(float(axes.spectrum[-1]))}: this function is no kernel on these "
            "points, "
            "and there is no feature space in which a variance could be measured."
        )
    if larger:
        return (
            "At this width the kernel is near 0 for most pairs of points, so many components have about the same "
            f"variance and none means much; take a larger sigma, such as {larger:.2g}."
        )
    if not axes.eigenvalues[-1] > 0.0:
        there = int(np.count_nonzero(axes.eigenvalues > 0.0))
        return f"The images vary in only {counted(there, 'direction')}: the components beyond are zero."
    return equal_eigenvalues(axes.spectrum[: axes.largest], len(axes.eigenvalues))


def component(shot: Shot) -> str:
    """The caption when a component is added."""
    k = len(shot.model.eigenvalues)
    fraction, together = float(shot.model.axes.fractions[k - 1]), min(float(shot.model.axes.fractions[:k].sum()), 1.0)
    what = f"Component {k} is a function over the plane, constant along each thin line; it has {share(fraction)}"
    both = "" if k == 1 else f", the first {k} together {share(together)}"
    return f"{what} of {_whole(shot.model.axes)}{both}."


def _whole(axes: Axes) -> str:
    """What the fractions are parts of."""
    return "the sum of all squared eigenvalues" if axes.indefinite else "the variance in the feature space"


def width(shot: Shot) -> str:
    """The caption of another width."""
    assert shot.shown.width is not None
    now, first = shot.shown.width, float(shot.model.axes.fractions[0])
    if now > 2.0 * shot.given.spread and shot.given.bell == "rbf":
        what = "; so wide a bell hardly bends, and the map is like that of principal components"
    elif first < LITTLE:
        what = "; so narrow a bell reaches only the nearest neighbours, and the variance spreads over many components"
    else:
        what = ""
    return f"With σ = {number(now)} component 1 has {share(first)} of the variance{what}."


def looking_back(shot: Shot) -> str:
    """The caption of a step towards the pre-images."""
    return (
        f"Pre-images, iteration {shot.shown.step}: points whose images are nearest to the projection onto "
        f"{counted(_kept(shot), 'component')}; they are {_moved(shot)} away from the points on average."
    )


def closing(shot: Shot) -> str:
    """The caption of the last frame."""
    kept, together = _kept(shot), min(float(shot.model.axes.fractions.sum()), 1.0)
    has = "has" if kept == 1 else "have"
    text = f"{counted(kept, 'component')} {has} {share(together)} of {_whole(shot.model.axes)}"
    if shot.shown.found is None:
        return f"{text}."
    return f"{text}; the pre-images are {_moved(shot)} away from the points on average."


def _moved(shot: Shot) -> str:
    """How far the pre-images are from their points."""
    return number(shot.metrics["moved"], float(np.abs(shot.given.data.X).max()))


def _kept(shot: Shot) -> int:
    return len(shot.model.axes.eigenvalues)


CAPTIONS = {
    "start": opening,
    "gram": gram,
    "centre": centre,
    "eigen": spectrum,
    "component": component,
    "width": width,
    "pre-image": looking_back,
    "result": closing,
}


def explanation(model: Model, x: Array, number: int) -> Explanation:
    """The scores of a place, and which points the first of them comes from."""
    answer: Explanation = {"point": number + 1} if number >= 0 else {}
    row = model.axes.kernel(x[None], model.axes.X)[0]
    scores = row @ model.alphas - model.axes.levels[: model.alphas.shape[1]]
    answer |= {f"component {k}": float(score) for k, score in enumerate(scores[:6], start=1)}
    answer["mean kernel with all points"] = float(row.mean())
    if model.shown >= 0 and model.shown < model.alphas.shape[1]:
        terms = row * model.alphas[:, model.shown]
        for i in np.argsort(-np.abs(terms), kind="stable")[:MOST_TERMS].tolist():
            answer[f"to component {model.shown + 1} from point {i + 1}"] = float(terms[i])
    return answer


FORMULAS = (
    r"\tilde{K} = K - \mathbf{1}_n K - K \mathbf{1}_n + \mathbf{1}_n K \mathbf{1}_n, \qquad (\mathbf{1}_n)_{ij} = "
    r"\frac{1}{n}",
    r"\tilde{K} a_j = l_j a_j, \qquad \alpha_j = \frac{a_j}{\sqrt{l_j}}, \qquad \alpha_j^{\top} \tilde{K} \alpha_j = 1",
    r"z_j(x) = \sum_{i=1}^{n} \alpha_{ij}\, \tilde{k}(x_i, x)",
    r"\text{pre-image:}\quad z \leftarrow \frac{\sum_i \gamma_i\, k(x_i, z)\, x_i}{\sum_i \gamma_i\, k(x_i, z)}, "
    r"\qquad \gamma = \frac{1}{n} + \sum_j \alpha_j z_j",
)


def _separates_the_rings(played: Played) -> bool:
    third, inner = played.model.embedding[:, 2], played.data.y == 1
    along = abs(np.corrcoef(third, np.linalg.norm(played.data.X, axis=1))[0, 1])
    low, high = sorted((third[inner], third[~inner]), key=np.mean)
    return bool(along > 0.9 and low.max() < high.min())


def _first_clouds_then_parts(played: Played) -> bool:
    """What the classes say about each component: nearly all about the first two, nothing about the next."""
    of_class = np.eye(3)[played.data.y, 1:]
    said = [fitted_by(of_class, column) for column in played.model.embedding.T]
    return min(said[:2]) > 0.9 and max(said[2:]) < 0.1


def _less_noise(played: Played) -> bool:
    from scipy.spatial import cKDTree

    assert played.algorithm.inverse is not None
    moons = cKDTree(played.but(data="moons(n=2000,noise=0,seed=1)").data.X)
    found = played.algorithm.inverse(played.model, played.model.embedding)
    after, before = (float(np.mean(moons.query(X)[0])) for X in (found, played.data.X))
    return after < 0.5 * before


TRIES = (
    Try(
        "The linear kernel is principal component analysis: straight level sets, and the rings stay rings.",
        params={"kernel": "linear"},
        shows=lambda played: np.allclose(np.abs(played.model.embedding), np.abs(played.by("pca").model.embedding)),
    ),
    Try(
        "Products of two features are enough for rings: component 3 goes with the distance from the middle, and one "
        "value of it separates the rings.",
        params={"kernel": "polynomial", "degree": 2, "offset": 0.0, "dimensions": 3, "component": 3},
        shows=_separates_the_rings,
    ),
    Try(
        "Three clouds: the first two components separate them, the next ones divide each of them.",
        "blobs(n=150,noise=0.7,seed=1)",
        {"sigma": 1.0, "dimensions": 8},
        shows=_first_clouds_then_parts,
    ),
    Try(
        "Noise taken away: on average the pre-images from eight components lie less than half as far from the moons "
        "as the points.",
        "moons(n=200,noise=0.15,seed=1)",
        {"sigma": 0.3, "dimensions": 8},
        shows=_less_noise,
    ),
)
