"""A document in plain words, as a session file has it, and back. Faults are repaired with a notice, or refused."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping
from typing import Any

from algorithms import registry
from algorithms.contract import Algorithm
from algorithms.data import KINDS, MAX_CLASSES, Array, Data, DataError, Points
from algorithms.data.magnitude import refuse_extreme_numbers
from algorithms.data.scaling import Scaling
from algorithms.moved import moved
from algorithms.params import ParamError
from mlviz.session.archive import SessionError
from mlviz.session.comparison import ALONE, CLOCKS, MOST_BOARDS, Comparison, Setting, checked_seed
from mlviz.session.document import Document, checked_colours
from mlviz.session.projection import Axes, PrincipalPlane, checked_plane, valid_axes
from mlviz.session.scaling import checked_scaling

MAX_METHODS = 500
MAX_SOURCE = 2_000

Raw = dict[str, Any]


def describe(document: Document) -> Raw:
    """Everything of a document but its data, the shelf and the lesson, as JSON values."""
    return {
        "algorithm": document.algorithm,
        "params": dict(document.params),
        "memory": {key: dict(kept) for key, kept in document.memory.items()},
        "seed": document.seed,
        "axes": _raw_axes(document.axes),
        "colours": list(document.colours),
        "scaling": {
            "kind": document.scaling.kind,
            "shift": list(document.scaling.shift),
            "factor": list(document.scaling.factor),
        },
        "sources": dict(document.sources),
        "comparison": {
            "others": [
                {"algorithm": other.algorithm, "params": dict(other.params), "seed": other.seed}
                for other in document.comparison.others
            ],
            "place": document.comparison.place,
            "clock": document.comparison.clock,
            "difference": document.comparison.difference,
        },
    }


def describe_data(data: Data) -> Raw:
    """Everything of a data set but its arrays."""
    return {"kind": data.kind, **data.facts()}


def read_document(raw: Raw, data: Data, name: str, notices: list[str]) -> Document:
    """The document on these data that the file called ``name`` describes, or :class:`SessionError`."""
    raw = _in_its_place(raw, notices)
    algorithm = _algorithm(raw, name)
    if not algorithm.takes(data):
        raise SessionError(f"{name} is damaged: {algorithm.title} does not work on data of the kind {data.kind!r}.")
    d = data.d if isinstance(data, Points) else 1
    return Document(
        data,
        algorithm.key,
        _params(algorithm, raw.get("params"), name, notices),
        _seed(raw.get("seed"), notices),
        _axes(raw.get("axes"), d, notices),
        _colours(raw.get("colours", []), notices),
        _scaling(raw.get("scaling"), d if isinstance(data, Points) else None, notices),
        memory=_memory(raw.get("memory", {}), name, notices),
        sources=_sources(raw.get("sources")),
        comparison=_comparison(raw.get("comparison"), name, notices),
    )


def numbered(arrays: Mapping[str, Array], start: str, number: int) -> dict[str, Array]:
    """The arrays of one of several data sets in a file, by their own names."""
    prefix = f"{start}{number}."
    return {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}


def with_number(data: Data, start: str, number: int) -> dict[str, Array]:
    """The arrays of a data set by names that :func:`numbered` finds again."""
    return {f"{start}{number}.{key}": array for key, array in data.arrays().items()}


def _raw_axes(axes: Axes) -> Any:
    """Two numbers, or the plane itself, of which older programs say that they do not know it."""
    return {"kind": "pca", **dataclasses.asdict(axes)} if isinstance(axes, PrincipalPlane) else list(axes)


def read_data(described: Any, arrays: Mapping[str, Array], name: str) -> Data:
    """The data set that the file called ``name`` describes, or :class:`SessionError`."""
    if not isinstance(described, dict):
        raise SessionError(f"{name} is damaged: the data set is not described.")
    kind = KINDS.get(str(described.get("kind", "points")))
    if kind is None:
        raise SessionError(f"{name} holds data of the kind {str(described.get('kind'))[:40]!r}, which is unknown here.")
    classes = described.get("classes", [])
    if isinstance(classes, list) and len(classes) > MAX_CLASSES:
        raise SessionError(f"{name} has {len(classes)} classes; at most {MAX_CLASSES} can be shown.")
    try:
        data = kind.from_arrays(arrays, described)
        refuse_extreme_numbers(data)
        return data
    except DataError as error:
        raise SessionError(f"{name} is damaged: {error}") from error
    except (TypeError, ValueError, OverflowError, MemoryError) as error:
        raise SessionError(f"{name} is damaged: its data cannot be used.") from error


def _in_its_place(raw: Raw, notices: list[str]) -> Raw:
    """The description with the method and the parameters as they are called today."""
    key, values = raw.get("algorithm"), raw.get("params")
    if not (isinstance(key, str) and isinstance(values, dict)):
        return raw
    key, values, words = moved(key, values)
    notices += [words] if words else []
    return {**raw, "algorithm": key, "params": values}


def _algorithm(raw: Raw, name: str) -> Algorithm:
    key = raw.get("algorithm")
    if not isinstance(key, str):
        raise SessionError(f"{name} is damaged: it names no algorithm.")
    try:
        return registry.find(key)
    except registry.UnknownAlgorithm as error:
        raise SessionError(f"{name} cannot be opened. {error}") from error


def _params(algorithm: Algorithm, values: Any, name: str, notices: list[str]) -> Raw:
    """The values that are known and allowed; each other one leaves a notice and becomes the default."""
    if not isinstance(values, dict):
        raise SessionError(f"{name} is damaged: the parameters are not listed by name.")
    fields = {field.name: field for field in algorithm.fields}
    kept: Raw = {}
    for key, value in values.items():
        if key not in fields:
            notices.append(f"{algorithm.title} has no parameter {key[:40]!r} any more; it was ignored.")
            continue
        try:
            kept[key] = fields[key].check(value)
        except ParamError as error:
            notices.append(f"{error} The default {fields[key].default!r} is used instead.")
    return kept


def _memory(described: Any, name: str, notices: list[str]) -> dict[str, Raw]:
    """The parameters that other methods were left with; what is not known any more is forgotten."""
    found: dict[str, Raw] = {}
    for key, values in list(described.items())[:MAX_METHODS] if isinstance(described, dict) else []:
        with contextlib.suppress(registry.UnknownAlgorithm):
            key, values, _ = moved(str(key), values if isinstance(values, dict) else {})
            found[key] = _params(registry.find(key), values, name, notices)
    return found


def _comparison(described: Any, name: str, notices: list[str]) -> Comparison:
    """What stands beside the setting; one that cannot be used leaves a notice, older files have none."""
    if not isinstance(described, dict):
        return ALONE
    listed, found = described.get("others"), []
    for one in listed[: MOST_BOARDS - 1] if isinstance(listed, list) else []:
        try:
            raw = _in_its_place(one if isinstance(one, dict) else {}, notices)
            algorithm = _algorithm(raw, name)
            values = _params(algorithm, raw.get("params"), name, notices)
            found.append(Setting(algorithm.key, values, _seed(raw.get("seed"), notices)))
        except (SessionError, ParamError) as error:
            notices.append(f"A setting to compare with could not be read: {error}")
    place, clock = described.get("place"), described.get("clock")
    inside = isinstance(place, int) and 0 <= place <= len(found)
    known = clock if isinstance(clock, str) and clock in CLOCKS else ALONE.clock
    return Comparison(tuple(found), int(place) if inside else 0, known, described.get("difference") is True)  # type: ignore[arg-type]


def _sources(described: Any) -> dict[str, str]:
    """Where the data came from, by their kind; what is no short text is forgotten."""
    pairs = described.items() if isinstance(described, dict) else ()
    return {kind: text for kind, text in pairs if kind in KINDS and isinstance(text, str) and len(text) <= MAX_SOURCE}


def _seed(value: Any, notices: list[str]) -> int:
    try:
        return checked_seed(value)
    except ValueError as error:
        notices.append(f"{error} The seed 0 is used instead.")
        return 0


def _scaling(value: Any, d: int | None, notices: list[str]) -> Scaling:
    try:
        return checked_scaling(value, d)
    except ValueError as error:
        notices.append(f"{error} The data is taken as it is.")
        return Scaling()


def _axes(value: Any, d: int, notices: list[str]) -> Axes:
    if isinstance(value, dict) and value.get("kind") == "pca":
        try:
            return checked_plane(value, d)
        except ValueError as error:
            notices.append(f"{error} The first two features are shown.")
            return (0, 1)
    whole = isinstance(value, list) and all(isinstance(item, int) and not isinstance(item, bool) for item in value)
    if whole and len(value) == 2 and valid_axes((value[0], value[1]), d):
        return value[0], value[1]
    notices.append("The axes in this session do not exist; the first two features are shown.")
    return (0, 1)


def _colours(value: Any, notices: list[str]) -> tuple[str, ...]:
    """The colours given to classes; older files have none, and then the theme's are used."""
    with contextlib.suppress(ValueError):
        if isinstance(value, list) and len(value) <= MAX_CLASSES:
            return checked_colours(value)
    notices.append("The colours of the classes in this session could not be read; those of the theme are used.")
    return ()
