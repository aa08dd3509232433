"""The contract: an algorithm is a pure generator of immutable snapshots.

Everything else in the laboratory only stores, shows, scrubs and exports snapshots. Because data, parameters and seed
fix every frame, stepping back is indexing, a replay is exact, and a test needs no window.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from algorithms.counterpart import Case, Counterpart
from algorithms.counting import Count
from algorithms.data import Array, Data, DataError, Item, Nothing, Points
from algorithms.data.magnitude import refuse_extreme_numbers
from algorithms.marks import Space
from algorithms.params import Field, schema, validated
from algorithms.played import Played
from algorithms.records import dataclass
from algorithms.snapshot import AnySnapshot, FrozenDict, Snapshot, Views
from algorithms.structure import arrays_in, frozen
from algorithms.trials import Trials

__all__ = [
    "Algorithm",
    "AnySnapshot",
    "Case",
    "Count",
    "Counterpart",
    "DataError",
    "Ended",
    "Explanation",
    "FrozenDict",
    "Item",
    "Line",
    "Metric",
    "Panel",
    "Question",
    "Run",
    "RunFunction",
    "Scores",
    "Snapshot",
    "Stop",
    "Try",
    "Views",
    "arrays_in",
    "frozen",
]


class Stop(enum.Enum):
    """Why a run ended."""

    CONVERGED = "converged"
    COMPLETE = "complete"
    LIMIT = "limit"
    DIVERGED = "diverged"

    @property
    def words(self) -> str:
        """The reason as the transport bar writes it."""
        return _STOP_WORDS[self]


_STOP_WORDS = {
    Stop.CONVERGED: "converged",
    Stop.COMPLETE: "complete",
    Stop.LIMIT: "stopped at the step limit",
    Stop.DIVERGED: "diverged",
}


@dataclass(frozen=True, slots=True)
class Ended:
    """Why a run ended, in its own words where those of the reason would mislead: ``Ended(Stop.LIMIT, "gave up")``."""

    stop: Stop
    words: str

    @classmethod
    def of(cls, returned: Any) -> Ended:
        """What a run returned: this, or only the reason."""
        if isinstance(returned, Ended):
            return returned
        if not isinstance(returned, Stop):
            raise TypeError("the run ended without saying why")
        return cls(returned, returned.words)


Shot = TypeVar("Shot")
Run = Generator[Shot, None, Stop | Ended]
"""A run: it yields the snapshots of its method and returns why it ended. ``Run[Shot]``."""
Explanation = dict[str, Any]
"""Named numbers and short texts that say why, for one item."""


class RunFunction(Protocol):
    """``run(data, params, rng, start=None)``: yields the initial state first and returns why it ended."""

    def __call__(self, data: Any, params: Any, rng: np.random.Generator, start: Any = None, /) -> Run[AnySnapshot]: ...


@dataclass(frozen=True, slots=True)
class Panel:
    """One view; the first panel of an algorithm is the large one.

    ``space`` says where its marks stand. ``data`` is the picture of the data itself, whatever kind they are: the plane
    of the points, the node-link picture of a graph, the strip of a series, the table of distances; there is at most one
    such panel, and for points its key is ``plane``. ``own`` are two free axes, always fitted; with ``surface`` they
    are a plane of its own that can be panned, in which ``field`` is evaluated. ``none`` is a diagram without axes, in
    one scale. Second views are tabs over each other; one that is to be seen together with them stands ``beside``,
    among the curves of the metrics. With ``integer_x`` x is a whole number, and nothing is written in between. One that
    is for ``pictures`` is there only when the points are rows of pixels, and one for a number of ``features`` only
    when they have so many. The place of a second view that is ``reserved`` is kept from the first frame on, because
    every run has something to show in it sooner or later: nothing else has to move when that comes.
    """

    key: str
    title: str
    space: Space = "own"
    x: str = ""
    y: str = ""
    log_x: bool = False
    log_y: bool = False
    beside: bool = False
    integer_x: bool = False
    surface: bool = False
    pictures: bool = False
    features: int = 0
    reserved: bool = False

    def suits(self, data: Data) -> bool:
        """Whether there can be anything to show of these data."""
        if self.features and not (isinstance(data, Points) and data.d == self.features):
            return False
        return not self.pictures or (isinstance(data, Points) and data.image_shape is not None)


@dataclass(frozen=True, slots=True)
class Metric:
    """A number recorded at every step and drawn as a curve. Metrics of one ``group`` share a plot.

    NaN means "not known yet": the curve has a gap there, a table an empty cell, a sentence a dash. It is never a 0 that
    is no value. A metric is known in the last frame, and never infinite.
    """

    name: str
    label: str
    group: str = ""
    log: bool = False
    better: Literal["lower", "higher", "neither"] = "lower"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of pseudo-code, lit while one of its phases is current; ``{name}`` is filled in from the metrics."""

    text: str
    phases: tuple[str, ...] = ()

    def __init__(self, text: str, *phases: str) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "phases", phases)


