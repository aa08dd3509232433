"""Tables of distances that come with the laboratory."""

from __future__ import annotations

from algorithms.data import Distances
from mlviz.data.builtin import Builtin


def _read(text: str) -> Distances:
    from mlviz.data.distance_files import distances_from_text  # with the first use: the start lists all sets

    return distances_from_text(text.splitlines())


DISTANCES = (
    Builtin(
        "cities",
        "European cities by air",
        "Great-circle distances between 27 European cities in kilometres: a map of them is nearly flat.",
        "cities.csv",
        "distances",
        "distances",
        _read,
    ),
    Builtin(
        "cities_by_road",
        "European cities by road",
        "Road distances between 21 European cities in kilometres, around mountains and seas, with famous misprints.",
        "cities_by_road.csv",
        "distances",
        "distances",
        _read,
    ),
)
