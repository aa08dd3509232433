"""Famous series that come with the laboratory."""

from __future__ import annotations

from algorithms.data import Sequences
from mlviz.data.builtin import Builtin


def _read(text: str) -> Sequences:
    from mlviz.data.sequence_files import sequences_from_text  # with the first use: the start lists all sets

    return sequences_from_text(text.splitlines(keepends=True))


SEQUENCES = (
    Builtin(
        "earthquakes",
        "Earthquakes",
        "How many earthquakes of magnitude 7 or more there were in each year from 1900 to 2006: calm and busy times.",
        "earthquakes.csv",
        "sequences",
        "sequences",
        _read,
    ),
    Builtin(
        "nile",
        "The Nile",
        "The yearly flow of the Nile at Aswan, 1871 to 1970, in 10⁸ m³: it fell once, about 1898.",
        "nile.csv",
        "sequences",
        "sequences",
        _read,
    ),
)
