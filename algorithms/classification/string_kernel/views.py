"""What is seen of string kernels: lit letters, the table of the recursion, the Gram matrix, the multipliers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array, Strings
from algorithms.marks import Highlight, Mark, Spans, Table
from algorithms.maths.gram_views import matrix_mark, multiplier_bars, nearest_of_row
from algorithms.maths.words import number

if TYPE_CHECKING:
    from algorithms.classification.string_kernel import Model

WINDOW = 36
"""The most letters of a text in the table of the recursion."""
_FAINT = 0.02  # a letter with less than this part of the strongest one is not lit
_SHOWN = str.maketrans({" ": "␣", "\n": "↵", "\r": "↵", "\t": "→"})


def _no_table() -> Array:
    return np.zeros((0, 0))


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """What a frame shows beside the model: the two texts, and how far recursion, matrix and machine have come."""

    pair: tuple[int, int]
    layer: int = 0  # which layer of the recursion is worked on; 0 when none is
    known: int = 0  # letters of the first text that the table knows
    table: Array = field(default_factory=_no_table)  # S of this layer
    rows: int = 0  # of the Gram matrix
    moved: tuple[int, ...] = ()  # the texts whose multipliers have moved


def views(data: Strings, model: Model, stage: Stage) -> Views:
    """The marks of a frame."""
    return {
        "texts": _texts(data, model, stage),
        "recursion": _recursion(data, model, stage),
        "gram": (matrix_mark(model.gram, data.y, stage.rows, "k of two texts"),),
        "alphas": multiplier_bars(model.alpha, data.y, data.classes),
    }


# --- texts ------------------------------------------------------------------------------------------------------------


def _texts(data: Strings, model: Model, stage: Stage) -> tuple[Mark, ...]:
    if model.pulls:
        return (_decided(data, model),)
    support = np.flatnonzero(model.alpha)
    if stage.moved or len(support):
        chosen = (Highlight(np.array(stage.moved), "changed", "the pair that moved"),) if stage.moved else ()
        return (Highlight(support, "free", "support vector"), *chosen)
    pair = stage.pair
    if stage.layer:
        lit = _ends(model, stage)
    elif stage.rows and model.gram.any():
        pair = stage.rows - 1, nearest_of_row(model.gram, stage.rows - 1)
        lit = _common(data, model, pair)
    elif stage.known:
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


def _ends(model: Model, stage: Stage) -> Spans:
    """Where pieces end that the newest row of the table counts: whole, where they are neighbouring letters."""
    i, size = stage.known - 1, stage.layer if model.pieces.kind == "spectrum" else 1
    row = stage.table[i]
    ends = np.flatnonzero(row)
    here = [i] if len(ends) else []
    texts = np.array([stage.pair[0]] * len(here) + [stage.pair[1]] * len(ends), dtype=np.intp)
    last = np.concatenate([np.array(here, dtype=np.intp), ends])
    strengths = np.concatenate([np.ones(len(here)), _relative(row[ends])])
    return Spans(texts, last - size + 1, last + 1, strengths=strengths, name="pieces that end here")


def _decided(data: Strings, model: Model) -> Spans:
    """Every letter in the colour of the class for which it speaks, as strongly as it does."""
    machines = model.machines
    labels = machines.labels(machines.decisions(model.gram))
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
        group_names=tuple(f"speaks for {name}" for name in data.classes),
    )


def _relative(values: Array) -> Array:
    top = float(values.max(initial=0.0))
    result: Array = values / top if top > 0.0 else np.zeros(len(values))
    return result


# --- the recursion ----------------------------------------------------------------------------------------------------


def _recursion(data: Strings, model: Model, stage: Stage) -> tuple[Mark, ...]:
    """S of the layer, as far as it is known; of long texts the part in which something happens."""
    one, two = (data.texts[k] for k in stage.pair)
    if not one or not two:
        return ()
    if not stage.layer:
        table, known, layer = model.pieces.tables(one, two)[-1], len(one) if stage.known or stage.rows else 0, 0
    else:
        table, known, layer = stage.table, stage.known, stage.layer
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
            rows_name=f"text {stage.pair[0] + 1}",
            columns_name=f"S of {layer or model.pieces.length}, text {stage.pair[1] + 1}",
        ),
    )


def _window(length: int, now: int) -> int:
    """Where the part of a text begins that is shown."""
    return min(max(now - WINDOW + 4, 0), max(length - WINDOW, 0)) if length > WINDOW else 0
