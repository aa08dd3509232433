"""What kernel principal component analysis says: captions, warnings, explanations, and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Array, counted
from algorithms.embedding.kernel_pca.solver import Axes, Gram, spread
from algorithms.embedding.kernel_pca.views import Picture
from algorithms.maths.maps import equal_eigenvalues, is_negative, spectrum_words

if TYPE_CHECKING:
    from algorithms.embedding.kernel_pca import Model

NOTHING_APART = (
    "Kernel principal components need points that the kernel can tell apart; here all of them are equal, or as good as "
    "equal at this width."
)
ALONE = 0.1
"""Beyond this fraction of n the variance is spread over so many components that nearly every point has its own."""
MOST_TERMS = 5


def opening(picture: Picture) -> str:
    """The caption of the first frame."""
    data = picture.data
    return (
        f"{counted(data.n, 'point')} with {counted(data.d, 'feature')}: principal axes are straight. Now a kernel "
        "takes the place of the inner product between every two points."
    )


def gram(picture: Picture, table: Gram) -> str:
    """The caption of the kernel matrix."""
    values = table.kernel.diagonal(table.X)
    own = f"{values.min():.3g}" if np.ptp(values) == 0.0 else f"{values.min():.3g} to {values.max():.3g}"
    return (
        f"The kernel matrix of {counted(picture.data.n, 'point')}: on the diagonal, each with itself, it is {own}; on "
        f"average it is {table.means.mean():.3g}."
    )


def centre(table: Gram) -> str:
    """The caption of the centred matrix."""
    return (
        "The mean of all rows and columns is taken off, which puts the mean of the images at the origin: now every row "
        f"adds up to 0, and the diagonal to the whole variance times n, {table.total:.4g}."
    )


def spectrum(axes: Axes) -> str:
    """The caption of the eigenvalues."""
    return spectrum_words(axes.spectrum, len(axes.eigenvalues)) + "."


def warning(axes: Axes, table: Gram) -> str:
    """A warning: the kernel is none, its width is far from that of the data, or its axes could as well be others."""
    values, n = axes.spectrum, len(axes.X)
    if is_negative(values)[-1]:
        return (
            f"The smallest eigenvalue is {values[-1]:.3g}: this is no kernel, and along such axes there is no distance "
            "at all."
        )
    if n > 10 and table.total > ALONE * n * float(values[0]):
        return (
            "At this width a point is alike to few others only, so many components are about as large and none means "
            f"much; take a larger sigma, such as {0.5 * spread(axes.X):.2g}."
        )
    if not axes.eigenvalues[-1] > 0.0:
        there = int(np.count_nonzero(axes.eigenvalues > 0.0))
        return f"The images vary in {counted(there, 'direction')} only: the components beyond are zero."
    return equal_eigenvalues(values[: axes.largest], len(axes.eigenvalues))


def component(picture: Picture, k: int) -> str:
    """The caption when a component is added."""
    fraction, together = picture.axes.fractions[k - 1], picture.axes.fractions[:k].sum()
    what = f"Component {k} is a function over the plane, equal along each thin line; it shows {100 * fraction:.3g} %"
    both = "" if k == 1 else f", together {100 * together:.3g} %"
    return f"{what}{both} of the variance in the feature space."


def width(picture: Picture, typical: float) -> str:
    """The caption of another width; ``typical`` is the usual distance of the points from their mean."""
    assert picture.width is not None
    now, first = picture.width, 100 * picture.axes.fractions[0]
    if now > 2.0 * typical:
        what = "so wide a bell hardly bends, and the map is like that of principal components"
    elif now < typical / 6.0:
        what = "narrow bells know only their nearest neighbours, and the variance spreads over many components"
    else:
        what = "level sets bend along the points"
    return f"With σ = {now:.3g} component 1 has {first:.3g} % of the variance: {what}."


def looking_back(picture: Picture, step: int) -> str:
    """The caption of a step towards the pre-images."""
    return (
        f"Iteration {step} towards the points whose images are nearest to what "
        f"{counted(_kept(picture), 'component')} keep"
        f"{'s' * (_kept(picture) == 1)}: they are {picture.moved:.3g} away from the points on average."
    )


def closing(picture: Picture) -> str:
    """The caption of the last frame."""
    kept, together = _kept(picture), 100 * min(picture.axes.fractions.sum(), 1.0)  # more where others are below zero
    text = f"{counted(kept, 'component')} show{'s' * (kept == 1)} {together:.3g} % of the variance in the feature space"
    if picture.found is None:
        return f"{text}."
    return f"{text}; the pre-images are {picture.moved:.3g} away from the points on average."


def _kept(picture: Picture) -> int:
    return len(picture.axes.eigenvalues)


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

TRIES = (
    Try(
        "The linear kernel is principal component analysis: straight level sets, and the rings stay rings.",
        params={"kernel": "linear"},
    ),
    Try(
        "Products of two features are enough for rings: component 3 is the distance from the middle.",
        params={"kernel": "polynomial", "degree": 2, "offset": 0.0, "dimensions": 3, "component": 3},
    ),
    Try(
        "Three clouds: the first two components part them, the next ones divide each of them.",
        "blobs(n=150,noise=0.7,seed=1)",
        {"sigma": 1.0, "dimensions": 8},
    ),
    Try(
        "Noise taken away: pre-images from eight components lie nearly three times as near to the moons as the points.",
        "moons(n=200,noise=0.15,seed=1)",
        {"sigma": 0.3, "dimensions": 8},
    ),
)