@dataclass(frozen=True, slots=True)
class Try:
    """Something to try, with what there is to be seen; a button in the help opens it and plays.

    ``data`` names a data set as on the command line (empty: the method's example); what ``params`` do not name is as
    declared. With ``method`` it is another method that is tried, on the data that are there. ``shows`` says whether a
    played run shows what the sentence claims; a test asks it for every try of every method.
    """

    text: str
    data: str = ""
    params: Mapping[str, Any] = dataclasses.field(default_factory=FrozenDict, hash=False)
    method: str = ""
    shows: Callable[[Played], bool] | None = dataclasses.field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", FrozenDict(self.params))

    def __reduce__(self) -> tuple[Any, ...]:
        return Try, (self.text, self.data, self.params, self.method)  # a claim may be a lambda, which has no pickle


@dataclass(frozen=True, slots=True)
class Question:
    """Something to ask about the next step: ``answer`` is a path into the next snapshot of ``phase``.

    ``Question("Which point is the next centre?", "seed", "shown.point")``
    """

    text: str
    phase: str
    answer: str

    def answered(self, snapshot: AnySnapshot) -> Any:
        """What a snapshot of the phase answers."""
        found: Any = snapshot
        for name in self.answer.split("."):
            found = found[name] if isinstance(found, Mapping) else getattr(found, name)
        return found


