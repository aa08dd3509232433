"""Captions, warnings and explanations of string kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.string_kernel.solver import self_values
from algorithms.contract import Explanation, Try
from algorithms.data import Strings
from algorithms.marks import Spans
from algorithms.maths.gram_views import decision_answer, machine_caption, machine_result, nearest_of_row
from algorithms.maths.words import counted, number, signed

if TYPE_CHECKING:
    from algorithms.classification.string_kernel import Model, Shot
    from algorithms.played import Played

LONGEST = 40


def quoted(text: str) -> str:
    """A text in a sentence, in one line and not too long."""
    line = " ".join(text.split())
    return f"“{line if len(line) <= LONGEST else line[: LONGEST - 1] + '…'}”"


def _start(shot: Shot) -> str:
    pieces, pair = shot.model.pieces, shot.given.pair
    one, two = (quoted(shot.model.texts[k]) for k in pair)
    gaps = " next to each other" if pieces.kind == "spectrum" else ", with gaps"
    compared = "itself" if pair[0] == pair[1] else two
    if pieces.length == 1:
        gaps = ""
    return f"A piece is {counted(pieces.length, 'letter')}{gaps}. First {one} is compared with {compared}."


def _recursion(shot: Shot) -> str:
    """After some letters of a layer."""
    shown, first = shot.shown, shot.given.pair[0]
    assert shown.table is not None
    letter, row = shot.model.texts[first][shown.known - 1], shown.table[shown.known - 1]
    ends, value = int(np.count_nonzero(row)), float(row.sum())
    text = "a space" if letter == " " else quoted(letter)
    size = f"of {counted(shown.layer, 'letter')}"
    where = f"Letter {shown.known} of text {first + 1} is {text}"
    if not ends:
        return f"{where}: no common piece {size} ends there."
    count = f"{value:g} in all" if shot.model.pieces.kind == "spectrum" else f"with the weight {number(value)}"
    positions = counted(ends, "position")
    return f"{where}: common pieces {size} end there and at {positions} of text {shot.given.pair[1] + 1}, {count}."


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
    done = f"{row + 1:,} of {counted(n, 'row')}"
    if n == 1:
        return f"{done}: there is one text, and nothing to compare it with."
    near = nearest_of_row(model.gram, row)
    if model.gram[row, near] <= 0.0:
        return f"{done}: {quoted(model.texts[row])} has no piece in common with any other text, so k = 0."
    alike = f"k = {number(model.gram[row, near])}"
    return f"{done}: {quoted(model.texts[row])} is most similar to {quoted(model.texts[near])} ({alike})."


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
    return f"{some} shorter than {letters}: without a piece k with every text is 0."


def _done(shot: Shot) -> str:
    model, data = shot.model, shot.given.data
    text = machine_result(model.machines, data.y, data.classes, shot.metrics["error"], "texts")
    lit = " Letters are lit in the colour of the class to which they contribute." if model.pulls else ""
    return f"{text}.{lit}"


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
        answer["most similar"] = quoted(data.texts[near])
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
MOTIF = "GATTACA"


def _pulls_of_motif(played: Played) -> tuple[float, float]:
    """What a letter adds on average for the class with the motif: where the motif fits best, and elsewhere."""
    inside, outside = [], []
    for text, k, pulls in zip(played.data.texts, played.data.y, played.model.pulls):
        if k == 1:
            fits = [sum(map(str.__eq__, text[i:], MOTIF)) for i in range(len(text) - len(MOTIF) + 1)]
            at = int(np.argmax(fits))
            inside += pulls[at : at + len(MOTIF)].tolist()
            outside += np.delete(pulls, np.arange(at, at + len(MOTIF))).tolist()
    return float(np.mean(inside)), float(np.mean(outside))


def _lit(played: Played) -> list[int]:
    """The class of each lit letter."""
    spans = next(mark for mark in played.last.views["texts"] if isinstance(mark, Spans))
    assert spans.groups is not None
    return spans.groups.tolist()


def _distance(one: Played, two: Played) -> float:
    """The largest difference of two tables of all pairs."""
    return float(np.abs(one.model.gram - two.model.gram).max())


TRIES = (
    Try(
        "Ham or spam: at the end each letter is lit in the colour of the class to which it contributes.",
        "subjects()",
        shows=lambda played: played.final("error") == 0.0 and len(set(_lit(played))) == 2,
    ),
    Try(
        "Words of four languages in pieces of two neighbouring letters: four machines, each for one against the rest.",
        "words()",
        {"kind": "spectrum", "length": 2, "C": 10.0},
        shows=lambda played: len(played.model.machines.alpha) == 4 and played.final("error") < 0.05,
    ),
    Try(
        "The motif GATTACA is hidden in half of the texts, with errors: its letters contribute most to their class.",
        "motifs(n=60,length=24,mutations=0.1,seed=1)",
        {"kind": "subsequence", "length": 5, "decay": 0.5},
        shows=lambda played: _pulls_of_motif(played)[0] > 2.0 * _pulls_of_motif(played)[1] > 0.0,
    ),
    Try(
        "A small λ wants the letters close together: the subsequence kernel comes near the spectrum kernel.",
        "words()",
        {"kind": "subsequence", "length": 2, "decay": 0.05},
        shows=lambda played: (
            _distance(played, played.but(kind="spectrum")) < 0.05
            and _distance(played.but(decay=0.5), played.but(kind="spectrum")) > 0.3
        ),
    ),
)
