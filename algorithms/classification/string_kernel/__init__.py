"""String kernels: how similar two texts are, by the pieces that they share.

A text is described by all of its pieces of p letters, far too many to be written down: the spectrum kernel counts
neighbouring letters, the subsequence kernel also letters with gaps, where every letter that a piece spans costs a
factor λ. The product of two such descriptions needs none of them: a table over the letters of the two texts gives it.

    k(s, t) = Σ_u φ_u(s) φ_u(t),      φ_u(s) = Σ λ^(letters spanned), over all places at which u can be read in s

    S_1[i, j] = λ² [s_i = t_j]
    S_l[i, j] = λ² [s_i = t_j] Σ_{i' < i, j' < j} λ^(i - 1 - i' + j - 1 - j') S_{l-1}[i', j'],    k(s, t) = Σ S_p[i, j]

Divided by √(k(s, s) k(t, t)) it is a cosine: long texts are not more similar than short ones. With the table of all
pairs, the Gram matrix, a support vector machine tells classes of texts apart that have no features at all; what it says
of a text is a sum over the pieces, so every letter has its part in it.

Reference: Lodhi, Saunders, Shawe-Taylor, Cristianini and Watkins 2002, Text classification using string kernels;
Leslie, Eskin and Noble 2002, The spectrum kernel; Shawe-Taylor and Cristianini, Kernel Methods for Pattern Analysis,
chapter 11; Machine Learning (Buhmann), slide 226 (string kernels are named there).
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from algorithms.classification.string_kernel import solver, words
from algorithms.classification.string_kernel.solver import Kind, Pieces
from algorithms.classification.string_kernel.views import views
from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    DataError,
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
from algorithms.data import Array, Item, Strings
from algorithms.maths.gram_machines import Machines, Update, normalised, train, wrong_fraction
from algorithms.params import Advanced, Between, Doc, Log, UpTo, When, Zero

MOST_STEPS = 20_000
NEAR = 10
"""The first text is compared with the most similar one of so many before and behind it, so that both are in view."""
ROWS = 24
"""Frames of each layer of the recursion, and twice as many of the Gram matrix: longer ones grow by several rows."""


@dataclass(frozen=True, slots=True)
class Params:
    """The pieces, and the machine."""

    kind: Annotated[
        Kind,
        Doc("Pieces of neighbouring letters (spectrum), or of letters in the same order with gaps (subsequence)."),
    ] = "subsequence"
    length: Annotated[int, Between(1, 10), Doc("How many letters p a piece has.")] = 3
    decay: Annotated[
        float,
        Between(0.01, 1.0),
        When("kind", "subsequence"),
        Doc("The factor λ for each letter that a piece spans: small ones want the letters close together."),
    ] = 0.5
    normalise: Annotated[
        bool, Doc("Divide by √(k(s, s) k(t, t)), so that a text is 1 with itself, however long it is.")
    ] = True
    first: Annotated[
        int,
        Between(1, 10_000),
        UpTo("items"),
        Doc("The text whose comparison is shown letter by letter, by its number."),
    ] = 1
    second: Annotated[
        int,
        Between(0, 10_000),
        UpTo("items"),
        Zero("most similar"),
        Doc("The text that it is compared with; 0 is the most similar one near it."),
    ] = 0
    C: Annotated[float, Between(1e-3, 1e5), Log, Doc("The price of slack in the support vector machine.")] = 1.0
    tol: Annotated[
        float, Between(1e-9, 1e-1), Log, Advanced, Doc("Largest KKT violation, and gap relative to the primal.")
    ] = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The table of all pairs and the machines; before they are known they are zeros."""

    gram: Array  # (n, n)
    norms: Array  # (n,) k of each text with itself, before anything is divided
    texts: tuple[str, ...]
    pieces: Pieces
    normalise: bool
    machines: Machines
    labelled: bool
    pulls: tuple[Array, ...] = ()  # at the end: what each letter of each text adds to its decision

    @property
    def alpha(self) -> Array:
        """The multiplier of every text, (n,); with several machines the largest one."""
        return self.machines.largest

    def labels(self) -> Array:
        """The class (n,) that the machines give each text."""
        return self.machines.labels(self.machines.decisions(self.gram))

    def values(self, texts: tuple[str, ...]) -> Array:
        """The kernel between new texts and those of the model, (m, n); only support vectors are looked at."""
        support = np.flatnonzero(self.alpha)
        found = np.zeros((len(texts), len(self.texts)))
        values = solver.against(texts, [self.texts[k] for k in support], self.pieces)
        if self.normalise:
            values = normalised(values, solver.self_values(texts, self.pieces), self.norms[support])
        found[:, support] = values
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Strings
    pair: tuple[int, int]  # the texts whose comparison is shown


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """How far recursion, matrix and machine have come."""

    layer: int = 0  # which layer of the recursion is worked on; 0 when none is
    known: int = 0  # letters of the first text that the table knows
    table: Array | None = None  # S of this layer
    rows: int = 0  # of the Gram matrix
    update: Update | None = None  # of the machine


