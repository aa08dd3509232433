"""A tiny correct algorithm (nearest class mean) and pieces with one fault each, put together in ``test_checks_bite``.

Everything stands at the top level of the module, as in a real algorithm, because pickling finds functions by name.
"""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

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
    Try,
    Views,
)
from algorithms.data import Array, Item, Nothing, Points
from algorithms.marks import Assignment, Bars, Centres, Highlight, Isolines, Regions
from algorithms.params import Between, Doc, Live, Log, ParamError, When


@dataclass(frozen=True, slots=True)
class Params:
    order: Annotated[Literal["by number", "random"], Doc("Which class is learned first.")] = "by number"
    shrink: Annotated[float, Between(0.0, 1.0), Doc("How far the class means are pulled to the common mean.")] = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    means: Array  # (c, d)
    learned: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    X: Array
    y: Array


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    learned: int = -1
    extra: Any = None


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Any]:
    y = data.class_numbers("Nearest mean")
    count = len(data.classes)
    if len(np.unique(y)) < count:
        raise DataError("Every class needs at least one point.")
    given = Given(data.X.copy(), y)
    first = data.X[[int(np.argmax(y == c)) for c in range(count)]]
    model = Model(first, ()) if start is None else start
    yield shot_of(given, model, "start", Shown())
    order = rng.permutation(count) if params.order == "random" else np.arange(count)
    for c in (int(c) for c in order if c not in model.learned):
        mean = (1 - params.shrink) * data.X[y == c].mean(axis=0) + params.shrink * data.X.mean(axis=0)
        means = np.where(np.arange(count)[:, None] == c, mean, model.means)
        model = Model(means, (*model.learned, c))
        yield shot_of(given, model, "learn", Shown(c))
    return Stop.COMPLETE


def shot_of(given: Given, model: Model, phase: str, shown: Shown) -> Any:
    errors = float((predict(model, given.X) != given.y).sum())
    return Snapshot(given, phase, model, {"errors": errors}, shown)


def views(shot: Any) -> Views:
    labels = predict(shot.model, shot.given.X)
    counts = np.bincount(labels, minlength=len(shot.model.means)).astype(float)
    return {"plane": (Regions(), Assignment(labels), Centres(shot.model.means)), "counts": (Bars(counts),)}


def tell_start(shot: Any) -> str:
    return "The mean of a class is at first one of its points."


def tell_learn(shot: Any) -> str:
    return f"Class {shot.shown.learned} has its mean."


CAPTIONS = {"start": tell_start, "learn": tell_learn}


def predict(model: Model, X: Array) -> Array:
    return field(model, X).argmax(axis=1)


def field(model: Model, X: Array) -> Array:
    """The negative distance to each mean, found without squares so that huge values do not overflow."""
    offsets = np.abs(X[:, None, :] - model.means[None])
    largest = offsets.max(axis=2, keepdims=True)
    scaled = offsets / np.where(largest > 0, largest, 1.0)
    return -largest[..., 0] * np.sqrt(np.square(scaled).sum(axis=2))


def explain(model: Model, data: Points, item: Item) -> Explanation:
    return {f"distance to {name}": -value for name, value in zip(data.classes, field(model, item.x[None])[0])}


def views_of_item(shot: Any) -> Views:
    """The distances of the item that is looked at, in place of the counts."""
    counts = () if shot.focus is None else (Bars(-field(shot.model, shot.focus.x[None])[0]),)
    return {**views(shot), **({"counts": counts} if counts else {})}


CORRECT = Algorithm(
    key="faulty",
    title="Nearest class mean",
    family="classification",
    summary="Gives a point to the class whose mean is nearest.",
    params=Params,
    run=run,
    panels=(Panel("plane", "Data", space="data"), Panel("counts", "Points per class")),
    metrics=(Metric("errors", "Errors"),),
    pseudocode=(Line("begin with one point per class", "start"), Line("learn a mean; errors {errors}", "learn")),
    reference="Duda and Hart, section 2.6",
    formulas=(r"\hat{y} = \operatorname{argmin}_k \|x - \mu_k\|",),
    tries=(Try("Nearest means.", "blobs(n=30)"), Try("All means are one.", params={"shrink": 1.0})),
    views=views,
    captions=CAPTIONS,
    questions=(
        Question("Which class is learned next?", "learn", "shown.learned"),
        Question("Where do the means go?", "learn", "model.means"),
    ),
    target="classes",
    predict=predict,
    field=field,
    scores="decision",
    explain=explain,
    resumes=True,
)


