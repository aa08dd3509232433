"""Points that are made from other files of the laboratory: counts of words, and a table of categories."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter

import numpy as np

from algorithms.data import Points
from mlviz.data.builtin import Builtin

FEWEST = 2
"""A word counts as a feature when so many texts have it."""
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|!")


def words_in(text: str) -> Counter[str]:
    """How often each word is in a text, in small letters; an exclamation mark is a word, too."""
    return Counter(_WORD.findall(text.lower()))


def word_counts(text: str) -> Points:
    """The texts of a file as counts of their words, the word first that differs most between the classes."""
    from mlviz.data.string_files import strings_from_text  # with the first use: the start lists all sets

    strings = strings_from_text(text.splitlines(keepends=True))
    counted = [words_in(one) for one in strings.texts]
    spread = Counter(word for words in counted for word in words)
    words = [word for word, count in spread.items() if count >= FEWEST]
    X = np.array([[words_of[word] for word in words] for words_of in counted], dtype=np.float64)
    assert strings.y is not None
    means = np.array([X[strings.y == k].mean(axis=0) for k in range(len(strings.classes))])
    order = sorted(range(len(words)), key=lambda j: (-float(np.ptp(means[:, j])), words[j]))
    return Points(
        X[:, order], strings.y, features=tuple(words[j] for j in order), classes=strings.classes, target="kind"
    )


def categories(text: str) -> Points:
    """A table of words: the last column is the class, the others are categories."""
    header, *rows = csv.reader(io.StringIO(text))
    columns = [sorted(set(column)) for column in zip(*rows)]
    codes = np.array([[names.index(value) for names, value in zip(columns, row)] for row in rows])
    return Points(
        codes[:, :-1].astype(np.float64),
        codes[:, -1],
        features=tuple(header[:-1]),
        classes=tuple(columns[-1]),
        target=header[-1],
        categories=tuple((j, tuple(names)) for j, names in enumerate(columns[:-1])),
    )


POINTS = (
    Builtin(
        "subject_words",
        "Words of e-mail subjects",
        "120 subjects of e-mails, ham and spam, as counts of the words that at least two of them have.",
        "subjects.csv",
        "tables",
        "points",
        word_counts,
    ),
    Builtin(
        "tennis",
        "Days for tennis",
        "Fourteen days and whether tennis was played: outlook, temperature, humidity and wind are categories.",
        "tennis.csv",
        "tables",
        "points",
        categories,
    ),
)