Scores = Literal["", "probability", "decision", "density", "value"]


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A frozen record of pure functions. One per module or package, found by :mod:`algorithms.registry`.

    Parameters
    ----------
    views : function of (snapshot)
        What to draw in each panel, bottom layer first. Pure: it reads the snapshot only.
    captions : mapping of phase to function of (snapshot)
        One sentence for the student, with numbers; the phases are those of the pseudo-code.
    accepts : kinds of data
        What ``run`` can work on; empty for a method that needs no data (its data are then ``Nothing``).
    target : {"none", "classes", "values", "any"}
        What the algorithm wants of the ``y`` of points: nothing, classes, values, or either.
    predict, field : function of (model, X)
        The answer for new rows; the real-valued surface.
    scores : {"", "probability", "decision", "density", "value"}
        What ``field`` means for a row of the data. Evaluation, threshold and shading read this. A method with the
        target ``any`` gives a value where the target is one, see :meth:`scores_on`.
    explain : function of (model, data, item)
        Why, for one item.
    looks : bool
        The views read ``focus``, the item that is hovered or pinned, and then show what concerns it.
    focused_model : function of (snapshot)
        For a method that ``looks``: the model whose field is drawn while an item is in ``focus``, where it is another.
    warning : function of (snapshot)
        A sentence when something about this run deserves doubt; read at every step, so cheap.
    adopt : function of (data, params, foreign)
        Somebody else's run as snapshots of this method, for :func:`algorithms.show`.
    questions : tuple of Question
        What can be asked about the next step; two or more.
    transform, inverse : function of (model, X) and (model, Z)
        New rows in the map, and places of the map as rows.
    sample : function of (model, n, rng)
        New data drawn from the model, of the kind that the method accepts.
    counterpart : function of (params, case)
        The same in scikit-learn, networkx or hmmlearn, for a script; ``case`` knows data and seed, or is None.
    fit_many : function of (data, jobs)
        The models of many runs at once, where that is much quicker than run by run: each job says which rows learn, and
        with which parameters. Each model answers as the last one of its run would; None where only a run can tell.
    trials : Trials
        For a method that fits many others: how far it is, and what each of them was.
    resumes : bool
        ``run`` accepts a model as ``start``.
    continues : bool
        A run that goes on from a model is the same training: its steps are counted on, on the same time line.
    count : Count
        What the method counts itself, where a step of the time line is not always one more of it.
    lazy : bool
        The method learns nothing before it is asked, so its first model may be its last.
    most : int, optional
        How many items the data may have, where a table of all pairs is kept; the form says so, ``run`` refuses more.
    reads_categories : bool
        The method tells the values of a category apart; for the others a category becomes indicator columns.
    ignores_scale : bool
        The unit of a feature makes no difference: a feature times ten gives the same answer.
    example : str
        A data set on which the method shows itself best.
    synonyms : tuple of str
        Other names under which people look for it.
    formulas : tuple of str
        What the method computes, in LaTeX, one line each; the help sets them. One or more.
    tries : tuple of Try
        What to try, for the help; two or more.
    related : tuple of Try
        Other methods that are worth seeing on the same data; each names its ``method``.
    """

    key: str
    title: str
    family: str
    summary: str
    params: type
    run: RunFunction
    panels: tuple[Panel, ...]
    metrics: tuple[Metric, ...]
    pseudocode: tuple[Line, ...]
    reference: str
    views: Callable[[Any], Views]
    captions: Mapping[str, Callable[[Any], str]] = dataclasses.field(hash=False)
    accepts: tuple[type[Data], ...] = (Points,)
    target: Literal["none", "classes", "values", "any"] = "none"
    predict: Callable[[Any, Any], Array] | None = None
    field: Callable[[Any, Array], Array] | None = None
    scores: Scores = ""
    explain: Callable[[Any, Any, Item], Explanation] | None = None
    looks: bool = False
    focused_model: Callable[[Any], Any] | None = None
    warning: Callable[[Any], str | None] | None = None
    adopt: Callable[[Any, Any, Iterator[Any]], Iterator[AnySnapshot]] | None = None
    questions: tuple[Question, ...] = ()
    transform: Callable[[Any, Array], Array] | None = None
    inverse: Callable[[Any, Array], Array] | None = None
    sample: Callable[[Any, int, np.random.Generator], Data] | None = None
    counterpart: Callable[[Any, Case | None], Counterpart | None] | None = None
    fit_many: Callable[[Any, Sequence[tuple[Array, Any]]], list[Any]] | None = None
    trials: Trials | None = None
    resumes: bool = False
    continues: bool = False
    count: Count | None = None
    lazy: bool = False
    most: int | None = None
    reads_categories: bool = False
    ignores_scale: bool = False
    example: str = "blobs(n=300,noise=1,seed=1)"
    synonyms: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()
    tries: tuple[Try, ...] = ()
    related: tuple[Try, ...] = ()

    @property
    def fields(self) -> tuple[Field, ...]:
        """The declared parameters."""
        return schema(self.params)

    @property
    def data_panel(self) -> Panel | None:
        """The panel that shows the data themselves, if there is one."""
        return next((panel for panel in self.panels if panel.space == "data"), None)

    def panels_on(self, data: Data) -> tuple[Panel, ...]:
        """The panels that suit these data; the first one is the large one."""
        return tuple(panel for panel in self.panels if panel.suits(data))

    @property
    def data_kinds(self) -> tuple[type[Data], ...]:
        """The kinds of data that can be on the desk: those it accepts, or nothing."""
        return self.accepts or (Nothing,)

    def takes(self, data: Data) -> bool:
        """Whether the method works on data of this kind."""
        return isinstance(data, self.data_kinds)

    def wants(self, data: Data) -> str:
        """What is to be done before the method can begin on empty data, as a sentence; empty when there are some."""
        if not self.accepts or data.n or isinstance(data, Nothing):
            return ""
        also = {"classes": " of two classes", "any": " of two classes", "values": ": their height is the target"}
        return type(data).invitation + (also.get(self.target, "") if isinstance(data, Points) else "") + "."

    def counted_at(self, model: Any) -> str:
        """What the method has counted up to a model, in words; empty where it counts steps."""
        return "" if self.count is None else self.count.words(model)

    def scores_on(self, data: Data) -> Scores:
        """What ``field`` means on these data."""
        if self.field is None or self.scores == "":
            return ""
        valued = self.target == "any" and isinstance(data, Points) and data.is_valued
        return "value" if valued else self.scores

    def make_params(self, values: Mapping[str, Any]) -> Any:
        """The parameters with these values, checked by name."""
        return validated(self.params, values, owner=self.key)

    def drawn(self, model: Any, data: Data, n: int, rng: np.random.Generator) -> Data:
        """New data drawn from a model, with the names of those from which it has learned."""
        if self.sample is None:
            raise DataError(f"{self.title} has no model from which data could be drawn.")
        new = self.sample(model, n, rng)
        if isinstance(new, Points) and isinstance(data, Points):
            return new.named_like(data, self.target != "none")
        return new

    def start(self, data: Any, params: Any, seed: int, start: Any = None) -> Run[AnySnapshot]:
        """A run with its own random numbers: the one way in which runs are begun; never on no data."""
        if self.wants(data):
            raise DataError(f"{self.title} has nothing to work on yet: there are {data.counted()}.")
        refuse_extreme_numbers(data)
        return self._told(self.run(data, params, np.random.default_rng(seed), start))

    def _told(self, run: Run[AnySnapshot]) -> Run[AnySnapshot]:
        """The same snapshots, with the method that draws and says them."""
        tell = object.__setattr__
        try:
            while True:
                snapshot = next(run)
                tell(snapshot, "told_by", self)
                yield snapshot
        except StopIteration as end:
            ended: Stop | Ended = end.value
            return ended
        finally:
            run.close()

    def focused(self, snapshot: AnySnapshot, item: Item) -> AnySnapshot:
        """The snapshot while an item is looked at; as it is under a method that does not look."""
        if not self.looks:
            return snapshot
        closer = dataclasses.replace(snapshot, focus=item)
        return closer if self.focused_model is None else dataclasses.replace(closer, model=self.focused_model(closer))

    def shows(self, foreign: Iterator[Any], data: Any, params: Any) -> Iterator[AnySnapshot]:
        """The snapshots of a run that somebody else has written, as the method understands what it yields."""
        if self.adopt is None:
            raise DataError(f"{self.title} cannot show a run of your own.")
        if not self.takes(data) or self.wants(data):
            raise DataError(f"{self.title} has nothing to work on yet: there are {data.counted()}.")
        refuse_extreme_numbers(data)
        for snapshot in self.adopt(data, params, foreign):
            object.__setattr__(snapshot, "told_by", self)
            yield snapshot
