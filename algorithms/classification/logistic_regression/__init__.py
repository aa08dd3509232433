"""Logistic regression: the log-odds of a class are a linear function of the features.

With two classes the probability of the second one is a sigmoid, with several classes a softmax:

    P(y=1|x) = h(x) = 1 / (1 + e^-f(x)),  f(x) = w·x + b;      P(y=k|x) = e^f_k(x) / Σ_j e^f_j(x)

The coefficients maximise the likelihood of the training classes; that is, they minimise

    J(w, b) = 1/n [ -Σ_i log P(y_i | x_i) + λ/2 |w|² ],      grad J = 1/n [ Xᵀ(h - y) + λ w ]      (b is not penalised)

either by gradient descent, w <- w - η grad J, or by Newton's method, which solves (Xᵀ W X + λ I) Δ = -n grad J with the
weights W = h (1 - h): iteratively reweighted least squares. For the softmax Newton's matrix is the full block matrix of
all classes, in the symmetric form in which the coefficients of the classes sum to zero. C elsewhere is 1/λ.

J is convex. Classes that a plane separates have no maximum of the likelihood at λ = 0: |w| grows for ever (along the
direction of the widest margin), which the run says instead of calling it convergence.

With a kernel the features are those of its feature space, w = Φᵀα is a sum over the points, the boundary
f(x) = Σ α_i k(x_i, x) + b = 0 may be curved, and |w|² is αᵀKα. Up to 4,000 points the sum goes over all of them.

A rare class has little weight in J. The knob ``balance`` lets points count more or less often, by weights or by
sampling: J is then the mean over what counts.

Reference: Methods for Data Science §4.1, §4.2.1 (there 1 - h must be e^-z h); Introduction to Machine Learning,
sections 5 and 5.1 (the loss is log(1 + e^-yf) and its gradient -y x / (1 + e^yf), both printed without a minus), 7 and
7.2 (kernels); Statistical Machine Learning (Orbanz), Multiple classes; Bishop, Pattern Recognition and Machine
Learning, 4.3; Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 4.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from algorithms.classification.logistic_regression import words
from algorithms.classification.logistic_regression.solver import (
    Doubt,
    ImplicitBias,
    KernelName,
    Place,
    Problem,
    Step,
    probabilities,
)
from algorithms.classification.logistic_regression.solver.balance import Balance
from algorithms.classification.logistic_regression.views import MOST_DOTS, views
from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Ended,
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
)
from algorithms.counterpart import SAME_LABELS
from algorithms.data import Array, Item, Points
from algorithms.foreign import Shape, steps_of
from algorithms.maths.distances import refuse_extremes
from algorithms.maths.feature_space import Span
from algorithms.maths.landmarks import LandmarksKnob
from algorithms.maths.losses import logistic_in_place
from algorithms.maths.suggestions import kernel_width
from algorithms.params import Advanced, Between, Doc, Live, Log, Suggest, When

CERTAIN = 20.0
"""Log-odds at which a separated run ends: every training point is right with probability 1 - 2e-9."""
CONVERGED = 1e-3
"""A step of Newton's method that still moves some log-odds by more than this has not converged."""
RUNAWAY = 0.5
"""A step that gains nothing and still moves some log-odds by this much follows a part of w that has no end."""
_TERMS = 5


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    solver: Annotated[
        Literal["newton", "gradient descent"],
        Doc("Newton's method (reweighted least squares) in a few steps, or many small ones downhill."),
    ] = "newton"
    lam: Annotated[
        float, Between(0, 1e4), Live, Doc("Ridge penalty λ/2 |w|² beside the sum of the losses; 0 is none.")
    ] = 0.0
    kernel: Annotated[
        KernelName,
        Doc("Linear log-odds, or a sum over the points with a kernel, which needs a penalty λ above 0."),
    ] = "none"
    width: Annotated[
        float,
        Between(1e-3, 1e3),
        Suggest(kernel_width, "from the distances"),
        Log,
        When("kernel", "Gaussian", "Laplacian"),
        Doc("Width in data units: σ of exp(-|x-z|²/(2σ²)), or τ of exp(-|x-z|₁/τ)."),
    ] = 1.0
    degree: Annotated[int, Between(1, 10), When("kernel", "polynomial"), Doc("Degree m of (x·z + 1)^m.")] = 2
    learning_rate: Annotated[
        float,
        Between(1e-5, 1e3),
        Log,
        Live,
        When("solver", "gradient descent"),
        Doc("η: how far one step goes against the gradient of the mean loss."),
    ] = 0.1
    max_steps: Annotated[int, Between(1, 100_000), Log, Doc("Most steps.")] = 1000
    tol: Annotated[
        float,
        Between(1e-12, 1e-1),
        Log,
        Doc("Converged when no part of the gradient, by the size of its feature, is above this."),
    ] = 1e-6
    balance: Annotated[
        Balance,
        Doc("Give rare classes the same weight: by weights, by dropping points of large classes, by repeating others."),
    ] = "none"
    intercept: Annotated[bool, Advanced, Doc("Whether the boundary may leave the origin.")] = True
    landmarks: Annotated[LandmarksKnob, When("kernel", "polynomial", "Gaussian", "Laplacian")] = 0


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The coefficients: one row for the second of two classes, or one for each class that has points."""

    weights: Array  # (k, d), or with a kernel the α of its centres (k, m)
    intercepts: Array  # (k,)
    present: Array  # (k,) the class of each row
    classes: int
    space: Span | None = None  # of the kernel
    turning: Array | None = None  # (t, 2) step and margin of the worst point; (t, 3) with the cosine to the widest

    def log_odds(self, X: Array) -> Array:
        """The f of every row of coefficients at the rows of ``X``, (m, k)."""
        values = X @ self.weights.T if self.space is None else self.space.values(X, self.weights)
        values += self.intercepts
        return np.asarray(values)


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    params: Params
    y: Array  # (n,) class numbers among the classes that have points
    weights: Array  # (n,) how often each point counts
    centres: int  # points over which f is a sum; 0 without a kernel
    dimensions: int  # of the feature space, which they span
    numbers: Array  # (m,) the points that have a dot beside the sigmoid
    safe_rate: float  # of gradient descent; 0 for Newton's method

    @classmethod
    def of(cls, data: Points, params: Params, problem: Problem) -> Given:
        """What pictures and words need of a problem."""
        like, space = problem.likelihood, problem.space
        dots = np.unique(np.linspace(0, data.n - 1, min(data.n, MOST_DOTS)).astype(np.intp))
        rate = 0.0 if params.solver == "newton" else like.safe_rate()
        count, rank = (0, 0) if space is None else (len(space.members), space.rank)
        return cls(data, params, like.y, like.weights, count, rank, dots, rate)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """How a run has come where it is, and what deserves doubt."""

    number: int = 0  # of steps
    doubt: Doubt = ""
    before: float = 0.0  # the loss before the step
    swing: float = 0.0  # the largest change of f
    halvings: int = 0
    stop: Stop | Ended | None = None
    expected: float = 0.0  # at the end, the sum of the probabilities of the last class


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Climb the likelihood from w = 0 (or from ``start``), one frame per step."""
    refuse_extremes(data.X)
    problem = Problem.of(data, params, rng)
    likelihood, newton = problem.likelihood, params.solver == "newton"
    given = Given.of(data, params, problem)
    place = problem.first(start)
    bias = None if newton else ImplicitBias.of(problem, data.X)
    shown, stop = Shown(doubt="separated" if problem.is_separated(place) else ""), None
    yield _shot(given, problem, "start", place, bias, shown)
    for number in range(1, params.max_steps + 1):
        step = likelihood.newton(place) if newton else likelihood.descent(place, params.learning_rate)
        if not step.is_finite:
            yield _shot(given, problem, "done", place, None, replace(shown, doubt="diverged", stop=Stop.DIVERGED))
            return Stop.DIVERGED
        doubt, stop = _judged(problem, params, place, shown.doubt, step)
        shown = Shown(number, doubt, place.loss, step.swing, step.halvings, stop)
        place, bias = step.to, bias and bias.noted(number, step.to, likelihood)
        yield _shot(given, problem, params.solver, place, bias, shown)
        if stop is not None:
            break
    expected = float(likelihood.weights @ place.probabilities[:, -1])
    yield _shot(given, problem, "done", place, bias, replace(shown, expected=expected))
    return stop or Stop.LIMIT


