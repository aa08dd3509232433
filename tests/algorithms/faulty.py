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
    DrawnSnapshot,
    Ended,
    Explanation,
    LazyViews,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
    Try,
)
from algorithms.data import Array, Item, Nothing, Points
from algorithms.marks import Assignment, Bars, Centres, Highlight, Isolines, Mark, Regions
from algorithms.params import Between, Doc, Live, Log, ParamError, When


@dataclass(frozen=True, slots=True)
class Params:
    order: Annotated[Literal["by number", "random"], Doc("Which class is learned first.")] = "by number"
    shrink: Annotated[float, Between(0.0, 1.0), Doc("How far the class means are pulled to the common mean.")] = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    means: Array  # (c, d)
    learned: tuple[int, ...]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    y = data.class_numbers("Nearest mean")
    count = len(data.classes)
    if len(np.unique(y)) < count:
        raise DataError("Every class needs at least one point.")
    first = data.X[[int(np.argmax(y == c)) for c in range(count)]]
    model = Model(first, ()) if start is None else start
    yield frame(data, model, "start", "The mean of a class is at first one of its points.")
    order = rng.permutation(count) if params.order == "random" else np.arange(count)
    for c in (int(c) for c in order if c not in model.learned):
        mean = (1 - params.shrink) * data.X[y == c].mean(axis=0) + params.shrink * data.X.mean(axis=0)
        means = np.where(np.arange(count)[:, None] == c, mean, model.means)
        model = Model(means, (*model.learned, c))
        yield frame(data, model, "learn", f"Class {c} has its mean.")
    return Stop.COMPLETE


def frame(data: Points, model: Model, phase: str, caption: str) -> DrawnSnapshot:
    labels = predict(model, data.X)
    views: dict[str, tuple[Mark, ...]] = {
        "plane": (Regions(), Assignment(labels), Centres(model.means)),
        "counts": (Bars(np.bincount(labels, minlength=len(model.means)).astype(float)),),
    }
    return DrawnSnapshot(model, views, {"errors": float((labels != data.y).sum())}, phase, caption)


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


def look_at(shot: DrawnSnapshot, data: Points, item: Item) -> DrawnSnapshot:
    counts = Bars(-field(shot.model, item.x[None])[0])
    return replace(shot, views={**shot.views, "counts": (counts,)})


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


def look_at_with_a_memory(shot: DrawnSnapshot, data: Points, item: Item) -> DrawnSnapshot:
    return replace(shot, views={**shot.views, "counts": (Bars(np.array([float(next(TURNS))])),)})


def look_at_and_speak(shot: DrawnSnapshot, data: Points, item: Item) -> DrawnSnapshot:
    return replace(look_at(shot, data, item), caption="This one is special.")


def look_at_elsewhere(shot: DrawnSnapshot, data: Points, item: Item) -> DrawnSnapshot:
    return replace(shot, views={**shot.views, "closer": (Bars(np.ones(1)),)})


def look_at_nobody(shot: DrawnSnapshot, data: Points, item: Item) -> DrawnSnapshot:
    return replace(shot, views={**shot.views, "plane": (Highlight(np.array([data.n]), "chosen", "it"),)})


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
    for turn in itertools.count():
        yield replace(frames[-1], caption=f"On and on, {turn} times.")


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


