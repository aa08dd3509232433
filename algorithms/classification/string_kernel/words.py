"""Captions, warnings and explanations of string kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.string_kernel.solver import self_values
from algorithms.contract import Explanation, Try
from algorithms.data import Strings
from algorithms.maths.gram_views import decision_answer, machine_caption, nearest_of_row
from algorithms.maths.words import counted, number, signed

if TYPE_CHECKING:
    from algorithms.classification.string_kernel import Model, Shot

LONGEST = 40


def quoted(text: str) -> str:
    """A text in a sentence, in one line and not too long."""
    line = " ".join(text.split())
    return f"“{line if len(line) <= LONGEST else line[: LONGEST - 1] + '…'}”"


def _start(shot: Shot) -> str:
    pieces, pair = shot.model.pieces, shot.given.pair
    one, two = (quoted(shot.model.texts[k]) for k in pair)
    what = "neighbouring letters" if pieces.kind == "spectrum" else "letters with gaps"
    compared = "itself" if pair[0] == pair[1] else two
    return f"Pieces are {counted(pieces.length, 'letter')}, {what}. First {one} is compared with {compared}."


def _recursion(shot: Shot) -> str:
    """After some letters of a layer."""
    shown, first = shot.shown, shot.given.pair[0]
    assert shown.table is not None
    letter, row = shot.model.texts[first][shown.known - 1], shown.table[shown.known - 1]
    ends, value = int(np.count_nonzero(row)), float(row.sum())
    text = "a space" if letter == " " else quoted(letter)
    size = counted(shown.layer, "letter")
    where = f"Letter {shown.known} of text {first + 1} is {text}"
    if not ends:
        return f"{where}: no common piece of {size} ends there."
    positions = counted(ends, "position")
    weight = f"{value:g} of them" if shot.model.pieces.kind == "spectrum" else f"weight {number(value)}"
    return f"{where}: common pieces of {size} end there and at {positions} of the other text, {weight}."


def _value(shot: Shot) -> str:
    """The kernel of the two texts, and as a cosine."""
    pieces, value = shot.model.pieces, shot.metrics["kernel"]
    own = self_values(tuple(shot.model.texts[k] for k in shot.given.pair), pieces)
    scale = float(np.sqrt(own[0]) * np.sqrt(own[1]))
    if scale == 0.0:
        return f"k(s, t) = 0: a text with fewer than {counted(pieces.length, 'letter')} has no piece."
    return (
        f"k(s, t) = {number(value)}; with k(s, s) = {number(own[0])} and k(t, t) = {number(own[1])} the cosine is "
        f"{number(value / scale)}."
    )


def _gram(shot: Shot) -> str:
    """While the table of all pairs is filled."""
    model, row, n = shot.model, shot.shown.rows - 1, len(shot.model.texts)
    done = f"{row + 1:,} of {n:,} rows"
    if n == 1:
        return f"{done}: there is one text, and nothing to compare it with."
    near = nearest_of_row(model.gram, row)
    alike = f"k = {number(model.gram[row, near])}"
    return f"{done}: {quoted(model.texts[row])} is most alike {quoted(model.texts[near])} ({alike})."


def _machine(shot: Shot) -> str:
    assert shot.shown.update is not None
    return machine_caption(shot.model.machines, shot.given.data.classes, shot.shown.update, shot.metrics, "texts")


def warning(shot: Shot) -> str | None:
    """That some texts are too short."""
    count, n = int(np.count_nonzero(shot.model.norms == 0.0)), len(shot.model.norms)
    if not count or not shot.shown.rows:
        return None
    some = "All texts are" if count == n else f"{counted(count, 'text')} {'is' if count == 1 else 'are'}"
    letters = counted(shot.model.pieces.length, "letter")
    return f"{some} shorter than {letters}: without a piece a text is alike to nothing."


def _done(shot: Shot) -> str:
    model, data = shot.model, shot.given.data
    if data.y is None:
        return "The texts have no classes: the table of all pairs is all there is to see."
    if not len(model.machines.alpha):
        name = data.classes[model.machines.only]
        return f"All texts are of the class {name!r}: there is nothing to tell apart."
    wrong, support = round(shot.metrics["error"] * data.n), int(np.count_nonzero(model.alpha))
    return (
        f"{counted(support, 'support vector')} of {counted(data.n, 'text')}; {wrong:,} of them are on the wrong "
        "side. Letters are lit in the colour of the class that they speak for."
    )


CAPTIONS = {
    "start": _start,
    "recursion": _recursion,
    "value": _value,
    "gram": _gram,
    "machine": _machine,
    "done": _done,
}


def explanation(model: Model, data: Strings, k: int) -> Explanation:
    """What the machine says about a text."""
    if not model.norms.any() and not model.gram.any():
        return {"kernel": "not known before the table of all pairs is made"}
    answer: Explanation = {"k with itself": float(model.norms[k])}
    if data.n > 1:
        near = nearest_of_row(model.gram, k)
        answer["most alike"] = quoted(data.texts[near])
        answer["k with it"] = float(model.gram[k, near])
    machines = model.machines
    if data.y is None or not len(machines.alpha) or not machines.alpha.any():
        return answer
    answer |= decision_answer(machines, data.classes, model.gram[k])
    answer["α"] = float(model.alpha[k])
    if model.pulls and len(model.pulls[k]) and model.pulls[k].any():
        strongest = np.argsort(-np.abs(model.pulls[k]), kind="stable")[:5]
        answer["strongest letters"] = ", ".join(
            f"{data.texts[k][i]!r} ({signed(model.pulls[k][i])})" for i in sorted(strongest.tolist())
        )
    return answer


FORMULAS = (
    r"\phi_u(s) = \sum_{i_1 < \dots < i_p,\; s[i] = u} \lambda^{\, i_p - i_1 + 1}, \qquad "
    r"k_p(s, t) = \sum_{u} \phi_u(s)\, \phi_u(t)",
    r"S_l[i, j] = \lambda^2 \, [s_i = t_j] \sum_{i' < i,\; j' < j} \lambda^{\,(i - 1 - i') + (j - 1 - j')} "
    r"S_{l-1}[i', j']",
    r"k_p(s, t) = \sum_{i, j} S_p[i, j], \qquad \hat{k}(s, t) = \frac{k(s, t)}{\sqrt{k(s, s)\, k(t, t)}}",
    r"f(s) = \sum_a \alpha_a y_a \, \hat{k}(s_a, s) + b",
)
TRIES = (
    Try("Ham or spam: at the end the letters are lit in the colour of the class that they speak for.", "subjects()"),
    Try(
        "Words of four languages in pieces of two neighbouring letters: four machines against the rest.",
        "words()",
        {"kind": "spectrum", "length": 2, "C": 10.0},
    ),
    Try(
        "A motif is hidden in half of the texts, with errors: its letters speak for the class that has it.",
        "motifs(n=60,length=24,mutations=0.1,seed=1)",
        {"kind": "subsequence", "length": 5, "decay": 0.5},
    ),
    Try(
        "A small λ wants the letters close together: the subsequence kernel becomes the spectrum kernel.",
        "words()",
        {"kind": "subsequence", "length": 2, "decay": 0.05},
    ),
)