# --- faults of the declaration --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WithoutDoc(Params):
    width: Annotated[float, Between(0.1, 1.0)] = 0.5


@dataclass(frozen=True, slots=True)
class WithoutRange(Params):
    width: Annotated[float, Doc("The width.")] = 0.5


@dataclass(frozen=True, slots=True)
class LogFromZero(Params):
    width: Annotated[float, Between(0.0, 1.0), Log, Doc("The width.")] = 0.5


@dataclass(frozen=True, slots=True)
class WaitsForNothing(Params):
    width: Annotated[float, Between(0.1, 1.0), When("order", "backwards"), Doc("The width.")] = 0.5


@dataclass(slots=True)
class Thawed:
    order: Annotated[Literal["by number", "random"], Doc("Which class is learned first.")] = "by number"
    shrink: Annotated[float, Between(0.0, 1.0), Doc("How far the class means are pulled to the common mean.")] = 0.0


@dataclass(frozen=True, slots=True)
class AlwaysLive(Params):
    width: Annotated[float, Between(0.1, 1.0), Live, Doc("The width.")] = 0.5


class Credulous(Algorithm):
    """Takes every value as it comes."""

    __slots__ = ()

    def make_params(self, values: Mapping[str, Any]) -> Any:
        return self.params(**{name: value for name, value in values.items() if name in ("order", "shrink")})


class Nameless(Algorithm):
    """Refuses bad values without saying which."""

    __slots__ = ()

    def make_params(self, values: Mapping[str, Any]) -> Any:
        try:
            return Algorithm.make_params(self, values)
        except ParamError:
            raise ParamError("This is not allowed.") from None


def of_class(kind: type[Algorithm]) -> Algorithm:
    return kind(**{name: getattr(CORRECT, name) for name in Algorithm.__slots__})


def fit_many(data: Points, jobs: Any) -> list[Any]:
    models = []
    for rows, params in jobs:
        *_, last = CORRECT.start(data.rows(rows), params, 0)
        models.append(last.model)
    return models


def fit_many_upside_down(data: Points, jobs: Any) -> list[Any]:
    return [replace(model, means=-model.means) for model in fit_many(data, jobs)]


def fit_none(data: Points, jobs: Any) -> list[Any]:
    return []


def views_of_item_with_a_memory(shot: Any) -> Views:
    return views(shot) if shot.focus is None else {**views(shot), "counts": (Bars(np.array([float(next(TURNS))])),)}


def tell_of_item(shot: Any) -> str:
    return tell_learn(shot) if shot.focus is None else "This one is special."


def views_of_item_elsewhere(shot: Any) -> Views:
    return views(shot) if shot.focus is None else {**views(shot), "closer": (Bars(np.ones(1)),)}


def views_of_nobody(shot: Any) -> Views:
    nobody = Highlight(np.array([len(shot.given.X)]), "chosen", "it")
    return views(shot) if shot.focus is None else {**views(shot), "plane": (nobody,)}


TURNS = itertools.count()


# --- faults of the run ----------------------------------------------------------------------------------------------


