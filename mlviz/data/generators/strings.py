"""Generators of texts with classes."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from algorithms.data import DataError, Strings
from algorithms.params import Between, Doc, Log
from mlviz.data.generators.declare import even_labels, generator

LETTERS = "ACGTBDEFHIJKLMNOPQRSUVWXYZ"
"""The alphabet; its first four letters are those of DNA."""
MAX_TEXTS = 2000


@generator("Texts with a planted motif", group="texts", kind="strings")
def motifs(
    rng: np.random.Generator,
    n: Annotated[int, Between(1, MAX_TEXTS), Log, Doc("How many texts, half of them with the motif.")] = 60,
    length: Annotated[int, Between(1, 500), Doc("How many letters each text has.")] = 24,
    letters: Annotated[int, Between(1, 26), Doc("How many letters the alphabet has.")] = 4,
    motif: Annotated[str, Doc("What is planted, at a random position of each text of the second class.")] = "GATTACA",
    mutations: Annotated[
        float, Between(0, 1), Doc("The probability that a letter of the planted motif is replaced by a random one.")
    ] = 0.1,
) -> Strings:
    """Random texts over an alphabet; in those of one class the same motif is hidden, not always without errors."""
    if not 1 <= len(motif) <= 100:
        raise DataError("The motif must have 1 to 100 letters.")
    alphabet = np.array(list(LETTERS[:letters]))
    planted = rng.permutation(even_labels(n, 2))
    texts = []
    for with_motif in planted.tolist():
        text = rng.choice(alphabet, max(length, len(motif) if with_motif else 1))
        if with_motif:
            start = int(rng.integers(len(text) - len(motif) + 1))
            spared = rng.random(len(motif)) >= mutations
            text = text.astype("<U1")
            text[start : start + len(motif)][spared] = np.array(list(motif))[spared]
        texts.append("".join(text.tolist()))
    levels, numbers = np.unique(planted, return_inverse=True)
    classes = tuple(("random", "with the motif")[level] for level in levels.tolist())
    return Strings(tuple(texts), numbers, classes)