def adopt(data: Points, params: Params, foreign: Iterator[Any]) -> Iterator[Shot]:
    """Somebody else's run without a kernel, which yields ``w, b`` at first and after every step: (d,) and a number, or
    a row for each class that has points.
    """
    refuse_extremes(data.X)
    params = replace(params, kernel="none", balance="none", solver="gradient descent")
    problem = Problem.of(data, params, np.random.default_rng(0))
    like, k = problem.likelihood, problem.likelihood.k
    given = Given.of(data, params, problem)
    wanted: dict[str, Shape] = {"w": (data.d,), "b": ()} if k == 1 else {"w": (k, data.d), "b": (k,)}
    place = problem.first(None)
    for step, (w, b) in enumerate(steps_of(foreign, wanted)):
        before, place = place, like.at(like.theta_of(w.reshape(k, data.d), b.reshape(k)))
        doubt: Doubt = "separated" if problem.is_separated(place) else ""
        if step == 0:
            yield _shot(given, problem, "start", place, None, Shown(doubt=doubt))
            continue
        if not doubt and place.loss > before.loss * (1.0 + 1e-12):
            doubt = "rising"
        swing = float(np.abs(place.logits - before.logits).max())
        yield _shot(given, problem, "gradient descent", place, None, Shown(step, doubt, before.loss, swing))


