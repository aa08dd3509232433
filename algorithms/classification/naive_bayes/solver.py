"""What is counted for each class and feature, and the probabilities that are made of it: no marks, no captions.

Every kind but the Gaussian one and the multinomial one turns a feature into a few values: those that occur, whether
there is any, or in which bin the number lies. The values of all features stand one after the other in one table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from algorithms.data import Array, DataError, Points
from algorithms.maths.counting import Queue, counting_order, counting_stops, priors_of
from algorithms.maths.gaussians import largest_rows

if TYPE_CHECKING:
    from algorithms.classification.naive_bayes import Model

Kind = Literal["gaussian", "counting", "bernoulli", "multinomial", "histogram"]
FLOOR = 1e-9
"""No variance is below this part of that of all points."""
_LARGEST_TABLE = 4_000_000
MOST_WORDS = 10**9
"""Of a text that is drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """Which values the features have: ``values`` are all of them, those of feature j from ``offsets[j]`` on.

    A number counts as the nearest value below it (bins begin at their values), or as the nearest one.
    """

    offsets: Array  # (d + 1,) int
    values: Array  # (V,)
    bins: bool

    @classmethod
    def of(cls, data: Points, kind: Kind, bins: int) -> Encoding:
        """The values that a kind of naive Bayes tells apart in these data."""
        named = dict(data.categories)
        columns = []
        for j, column in enumerate(data.X.T):
            if kind == "bernoulli":
                columns.append(np.array([0.0, 1.0]))
            elif kind == "histogram":
                columns.append(_bin_edges(column, bins)[:-1])
            else:
                columns.append(np.arange(float(len(named[j]))) if j in named else np.unique(column))
        sizes = [len(column) for column in columns]
        if sum(sizes) * len(data.classes) > _LARGEST_TABLE:
            raise DataError("There are too many different values to be counted; choose gaussian or histogram.")
        return cls(np.concatenate([[0], np.cumsum(sizes)]), np.concatenate(columns), kind == "histogram")

    @property
    def sizes(self) -> Array:
        """How many values every feature has, (d,)."""
        return np.diff(self.offsets)

    def cells(self, X: Array, kind: Kind) -> Array:
        """Where the values of these rows stand in the table, (n, d)."""
        X = (X > 0.0).astype(np.float64) if kind == "bernoulli" else X
        found = np.empty(X.shape, dtype=np.intp)
        for j, column in enumerate(X.T):
            values = self.values[self.offsets[j] : self.offsets[j + 1]]
            above = np.searchsorted(values, column, side="right")
            code = np.clip(above - 1, 0, len(values) - 1)
            if not self.bins and len(values) > 1:
                upper = np.minimum(code + 1, len(values) - 1)
                code = np.where(values[upper] - column < column - values[code], upper, code)
            found[:, j] = code + self.offsets[j]
        return found


def _bin_edges(column: Array, bins: int) -> Array:
    """The ends of equally wide bins, (bins + 1,), each wider than what large numbers can tell apart."""
    low, high = float(column.min()), float(column.max())
    if high - low <= 4.0 * bins * np.spacing(max(abs(low), abs(high))):  # next to large numbers 1 is nothing
        high = low + max(1.0, 0.1 * abs(low))
    return np.linspace(low, high, bins + 1)


def parts(model: Model, X: Array) -> Array:
    """What every feature adds to the logarithm of the likelihood, (c, n, d); -inf for an impossible value."""
    if model.kind == "gaussian":
        offset = X[None] - model.means[:, None]
        variances = model.variances[:, None]
        return -0.5 * (offset * offset / variances + np.log(2.0 * np.pi * variances))
    table = model.log_table
    if model.kind == "multinomial":
        with np.errstate(invalid="ignore"):
            return np.where(X[None] > 0.0, X[None] * table[:, None], 0.0)
    return table[:, model.encoding.cells(X, model.kind)]


def prepared(model: Model, X: Array) -> Array:
    """The rows as the model reads them, feature by feature, (d, n): numbers, or where their values are in the table."""
    if model.kind == "multinomial":
        return X.T
    return np.ascontiguousarray(X.T if model.kind == "gaussian" else model.encoding.cells(X, model.kind).T)


def joint_of(model: Model, columns: Array) -> Array:
    """Log P(k) + Σ_j log P(x_j | k), (c, n), for rows that are prepared."""
    with np.errstate(divide="ignore"):
        joint = np.repeat(np.log(model.priors)[:, None], columns.shape[1], axis=1)
    if model.kind == "gaussian":
        levels = np.log(2.0 * np.pi * model.variances).sum(axis=1)
        for k, (mean, variances) in enumerate(zip(model.means, model.variances)):
            offset = columns - mean[:, None]
            offset *= offset
            joint[k] -= 0.5 * ((1.0 / variances) @ offset + levels[k])
        return joint
    table = model.log_table
    if model.kind == "multinomial":
        impossible = np.isneginf(table)
        joint += np.where(impossible, 0.0, table) @ columns
        if impossible.any():
            joint[(impossible.astype(np.float64) @ (columns > 0.0)) > 0.0] = -np.inf
        return joint
    for cells in columns:
        joint += table[:, cells]
    return joint


