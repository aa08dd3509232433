"""What sparse principal component analysis says: captions, warnings, explanations, and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Item, Points
from algorithms.maths.words import counted, number, percent, share

if TYPE_CHECKING:
    from algorithms.embedding.sparse_pca import Model, Shot

MOST_TERMS = 8
_FEW = 4


def opening(shot: Shot) -> str:
    """The caption of the first frame."""
    data, params = shot.given.data, shot.given.params
    scaled = ", each divided by its standard deviation" if params.scaling == "standardised" else ""
    cost = f"a bound on the sum of their absolute values, t = {number(params.t)}"
    if params.form == "penalty":
        cost = f"a penalty, {percent(params.lam)} of the smallest one at which all of them are 0"
    return (
        f"{counted(data.n, 'point')} with {counted(data.d, 'feature')}{scaled}; the principal component mixes all "
        f"features. Now its loadings get {cost}."
    )


def beginning(shot: Shot) -> str:
    """The caption of the direction that a component begins with."""
    k = len(shot.model.components)
    left = "" if k == 1 else " in the remainder"
    return f"Component {k} begins with the direction of largest variance{left}, a mixture of all features (grey)."


def shrinking(shot: Shot) -> str:
    """The caption of a step."""
    loadings, step = shot.model.components[-1], shot.shown.step
    if not loadings.any():
        return f"Iteration {step}: at this penalty all loadings are 0, so the component is empty."
    sizes = float(np.abs(loadings).sum())
    count = int(np.count_nonzero(loadings))
    return (
        f"Iteration {step}: scores along the loadings, then the soft threshold: {count} of "
        f"{counted(len(loadings), 'loading')} {'is' if count == 1 else 'are'} not 0; the sum of their absolute values "
        f"is {number(sizes)}."
    )


def taken_off(shot: Shot) -> str:
    """The caption when a component is taken off."""
    return (
        f"Component {shot.shown.taken} is {_mixture(shot)}; it is subtracted (deflation), which leaves "
        f"{percent(shot.shown.left)} "
        "of the sum of squares for the next."
    )


def _mixture(shot: Shot) -> str:
    """The component in words."""
    loadings, features = shot.model.components[-1], shot.given.data.features
    order = [j for j in np.argsort(-np.abs(loadings), kind="stable").tolist() if loadings[j]]
    if not order:
        return "empty"
    terms = [f"{loadings[j]:.2f} · {features[j]}" for j in order[:_FEW]]
    text = " + ".join(terms).replace("+ -", "- ")
    return text if len(order) <= _FEW else f"{text} and {counted(len(order) - _FEW, 'smaller term')}"


def along(shot: Shot) -> str:
    """The caption of a penalty on the path."""
    assert shot.shown.penalty is not None
    count = int(np.count_nonzero(shot.model.components[-1]))
    if not count:
        return f"At λ = {shot.shown.penalty:.2f} all loadings of component 1 are 0."
    return (
        f"At λ = {shot.shown.penalty:.2f} component 1 has {counted(count, 'loading')} and "
        f"{share(shot.model.explained)} of the variance; the principal component has "
        f"{share(float(shot.given.fractions[0]))}."
    )


def closing(shot: Shot) -> str:
    """The caption of the last frame."""
    components = shot.model.components
    count, filled = len(components), int(np.count_nonzero(components))
    most = share(min(float(shot.given.fractions[:count].sum()), 1.0))
    has, same = ("has", "one principal component has") if count == 1 else ("have", "as many principal components have")
    return (
        f"{counted(count, 'sparse component')} with {filled} of {counted(components.size, 'loading')} {has} "
        f"{share(shot.model.explained)} of the variance; {same} {most}."
    )


def warning(shot: Shot) -> str:
    """A warning when there is nothing left for another component, or when the steps were used up."""
    if shot.shown.doubt == "steps":
        return f"A component was still changing after {counted(shot.given.params.max_steps, 'step')}: raise max_steps."
    if shot.shown.doubt == "used up":
        return f"After {counted(shot.shown.taken, 'component')} the remainder is 0, so there are no more."
    return ""


CAPTIONS = {
    "start": opening,
    "begin": beginning,
    "shrink": shrinking,
    "deflate": taken_off,
    "path": along,
    "result": closing,
}


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
    Try(
        "Without a penalty these are the principal components: every feature has a loading.",
        params={"lam": 0.0},
        shows=lambda played: (
            bool(played.model.components.all())
            and played.model.explained > 0.9999 * played.by("pca", scaling="standardised").model.fractions.sum()
        ),
    ),
    Try(
        "A bound of 1 leaves each component a single feature.",
        params={"form": "bound", "t": 1.0, "dimensions": 3},
        shows=lambda played: np.count_nonzero(played.model.components, axis=1).tolist() == [1, 1, 1],
    ),
    Try(
        "Eight components of handwritten digits need at most ten of the 64 pixels each.",
        "digits()",
        {"dimensions": 8, "lam": 0.3, "scaling": "as they are"},
        shows=lambda played: int(np.count_nonzero(played.model.components, axis=1).max()) <= 10,
    ),
    Try(
        "Thirty measurements of tumours: half of the loadings keep 58 % of the variance, all of them 63 %.",
        "breast_cancer()",
        {"lam": 0.4, "dimensions": 2},
        shows=lambda played: (
            bool(0.45 < np.count_nonzero(played.model.components) / 60 < 0.55)
            and round(100 * played.model.explained) == 58
            and round(100 * played.but(lam=0.0).model.explained) == 63
        ),
    ),
)
