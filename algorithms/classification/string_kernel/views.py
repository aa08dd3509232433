"""What is seen of string kernels: lit letters, the table of the recursion, the Gram matrix, the multipliers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array, Strings
from algorithms.marks import Highlight, Mark, Spans, Table
from algorithms.maths.gram_views import matrix_mark, multiplier_bars, nearest_of_row
from algorithms.maths.words import number

if TYPE_CHECKING:
    from algorithms.classification.string_kernel import Model, Shot

WINDOW = 36
"""The most letters of a text in the table of the recursion."""
_FAINT = 0.02  # a letter with less than this part of the strongest one is not lit
_SHOWN = str.maketrans({" ": "␣", "\n": "↵", "\r": "↵", "\t": "→"})


def views(shot: Shot) -> Views:
    """The marks of a frame."""
    model, data = shot.model, shot.given.data
    return {
        "texts": _texts(shot),
        "recursion": _recursion(shot),
        "gram": (matrix_mark(model.gram, data.y, shot.shown.rows, "k of two texts"),),
        "alphas": multiplier_bars(model.alpha, data.y, data.classes),
    }


# --- texts ------------------------------------------------------------------------------------------------------------


def _texts(shot: Shot) -> tuple[Mark, ...]:
    data, model, shown, pair = shot.given.data, shot.model, shot.shown, shot.given.pair
    if model.pulls:
        return (_decided(data, model),)
    support, moved = np.flatnonzero(model.alpha), shown.update.pair if shown.update else ()
    if moved or len(support):
        chosen = (Highlight(np.array(moved), "changed", "the pair that moved"),) if moved else ()
        return (Highlight(support, "free", "support vector"), *chosen)
    if shown.table is not None:
        lit = _ends(shot, shown.table)
    elif shown.rows and model.gram.any():
        pair = shown.rows - 1, nearest_of_row(model.gram, shown.rows - 1)
        lit = _common(data, model, pair)
    elif shown.known:
        lit = _common(data, model, pair)
    else:
        return (Highlight(np.unique(pair), "chosen", "the two texts"),)
    return (lit, Highlight(np.unique(pair), "chosen", "the two texts"))


def _common(data: Strings, model: Model, pair: tuple[int, int]) -> Spans:
    """Every letter of two texts, by how much of their kernel passes through it."""
    common = model.pieces.common(data.texts[pair[0]], data.texts[pair[1]])
    texts = np.repeat(pair, [len(part) for part in common])
    start = np.concatenate([np.arange(len(part)) for part in common])
    strengths = np.concatenate([_relative(part) for part in common])
    lit = strengths > _FAINT
    return Spans(texts[lit], start[lit], start[lit] + 1, strengths=strengths[lit], name="common pieces")


def _ends(shot: Shot, table: Array) -> Spans:
    """Where pieces end that the newest row of the table counts: whole, where they are neighbouring letters."""
    i, pair = shot.shown.known - 1, shot.given.pair
    size = shot.shown.layer if shot.model.pieces.kind == "spectrum" else 1
    row = table[i]
    ends = np.flatnonzero(row)
    here = [i] if len(ends) else []
    texts = np.array([pair[0]] * len(here) + [pair[1]] * len(ends), dtype=np.intp)
    last = np.concatenate([np.array(here, dtype=np.intp), ends])
    strengths = np.concatenate([np.ones(len(here)), _relative(row[ends])])
    return Spans(texts, last - size + 1, last + 1, strengths=strengths, name="pieces that end here")


def _decided(data: Strings, model: Model) -> Spans:
    """Every letter in the colour of the class to which it contributes, by how much it does."""
    machines = model.machines
    labels = model.labels()
    texts = np.repeat(np.arange(data.n), [len(part) for part in model.pulls])
    start = np.concatenate([np.arange(len(part)) for part in model.pulls])
    pulls = np.concatenate(model.pulls)
    groups = (pulls > 0.0).astype(np.int64) if machines.classes == 2 else labels[texts]
    size = np.abs(pulls) if machines.classes == 2 else np.maximum(pulls, 0.0)
    reference = float(np.quantile(size[size > 0.0], 0.98)) if (size > 0.0).any() else 1.0
    strengths = np.minimum(size / reference, 1.0)
    lit = strengths > 5.0 * _FAINT
    return Spans(
        texts[lit],
        start[lit],
        start[lit] + 1,
        groups[lit],
        strengths[lit],
        group_names=tuple(f"for {name}" for name in data.classes),
    )


def _relative(values: Array) -> Array:
    top = float(values.max(initial=0.0))
    return values / top if top > 0.0 else np.zeros(len(values))


# --- the recursion ----------------------------------------------------------------------------------------------------


def _recursion(shot: Shot) -> tuple[Mark, ...]:
    """S of the layer, as far as it is known; of long texts the part in which something happens."""
    pieces, pair = shot.model.pieces, shot.given.pair
    known, layer, table = shot.shown.known, shot.shown.layer, shot.shown.table
    one, two = (shot.model.texts[k] for k in pair)
    if not one or not two:
        return ()
    if table is None:
        table = pieces.tables(one, two)[-1]
    top, left = _window(len(one), known - 1), _window(len(two), int(table[max(known - 1, 0)].argmax()))
    rows, columns = slice(top, top + WINDOW), slice(left, left + WINDOW)
    values = table[rows, columns].copy()
    unknown = np.broadcast_to((np.arange(len(values)) + top >= known)[:, None], values.shape).copy()
    values[unknown] = 0.0
    now = layer > 0  # only while a row is worked on
    lit = np.argwhere((values > 0.0) & (now & (np.arange(len(values)) + top == known - 1))[:, None])
    return (
        Table(
            values,
            tuple(one[rows].translate(_SHOWN)),
            tuple(two[columns].translate(_SHOWN)),
            lit=lit,
            unknown=unknown,
            texts=tuple(tuple(number(v) if v > 0.0 else "" for v in row) for row in values.tolist()),
            rows_name=f"text {pair[0] + 1}",
            columns_name=f"S of {layer or pieces.length}, text {pair[1] + 1}",
        ),
    )


def _window(length: int, now: int) -> int:
    """Where the part of a text begins that is shown."""
    return min(max(now - WINDOW + 4, 0), max(length - WINDOW, 0)) if length > WINDOW else 0
