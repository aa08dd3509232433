"""Logistic regression: the log-odds of a class are a linear function of the features.

With two classes the probability of the second one is a sigmoid, with several classes a softmax:

    P(y=1|x) = h(x) = 1 / (1 + e^-f(x)),  f(x) = w·x + b;      P(y=k|x) = e^f_k(x) / Σ_j e^f_j(x)

The coefficients maximise the likelihood of the training classes; that is, they minimise

    J(w, b) = 1/n [ -Σ_i log P(y_i | x_i) + λ/2 |w|² ],      grad J = 1/n [ Xᵀ(h - y) + λ w ]      (b is not penalised)

either by gradient descent, w <- w - η grad J, or by Newton's method, which solves (Xᵀ W X + λ I) Δ = -n grad J with the
weights W = h (1 - h): iteratively reweighted least squares. For the softmax it is the full block matrix of all classes,
in the symmetric form in which the coefficients of the classes sum to zero. C elsewhere is 1/λ.

J is convex. Classes that a plane parts without error have no maximum of the likelihood at λ = 0: |w| grows for ever
(along the direction of the widest margin), which the run says instead of calling it convergence.

With a kernel the features are those of its feature space, w = Φᵀα is a sum over the points, f(x) = Σ α_i k(x_i, x) + b
may bend as it likes, and |w|² is αᵀKα (see ``_logistic_kernel.py``).

A rare class has little say in J. ``balance`` lets points count more or less often, by weights or by sampling: J is then
the mean over what counts.

Reference: §4.1, §4.2.1 (002; there 1 - h must be e^-z h); sections 5 and 5.1 (004; the loss is log(1 + e^-yf) and its
gradient -y x / (1 + e^yf), both printed without a minus); MULTIPLE CLASSES (001); kernels: sections 7, 7.2 (004).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.classification._logistic import Likelihood, Place, Step, probabilities
from algorithms.classification._logistic_kernel import (
    KernelName,
    alpha_bars,
    alpha_of,
    rings,
    space_for,
    space_words,
    terms_of,
)
from algorithms.contract import Algorithm, DataError, Explanation, LazyViews, Line, Metric, Panel, Run, Snapshot, Stop
from algorithms.data import Array, Item, Points
from algorithms.marks import Bars, Curve, Isolines, Mark, PointSizes, Regions, Scatter
from algorithms.maths.balance import Balance, balance_weights, size_for
from algorithms.maths.feature_space import FeatureSpace
from algorithms.params import Advanced, Between, Doc, Live, Log, When

CERTAIN = 20.0
"""Log-odds at which a separated run ends: every training point is right with probability 1 - 2e-9."""
SETTLED = 1e-3
"""A step of Newton's method that still moves some log-odds by more than this has not converged."""
RUNAWAY = 0.5
"""A step that gains nothing and still moves some log-odds by this much follows a part of w that has no end."""
MOST_DOTS = 1000
MOST_BARS = 40


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
        Doc("Straight log-odds, or a sum over the points, bent by a kernel; bent ones ask for a penalty λ above 0."),
    ] = "none"
    width: Annotated[
        float,
        Between(1e-3, 1e3),
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
        Doc("Give rare classes the same say: by weights, by dropping points of large classes, by repeating others."),
    ] = "none"
    intercept: Annotated[bool, Advanced, Doc("Whether the boundary may leave the origin.")] = True


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The coefficients: one row for the second of two classes, or one for each class that has points."""

    weights: Array  # (k, d), or with a kernel the α of its centres (k, m)
    intercepts: Array  # (k,)
    present: Array  # (k,) the class of each row
    classes: int
    space: FeatureSpace | None = None  # of the kernel


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Climb the likelihood from w = 0 (or from ``start``), one frame per step."""
    stage = Stage(data, params, rng)
    place = stage.first(start)
    yield stage.frame(place, "start", stage.opening(place))
    for number in range(1, params.max_steps + 1):
        if params.solver == "newton":
            step = stage.likelihood.newton(place)
        else:
            step = stage.likelihood.descent(place, params.learning_rate)
        if not stage.is_finite(step):
            stage.warning = f"The coefficients have left every bound: η is far above the safe {stage.safe_rate:.2g}."
            yield stage.frame(place, "done", f"After {number - 1} steps gradient descent diverges.")
            return Stop.DIVERGED
        stop = stage.judge(place, step)
        place = step.to
        yield stage.frame(place, params.solver, stage.words(number, step))
        if stop is not None:
            break
    yield stage.frame(place, "done", stage.verdict(place, number, stop))
    return stop or Stop.LIMIT