Shot = Snapshot[Given, Model, Shown]


def run(data: Strings, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Compare two texts letter by letter, then all texts, and train the machine on the table of all pairs."""
    pieces = Pieces(params.kind, params.length, params.decay)
    solver.refuse_too_much(data.texts, pieces)
    n = data.n
    machines = Machines.blank(data.y, len(data.classes), n)
    zeros = np.zeros((n, n))
    model = Model(zeros, np.zeros(n), data.texts, pieces, params.normalise, machines, data.y is not None)
    given = Given(data, _pair(data, params, pieces))
    yield _shot(given, "start", model, Shown())
    value = yield from _recursion(given, model)
    gram = solver.gram_matrix(data.texts, pieces)
    norms = np.diagonal(gram).copy()
    if params.normalise:
        gram = normalised(gram, norms, norms)
    model = replace(model, gram=gram, norms=norms)
    numbers, step, letters = {"kernel": value}, -(-n // (2 * ROWS)), len(data.texts[given.pair[0]])
    for known in range(step, n + step, step):
        yield _shot(given, "gram", model, Shown(known=letters, rows=min(known, n)), **numbers)
    stop = Stop.COMPLETE
    for progress in train(gram, data.y, machines, params.C, params.tol, MOST_STEPS):
        model = replace(model, machines=progress.machines)
        if not (progress.update.pair or progress.update.certified):
            stop = Stop.LIMIT
        numbers |= {"dual": progress.dual, "gap": progress.gap, "error": progress.error}
        yield _shot(given, "machine", model, Shown(known=letters, rows=n, update=progress.update), **numbers)
    model = replace(model, pulls=_pulls(model))
    numbers["error"] = wrong_fraction(model.labels(), data.y)
    yield _shot(given, "done", model, Shown(known=letters, rows=n), **numbers)
    return Ended(stop, "stopped without a certificate") if stop is Stop.LIMIT else Stop.COMPLETE


def _pair(data: Strings, params: Params, pieces: Pieces) -> tuple[int, int]:
    """The two texts whose comparison is shown; numbers beyond the last text mean the last one."""
    first = min(params.first, data.n) - 1
    if params.second > 0 or data.n == 1:
        return first, min(max(params.second, 1), data.n) - 1
    start = max(first - NEAR, 0)
    near = data.texts[start : first + NEAR + 1]
    values = solver.against((data.texts[first],), near, pieces)
    own = solver.self_values(near, pieces) if params.normalise else np.ones(len(near))
    alike = normalised(values, own[first - start : first - start + 1], own)[0]
    alike[first - start] = -1.0
    return first, start + int(alike.argmax())


def _recursion(given: Given, model: Model) -> Generator[Shot, None, float]:
    """The table of each layer, some letters of the first text at a time; gives k(s, t)."""
    one, two = (model.texts[k] for k in given.pair)
    tables = model.pieces.tables(one, two)
    step = max(-(-len(one) // ROWS), 1)
    for layer, table in enumerate(tables, start=1):
        for known in range(step, len(one) + step, step):
            letters = min(known, len(one))
            value = float(table[:letters].sum()) if layer == len(tables) else math.nan
            yield _shot(given, "recursion", model, Shown(layer, letters, table), kernel=value)
    value = float(tables[-1].sum())
    yield _shot(given, "value", model, Shown(known=len(one)), kernel=value)
    return value


def _shot(given: Given, phase: str, model: Model, shown: Shown, **numbers: float) -> Shot:
    unknown = dict.fromkeys(("kernel", "rows", "dual", "gap", "error"), math.nan)
    return Snapshot(given, phase, model, {**unknown, "rows": shown.rows, **numbers}, shown)


def _pulls(model: Model) -> tuple[Array, ...]:
    """What the letters add to the machine of the class that each text is taken for; nothing without machines."""
    machines = model.machines
    if not len(machines.alpha):
        return ()
    labels = model.labels()
    asked = np.zeros_like(labels) if machines.classes == 2 else labels
    scales = np.sqrt(model.norms) if model.normalise else np.ones(len(model.texts))
    return solver.pulls(model.texts, model.pieces, machines.coefficients, asked, scales)


def predict(model: Model, data: Strings) -> Array:
    """The class (m,) of new texts."""
    if not model.labelled:
        raise DataError("The texts had no classes, so there is nothing to predict.")
    return model.machines.labels(model.machines.decisions(model.values(data.texts)))


def explain(model: Model, data: Strings, item: Item) -> Explanation:
    """What the machine says about a text, which letters contribute, and which text is most similar."""
    return words.explanation(model, data, item.number)


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """The spectrum kernel is a linear machine on counts of pieces; scikit-learn has no gaps in them."""
    y = case.data.y if case is not None and isinstance(case.data, Strings) else None
    if params.kind != "spectrum" or (case is not None and (y is None or len(np.unique(y)) < 2)):
        return None
    size = params.length
    make = f"SVC(C={params.C!r}, kernel='linear', tol={params.tol!r})"
    imports = (
        "from sklearn.feature_extraction.text import CountVectorizer\nfrom sklearn.pipeline import make_pipeline\n"
    )
    imports += "from sklearn.preprocessing import Normalizer\nfrom sklearn.svm import SVC"
    if y is not None and len(np.unique(y)) > 2:
        make = f"OneVsRestClassifier({make})"
        imports += "\nfrom sklearn.multiclass import OneVsRestClassifier"
    steps = [f"CountVectorizer(analyzer='char', ngram_range=({size}, {size}), lowercase=False)"]
    steps += ["Normalizer()"] if params.normalise else []
    pipeline = f"make_pipeline({', '.join([*steps, make])})"
    return Counterpart(
        imports=imports,
        make=f"{pipeline}.fit(data.texts, data.y).predict(data.texts)",
        difference="np.mean(theirs != ours.predict(data))",
        measure="fraction of texts predicted differently",
        caveat="It takes spaces in a row, and the ends of lines, for one space.",
        estimator=False,
    )


ALGORITHM = Algorithm(
    key="string_kernel",
    title="String kernel",
    family="classification",
    summary="How similar texts are by the pieces they share, without a list of features; a machine tells them apart.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    accepts=(Strings,),
    target="classes",
    predict=predict,
    explain=explain,
    counterpart=counterpart,
    synonyms=(
        "spectrum kernel",
        "subsequence kernel",
        "n-grams",
        "text classification",
        "gap-weighted",
        "SSK",
        "Gram matrix",
        "precomputed kernel",
        "similarity of texts",
    ),
    panels=(
        Panel("texts", "Texts and their pieces", space="data"),
        Panel("recursion", "The recursion over two texts", space="none"),
        Panel("gram", "Gram matrix", x="text", y="text"),
        Panel("alphas", "Multipliers α of the support vectors", x="support vector", y="α"),
    ),
    metrics=(
        Metric("kernel", "k of the two texts so far", group="kernel", better="neither"),
        Metric("rows", "rows of the Gram matrix", group="gram", better="neither"),
        Metric("dual", "dual objective", group="objective", better="higher"),
        Metric("gap", "duality gap", group="gap", better="neither"),
        Metric("error", "fraction of texts misclassified", group="error"),
    ),
    pseudocode=(
        Line("take two texts s and t", "start"),
        Line("for l = 1 .. p, for each letter s_i:"),
        Line("    S_l[i, j] ← λ² [s_i = t_j] × pieces of l - 1 letters before, faded by λ a letter", "recursion"),
        Line("k(s, t) = Σ S_p[i, j]   ({kernel})", "value"),
        Line("for all pairs of texts: K_ab = k(s_a, s_b) / √(k(s_a, s_a) k(s_b, s_b))", "gram"),
        Line("α ← support vector machine on K, pair by pair   (gap {gap})", "machine"),
        Line("f(s) = Σ α_a y_a k(s_a, s) + b: a sum over pieces, so over letters   (error {error})", "done"),
    ),
    reference="Lodhi, Saunders, Shawe-Taylor, Cristianini and Watkins 2002, Text classification using string kernels; "
    "Leslie, Eskin and Noble 2002, The spectrum kernel; Shawe-Taylor and Cristianini, Kernel Methods for Pattern "
    "Analysis, chapter 11; Machine Learning (Buhmann), slide 226",
    example="subjects()",
    formulas=words.FORMULAS,
    tries=words.TRIES,
    questions=(
        Question("How large is k of the two texts after the next letters?", "recursion", "metrics.kernel"),
        Question("Which two multipliers move next?", "machine", "shown.update.pair"),
        Question("How large is the duality gap after the next pair?", "machine", "metrics.gap"),
    ),
)
