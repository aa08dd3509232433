"""What sparse principal component analysis says: captions, warnings, explanations, and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Item, Points, counted
from algorithms.embedding.sparse_pca.views import Picture

if TYPE_CHECKING:
    from algorithms.embedding.sparse_pca import Model, Params

MOST_TERMS = 8
_FEW = 4


def opening(picture: Picture, params: Params) -> str:
    """The caption of the first frame."""
    data = picture.data
    scaled = ", each divided by its standard deviation" if params.scaling == "standardised" else ""
    cost = f"at {100 * params.lam:.3g} % of the dearest price" if params.form == "price" else f"bound {params.t:.3g}"
    return (
        f"{counted(data.n, 'point')} with {counted(data.d, 'feature')}{scaled}; the principal component mixes all of "
        f"them. Now loadings have a price ({cost})."
    )


def beginning(picture: Picture) -> str:
    """The caption of the direction that a component begins with."""
    number = len(picture.model.components)
    left = "" if number == 1 else " of what is left"
    return f"Component {number} begins with the direction of most variance{left}, a mixture of all features (grey)."


def shrinking(picture: Picture, step: int) -> str:
    """The caption of a step."""
    loadings = picture.loadings
    if not loadings.any():
        return f"Iteration {step}: at this price no loading is worth it, so the component is empty."
    sizes = np.abs(loadings).sum()
    count = int(np.count_nonzero(loadings))
    return (
        f"Iteration {step}: scores along the loadings, then a threshold: {counted(count, 'loading')} of "
        f"{len(loadings)} "
        f"{'is' if count == 1 else 'are'} not zero, and their sizes add up to {sizes:.4g}."
    )


def taken_off(picture: Picture, left: float) -> str:
    """The caption when a component is taken off."""
    return (
        f"Component {picture.taken} is {_mixture(picture)}; it is taken off, which leaves {100 * left:.3g} % of the "
        "squares for the next."
    )


def _mixture(picture: Picture) -> str:
    """The component in words."""
    loadings, features = picture.loadings, picture.data.features
    order = [j for j in np.argsort(-np.abs(loadings), kind="stable").tolist() if loadings[j]]
    if not order:
        return "empty"
    terms = [f"{loadings[j]:.2f} {features[j]}" for j in order[:_FEW]]
    text = " + ".join(terms).replace("+ -", "- ")
    return text if len(order) <= _FEW else f"{text} and {counted(len(order) - _FEW, 'smaller one')}"


def along(picture: Picture, number: int) -> str:
    """The caption of a price on the path."""
    assert picture.price is not None
    count = int(np.count_nonzero(picture.loadings))
    if not count:
        return f"At λ = {picture.price:.2f} of the dearest price no loading is left."
    return (
        f"At λ = {picture.price:.2f} of the dearest price component 1 has {counted(count, 'loading')} and keeps "
        f"{100 * picture.model.explained:.3g} % of the variance; the principal component has "
        f"{100 * picture.fractions[0]:.3g} %."
    )


def closing(picture: Picture) -> str:
    """The caption of the last frame."""
    components = picture.model.components
    count, filled = len(components), int(np.count_nonzero(components))
    most = 100 * min(float(picture.fractions[:count].sum()), 1.0)
    return (
        f"{counted(count, 'sparse component')} with {filled} of {components.size} loadings keep"
        f"{'s' * (count == 1)} {100 * picture.model.explained:.3g} % of the variance; as many principal components "
        f"keep {most:.3g} %."
    )


def used_up(count: int) -> str:
    """A warning when there is nothing left for another component."""
    return f"After {counted(count, 'component')} nothing is left of the points, so there are no more."


def limited(most: int) -> str:
    """A warning when the steps were used up."""
    return f"A component was still changing after {counted(most, 'step')}; allow more of them."


def explanation(model: Model, data: Points, item: Item) -> Explanation:
    """The scores of a place, and what each feature adds to the first."""
    x = data.X[item.number] if item.number >= 0 else item.x
    answer: Explanation = {"point": item.number + 1} if item.number >= 0 else {}
    away = (x - model.mean) / model.scale
    scores = model.scores(x[None])[0]
    answer |= {f"component {k}": float(score) for k, score in enumerate(scores[:6], start=1)}
    answer["distance from the mean"] = float(np.linalg.norm(away))
    answer["distance from what is rebuilt"] = float(np.linalg.norm(away - scores @ model.components))
    if len(model.components):
        terms = model.components[0] * away
        for j in np.argsort(-np.abs(terms), kind="stable")[:MOST_TERMS].tolist():
            if model.components[0, j]:
                answer[f"{model.components[0, j]:.2f} · {data.features[j]}"] = float(terms[j])
    return answer


FORMULAS = (
    r"\min_{u, w}\ \frac{1}{2} \|X - u w^{\top}\|^2 + \lambda \sum_j |w_j|, \qquad \|u\| = 1",
    r"u \leftarrow \frac{X v}{\|X v\|}, \qquad w \leftarrow S(X^{\top} u, \lambda), \qquad v \leftarrow "
    r"\frac{w}{\|w\|}",
    r"S(a, \lambda) = \mathrm{sign}(a)\, \max(|a| - \lambda, 0)",
    r"\text{or}\quad \max_v\ v^{\top} X^{\top} X v, \qquad v^{\top} v = 1, \quad \sum_j |v_j| \le t",
)

TRIES = (
    Try("Without a price these are the principal components: every feature has a loading.", params={"lam": 0.0}),
    Try("A bound of 1 leaves each component a single feature.", params={"form": "bound", "t": 1.0, "dimensions": 3}),
    Try(
        "Components of handwritten digits become a few pixels each: those that are dark together.",
        "digits()",
        {"dimensions": 8, "lam": 0.3, "scaling": "as they are"},
    ),
    Try(
        "Thirty measurements of tumours: half of the loadings keep 58 % of the variance, all of them 63 %.",
        "breast_cancer()",
        {"lam": 0.4, "dimensions": 2},
    ),
)