class Stage:
    """What the frames of one run have in common."""

    def __init__(self, data: Points, params: Params, rng: np.random.Generator) -> None:
        y = data.class_numbers("Logistic regression")
        self.data, self.params = data, params
        present, y = np.unique(y, return_inverse=True)
        if len(present) < 2:
            name = data.classes[int(present[0])]
            raise DataError(f"A boundary needs points of at least two classes; all of these are of the class {name!r}.")
        self.two = len(data.classes) == 2
        self.present = present[1:] if self.two else present
        self.counts = np.bincount(y)
        weights = balance_weights(y, params.balance, rng)
        self.space = space_for(params, data.X, len(self.present))
        X = data.X if self.space is None else self.space.features(data.X)
        straight = self.space is None
        self.likelihood = Likelihood(X, y, len(self.present), params.lam, params.intercept, weights, straight)
        counted = () if params.balance == "none" else (PointSizes(weights, "how often a point counts"),)
        self.safe_rate = self.likelihood.safe_rate() if params.solver == "gradient descent" else 0.0
        self.separated = False
        self.warning = ""
        shown = np.unique(np.linspace(0, data.n - 1, min(data.n, MOST_DOTS)).astype(np.intp))
        self.scene = Scene(data, self.likelihood.y, shown, counted, params.intercept)

    def first(self, start: Model | None) -> Place:
        """Where the run begins: at 0, or at a model over the same classes and features."""
        like = self.likelihood
        theta = np.zeros((like.Z.shape[1], like.k))
        if start is not None and np.array_equal(start.present, self.present):
            if self.space is None and start.space is None and start.weights.shape == (like.k, self.data.d):
                theta = like.theta_of(start.weights, start.intercepts)
            elif self.space is not None and self.space.same_as(start.space):
                theta = like.theta_of(self.space.weights(start.weights), start.intercepts)
        place = like.at(theta)
        self._look_for_separation(place)
        return place

    @staticmethod
    def is_finite(step: Step) -> bool:
        """Whether the step led to numbers that can be drawn."""
        return bool(np.isfinite(step.to.loss) and np.abs(step.to.theta).max() < 1e100)

    def judge(self, before: Place, step: Step) -> Stop | None:
        """Whether the run ends after this step and why; doubts become the warning of the following frames."""
        place, params = step.to, self.params
        self._look_for_separation(place)
        if params.solver == "gradient descent" and not self.separated:
            rose = place.loss > before.loss * (1.0 + 1e-12)
            self.warning = (
                f"J rose from {before.loss:.4g} to {place.loss:.4g}: η = {params.learning_rate:.3g} goes too far; "
                f"below {self.safe_rate:.3g} J falls at every step."
                if rose
                else ""
            )
        if self.separated:
            certain = self.likelihood.smallest_margin(place) >= CERTAIN
            return Stop.LIMIT if certain else None
        newton = params.solver == "newton"
        if self.likelihood.residual(place) <= params.tol and not (newton and step.swing > SETTLED):
            return Stop.CONVERGED
        if newton and step.gain <= 1e-10 and step.swing > RUNAWAY:
            self.warning = (
                "Some points could be parted from the rest without any error, so a part of w grows for ever; "
                "a ridge penalty gives it an end."
            )
            return Stop.LIMIT
        return None

    def _look_for_separation(self, place: Place) -> None:
        """One plane without an error on the training points proves that the likelihood has no maximum."""
        if self.params.lam == 0.0 and not self.separated and self.likelihood.smallest_margin(place) > 0.0:
            self.separated = True
            self.warning = (
                "The classes can be parted without error: every longer w is more likely, so |w| grows for ever; "
                "a ridge penalty gives it an end."
            )

    # -- words ---------------------------------------------------------------------------------------------------

    def opening(self, place: Place) -> str:
        """The caption of the first frame."""
        if place.theta.any():
            return f"It goes on from a model with J = {place.loss:.4g} and |w| = {self._norm(place):.3g}."
        share = 1.0 / max(self.likelihood.k, 2)
        words = f"All coefficients are 0, so every class has the probability {share:.3g} everywhere."
        return words + space_words(self.space, self.data.n) + self._balance_words()

    def _balance_words(self) -> str:
        """What is done about classes of different sizes."""
        how = self.params.balance
        if how == "none":
            return ""
        if how == "re-weight":
            light, heavy = self.likelihood.weights.min(), self.likelihood.weights.max()
            return f" A point of the largest class counts {light:.3g} times, one of the smallest {heavy:.3g} times."
        size = size_for(self.counts, how)
        left = int((self.likelihood.weights == 0.0).sum())
        return f" Every class is brought to {size} points: {left} points are dropped, {self._repeats()} are repeated."

    def _repeats(self) -> int:
        return int((self.likelihood.weights > 1.0).sum())

    def words(self, number: int, step: Step) -> str:
        """The caption of a step."""
        place = step.to
        text = f"Step {number}: J = {place.loss:.4g}, |w| = {self._norm(place):.3g}"
        if self.params.solver == "gradient descent":
            return f"{text}, and the largest part of the gradient is {self.likelihood.residual(place):.2g}."
        halved = f" (halved {step.halvings} times, else J would rise)" if step.halvings else ""
        return f"{text}; the weighted least squares moved the log-odds by up to {step.swing:.2g}{halved}."

    def verdict(self, place: Place, steps: int, stop: Stop | None) -> str:
        """The caption of the last frame."""
        right = f"{self._accuracies(place)[0]:.1%} of the training points are right"
        if self.separated:
            norm = f"|w| = {self._norm(place):.3g} and still growing"
            return f"After {steps} steps {norm}, because the classes are separable; {right}."
        if stop is Stop.CONVERGED:
            weights = self.likelihood.weights
            expected, count = weights @ place.chances[:, -1], weights @ self.likelihood.targets[:, -1]
            name = self.data.classes[int(self.present[-1])]
            return (
                f"Converged after {steps} steps at J = {place.loss:.4g}: the probabilities of {name} sum to "
                f"{expected:.4g} for {count:.6g} points; {right}."
            )
        return f"Stopped after {steps} steps at J = {place.loss:.4g}, before the gradient vanished; {right}."

    def _norm(self, place: Place) -> float:
        return float(np.linalg.norm(self.likelihood.coefficients(place.theta)[0]))

    def _accuracies(self, place: Place) -> tuple[float, float]:
        """The share of right answers among the training points, whether they count or not, and its mean by class.

        A rare class cannot hide in the second.
        """
        answers, y = place.logits[:, 0] > 0.0 if self.two else place.logits.argmax(axis=1), self.likelihood.y
        right = self.counts - np.bincount(y.take((answers != y).nonzero()[0]), minlength=len(self.counts))
        return float(right.sum() / self.data.n), float((right / self.counts).mean())

    # -- pictures ------------------------------------------------------------------------------------------------

    def frame(self, place: Place, phase: str, caption: str) -> Snapshot:
        """The frame of these coefficients."""
        weights, intercepts = self.likelihood.coefficients(place.theta)
        shown = weights if self.space is None else alpha_of(self.space, self.likelihood, place, weights)
        model = Model(shown, intercepts, self.present, len(self.data.classes), self.space)
        accuracy, balanced = self._accuracies(place)
        return Snapshot(
            model=model,
            views=LazyViews(views, self.scene, model),
            metrics={
                "J": place.loss,
                "gradient": self.likelihood.residual(place),
                "norm": float(np.linalg.norm(weights)),
                "accuracy": accuracy,
                "balanced": balanced,
            },
            phase=phase,
            caption=caption,
            warning=self.warning,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What all frames of a run draw from, besides their models."""

    data: Points
    numbers: Array  # (n,) the classes, as numbers among those that are present
    shown: Array  # (m,) the points that have a dot beside the sigmoid
    counted: tuple[Mark, ...]  # how often every point counts, where that is not once
    intercept: bool


def views(scene: Scene, model: Model) -> dict[str, tuple[Mark, ...]]:
    """The marks of every panel."""
    two = model.classes == 2
    plane: tuple[Mark, ...] = (*(_TWO if two else _SEVERAL), *scene.counted)
    if model.space is not None:
        plane += rings(model, scene.numbers)
    return {
        "plane": plane,
        "curve": _curve(scene, model) if two else (),
        "coefficients" if model.space is None else "alphas": (_bars(scene, model),),
    }


def _curve(scene: Scene, model: Model) -> tuple[Mark, ...]:
    """The sigmoid over the log-odds, with every point at its class."""
    f = log_odds(model, scene.data.X[scene.shown])[:, 0]
    reach = max(float(np.abs(f).max()), 8.0)
    line = np.concatenate([[-reach], np.linspace(-8.0, 8.0, 97), [reach]])
    y = scene.numbers[scene.shown]
    name = f"P({scene.data.classes[1]})"
    return Curve(line, probabilities(line[:, None])[:, 0], name), Scatter(f, y.astype(float), scene.shown, y)


def _bars(scene: Scene, model: Model) -> Bars:
    """The coefficients, class after class, the intercept last; only the first of very many. Or the largest α."""
    if model.space is not None:
        classes = scene.data.class_numbers("Logistic regression")
        return alpha_bars(model, scene.numbers, classes, MOST_BARS)
    table = np.column_stack([model.weights, model.intercepts]) if scene.intercept else model.weights
    names = (*scene.data.features, "bias") if scene.intercept else scene.data.features
    groups = np.repeat(model.present, table.shape[1])[:MOST_BARS]
    return Bars(table.ravel()[:MOST_BARS], (names * len(table))[:MOST_BARS], groups=groups)


_TWO: tuple[Mark, ...] = (Regions("probability"), Isolines(strong=(0.5,), weak=(0.1, 0.9), weak_name="P = 0.1 and 0.9"))
_SEVERAL: tuple[Mark, ...] = (Regions("probability"), Isolines(strong=(0.0,)))


def log_odds(model: Model, X: Array) -> Array:
    """The f of every row of coefficients, (m, k)."""
    values = X @ model.weights.T if model.space is None else model.space.values(X, model.weights)
    values += model.intercepts
    return np.asarray(values)


def field(model: Model, X: Array) -> Array:
    """The probability of the second of two classes, (m,), or of every class, (m, c); 0 for a class without points."""
    chances = probabilities(log_odds(model, X))
    if model.classes == 2:
        return chances[:, 0]
    answer = np.zeros((len(X), model.classes))
    answer[:, model.present] = chances
    return answer


def predict(model: Model, X: Array) -> Array:
    """The most likely class; with two classes the second one where P > 1/2."""
    f = log_odds(model, X)
    if model.classes == 2:
        return (f[:, 0] > 0.0).astype(np.int64)
    return np.asarray(model.present[f.argmax(axis=1)], dtype=np.int64)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """Why: the share of each feature (with a kernel: of the points that matter most) in the log-odds, and P."""
    x = item.x
    row = x[None, :]
    f, winner = log_odds(model, row)[0], int(predict(model, row)[0])
    answer: Explanation = {"class": data.classes[winner]}
    chances = field(model, row)
    for k, name in enumerate(data.classes):
        chance = chances[0, k] if model.classes > 2 else (chances[0] if k else 1.0 - chances[0])
        answer[f"P({name})"] = float(chance)
    shown = 0 if model.classes == 2 else int(np.flatnonzero(model.present == winner)[0])
    about = data.classes[int(model.present[shown])]
    answer[f"f of {about}"] = float(f[shown])
    answer["bias"] = float(model.intercepts[shown])
    if model.space is not None:
        answer |= terms_of(model, x, shown)
    else:
        for name, weight, value in list(zip(data.features, model.weights[shown], x, strict=True))[:6]:
            answer[f"w · {name}"] = float(weight * value)
    if model.classes == 2:
        answer["weight h (1 - h)"] = float(chances[0] * (1.0 - chances[0]))
    return answer


ALGORITHM = Algorithm(
    key="logistic_regression",
    title="Logistic regression",
    family="classification",
    summary="Log-odds, straight or bent by a kernel: probabilities from a sigmoid or softmax, by maximum likelihood.",
    params=Params,
    run=run,
    predict=predict,
    field=field,
    scores="probability",
    explain=explain,
    target="classes",
    resumes=True,
    example="blobs(n=300,centres=2,noise=4,seed=1)",
    panels=(
        Panel("plane", "Probability", "data"),
        Panel("curve", "Sigmoid of the log-odds", "own", x="log-odds f(x)", y="probability"),
        Panel("coefficients", "Coefficients", "own", x="feature", y="weight"),
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
    reference="002 §4.1, §4.2.1; 004 sections 5, 5.1, 7, 7.2; 001 MULTIPLE CLASSES",
)
