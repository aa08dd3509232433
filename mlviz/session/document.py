"""The document: everything that fixes what is seen, as one immutable value.

Undo is then a list of old values, saving is writing one down, and "what must be computed again?" is a comparison.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from algorithms import registry
from algorithms.contract import Algorithm, FrozenDict
from algorithms.data import Array, Data, Nothing, Points
from algorithms.data.magnitude import refuse_extreme_numbers
from algorithms.data.points import Scale
from algorithms.data.readiness import coded_for, suggested_scale
from algorithms.data.scaling import AS_GIVEN, Scaling, scaled
from algorithms.fitting import refuse_other_kinds
from algorithms.params import as_dict
from algorithms.records import dataclass
from algorithms.suggestions import suggested_params
from mlviz.session.comparison import ALONE, Comparison, Setting, checked_seed
from mlviz.session.first_look import telling_axes
from mlviz.session.lesson import NO_LESSON, Lesson, Slide
from mlviz.session.places import without_places
from mlviz.session.projection import Axes, PrincipalPlane, Projection, is_seen_by_pca, valid_axes


@dataclass(frozen=True, slots=True)
class Document:
    """A data set, an algorithm with its parameters, a seed, and the two features that are looked at.

    The parameters are completed with the defaults and checked, so a document that exists can be run. Axes that the
    data does not have become the first two.

    Raises
    ------
    UnknownAlgorithm, ParamError, ValueError
        With a full sentence, when a part is refused.
    """

    data: Data
    algorithm: str
    params: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    seed: int = 0
    axes: Axes = (0, 1)
    """Two features by number, or the plane of the principal components as it was when it was chosen."""
    colours: tuple[str, ...] = ()
    """Colours the user gave to classes and clusters, by number, as ``#rrggbb``; empty where the theme's is meant."""
    scaling: Scaling = AS_GIVEN
    """What was done to the features of ``data``, where these are points; otherwise on which scale points come back."""
    shelf: tuple[Data, ...] = ()
    """The last data set of every other kind, latest first: what a method of that kind will work on. Points as given."""

    memory: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    """The parameters of other methods as they were when these were left, without what is the default anyway."""

    sources: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Where the data of each kind came from: a generator call, or a file; edits do not change that."""

    given: Mapping[str, Data] = dataclasses.field(default_factory=dict, compare=False, repr=False)
    """The data of each kind as they came from a file or the clipboard, before any edit; no file keeps them."""

    comparison: Comparison = ALONE
    """Other settings that are looked at beside this one, on the same data; those that cannot take the data go."""

    lesson: Lesson = NO_LESSON
    """The states that a lecture goes through; a part of the document, so that one history, one file and one star do."""

    def __post_init__(self) -> None:
        method = registry.find(self.algorithm)
        refuse_other_kinds(method, self.data)
        refuse_extreme_numbers(self.data)  # they could neither be computed with nor drawn
        if isinstance(self.data, Points) and self.data.scale != self.scaling.kind:
            object.__setattr__(self, "data", dataclasses.replace(self.data, scale=self.scaling.kind))
        object.__setattr__(self, "params", FrozenDict(as_dict(method.make_params(self.params))))
        object.__setattr__(self, "memory", _frozen({key: _frozen(kept) for key, kept in self.memory.items()}))
        object.__setattr__(self, "sources", _frozen(self.sources))
        object.__setattr__(self, "given", _frozen(self.given))
        object.__setattr__(self, "seed", checked_seed(self.seed))
        object.__setattr__(self, "axes", _checked_axes(self.axes, self.data))
        object.__setattr__(self, "colours", checked_colours(self.colours))
        object.__setattr__(self, "comparison", self.comparison.on(self.data))

    @property
    def method(self) -> Algorithm:
        """The algorithm itself."""
        return registry.find(self.algorithm)

    @property
    def points(self) -> Points:
        """The data of a document that is known to hold points."""
        assert isinstance(self.data, Points)
        return self.data

    @property
    def source(self) -> str:
        """Where the data came from; empty when nobody knows."""
        return self.sources.get(self.data.kind, "")

    def with_source(self, source: str) -> Document:
        """The same with another word about where its data came from; what was given before is forgotten."""
        given = {kind: data for kind, data in self.given.items() if kind != self.data.kind}
        return dataclasses.replace(self, sources={**self.sources, self.data.kind: source}, given=given)

    def without_places(self) -> Document:
        """The same without parameters that hold places of the data: other data have come."""
        memory = {key: without_places(registry.find(key), kept) for key, kept in self.memory.items()}
        others = tuple(
            Setting(other.algorithm, without_places(other.method, other.params), other.seed)
            for other in self.comparison.others
        )
        return dataclasses.replace(
            self,
            params=without_places(self.method, self.params),
            memory={key: kept for key, kept in memory.items() if kept},
            comparison=dataclasses.replace(self.comparison, others=others),
        )

    def as_given(self) -> Document:
        """The same, whose data have just come and were not edited yet."""
        data = self.scaling.undone(self.data) if isinstance(self.data, Points) else self.data
        return dataclasses.replace(self, given={**self.given, data.kind: data})

    def edited(self, given: Data) -> bool:
        """Whether the data are no longer the given ones, whatever the scale of their features."""
        data = self.scaling.undone(self.data) if isinstance(self.data, Points) else self.data
        if data is given:
            return False
        mine, its = data.arrays(), given.arrays()
        alike = data.facts() == given.facts() and mine.keys() == its.keys()
        return not (alike and all(_alike(mine[name], its[name]) for name in mine))

    @property
    def projection(self) -> Projection:
        """How the data is seen in the plane."""
        return Projection.of(self.data, self.axes) if isinstance(self.data, Points) else Projection()

    def seen_like(self, other: Document) -> bool:
        """Whether two documents are seen in the same plane: the same columns of the same data set."""
        mine, its = self.data, other.data
        if (mine.kind, mine.name) != (its.kind, its.name):
            return False
        if isinstance(mine, Points) and isinstance(its, Points):
            return (mine.features, self.axes) == (its.features, other.axes)
        return True

    def make_params(self) -> Any:
        """The parameters as the algorithm's own ``Params`` value."""
        return self.method.make_params(self.params)

    def with_params(self, **changes: Any) -> Document:
        """The same with some parameters changed."""
        return dataclasses.replace(self, params={**self.params, **changes})

    def with_algorithm(self, key: str, example: Callable[[Algorithm], Data] | None = None) -> Document:
        """The same under another algorithm, with the parameters that it had when it was left, or its defaults.

        Where it takes another kind of data, the last data set of such a kind comes from the shelf if it has the target
        that the method needs, or else the ``example`` of the method, and the present one is put on the shelf.
        """
        method = registry.find(key)
        if method.takes(self.data):
            document = dataclasses.replace(self._coded_for(method), **self._left_for(key))
            return document.as_suggested()[0] if self.is_of_a_table and key not in self.memory else document
        data = next((kept for kept in self.shelf if method.takes(kept) and has_target(method, kept)), None)
        if data is not None:
            document = self._on(data, **self._left_for(key))
            return document.with_scale(self.scaling.kind) if data.n else document
        if not method.accepts or example is None:
            return self._on(refuse_other_kinds(method, Nothing()), **self._left_for(key))
        return self._on(example(method), **self._left_for(key)).with_source(method.example)

    def _coded_for(self, method: Algorithm) -> Document:
        """The same with categories as the method reads them, on the same scale."""
        if not isinstance(self.data, Points):
            return self
        given = self.scaling.undone(self.data)
        coded = coded_for(method, given)
        if coded is given:
            return self
        data, scaling = scaled(coded, self.scaling.kind)
        return dataclasses.replace(self, data=data, scaling=scaling, axes=(0, 1))

    def as_suggested(self) -> tuple[Document, str]:
        """The same on points that have just come from a table, as the method wants them, and what was done to them."""
        document = self._coded_for(self.method)
        if not isinstance(document.data, Points):
            return document, ""
        kind, words = suggested_scale(self.method, document.data)
        if kind != document.scaling.kind:
            document = document.with_scale(kind)
        return document.with_suggestions(), words

    def with_suggestions(self) -> Document:
        """The same with what the data suggest for the knobs that still have their default."""
        method = self.method
        defaults = as_dict(method.make_params({}))
        chosen = {name: value for name, value in self.params.items() if value != defaults[name]}
        return dataclasses.replace(self, params={**self.params, **suggested_params(method, self.data, chosen)})

    @property
    def is_of_a_table(self) -> bool:
        """Whether the data came from a file or the clipboard, and not from a recipe or the hand."""
        return bool(self.source) and "(" not in self.source

    def _left_for(self, key: str) -> dict[str, Any]:
        """What changes when this method is left for another one: each keeps its parameters."""
        defaults = as_dict(self.method.make_params({}))
        own = {name: value for name, value in self.params.items() if value != defaults[name]}
        memory = {name: kept for name, kept in self.memory.items() if name not in (key, self.algorithm)}
        memory |= {self.algorithm: own} if own else {}
        return {"algorithm": key, "params": self.memory.get(key, {}), "memory": memory}

    def with_memory(self, key: str, values: Mapping[str, Any]) -> Document:
        """The same, where another method will have these parameters when it is chosen."""
        method = registry.find(key)
        defaults = as_dict(method.make_params({}))
        wanted = as_dict(method.make_params(values))
        own = {name: value for name, value in wanted.items() if value != defaults[name]}
        others = {name: kept for name, kept in self.memory.items() if name != key}
        return dataclasses.replace(self, memory={**others, key: own} if own else others)

    def with_defaults(self) -> Document:
        """The same with the default parameters of every method."""
        return dataclasses.replace(self, params={}, memory={})

    def with_data(self, data: Data, algorithm: str | None = None) -> Document:
        """The same algorithm, or another one, on other data.

        An edit keeps the names of the features and with them their scale.
        """
        return self._on(data) if algorithm is None else self._on(data, **self._left_for(algorithm))

    def _on(self, data: Data, **changes: Any) -> Document:
        before = self.data
        same = isinstance(data, Points) and isinstance(before, Points) and data.features == before.features
        kept = self.scaling.undone(before) if isinstance(before, Points) else before
        shelf = tuple(other for other in (kept, *self.shelf) if other.kind not in (data.kind, "none"))
        scaling = self.scaling if same or not isinstance(data, Points) else AS_GIVEN
        return dataclasses.replace(self, data=data, scaling=scaling, shelf=shelf, **changes)

    def with_scale(self, kind: Scale) -> Document:
        """The same with the features on another scale, seen from the one on which they were given."""
        if not isinstance(self.data, Points):
            return self
        data, scaling = scaled(self.scaling.undone(self.data), kind)
        document = dataclasses.replace(self, data=data, scaling=scaling)
        document = document if kind == self.scaling.kind else document.without_places()
        return document.with_pca() if self.shows_pca else document  # other scales have other components

    def with_seed(self, seed: int) -> Document:
        """The same with other random numbers."""
        return dataclasses.replace(self, seed=seed)

    def with_axes(self, axes: Axes) -> Document:
        """The same seen along two other features, or on a plane."""
        return dataclasses.replace(self, axes=axes)

    def with_first_axes(self, axes: Axes) -> Document:
        """The same as it is to be seen first: along these features, unless there are very many."""
        return self.with_pca() if is_seen_by_pca(self.data) else self.with_axes(axes)

    def with_telling_axes(self) -> Document:
        """The same seen along the features in which there is most to see, or on the principal components."""
        if not isinstance(self.data, Points) or self.data.d <= 2:
            return self.with_axes((0, 1))
        axes = None if is_seen_by_pca(self.data) else telling_axes(self.data)
        return self.with_pca() if axes is None else self.with_axes(axes)

    def with_pca(self) -> Document:
        """The same seen on the plane of the first two principal components of the present points."""
        shown = isinstance(self.data, Points) and self.data.d > 2
        return self.with_axes(PrincipalPlane.of(self.data)) if shown else self  # type: ignore[arg-type]

    @property
    def shows_pca(self) -> bool:
        """Whether the plane is that of the principal components."""
        return isinstance(self.axes, PrincipalPlane)

    def with_colour(self, group: int, colour: str) -> Document:
        """The same with another colour for one class; an empty one means the theme's own."""
        colours = [*self.colours, *[""] * (group + 1 - len(self.colours))]
        colours[group] = colour
        return dataclasses.replace(self, colours=tuple(colours))

    # -- several settings side by side ---------------------------------------------------------------------------

    @property
    def setting(self) -> Setting:
        """The method, its parameters and the seed."""
        return Setting(self.algorithm, self.params, self.seed)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The setting in hand and those beside it, in the order in which they stand."""
        return self.comparison.around(self.setting)

    def at(self, place: int) -> Document:
        """The document of one of the settings, alone."""
        if not self.comparison.others:
            return self
        found = self.settings[place]
        return dataclasses.replace(
            self, algorithm=found.algorithm, params=found.params, seed=found.seed, comparison=ALONE
        )

    def with_active(self, place: int) -> Document:
        """The same with another one of the settings in hand."""
        return self._with_settings(self.settings, place)

    def beside(self, setting: Setting) -> Document:
        """The same with one more setting, which is the one in hand from now on."""
        return self._with_settings((*self.settings, setting), len(self.settings))

    def without(self, place: int) -> Document:
        """The same without one of the settings; the one in hand stays in hand, or its neighbour comes. One stays."""
        if not self.comparison.others:
            return self
        left = self.settings[:place] + self.settings[place + 1 :]
        active = self.comparison.place
        return self._with_settings(left, min(active - (place < active), len(left) - 1))

    def alone(self) -> Document:
        """The setting in hand, with none beside it."""
        return dataclasses.replace(self, comparison=ALONE)

    def compared(self, **changes: Any) -> Document:
        """The same with another clock, or with or without the map of differences."""
        return dataclasses.replace(self, comparison=dataclasses.replace(self.comparison, **changes))

    def _with_settings(self, settings: tuple[Setting, ...], place: int) -> Document:
        own, others = settings[place], settings[:place] + settings[place + 1 :]
        comparison = dataclasses.replace(self.comparison, others=others, place=place) if others else ALONE
        return dataclasses.replace(
            self, algorithm=own.algorithm, params=own.params, seed=own.seed, comparison=comparison
        )

    # -- lessons -------------------------------------------------------------------------------------------------

    def for_slide(self) -> Document:
        """What a slide keeps: the same without the shelf, the memory and the lesson."""
        sources = {self.data.kind: self.source} if self.source else {}
        return dataclasses.replace(self, shelf=(), memory={}, sources=sources, given={}, lesson=NO_LESSON)

    def with_lesson(self, lesson: Lesson) -> Document:
        """The same in another lesson."""
        return dataclasses.replace(self, lesson=lesson)

    def on_slide(self, number: int) -> Document:
        """The document of a slide of the lesson, with the shelf and the memory of this one."""
        lesson = self.lesson.at(number)
        its = lesson.slides[lesson.current].document
        kept = self._on(its.data, **self._left_for(its.algorithm))
        sources = {**self.sources, its.data.kind: its.source}
        kept = dataclasses.replace(kept, sources=sources, lesson=lesson)
        names = ("shelf", "memory", "sources", "given", "lesson")
        return dataclasses.replace(its, **{name: getattr(kept, name) for name in names})

    def shows(self, slide: Slide | None) -> bool:
        """Whether this is what a slide keeps, up to the step and the look."""
        return slide is not None and not self.changes(slide.document) - {"lesson"}

    def changes(self, other: Document) -> frozenset[str]:
        """The names of the parts in which the two differ. Data sets are compared by identity: they never change."""
        names = ("algorithm", "params", "seed", "axes", "colours", "scaling", "comparison", "lesson")
        different = {name for name in names if getattr(self, name) != getattr(other, name)}
        return frozenset(different | ({"data"} if self.data is not other.data else set()))


def has_target(method: Algorithm, data: Data) -> bool:
    """Whether data have what the method is to predict; data that are still to be drawn will have it."""
    if not isinstance(data, Points) or not data.n:
        return True
    found = {"none": True, "classes": data.is_labelled, "values": data.is_valued}
    return found.get(method.target, data.is_labelled or data.is_valued)


def _alike(one: Array, other: Array) -> bool:
    """Whether two arrays hold the same, up to the rounding of a change of scale and back."""
    if one.shape != other.shape:
        return False
    return np.allclose(one, other) if one.dtype.kind == "f" else bool((one == other).all())


def _frozen(values: Mapping[str, Any]) -> FrozenDict:
    """The same values, refusing to change; documents that follow each other share what is frozen already."""
    return values if isinstance(values, FrozenDict) else FrozenDict(values)


def _checked_axes(axes: Axes, data: Data) -> Axes:
    """The axes, or the first two features where the data does not have them."""
    d = data.d if isinstance(data, Points) else 1
    if not isinstance(axes, PrincipalPlane):
        first, second = (int(axis) for axis in axes)
        axes = (first, second)
    return axes if valid_axes(axes, d) else (0, 1)


def checked_colours(colours: Any) -> tuple[str, ...]:
    """Colours of classes as ``#rrggbb`` or nothing, without empty ones at the end; or ValueError."""
    checked = [str(colour).lower() for colour in colours]
    for colour in checked:
        if colour and not re.fullmatch("#[0-9a-f]{6}", colour):
            raise ValueError(f"A colour must look like #0072b2; got {colour[:20]!r}.")
    while checked and not checked[-1]:
        checked.pop()
    return tuple(checked)