def _judged(
    problem: Problem, params: Params, before: Place, doubt: Doubt, step: Step
) -> tuple[Doubt, Stop | Ended | None]:
    """What deserves doubt after a step, and why the run ends there, if it does."""
    place, likelihood, newton = step.to, problem.likelihood, params.solver == "newton"
    if doubt == "separated" or problem.is_separated(place):
        # gradient descent goes on: only its direction has an end, and it takes its time
        certain = newton and likelihood.smallest_margin(place) >= CERTAIN
        return "separated", words.SEPARABLE if certain else None
    doubt = "rising" if not newton and place.loss > before.loss * (1.0 + 1e-12) else ""
    if likelihood.residual(place) <= params.tol and not (newton and step.swing > CONVERGED):
        return doubt, Stop.CONVERGED
    if newton and step.gain <= 1e-10 and step.swing > RUNAWAY:
        return "runaway", words.PARTLY_SEPARABLE
    return doubt, None


def _shot(given: Given, problem: Problem, phase: str, place: Place, bias: ImplicitBias | None, shown: Shown) -> Shot:
    """The coefficients and the numbers at a place."""
    likelihood = problem.likelihood
    weights, intercepts = likelihood.coefficients(place.theta)
    alpha = weights if problem.space is None else problem.alpha(place, weights)
    turning = None if bias is None else bias.path
    model = Model(alpha, intercepts, problem.present, problem.classes, problem.span, turning)
    accuracy, balanced = problem.accuracies(place)
    numbers = {
        "J": place.loss,
        "gradient": likelihood.residual(place),
        "norm": float(np.linalg.norm(weights)),
        "accuracy": accuracy,
        "balanced": balanced,
    }
    return Snapshot(given, phase, model, numbers, shown)


def field(model: Model, X: Array) -> Array:
    """The probability of the second of two classes, (m,), or of every class, (m, c); 0 for a class without points."""
    f = model.log_odds(X)
    if model.classes == 2:
        return logistic_in_place(f[:, 0])
    found = probabilities(f)
    answer = np.zeros((len(X), model.classes))
    answer[:, model.present] = found
    return answer


def predict(model: Model, X: Array) -> Array:
    """The most likely class; with two classes the second one where P > 1/2."""
    f = model.log_odds(X)
    if model.classes == 2:
        return (f[:, 0] > 0.0).astype(np.int64)
    return np.asarray(model.present[f.argmax(axis=1)], dtype=np.int64)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """Why: what each feature (with a kernel: the points that matter most) adds to the log-odds, and P."""
    row = item.x[None, :]
    f, winner, found = model.log_odds(row)[0], int(predict(model, row)[0]), field(model, row)[0]
    answer: Explanation = {"class": data.classes[winner]}
    for k, name in enumerate(data.classes):
        answer[f"P({name})"] = float(found[k] if model.classes > 2 else found if k else 1.0 - found)
    shown = 0 if model.classes == 2 else int(np.flatnonzero(model.present == winner)[0])
    about = data.classes[int(model.present[shown])]
    answer[f"f of {about}"] = float(f[shown])
    answer["bias"] = float(model.intercepts[shown])
    if model.space is not None:
        answer |= _terms(model.space, model.weights[shown], item)
    else:
        for name, weight, value in list(zip(data.features, model.weights[shown], item.x, strict=True))[:6]:
            answer[f"w · {name}"] = float(weight * value)
    if model.classes == 2:
        answer["weight h (1 - h)"] = float(found * (1.0 - found))
    return answer


