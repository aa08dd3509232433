"""What a perceptron says: captions with numbers, and why a point is where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation
from algorithms.data import Item, Points
from algorithms.maths.words import counted
from algorithms.neural.perceptron.solver import Problem, columns_of, margins

if TYPE_CHECKING:
    from algorithms.neural.perceptron import Model

NEVER_CONVERGES = "No line separates these classes, so the perceptron never converges; it ends with its passes."


def opening(model: Model, problem: Problem) -> str:
    """What can be known beforehand."""
    begin = "" if model.z.any() else "All weights are 0, so there is no line yet. "
    if len(model.z) > 1:
        return f"{begin}{len(model.z)} units, one for each class; the largest sum wins, and a tie is a mistake."
    if problem.inseparable:
        return f"{begin}No line separates these classes, so there will always be another mistake."
    if problem.margin == 0.0:
        return f"{begin}Some line separates the classes, but beside the size of the features its margin is nearly 0."
    most = f"at most (R/g)² = {problem.bound:,.4g} mistakes" if problem.bounded else "finitely many mistakes"
    margin = f"margin g = {problem.margin:.3g}, and R = {problem.radius:.3g}"
    return f"{begin}Some line separates the classes with {margin}: {most}."


def of_turn(model: Model, problem: Problem) -> str:
    """The mistake, and what it added to what."""
    assert model.before is not None
    data, point = problem.data, int(model.points[0])
    label = int(problem.labels[point])
    kept = margins(model.before, problem.columns[:, [point]], problem.labels[[point]])[0]
    said = f"Mistake {model.mistakes:,}: point {point + 1} ({data.classes[label]})"
    why = "is on the wrong side" if kept < 0.0 else "has the sum 0, which decides nothing"
    if len(model.z) == 1:
        return f"{said} {why}, so {'x' if label == 1 else '-x'} times the rate is added to the weights."
    why = "has a larger sum in another unit" if kept < 0.0 else "has the same sum in another unit"
    down = int(next(k for k in np.flatnonzero((model.z != model.before).any(axis=1)) if k != label))
    return (
        f"{said} {why}: x times the rate is added to the weights of {data.classes[label]} and taken from those of "
        f"{data.classes[down]}."
    )


def of_pass(model: Model, problem: Problem) -> str:
    """How a pass went."""
    passed, count = len(model.per_pass), int(model.per_pass[-1])
    if count == 0:
        bound = f"; the bound was {problem.bound:,.4g}" if problem.bounded else ""
        return f"Pass {passed} is without a mistake: converged after {counted(model.mistakes, 'mistake')}{bound}."
    now = (
        f"{model.wrong:,} of {counted(problem.data.n, 'point')} not on {'its' if problem.data.n == 1 else 'their'} side"
    )
    return f"Pass {passed}: {counted(count, 'mistake')}, {model.mistakes:,} so far; {now}."


def of_result(model: Model, problem: Problem) -> str:
    """How many inputs a unit set by hand has right."""
    n = problem.data.n
    return f"The unit is right about {n - model.wrong:,} of {counted(n, 'input')}."


def of_setting(threshold: float) -> str:
    """What was set by hand."""
    given = f"the unit fires where the sum is at least {threshold:g}, and should for all classes but the first one"
    return f"Weights and threshold are set by hand: {given}."


def of_firing(model: Model, problem: Problem, point: int, threshold: float) -> str:
    """The sum of one input, and whether the unit fires."""
    data = problem.data
    x, w = data.X[point, :2], model.z[0, : min(data.d, 2)]
    terms = " + ".join(f"{weight:zg}·{value:z.3g}" for weight, value in zip(w, x))
    total = float(model.sums(data.X[[point]])[0, 0]) + threshold
    fires = total >= threshold
    sign, verb = ("≥", "fires") if fires else ("<", "does not fire")
    outcome = "right" if fires == bool(problem.labels[point] == 1) else "wrong"
    return f"Input {point + 1}: {terms} = {total:.3g} {sign} {threshold:g}, so the unit {verb}, which is {outcome}."


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What each feature adds to the sum, on which side a point lies, and of one of the data whether that is right."""
    x = item.x
    sums = model.sums(x[None])[0]
    unit = int(sums.argmax()) if len(sums) > 1 else 0
    answer = unit if len(sums) > 1 else int(sums[0] >= 0.0)
    found: Explanation = {"predicted class": data.classes[answer]}
    weights = model.z[unit]
    strongest = np.sort(np.argsort(-np.abs(weights[:-1] * x), kind="stable")[:4])
    found |= {f"weight times {data.features[j]}": float(weights[j] * x[j]) for j in strongest}
    found["bias"] = float(weights[-1])
    found["sum"] = float(sums[unit])
    length = float(np.linalg.norm(weights[:-1]))
    if len(sums) == 1 and length > 0.0:
        found["distance from the line"] = float(sums[0] / length)
    return found | _side(model, data, item)


def _side(model: Model, data: Points, item: Item) -> Explanation:
    """Of a point whose class is known, by how much it is on the side where it belongs."""
    if item.number < 0 or data.y is None:
        return {}
    label = int(data.y[item.number])
    signs = 1.0 if len(model.z) > 1 else 1.0 if label > 0 else -1.0
    kept = margins(model.z, columns_of(item.x[None], signs), np.array([label]))[0]
    return {"true class": data.classes[label], "on its own side by": float(kept)}


def of_orders(model: Model) -> str:
    """After another order of the points."""
    assert model.ends is not None
    lengths = np.linalg.norm(model.ends[:, :-1], axis=1)
    units = model.ends[:, :-1] / np.maximum(lengths, 1e-300)[:, None]
    spread = np.degrees(np.arccos(np.clip((units @ units.T).min(), -1.0, 1.0)))
    runs = counted(len(model.ends), "other order")
    return f"{runs} of the points: their lines are up to {spread:.1f}° apart, each the first one that was reached."
