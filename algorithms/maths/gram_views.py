"""What is seen and said of a Gram matrix and the machines on it, whatever the items are called."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from algorithms.contract import Explanation
from algorithms.data import Array
from algorithms.marks import Bars, Mark, Matrix
from algorithms.maths.gram_machines import Machines, Update
from algorithms.maths.words import are, capital, counted, number, of_class, signed

MOST_BARS = 60


def matrix_mark(gram: Array, y: Array | None, rows: int, name: str) -> Matrix:
    """All pairs, class by class, as far as the rows are known."""
    order = np.arange(len(gram)) if y is None else np.argsort(y, kind="stable")
    if rows == len(gram):
        unknown = None
    else:
        hidden = order >= rows
        unknown = hidden[:, None] | hidden
    return Matrix(gram[np.ix_(order, order)], points=order, unknown=unknown, name=name)


def multiplier_bars(alpha: Array, y: Array | None, classes: tuple[str, ...]) -> tuple[Mark, ...]:
    """The multipliers of the support vectors, of many the largest."""
    support = np.flatnonzero(alpha)
    if not len(support) or y is None:
        return ()
    if len(support) > MOST_BARS:
        support = np.sort(np.argsort(-alpha, kind="stable")[:MOST_BARS])
    return (Bars(alpha[support], points=support, groups=y[support], group_names=classes),)


def nearest_of_row(gram: Array, row: int) -> int:
    """The most similar of the other items."""
    values = gram[row].copy()
    values[row] = -np.inf
    return int(values.argmax())


def machine_caption(
    machines: Machines, classes: tuple[str, ...], update: Update, numbers: Mapping[str, float], items: str
) -> str:
    """After a pair of multipliers, or at the end of a machine."""
    whose = f"{capital(of_class(classes[update.machine]))} against the rest: " if len(machines.alpha) > 1 else ""
    alpha = machines.alpha[update.machine]
    state = f"the dual objective is {number(numbers['dual'])}, the gap {number(numbers['gap'])}"
    if not update.pair:
        how = "within the tolerance" if update.certified else "still above the tolerance"
        return f"{whose}{counted(int(np.count_nonzero(alpha)), 'support vector')}; {state}, {how}."
    i, j = update.pair
    return f"{whose}The α of {items} {i + 1} and {j + 1} become {number(alpha[i])} and {number(alpha[j])}; {state}."


def machine_result(machines: Machines, y: Array | None, classes: tuple[str, ...], error: float, items: str) -> str:
    """What the machines have come to: a sentence without its full stop."""
    if y is None:
        return f"The {items} have no classes, so only the table of all pairs is computed"
    if not len(machines.alpha):
        return f"There is only one class, {classes[machines.only]}, so there is nothing to decide"
    wrong, support = round(error * len(y)), int(np.count_nonzero(machines.largest))
    text = f"{support:,} of {len(y):,} {items} {are(support)} {are(support, 'a support vector', 'support vectors')}"
    return f"{text}, and {wrong:,} {are(wrong)} misclassified"


def decision_answer(machines: Machines, classes: tuple[str, ...], row: Array) -> Explanation:
    """What the machines say of an item with these kernel values, (n,)."""
    scores = machines.decisions(row[None])
    answer: Explanation = {"predicted": classes[int(machines.labels(scores)[0])]}
    if machines.classes == 2:
        answer[f"f (positive: {classes[1]})"] = signed(scores[0, 0])
    else:
        for number_of in np.argsort(-scores[0], kind="stable")[:4].tolist():
            answer[f"f of {classes[number_of]}"] = signed(scores[0, number_of])
    return answer