def _terms(space: Span, alpha: Array, item: Item) -> Explanation:
    """The largest terms α_i k(x_i, x) of a row of coefficients; and the α of the item itself, if it has one."""
    terms = alpha * space.kernel.row(item.x, space.centres)
    order = np.argsort(-np.abs(terms), kind="stable")
    answer: Explanation = {}
    for i in order[:_TERMS].tolist():
        answer[f"α k of point {int(space.members[i]) + 1}"] = float(terms[i])
    if len(order) > _TERMS:
        answer["sum of the other terms"] = float(terms[order[_TERMS:]].sum())
    own = np.flatnonzero(space.members == item.number)
    if len(own):
        answer["α of this point"] = float(alpha[own[0]])
    return answer


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's ``LogisticRegression``, which has no kernels and does not sample."""
    if params.balance not in ("none", "re-weight") or params.kernel != "none":
        return None
    price = "np.inf" if params.lam == 0 else repr(1 / params.lam)
    weights = "" if params.balance == "none" else ", class_weight='balanced'"
    make = f"LogisticRegression(C={price}, tol=1e-8, max_iter=100_000, fit_intercept={params.intercept}{weights})"
    imports = "from sklearn.linear_model import LogisticRegression"
    groups = None if case is None else case.data.groups
    if params.lam > 0 and groups is not None and len(np.unique(groups)) == 2:
        difference = "np.abs(theirs.coef_ - ours.model.weights).max()"
        return Counterpart(imports, make, difference, "largest difference of a coefficient")
    difference = SAME_LABELS.format(ours="ours.predict(X)", theirs="theirs.predict(X)")
    caveat = "Without a penalty the coefficients of classes that can be separated grow until the program stops."
    return Counterpart(imports, make, difference, "fraction of points predicted differently", caveat=caveat)


ALGORITHM = Algorithm(
    key="logistic_regression",
    title="Logistic regression",
    family="classification",
    summary="Log-odds, linear or with a kernel: probabilities from a sigmoid or softmax, by maximum likelihood.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    adopt=adopt,
    predict=predict,
    field=field,
    scores="probability",
    explain=explain,
    counterpart=counterpart,
    synonyms=(
        "logit",
        "maximum likelihood",
        "softmax regression",
        "IRLS",
        "kernel logistic regression",
        "sigmoid",
        "generalised linear model",
        "linear classifier",
    ),
    target="classes",
    resumes=True,
    example="blobs(n=300,centres=2,noise=4,seed=1)",
    panels=(
        Panel("plane", "Probability", "data"),
        Panel("curve", "Sigmoid of the log-odds", "own", x="log-odds f(x)", y="probability"),
        Panel("coefficients", "Coefficients", "own", x="feature", y="weight"),
        Panel("bias", "Implicit bias", "own", x="step", y="fraction", log_x=True),
        Panel("alphas", "Multipliers", "own", x="point", y="α"),
    ),
    metrics=(
        Metric("J", "loss J"),
        Metric("gradient", "largest part of the gradient", log=True, better="neither"),
        Metric("norm", "|w|", better="neither"),
        Metric("accuracy", "training accuracy", group="accuracy", better="neither"),
        Metric("balanced", "mean over the classes", group="accuracy", better="neither"),
    ),
    pseudocode=(
        Line("w, b ← 0      (with a kernel w = Φᵀα: f(x) = Σ α_i k(x_i, x) + b, |w|² = αᵀKα)", "start"),
        Line("repeat:"),
        Line("    h ← 1 / (1 + e^-f), f = Xw + b      (several classes: softmax)"),
        Line("    g ← 1/n [ Xᵀ(h - y) + λw ]          largest part {gradient}"),
        Line("    gradient descent: w, b ← w, b - η g       J = {J}", "gradient descent"),
        Line("    Newton: solve (XᵀWX + λI) Δ = -n g with W = h (1 - h);  w, b ← w, b + Δ   J = {J}", "newton"),
        Line("until g = 0, where Σ h = Σ y      size of w {norm}", "done"),
    ),
    reference="Methods for Data Science §4.1, §4.2.1; Introduction to Machine Learning sections 5, 5.1, 7, 7.2; "
    "Statistical Machine Learning (Orbanz), Multiple classes; Bishop, Pattern Recognition and Machine Learning, 4.3; "
    "Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 4.4",
    formulas=(
        r"P(y = 1 \mid x) = h(x) = \frac{1}{1 + e^{-f(x)}}, \qquad f(x) = w^{\top} x + b",
        r"P(y = k \mid x) = \frac{e^{f_k(x)}}{\sum_j e^{f_j(x)}}",
        r"J(w, b) = \frac{1}{n} \Bigl( -\sum_i \log P(y_i \mid x_i) + \frac{\lambda}{2} \|w\|^2 \Bigr)",
        r"\nabla J = \frac{1}{n} \left( X^{\top}(h - y) + \lambda w \right)",
        r"\text{Newton:}\quad (X^{\top} W X + \lambda I)\, \Delta = -n \nabla J, \qquad W = h\,(1 - h)",
    ),
    tries=words.TRIES,
    questions=(
        Question("How large will J be after the next step?", "newton", "metrics.J"),
        Question("By how much will the log-odds of a point change at most?", "newton", "shown.swing"),
        Question("How large will J be after the next step?", "gradient descent", "metrics.J"),
    ),
)