def run_without_stop(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Any:
    yield from run(data, params, rng, start)


def run_with_a_lecture(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    yield from run(data, params, rng, start)
    return Ended(Stop.COMPLETE, "All classes have been looked at, one after the other, and each has got its mean.")


def run_with_usual_words(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    yield from run(data, params, rng, start)
    return Ended(Stop.COMPLETE, "converged")


@dataclass(frozen=True, slots=True)
class Limited(Params):
    max_steps: Annotated[int, Between(10, 1000), Doc("Most steps.")] = 1000


def run_blames_the_limit(data: Points, params: Limited, rng: np.random.Generator, start: Model | None = None) -> Run:
    yield from run(data, params, rng, start)
    return Stop.LIMIT


def run_without_end(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    yield from (frames := list(run(data, params, rng, start)))
    while True:
        yield replace(frames[-1])


def run_learned_first(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    frames = list(run(data, params, rng, start))
    yield replace(frames[-1], phase="start")
    yield from frames[1:]
    return Stop.COMPLETE


def run_begins_late(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    frames = run(data, params, rng, start)
    first = next(frames)
    yield replace(first, phase="learn")
    yield first
    return (yield from frames)


def views_of_nothing_first(shot: Any) -> Views:
    return {} if shot.phase == "start" else views(shot)


def run_that_clings(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Does not let go at its last frame, as a careless ``except`` around a yield does."""
    for snapshot in run(data, params, rng, start):
        try:
            yield snapshot
        except GeneratorExit:
            if len(snapshot.model.learned) == len(data.classes):
                yield snapshot
            return Stop.COMPLETE
    return Stop.COMPLETE


GATE = threading.Event()


def run_with_a_thread(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    threading.Thread(target=GATE.wait, name="faulty", daemon=True).start()
    return (yield from run(data, params, rng, start))


RUNS = itertools.count()


def with_extra(snapshot: Any, extra: Any) -> Any:
    return replace(snapshot, shown=replace(snapshot.shown, extra=extra))


def run_with_a_memory(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    number = next(RUNS)
    for snapshot in run(data, params, rng, start):
        yield with_extra(snapshot, number)
    return Stop.COMPLETE


def run_that_overwrites(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Yields a view of a buffer that it goes on writing into: the lock of the view does not protect it."""
    buffer = np.zeros(len(data.classes))
    for snapshot in run(data, params, rng, start):
        buffer += 1
        yield with_extra(snapshot, buffer[:])
    return Stop.COMPLETE


@dataclass(frozen=True, slots=True, eq=False)
class ModelWithList(Model):
    history: list[int]


def run_with_a_list(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    for snapshot in run(data, params, rng, start):
        yield replace(snapshot, model=ModelWithList(snapshot.model.means, snapshot.model.learned, []))
    return Stop.COMPLETE


def run_with_a_list_to_show(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    for snapshot in run(data, params, rng, start):
        yield with_extra(snapshot, [])
    return Stop.COMPLETE


@dataclass(slots=True, eq=False)
class ThawedModel:
    means: Array
    learned: tuple[int, ...]


def run_with_thawed_model(data: Points, params: Params, rng: np.random.Generator, start: Any = None) -> Run:
    for snapshot in run(data, params, rng, start):
        yield replace(snapshot, model=ThawedModel(snapshot.model.means, snapshot.model.learned))
    return Stop.COMPLETE


def run_global_numpy(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    np.random.random()
    return (yield from run(data, params, rng, start))


def run_global_python(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    random.random()
    return (yield from run(data, params, rng, start))


def run_silences_numpy(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    with np.errstate(all="ignore"):
        return (yield from run(data, params, rng, start))


def run_touches_data(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    data.X.flags.writeable = True
    return (yield from run(data, params, rng, start))


def predict_shifts_in_place(model: Model, X: Array) -> Array:
    """Shifts and shifts back, which changes the last digits of the caller's numbers."""
    if X.flags.writeable:
        X += 1e4 / 3
        X -= 1e4 / 3
    return predict(model, X)


# --- faults of the frames -------------------------------------------------------------------------------------------


def changed_frames(data: Points, params: Params, rng: Any, start: Any, **changes: Any) -> Run:
    """The correct run with the last frames changed."""
    for number, snapshot in enumerate(run(data, params, rng, start)):
        yield snapshot if number == 0 else replace(snapshot, **changes)
    return Stop.COMPLETE


def run_unlit_phase(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """The last class is learned in a phase that has a caption and no line."""
    for snapshot in run(data, params, rng, start):
        last = len(snapshot.model.learned) == len(data.classes)
        yield replace(snapshot, phase="lern") if last else snapshot
    return Stop.COMPLETE


class LenientCaptions(dict[str, Any]):
    """Has a sentence for every phase."""

    def __missing__(self, phase: str) -> Any:
        return tell_learn


LENIENT = LenientCaptions(CAPTIONS)


def run_other_metrics(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    return (yield from changed_frames(data, params, rng, start, metrics={"mistakes": 1.0}))


def run_infinite_metric(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    for snapshot in run(data, params, rng, start):
        bad = snapshot.phase == "learn" and len(data.classes) == 2 and np.bincount(data.y).min() > 10
        yield replace(snapshot, metrics={"errors": float("inf")}) if bad else snapshot
    return Stop.COMPLETE


def run_metric_is_never_known(
    data: Points, params: Params, rng: np.random.Generator, start: Model | None = None
) -> Run:
    return (yield from changed_frames(data, params, rng, start, metrics={"errors": float("nan")}))


def run_metric_is_known_late(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    for snapshot in run(data, params, rng, start):
        yield replace(snapshot, metrics={"errors": float("nan")}) if snapshot.phase == "start" else snapshot
    return Stop.COMPLETE


def tell_nothing(shot: Any) -> str:
    return ""


def tell_steps_from_seven(shot: Any) -> str:
    return f"Step {len(shot.model.learned) + 7}: one more."


def tell_epoch_seven(shot: Any) -> str:
    return "Epoch 7: one more."


EPOCH_SEVEN = {**CAPTIONS, "learn": tell_epoch_seven}


def warn_half_a_sentence(shot: Any) -> str:
    return "" if shot.phase == "start" else "Beware of"


def later(shot: Any, others: Views) -> Views:
    """The correct views in the first frame, others after it."""
    return views(shot) if shot.phase == "start" else others


def views_in_other_panel(shot: Any) -> Views:
    return later(shot, {"bars": ()})


def views_of_missing_points(shot: Any) -> Views:
    return later(shot, {"plane": (Highlight(np.array([len(shot.given.X)])),)})


def views_short_of_one(shot: Any) -> Views:
    return later(shot, {"plane": (Assignment(np.zeros(len(shot.given.X) - 1, dtype=int)),)})


@dataclass(frozen=True, slots=True, eq=False)
class Scribble:
    """Something to draw that no renderer knows."""


def views_own_mark(shot: Any) -> Any:
    return later(shot, {"plane": (Scribble(),)})  # type: ignore[dict-item]


def views_isolines(shot: Any) -> Views:
    return {**views(shot), "plane": (Isolines(),)}


def views_flat(shot: Any) -> Views:
    """Draws the first two features of the means, however many there are."""
    return {**views(shot), "plane": (Centres(shot.model.means[:, :2]),)}


def views_in_another_space(shot: Any) -> Views:
    return later(shot, {"plane": (Bars(np.ones(2)),)})


def views_field_on_axes(shot: Any) -> Views:
    return later(shot, {"counts": (Isolines(),)})


# --- faults of the answers ------------------------------------------------------------------------------------------


def predict_column(model: Model, X: Array) -> Array:
    return predict(model, X)[:, None]


def predict_squeezed(model: Model, X: Array) -> Array:
    return predict(model, X).squeeze()


def predict_beyond(model: Model, X: Array) -> Array:
    """Far outside, the number of a class that does not exist."""
    return np.where(field(model, X).max(axis=1) < -10.0, len(model.means), predict(model, X))


def field_relative(model: Model, X: Array) -> Array:
    """A value relative to the points asked about, so that the picture would change with the raster's tiles."""
    values = field(model, X)
    return values - (values.mean() if len(X) else 0.0)


def field_not_finite(model: Model, X: Array) -> Array:
    """Gives up far outside, as the logarithm of a density that has underflowed does."""
    values, spread = field(model, X), float(np.ptp(model.means, axis=0).max())
    return np.where((1 < spread < 100) & (values < -4 * spread), -np.inf, values)


def explain_nothing(model: Model, data: Points, item: Item) -> Explanation:
    return {}


def explain_with_array(model: Model, data: Points, item: Item) -> Explanation:
    return {"distances": field(model, item.x[None])[0]}


def explain_nan(model: Model, data: Points, item: Item) -> Explanation:
    return {"distance": float("nan")}


def explain_the_first(model: Model, data: Points, item: Item) -> Explanation:
    return explain(model, data, item) if item.number == 0 else {}


def field_opposite(model: Model, X: Array) -> Array:
    """The distance instead of the negative one: its largest value is the farthest class."""
    return -field(model, X)


def field_of_the_next(model: Model, X: Array) -> Array:
    """Every class gets what belongs to the class before it."""
    return np.roll(field(model, X), 1, axis=1)


def predict_the_next(model: Model, X: Array) -> Array:
    return field_of_the_next(model, X).argmax(axis=1)


def run_by_appearance(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Counts the classes in the order in which they appear among the rows."""
    order = np.argsort(np.unique(np.asarray(data.y), return_index=True)[1]) if data.is_labelled else ()
    for snapshot in run(data, params, rng, start):
        if start is None and len(order) == len(snapshot.model.means):
            model = replace(snapshot.model, means=snapshot.model.means[order])
            snapshot = shot_of(snapshot.given, model, snapshot.phase, snapshot.shown)
        yield snapshot
    return Stop.COMPLETE


def transform(model: Model, X: Array) -> Array:
    return X - model.means[0]


def transform_flat(model: Model, X: Array) -> Array:
    return X[:, 0]


def transform_centred(model: Model, X: Array) -> Array:
    """Depends on the points asked about."""
    return X - X.mean(axis=0)


def inverse_short(model: Model, Z: Array) -> Array:
    return Z[:, :0]


def sample(model: Model, n: int, rng: np.random.Generator) -> Points:
    return Points(rng.normal(size=(n, model.means.shape[1])))


def sample_one_more(model: Model, n: int, rng: np.random.Generator) -> Points:
    return sample(model, n + 1, rng)


def sample_unseeded(model: Model, n: int, rng: np.random.Generator) -> Points:
    return sample(model, n, np.random.default_rng())


def sample_flat(model: Model, n: int, rng: np.random.Generator) -> Points:
    return Points(rng.normal(size=(n, model.means.shape[1] + 1)))


def sample_nothing(model: Model, n: int, rng: np.random.Generator) -> Any:
    return Nothing()


def counterpart(params: Params, case: Case | None) -> Counterpart:
    known = "" if case is None else f"metric={case.seed}"
    return Counterpart("import sklearn.neighbors", f"NearestCentroid({known})", "ours - theirs", "a difference")


def counterpart_unfinished(params: Params, case: Case | None) -> Counterpart:
    """Is wrong only when there is a case, and another order than usual."""
    broken = case is not None and params.order == "random"
    return replace(counterpart(params, case), **({"make": "NearestCentroid("} if broken else {}))


def counterpart_muttering(params: Params, case: Case | None) -> Counterpart:
    return replace(counterpart(params, case), caveat="more or less")


def field_lambda() -> Any:
    return lambda model, X: field(model, X)


class ForgetfulText(str):
    """A text that loses its contents in a pickle."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return ForgetfulText, ("",)

    def __deepcopy__(self, memo: Any) -> ForgetfulText:
        return self


@dataclass(frozen=True, slots=True, eq=False)
class ModelWithText(Model):
    text: str


def run_forgets(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    for snapshot in run(data, params, rng, start):
        yield replace(snapshot, model=ModelWithText(snapshot.model.means, snapshot.model.learned, ForgetfulText("x")))
    return Stop.COMPLETE


# --- faults on hard cases -------------------------------------------------------------------------------------------


def run_divides(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Standardises without looking: a constant column divides by zero, which is only a warning in NumPy."""
    assert (data.X / data.X.std(axis=0)).shape == data.X.shape
    return (yield from run(data, params, rng, start))


def run_asserts(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    if data.n < 2:
        raise ValueError("There are too few points.")
    return (yield from run(data, params, rng, start))


def run_mutters(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    if data.n < 2:
        raise DataError("too few")
    return (yield from run(data, params, rng, start))


def run_dislikes_zero(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    if params.shrink == 1.0:
        raise ZeroDivisionError
    return (yield from run(data, params, rng, start))


def run_starts_again(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    return (yield from run(data, params, rng, None))


def run_needs_same_points(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Goes on for ever when the points are not those of the model it goes on from."""
    yield from (frames := list(run(data, params, rng, start)))
    while start is not None and start.learned and data.name == "data" and data.X[0, 0] > 1.0:
        yield replace(frames[-1])
    return Stop.COMPLETE


# --- faults of what is seen and said, and of what a frame keeps -------------------------------------------------------

times_told = itertools.count()


def views_with_a_memory(shot: Any) -> Views:
    return {**views(shot), "counts": (Bars(np.full(2, float(next(times_told)))),)}


def warn_with_a_memory(shot: Any) -> str:
    return f"This is read for the {next(times_told)}th time."


def run_with_a_table(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Any]:
    for snapshot in run(data, params, rng, start):
        yield with_extra(snapshot, np.abs(data.X[:, None] - data.X[None]).sum(axis=2))
    return Stop.COMPLETE


def run_with_copies(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Any]:
    for snapshot in run(data, params, rng, start):
        yield with_extra(snapshot, data.X.copy())
    return Stop.COMPLETE


def run_and_tell_the_next(
    data: Points, params: Params, rng: np.random.Generator, start: Model | None = None
) -> Run[Any]:
    """The frame before has the answer to the question which class comes next."""
    frames = list(run(data, params, rng, start))
    for frame, then in itertools.zip_longest(frames, frames[1:]):
        yield with_extra(frame, -1 if then is None else then.shown.learned)
    return Stop.COMPLETE


def run_refuses_late(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """One class is refused, but after the first frame."""
    seen = run(data, params, rng, start)
    yield next(seen)
    if len(data.classes) < 2:
        raise DataError("There must be two classes.")
    return (yield from seen)
