"""Captions and explanations of naive Bayes, its formulae and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.naive_bayes.solver import log_joint, parts, posteriors
from algorithms.contract import Explanation, Try
from algorithms.data import Array, Points
from algorithms.maths.words import are, capital, counted, listed, number, of_class, share, signed

if TYPE_CHECKING:
    from algorithms.classification.naive_bayes import Model, Shot
    from algorithms.played import Played

EXAMPLE = "blobs_anisotropic(n=240,centres=3,stretch=4,noise=1.3,parallel=False,spread=5,seed=4)"
MOST_FEATURES = 12
"""Features whose part is named in an explanation: those that say most."""


def _start(shot: Shot) -> str:
    model, data = shot.model, shot.given.data
    if model.kind == "gaussian":
        return "No point has been counted in: for each feature every class has the mean and the variance of all points."
    cells = model.counts.shape[1]
    table = f"the table of {counted(cells, 'value')} and {counted(len(data.classes), 'class', 'classes')}"
    return f"No point has been counted in: {table} is empty."


def _count(shot: Shot) -> str:
    model, data, n = shot.model, shot.given.data, int(shot.metrics["counted"])
    each = [f"{model.class_counts[k]:,} of {of_class(name)}" for k, name in enumerate(data.classes[:4])]
    rest = n - int(model.class_counts[:4].sum())
    counts = listed([*each, f"{rest:,} of the others"] if len(data.classes) > 4 else each)
    return f"{counted(n, 'point')} {are(n)} counted in: {counts}; {share(shot.metrics['error'])} are misclassified."


def _smooth(shot: Shot) -> str:
    """What was never seen, and what becomes of it."""
    model = shot.model
    empty = int(np.count_nonzero(model.counts[model.class_counts > 0] == 0.0))
    total = model.counts[model.class_counts > 0].size
    seen = f"{empty:,} of {counted(total, 'count')} {are(empty)} 0"
    if model.smoothing > 0.0:
        rule = "the number of words" if model.kind == "multinomial" else "the number of values"
        return (
            f"{seen}; with {number(model.smoothing)} added to each count, and {rule} times that to the total, no "
            "probability is 0."
        )
    if empty == 0:
        return "No count is 0, so that no value is impossible although nothing is added."
    return f"{seen}, and so are the probabilities: one such value makes a class impossible, whatever the others say."


def warning(shot: Shot) -> str | None:
    """A zero probability, named."""
    model, data = shot.model, shot.given.data
    if model.kind == "gaussian" or model.smoothing > 0.0 or shot.shown.newest is not None:
        return None
    table = model.log_table
    for k in np.flatnonzero(model.class_counts):
        cells = np.flatnonzero(np.isneginf(table[k]))
        if len(cells):
            value = value_name(model, data, int(cells[0]))
            more = model.zeros - 1
            others = f", as {are(more)} {counted(more, 'other probability')}" if more else ""
            return f"P({value} | {data.classes[k]}) = 0{others}; with smoothing nothing is impossible."
    return None


def value_name(model: Model, data: Points, cell: int) -> str:
    """A cell of the table as people write it: ``outlook = sunny``."""
    if model.kind == "multinomial":
        return data.features[cell]
    j = int(np.searchsorted(model.encoding.offsets, cell, side="right")) - 1
    return f"{data.features[j]} = {_value(model, data, j, float(model.encoding.values[cell]))}"


def _value(model: Model, data: Points, j: int, value: float) -> str:
    named = dict(data.categories)
    if model.kind == "bernoulli":
        return "yes" if value > 0.0 else "no"
    if j in named and model.kind == "counting":
        return named[j][int(value)]
    return f"from {number(value)}" if model.kind == "histogram" else number(value)


def _classify(shot: Shot) -> str:
    """What is said about one point, and how often that is wrong."""
    model, data, point, error = shot.model, shot.given.data, shot.given.point, shot.metrics["error"]
    odds = Odds(model, data.X[point])
    wrong = f"{share(error)} of all points are misclassified"
    if odds.other is None:
        return f"There is only one class, {data.classes[odds.winner]}, so there is nothing to decide."
    here, other = of_class(data.classes[odds.winner]), of_class(data.classes[odds.other])
    refuted = np.flatnonzero(np.isposinf(odds.parts))
    if len(refuted):
        value = feature_name(model, data, data.X[point], int(refuted[0]))
        count = len(refuted) - 1
        more = f", and so {are(count, 'has', 'have')} {counted(count, 'other value')}" if count else ""
        return f"Point {point + 1} is in {here}, since in {other} {value} has the probability 0{more}; {wrong}."
    if odds.total == 0.0:
        return f"Point {point + 1} is as probable in {here} as in {other}; the first one is taken. {capital(wrong)}."
    strongest = int(np.abs(np.nan_to_num(odds.parts, posinf=1e9, neginf=-1e9)).argmax())
    feature, part = feature_name(model, data, data.X[point], strongest), signed(odds.parts[strongest])
    return (
        f"Point {point + 1} is in {here}: its log-odds against {other} are {signed(odds.total)}, of which {feature} "
        f"contributes most ({part}). {capital(wrong)}."
    )


CAPTIONS = {"start": _start, "count": _count, "smooth": _smooth, "classify": _classify}


def feature_name(model: Model, data: Points, x: Array, j: int) -> str:
    """A feature with its value in a row."""
    if model.kind in ("gaussian", "histogram", "multinomial"):
        named = dict(data.categories)
        shown = named[j][min(max(int(x[j]), 0), len(named[j]) - 1)] if j in named else number(float(x[j]))
        return f"{data.features[j]} = {shown}"
    cell = int(model.encoding.cells(x[None], model.kind)[0, j])
    return value_name(model, data, cell)


def short_name(model: Model, data: Points, x: Array, j: int) -> str:
    """A feature with its value in as few letters as tell it apart below a bar."""
    name = data.features[j]
    if model.kind == "multinomial":
        return name if x[j] == 1.0 else f"{name} ×{x[j]:g}"
    if model.kind == "bernoulli":
        return name if x[j] > 0.0 else f"no {name}"
    return feature_name(model, data, x, j).rsplit("= ", 1)[-1] if model.kind == "counting" else name


class Odds:
    """The likeliest class against the next one at a place, and what every feature adds to the log-odds."""

    def __init__(self, model: Model, x: Array) -> None:
        found, joint = posteriors(model, x[None])[:, 0], log_joint(model, x[None])[:, 0]
        seen = np.flatnonzero(model.priors > 0.0)
        ranked = seen[np.argsort(-found[seen], kind="stable")]
        self.posteriors = found
        self.winner = int(ranked[0])
        self.other = int(ranked[1]) if len(ranked) > 1 else None
        self.prior, self.parts, self.total = 0.0, np.zeros(len(x)), 0.0
        if self.other is None:
            return
        one, two = self.winner, self.other
        self.prior = float(np.log(model.priors[one] / model.priors[two]))
        found = parts(model, x[None])[:, 0]
        both = np.isneginf(found[one]) & np.isneginf(found[two])
        with np.errstate(invalid="ignore"):
            self.parts = np.where(both, 0.0, found[one] - found[two])
            self.total = float(joint[one] - joint[two]) if np.isfinite(joint[one]) else 0.0


def explanation(model: Model, data: Points, x: Array) -> Explanation:
    """The class, its probability, and the log-odds feature by feature, as far as they matter."""
    odds = Odds(model, x)
    said: Explanation = {"class": data.classes[odds.winner]}
    for k in np.argsort(-odds.posteriors, kind="stable")[:4]:
        said[f"probability of {data.classes[int(k)]}"] = float(odds.posteriors[k])
    if odds.other is None:
        return said
    said[f"log-odds against {data.classes[odds.other]}"] = (
        odds.total if np.isfinite(odds.total) else "infinite: the other one is impossible"
    )
    said["of it from the priors"] = signed(odds.prior)
    sizes = np.abs(np.nan_to_num(odds.parts, posinf=1e300, neginf=-1e300))
    for j in np.argsort(-sizes, kind="stable")[:MOST_FEATURES]:
        if sizes[j] > 0.0:
            part = odds.parts[j]
            zero = data.classes[odds.other if part > 0 else odds.winner]
            said[feature_name(model, data, x, int(j))] = (
                bar(float(part), float(sizes[sizes < 1e299].max(initial=1.0)))
                if np.isfinite(part)
                else f"impossible for {zero} (probability 0)"
            )
    return said


def bar(value: float, largest: float, width: int = 8) -> str:
    """A signed number with a bar of letters, as long as it is large beside the largest one."""
    filled = max(round(width * abs(value) / largest), 0) if largest > 0.0 else 0
    return f"{'█' * filled} {signed(value)}".strip()


FORMULAS = (
    r"P(k \mid x) = \frac{P(k) \prod_j P(x_j \mid k)}{\sum_l P(l) \prod_j P(x_j \mid l)}",
    r"\log \frac{P(1 \mid x)}{P(2 \mid x)} = \log \frac{P(1)}{P(2)} + \sum_j \log \frac{P(x_j \mid 1)}{P(x_j \mid 2)}",
    r"P(x_j = v \mid k) = \frac{\#(x_j = v,\, y = k) + s}{N_k + s \cdot (\text{number of values of } x_j)}",
    r"P(x_j \mid k) = \mathcal{N}(x_j \mid \mu_{jk}, \sigma_{jk}^2), \qquad \sigma_{jk}^2 = \frac{1}{N_k - 1} "
    r"\sum_{i:\, y_i = k} (x_{ij} - \mu_{jk})^2",
)


def _correlations(played: Played) -> Array:
    """Of the two features, in every class."""
    data = played.data
    return np.array([np.corrcoef(data.X[data.y == k], rowvar=False)[0, 1] for k in range(len(data.classes))])


def _for_spam(played: Played, word: str) -> float:
    """What a word adds to the log-odds of spam against ham."""
    ham, spam = played.model.log_table[:, played.data.features.index(word)]
    return float(spam - ham)


TRIES = (
    Try(
        "Features that are independent in every class: what is assumed is true, and the ellipses fit.",
        "blobs(n=240,noise=1.6,spread=5,seed=6)",
        shows=lambda played: (
            np.abs(_correlations(played)).max() < 0.2 and np.abs(_correlations(played.but(data=EXAMPLE))).max() > 0.5
        ),
    ),
    Try(
        "Ham and spam by their words: a subject with 'meeting' is hardly spam, one with 'free' hardly ham.",
        "subject_words()",
        {"kind": "multinomial"},
        shows=lambda played: _for_spam(played, "meeting") < -1.0 and _for_spam(played, "free") > 1.0,
    ),
    Try(
        "Without smoothing a word that was never seen in a class makes it impossible, whatever the other words say.",
        "subject_words()",
        {"kind": "bernoulli", "smoothing": 0.0},
        shows=lambda played: played.model.zeros > 0 and "has the probability 0" in played.last.caption,
    ),
    Try(
        "Categories as features: for the first day the outlook contributes most to the decision about tennis.",
        "tennis()",
        {"kind": "counting"},
        shows=lambda played: np.abs(Odds(played.model, played.data.X[0]).parts).argmax() == 0,
    ),
    Try(
        "Three rings: histograms take any shape along an axis, and bells misclassify three times as many points.",
        "rings(n=400,seed=1)",
        {"kind": "histogram"},
        shows=lambda played: 3.0 * played.final("error") < played.but(kind="gaussian").final("error"),
    ),
)
RELATED = (
    Try(
        "With an ellipse of its own for every class, which may be slanted, fewer points are misclassified.",
        method="gaussian_classifier",
        shows=lambda played: played.final("error") < played.by("naive_bayes").final("error"),
    ),
)
