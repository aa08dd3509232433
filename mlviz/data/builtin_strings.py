"""Texts that come with the laboratory."""

from __future__ import annotations

from algorithms.data import Strings
from mlviz.data.builtin import Builtin


def _read(text: str) -> Strings:
    from mlviz.data.string_files import strings_from_text  # with the first use: the start lists all sets

    return strings_from_text(text.splitlines(keepends=True))


STRINGS = (
    Builtin(
        "subjects",
        "Subjects of e-mails",
        "120 subjects of e-mails, half of them ham and half of them spam: a few words give most of them away.",
        "subjects.csv",
        "texts",
        "strings",
        _read,
    ),
    Builtin(
        "words",
        "Words of four languages",
        "Thirty words each of English, French, German and Italian: the letters tell the languages apart.",
        "words.csv",
        "texts",
        "strings",
        _read,
    ),
)