def run_shows_nothing_first(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    frames = run(data, params, rng, start)
    yield replace(next(frames), views={})
    return (yield from frames)


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


def run_with_a_memory(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    number = next(RUNS)
    for snapshot in run(data, params, rng, start):
        yield replace(snapshot, caption=f"This is run {number}.")
    return Stop.COMPLETE


def run_that_overwrites(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Yields a view of a buffer that it goes on writing into: the lock of the view does not protect it."""
    buffer = np.zeros(len(data.classes))
    for snapshot in run(data, params, rng, start):
        buffer += 1
        yield replace(snapshot, views={**snapshot.views, "counts": (Bars(buffer[:]),)})
    return Stop.COMPLETE


@dataclass(frozen=True, slots=True, eq=False)
class ModelWithList(Model):
    history: list[int]


def run_with_a_list(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    for snapshot in run(data, params, rng, start):
        yield replace(snapshot, model=ModelWithList(snapshot.model.means, snapshot.model.learned, []))
    return Stop.COMPLETE


class Painter:
    """Something that could change before its picture is asked for."""

    def __init__(self, views: Any) -> None:
        self.views = views

    def paint(self) -> Any:
        return self.views


def run_with_a_painter(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    for snapshot in run(data, params, rng, start):
        yield replace(snapshot, views=LazyViews(Painter(snapshot.views).paint))
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
    return (yield from changed_frames(data, params, rng, start, phase="lern"))


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


def run_without_caption(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    return (yield from changed_frames(data, params, rng, start, caption=""))


def run_counting_from_seven(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    for step, snapshot in enumerate(run(data, params, rng, start), start=7):
        yield replace(snapshot, caption=f"Step {step}: one more.")
    return Stop.COMPLETE


def run_epoch_seven(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    return (yield from changed_frames(data, params, rng, start, caption="Epoch 7: one more."))


def run_half_a_sentence(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    return (yield from changed_frames(data, params, rng, start, warning="Beware of"))


def run_other_panel(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    return (yield from changed_frames(data, params, rng, start, views={"bars": ()}))


def run_missing_points(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    return (yield from changed_frames(data, params, rng, start, views={"plane": (Highlight(np.array([data.n])),)}))


def run_short_assignment(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    views = {"plane": (Assignment(np.zeros(data.n - 1, dtype=int)),)}
    return (yield from changed_frames(data, params, rng, start, views=views))


@dataclass(frozen=True, slots=True, eq=False)
class Scribble:
    """Something to draw that no renderer knows."""


def run_own_mark(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    return (yield from changed_frames(data, params, rng, start, views={"plane": (Scribble(),)}))


def run_isolines(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    return (yield from changed_frames(data, params, rng, start, views={"plane": (Isolines(),)}))


def run_flat(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Draws the first two features of the means, however many there are."""
    for snapshot in run(data, params, rng, start):
        yield replace(snapshot, views={**snapshot.views, "plane": (Centres(snapshot.model.means[:, :2]),)})
    return Stop.COMPLETE


def run_in_another_space(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    return (yield from changed_frames(data, params, rng, start, views={"plane": (Bars(np.ones(2)),)}))


def run_field_on_axes(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    return (yield from changed_frames(data, params, rng, start, views={"counts": (Isolines(),)}))


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
            snapshot = frame(data, replace(snapshot.model, means=snapshot.model.means[order]), snapshot.phase, "So.")
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
    yield from run(data, params, rng, start)
    while start is not None and start.learned and data.name == "data" and data.X[0, 0] > 1.0:
        yield frame(data, start, "learn", "Waiting for the old points.")
    return Stop.COMPLETE


# --- the same method, which solves and is told ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    X: Array
    y: Array


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    learned: int = -1
    extra: Any = None


def solve(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Any]:
    """The models of the old form as snapshots of the new one."""
    given = Given(data.X, data.class_numbers("Nearest mean"))
    before: tuple[int, ...] = () if start is None else start.learned
    drawn = run(data, params, rng, start)
    while True:
        try:
            frame = next(drawn)
        except StopIteration as end:
            return end.value
        new = [c for c in frame.model.learned if c not in before]
        before = frame.model.learned
        yield Snapshot(given, frame.phase, frame.model, frame.metrics, Shown(new[0] if new else -1))


def tell_views(shot: Any) -> Any:
    labels = predict(shot.model, shot.given.X)
    return {
        "plane": (Regions(), Assignment(labels), Centres(shot.model.means)),
        "counts": (Bars(np.bincount(labels, minlength=len(shot.model.means)).astype(float)),),
    }


def tell_start(shot: Any) -> str:
    return "The mean of a class is at first one of its points."


def tell_learn(shot: Any) -> str:
    return f"Class {shot.shown.learned} has its mean."


TOLD = replace(
    CORRECT,
    run=solve,
    views=tell_views,
    captions={"start": tell_start, "learn": tell_learn},
    questions=(
        Question("Which class is learned next?", "learn", "shown.learned"),
        Question("Where do the means go?", "learn", "model.means"),
    ),
)
"""The correct algorithm in the new form."""

times_told = itertools.count()


def tell_views_with_a_memory(shot: Any) -> Any:
    return {**tell_views(shot), "counts": (Bars(np.full(2, float(next(times_told)))),)}


def warn_with_a_memory(shot: Any) -> str:
    return f"This is read for the {next(times_told)}th time."


def _extra(made: Any, data: Points, *given: Any) -> Run[Any]:
    """The solution, with something more to show in every frame."""
    solution = solve(data, *given)
    while True:
        try:
            frame = next(solution)
        except StopIteration as end:
            return end.value
        yield replace(frame, shown=replace(frame.shown, extra=made(data, frame)))


def solve_with_a_table(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Any]:
    return (
        yield from _extra(lambda data, _: np.abs(data.X[:, None] - data.X[None]).sum(axis=2), data, params, rng, start)
    )


def solve_with_copies(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Any]:
    return (yield from _extra(lambda data, _: data.X.copy(), data, params, rng, start))


def solve_and_tell_the_next(
    data: Points, params: Params, rng: np.random.Generator, start: Model | None = None
) -> Run[Any]:
    """The frame before has the answer to the question which class comes next."""
    frames = list(solve(data, params, rng, start))
    for frame, later in itertools.zip_longest(frames, frames[1:]):
        yield replace(frame, shown=replace(frame.shown, extra=-1 if later is None else later.shown.learned))
    return Stop.COMPLETE


def run_refuses_late(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """One class is refused, but after the first frame."""
    seen = run(data, params, rng, start)
    yield next(seen)
    if len(data.classes) < 2:
        raise DataError("There must be two classes.")
    return (yield from seen)