def log_joint(model: Model, X: Array) -> Array:
    """The same for any rows; -inf for a class that is impossible there."""
    return joint_of(model, prepared(model, X))


def posteriors(model: Model, X: Array) -> Array:
    """P(k | x), (c, n): the priors where every class is impossible."""
    joint = log_joint(model, X)
    top = joint.max(axis=0)
    lost = np.isneginf(top)
    relative = np.exp(joint - np.where(lost, 0.0, top))
    relative[:, lost] = model.priors[:, None]
    return relative / relative.sum(axis=0)


def winners(model: Model, columns: Array) -> Array:
    """The class (n,) with the greatest probability, for rows that are prepared."""
    joint = joint_of(model, columns)
    best = largest_rows(joint)
    best[np.isneginf(joint.max(axis=0))] = model.priors.argmax()
    return best


def drawn_rows(model: Model, classes: Array, rng: np.random.Generator) -> Array:
    """A row of these classes each, (n, d), with every feature drawn on its own, as the model assumes."""
    if model.kind == "gaussian":
        noise = rng.standard_normal((len(classes), model.means.shape[1]))
        return model.means[classes] + np.sqrt(model.variances[classes]) * noise
    table = np.exp(model.log_table)
    if model.kind == "multinomial":
        lengths = model.counts.sum(axis=1) / np.maximum(model.class_counts, 1)  # how many words such a text has
        relative = table / table.sum(axis=1, keepdims=True)
        words = rng.poisson(np.minimum(lengths, MOST_WORDS)[classes])
        return np.asarray(rng.multinomial(words, relative[classes]), dtype=np.float64)
    code = model.encoding
    X = np.empty((len(classes), len(code.sizes)))
    for j, (first, stop) in enumerate(zip(code.offsets[:-1], code.offsets[1:])):
        values, uniform = code.values[first:stop], rng.random(len(classes))
        for k in np.unique(classes):
            sums, of_class = np.cumsum(table[k, first:stop]), classes == k
            cell = np.searchsorted(sums, uniform[of_class] * sums[-1], side="right")
            X[of_class, j] = values[np.minimum(cell, len(values) - 1)]
        if code.bins:
            X[:, j] += (values[1] - values[0]) * rng.random(len(classes))
    return X


def overall_variances(columns: Array) -> Array:
    """The variances (d,) of all points, given feature by feature; 1 for a feature that is constant."""
    variances = columns.var(axis=1)
    floor = np.square(FLOOR * np.abs(columns).max(axis=1))
    return np.where(variances > floor, variances, 1.0)


def counted_in(data: Points, y: Array, model: Model, priors: str) -> Iterator[tuple[Model, float, Array]]:
    """The model after ever more points, the fraction of them that get another class, and which have just come."""
    if model.kind == "gaussian":
        mean, variances = model.means[0], model.variances[0]  # of all points
        queue = Queue.of(prepared(model, data.X), y, len(data.classes), mean)
        order, y, states = queue.order, queue.y, _bells(queue, mean, variances, model)
        columns = queue.columns + mean[:, None]
    else:
        order = counting_order(y, len(data.classes))
        columns, y = prepared(model, data.X[order]), y[order]
        states = _tables(columns, y, model)
    before = 0
    for model, stop in states:
        model = replace(model, priors=priors_of(model.class_counts, priors))
        wrong = np.count_nonzero(winners(model, columns[:, :stop]) != y[:stop])
        yield model, wrong / stop, order[before:stop]
        before = stop


def _bells(queue: Queue, mean: Array, variances: Array, model: Model) -> Iterator[tuple[Model, int]]:
    """Means and variances (divided by n - 1) of every class; those of all points where there is one point only."""
    for moments, new in queue.counted_in(mean):
        freedom = np.maximum(moments.counts - 1, 1)[:, None]
        own = np.diagonal(moments.scatters, axis1=1, axis2=2) / freedom
        found = np.where(moments.counts[:, None] > 1, np.maximum(own, FLOOR * variances), variances)
        yield replace(model, class_counts=moments.counts, means=moments.means, variances=found), new.stop


def _tables(columns: Array, y: Array, model: Model) -> Iterator[tuple[Model, int]]:
    """The counts of every class and value, or of every word."""
    before, (c, width) = 0, model.counts.shape
    for stop in counting_stops(len(y)):
        new, classes = columns[:, before:stop], y[before:stop]
        if model.kind == "multinomial":
            more = (classes == np.arange(c)[:, None]).astype(np.float64) @ new.T
        else:
            more = np.bincount((classes * width + new).ravel(), minlength=c * width).reshape(c, width)
        counts = model.class_counts + np.bincount(classes, minlength=c)
        model, before = replace(model, class_counts=counts, counts=model.counts + more), stop
        yield model, stop
